"""libespeak-ng through ctypes: speech with the start of every phoneme, also without the noise of consonants.

The library comes with the `espeakng-loader` wheel. Its data folder is copied once, and three voice variants
are added: `plain` is the unchanged voice, `full` has no random flutter of the pitch, `voiced` has neither
flutter nor the recorded noise of consonants. The last two are otherwise the same computation, so their
difference, sample by sample, is the noise of the consonants.
"""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import espeakng_loader
import numpy as np

_VARIANTS = {"plain": "", "full": "flutter 0\n", "voiced": "flutter 0\nconsonants 0 0\n"}
_PHONEME_EVENTS_AND_IPA = 1 | 2
_RETRIEVAL = 2
_UTF8 = 1
_RATE_PARAMETER = 1
_EVENT_END, _EVENT_WORD, _EVENT_PHONEME = 0, 1, 7


class _Event(ctypes.Structure):
    class _Id(ctypes.Union):
        _fields_ = [("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8)]

    _fields_ = [
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", _Id),
    ]


_CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event)
)


@dataclass(frozen=True)
class Mark:
    """The start of a word (text None), a phoneme (text: IPA with stress mark) or a pause (text "") at
    `sample`.
    """

    sample: int
    text: str | None


@dataclass(frozen=True)
class MarkedSpeech:
    """Speech: `pcm` int16 [n] at the library's rate, and its marks in order of time."""

    pcm: np.ndarray
    marks: tuple[Mark, ...]


class EspeakEvents:
    """One espeak-ng voice. Only one such object per process: the library's state is global.

    voice: a language name such as "en-us"; rate_wpm: words a minute; folder: where the data folder is
    copied to.
    """

    def __init__(self, voice: str, rate_wpm: int, folder: Path) -> None:
        data = folder / "espeak-ng-data"
        if not data.exists():
            shutil.copytree(espeakng_loader.get_data_path(), data)
        for name, lines in _VARIANTS.items():
            (data / "voices" / "!v" / f"hb{name}").write_text(f"language variant\nname hb{name}\n{lines}")
        self._voice, self._rate_wpm = voice, rate_wpm
        self._library = ctypes.CDLL(espeakng_loader.get_library_path())
        self.sample_rate: int = self._library.espeak_Initialize(
            _RETRIEVAL, 0, str(folder.resolve()).encode(), _PHONEME_EVENTS_AND_IPA
        )
        if self.sample_rate <= 0:
            raise OSError(f"espeak-ng cannot read its data under {data}")
        self._pieces: list[np.ndarray] = []
        self._marks: list[Mark] = []
        self._callback: Callable[..., Any] = _CALLBACK(self._collect)
        self._library.espeak_SetSynthCallback(self._callback)

    def say(self, text: str, variant: str = "plain") -> MarkedSpeech:
        """Speaks `text` with one of the variants: plain, full or voiced."""
        self._pieces, self._marks = [], []
        if self._library.espeak_SetVoiceByName(f"{self._voice}+hb{variant}".encode()) != 0:
            raise ValueError(f"espeak-ng has no voice {self._voice}")
        self._library.espeak_SetParameter(_RATE_PARAMETER, self._rate_wpm, 0)
        raw = text.encode()
        self._library.espeak_Synth(raw, len(raw) + 1, 0, 1, 0, _UTF8, None, None)
        self._library.espeak_Synchronize()
        return MarkedSpeech(np.concatenate(self._pieces), tuple(self._marks))

    def _collect(self, pcm: Any, n_samples: int, events: Any) -> int:
        if pcm and n_samples > 0:
            self._pieces.append(np.ctypeslib.as_array(pcm, (n_samples,)).copy())
        index = 0
        while events[index].type != _EVENT_END:
            event = events[index]
            if event.type == _EVENT_WORD:
                self._marks.append(Mark(event.sample, None))
            elif event.type == _EVENT_PHONEME:
                name = bytes(event.id.string).split(b"\0")[0].decode(errors="replace")
                self._marks.append(Mark(event.sample, name))
            index += 1
        return 0

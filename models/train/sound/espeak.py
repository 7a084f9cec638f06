"""espeak-ng through ctypes: text, voice, rate and pitch to a waveform at 16 kHz.

The library comes with the `espeakng-loader` wheel. It keeps its state in globals: use one `Espeak` per
process.
"""

from __future__ import annotations

import ctypes
from pathlib import Path

import espeakng_loader
import numpy as np
import soxr

from models.brick import MICROPHONE_RATE_HZ
from models.train.sound.speakers import draw_speakers, with_speakers

_SYNCHRONOUS, _UTF8, _AT_CHARACTER = 2, 1, 1
_RATE, _PITCH, _RANGE = 1, 3, 4
_NO_STRESS = str.maketrans("", "", "',%=_:|")
_SEED = ctypes.c_long(1)
"""Of the noise in a voice, which espeak-ng would take from the clock: the same sentences, said in the same
order, are the same sounds in every run.
"""
_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)


class Espeak:
    """espeak-ng, initialised. `more_speakers`: also with the random speakers and accents."""

    def __init__(self, more_speakers: bool = False) -> None:
        self._library = ctypes.CDLL(espeakng_loader.get_library_path())
        data = espeakng_loader.get_data_path()
        self._folder = with_speakers(Path(data)) if more_speakers else None
        used = self._folder.name if self._folder else data
        self._rate_hz = self._library.espeak_Initialize(_SYNCHRONOUS, 0, used.encode(), 0)
        if self._rate_hz <= 0:
            raise RuntimeError("espeak-ng did not start")
        self._chunks: list[np.ndarray] = []
        self._callback = _Callback(self._collect)
        self._library.espeak_SetSynthCallback(self._callback)
        self._voice = ""

    def draw_speakers(self, generation: int) -> None:
        """Replace the random speakers and accents by those of `generation`; only with `more_speakers`."""
        if self._folder is not None:
            draw_speakers(Path(self._folder.name), generation)
            self._voice = ""

    def _collect(self, samples: ctypes._Pointer[ctypes.c_short], count: int, _events: int | None) -> int:
        if samples and count > 0:
            self._chunks.append(np.ctypeslib.as_array(samples, (count,)).copy())
        return 0

    def say(
        self, text: str, voice: str, words_per_minute: int = 170, pitch: int = 50, pitch_range: int = 50
    ) -> np.ndarray:
        """float32 [n] at 16 kHz in [-1, 1], without silence at either end; pitch and range 0-100.

        Raises ValueError for an unknown language.
        """
        if voice != self._voice and self._library.espeak_SetVoiceByName(voice.encode()) != 0:
            raise ValueError(f"espeak-ng has no voice {voice}")
        self._voice = voice
        for parameter, value in ((_RATE, words_per_minute), (_PITCH, pitch), (_RANGE, pitch_range)):
            self._library.espeak_SetParameter(parameter, value, 0)
        self._chunks.clear()
        spoken = text.encode() + b"\0"
        self._library.espeak_ng_SetRandSeed(_SEED)
        self._library.espeak_Synth(spoken, len(spoken), 0, _AT_CHARACTER, 0, _UTF8, None, None)
        if not self._chunks:
            return np.zeros(0, np.float32)
        samples = np.concatenate(self._chunks).astype(np.float32) / 32768.0
        return trim(soxr.resample(samples, self._rate_hz, MICROPHONE_RATE_HZ, quality="HQ"))

    def phonemes(self, word: str, voice: str = "en-us") -> str:
        """How the voice says `word`: its phonemes, without stress."""
        if voice != self._voice and self._library.espeak_SetVoiceByName(voice.encode()) != 0:
            raise ValueError(f"espeak-ng has no voice {voice}")
        self._voice = voice
        text = ctypes.c_char_p(word.encode())
        self._library.espeak_TextToPhonemes.restype = ctypes.c_char_p
        found = self._library.espeak_TextToPhonemes(ctypes.byref(text), _UTF8, 0)
        return (found or b"").decode().translate(_NO_STRESS).strip()


def trim(samples: np.ndarray, threshold: float = 0.004) -> np.ndarray:
    """Without the near-silent samples before the first and after the last loud one."""
    loud = np.flatnonzero(np.abs(samples) > threshold)
    return samples[loud[0] : loud[-1] + 1] if len(loud) else samples[:0]

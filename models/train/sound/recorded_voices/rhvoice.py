"""RHVoice through ctypes, where its library and the voices are installed; RHVOICE_DATA_PATH says where its
data lie if not where the library was built for.
"""

from __future__ import annotations

import ctypes

import numpy as np

from models.train.sound.recorded_voices.missing import Missing

_LIBRARY = "libRHVoice.so"
_TEXT = 0
_SetRate = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p)
_Play = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_uint, ctypes.c_void_p)


class _Callbacks(ctypes.Structure):
    _fields_ = (
        ("set_sample_rate", _SetRate), ("play_speech", _Play),
        *((name, ctypes.c_void_p) for name in
          ("process_mark", "word_starts", "word_ends", "sentence_starts", "sentence_ends", "play_audio",
           "done")),
    )  # fmt: skip


class _Start(ctypes.Structure):
    _fields_ = (
        ("data_path", ctypes.c_char_p), ("config_path", ctypes.c_char_p),
        ("resource_paths", ctypes.c_void_p), ("callbacks", _Callbacks), ("options", ctypes.c_uint),
    )  # fmt: skip


class _Manner(ctypes.Structure):
    _fields_ = (
        ("voice_profile", ctypes.c_char_p),
        *((f"{kind}_{what}", ctypes.c_double) for kind in ("absolute", "relative")
          for what in ("rate", "pitch", "volume")),
        ("punctuation_mode", ctypes.c_int), ("punctuation_list", ctypes.c_char_p),
        ("capitals_mode", ctypes.c_int), ("flags", ctypes.c_int),
    )  # fmt: skip


class RhVoice:
    """The engine with all voices that it finds."""

    def __init__(self) -> None:
        """Raises `Missing`."""
        try:
            self._library = ctypes.CDLL(_LIBRARY)
        except OSError:
            raise Missing(
                "RHVoice is not installed (its library, libRHVoice.so, with English voices)."
            ) from None
        self._rate_hz, self._chunks = 0, list[np.ndarray]()
        self._callbacks = _Callbacks(_SetRate(self._set_rate), _Play(self._play))
        start = _Start(callbacks=self._callbacks)
        self._library.RHVoice_new_tts_engine.restype = ctypes.c_void_p
        self._library.RHVoice_new_message.restype = ctypes.c_void_p
        self._library.RHVoice_new_message.argtypes = (
            ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint, ctypes.c_int, ctypes.POINTER(_Manner),
            ctypes.c_void_p,
        )  # fmt: skip
        self._library.RHVoice_speak.argtypes = self._library.RHVoice_delete_message.argtypes = (
            ctypes.c_void_p,
        )
        self._engine = self._library.RHVoice_new_tts_engine(ctypes.byref(start))
        if not self._engine:
            raise Missing("RHVoice finds no voices here.")

    def say(self, text: str, speaker: str, pace: float = 1.0, pitch: float = 1.0) -> tuple[np.ndarray, int]:
        """float32 [n] in [-1, 1] and its rate, Hz. pace, pitch: factors of the speaker's own. Raises
        `Missing`.
        """
        manner = _Manner(speaker.encode(), 0, 0, 0, pace, pitch, 1)
        self._chunks.clear()
        spoken = text.encode()
        message = self._library.RHVoice_new_message(
            self._engine, spoken, len(spoken), _TEXT, ctypes.byref(manner), None
        )
        if not message:
            raise Missing(f"RHVoice has no voice {speaker} here.")
        self._library.RHVoice_speak(message)
        self._library.RHVoice_delete_message(message)
        said = np.concatenate([np.zeros(0, np.int16), *self._chunks])
        return said.astype(np.float32) / 32768.0, self._rate_hz

    def _set_rate(self, rate_hz: int, _: int | None) -> int:
        self._rate_hz = rate_hz
        return 1

    def _play(self, samples: ctypes._Pointer[ctypes.c_short], count: int, _: int | None) -> int:
        self._chunks.append(np.ctypeslib.as_array(samples, (count,)).copy())
        return 1

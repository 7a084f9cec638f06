"""flite through ctypes. The library is no package of Python's: it is used where it is installed (Debian:
libflite1).
"""

from __future__ import annotations

import contextlib
import ctypes

import numpy as np

from models.train.sound.recorded_voices.missing import Missing

_LIBRARY = "lib{}.so.1"


class _Wave(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_char_p), ("sample_rate", ctypes.c_int), ("num_samples", ctypes.c_int),
        ("num_channels", ctypes.c_int), ("samples", ctypes.POINTER(ctypes.c_short)),
    )  # fmt: skip


class _Voice(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char_p), ("features", ctypes.c_void_p))


class Flite:
    """flite, whose voices are loaded when they are asked for."""

    def __init__(self) -> None:
        """Raises `Missing`."""
        try:
            self._library = ctypes.CDLL(_LIBRARY.format("flite"), mode=ctypes.RTLD_GLOBAL)
            for name in ("flite_usenglish", "flite_cmulex"):
                ctypes.CDLL(_LIBRARY.format(name), mode=ctypes.RTLD_GLOBAL)
        except OSError:
            raise Missing("flite is not installed (Debian: apt install libflite1).") from None
        self._library.flite_init()
        self._library.flite_text_to_wave.restype = ctypes.POINTER(_Wave)
        self._library.flite_text_to_wave.argtypes = (ctypes.c_char_p, ctypes.c_void_p)
        self._library.flite_feat_set_float.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_float)
        self._library.delete_wave.argtypes = (ctypes.POINTER(_Wave),)
        self._voices: dict[str, ctypes._Pointer[_Voice]] = {}

    def say(self, text: str, speaker: str, pace: float = 1.0, pitch: float = 1.0) -> tuple[np.ndarray, int]:
        """float32 [n] in [-1, 1] and its rate, Hz. pace, pitch: factors of the speaker's own. Raises
        `Missing`.
        """
        voice = self._voice(speaker)
        features = voice.contents.features
        self._library.flite_feat_set_float(features, b"duration_stretch", 1 / pace)
        self._library.flite_feat_set_float(features, b"f0_shift", pitch)
        made = self._library.flite_text_to_wave(text.encode(), voice)
        wave = made.contents
        samples = np.ctypeslib.as_array(wave.samples, (wave.num_samples,)).astype(np.float32) / 32768.0
        rate_hz = int(wave.sample_rate)
        self._library.delete_wave(made)
        return samples, rate_hz

    def _voice(self, speaker: str) -> ctypes._Pointer[_Voice]:
        if speaker not in self._voices:
            name = f"cmu_us_{speaker}"
            with contextlib.suppress(OSError, AttributeError):
                register = getattr(ctypes.CDLL(_LIBRARY.format(f"flite_{name}")), f"register_{name}")
                register.restype = ctypes.POINTER(_Voice)
                register.argtypes = (ctypes.c_char_p,)
                self._voices[speaker] = register(None)
        if speaker not in self._voices:
            raise Missing(f"flite has no voice {speaker} here.")
        return self._voices[speaker]

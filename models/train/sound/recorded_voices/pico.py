"""SVOX Pico through ctypes: two women, an American and an Englishwoman, where its library and their data are
installed (Debian: libttspico0 and libttspico-data, of the section non-free).
"""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np

from models.train.sound.recorded_voices.missing import Missing

RATE_HZ = 16_000
_LIBRARY = "libttspico.so.0"
_DATA = Path("/usr/share/pico/lang")
_FILES = {"lh0": ("en-US_ta.bin", "en-US_lh0_sg.bin"), "kh0": ("en-GB_ta.bin", "en-GB_kh0_sg.bin")}
"""By speaker: analysis of text, then the voice."""
_MEMORY_BYTES = 8_000_000
_NAME_BYTES = 200
_CHUNK_BYTES = 128
_BUSY = 201


class Pico:
    """Pico, whose voices are loaded when they are asked for."""

    def __init__(self) -> None:
        """Raises `Missing`."""
        try:
            self._library = ctypes.CDLL(_LIBRARY)
        except OSError:
            raise Missing(
                "SVOX Pico is not installed (Debian, section non-free: apt install libttspico0)."
            ) from None
        self._engines: dict[str, ctypes.c_void_p] = {}
        self._memory: list[ctypes.Array[ctypes.c_char]] = []

    def say(self, text: str, speaker: str, pace: float = 1.0, pitch: float = 1.0) -> tuple[np.ndarray, int]:
        """float32 [n] in [-1, 1] and its rate, Hz. pace, pitch: factors of the speaker's own, the first from
        0.2 to 5, the second from 0.5 to 2. Raises `Missing`.
        """
        engine = self._engine(speaker)
        marked = f'<pitch level="{pitch * 100:.0f}"><speed level="{pace * 100:.0f}">{text}</speed></pitch>'
        left = marked.encode() + b"\0"
        said, chunk = bytearray(), ctypes.create_string_buffer(_CHUNK_BYTES)
        put, got, kind = ctypes.c_int16(), ctypes.c_int16(), ctypes.c_int16()
        while left:
            if self._library.pico_putTextUtf8(engine, left, ctypes.c_int16(len(left)), ctypes.byref(put)):
                raise Missing(f"SVOX Pico cannot say {text!r}.")
            left = left[put.value :]
            status = _BUSY
            while status == _BUSY:
                status = self._library.pico_getData(
                    engine, chunk, ctypes.c_int16(_CHUNK_BYTES), ctypes.byref(got), ctypes.byref(kind)
                )
                said += chunk.raw[: got.value]
        return np.frombuffer(bytes(said), np.int16).astype(np.float32) / 32768.0, RATE_HZ

    def _engine(self, speaker: str) -> ctypes.c_void_p:
        if speaker not in self._engines:
            self._engines[speaker] = self._loaded(speaker)
        return self._engines[speaker]

    def _loaded(self, speaker: str) -> ctypes.c_void_p:
        """An engine has one voice, and a system one engine. Raises `Missing`."""
        missing = Missing(f"SVOX Pico has no voice {speaker} here (Debian, non-free: libttspico-data).")
        if speaker not in _FILES:
            raise missing
        memory = ctypes.create_string_buffer(_MEMORY_BYTES)
        self._memory.append(memory)
        system, engine, name = ctypes.c_void_p(), ctypes.c_void_p(), speaker.encode()
        done = [
            self._library.pico_initialize(memory, _MEMORY_BYTES, ctypes.byref(system)),
            self._library.pico_createVoiceDefinition(system, name),
        ]
        for file in _FILES[speaker]:
            resource, called = ctypes.c_void_p(), ctypes.create_string_buffer(_NAME_BYTES)
            done += [
                self._library.pico_loadResource(system, bytes(_DATA / file), ctypes.byref(resource)),
                self._library.pico_getResourceName(system, resource, called),
                self._library.pico_addResourceToVoiceDefinition(system, name, called),
            ]
        done.append(self._library.pico_newEngine(system, name, ctypes.byref(engine)))
        if any(done):
            raise missing
        return engine

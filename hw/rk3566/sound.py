"""Microphone and speaker through ALSA's own programs, arecord and aplay: no binding to build, and a crash
costs no process of ours.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator

import numpy as np

from hw.device import CHUNK_SAMPLES, MICROPHONE_RATE_HZ, Clock, DeviceError, Pcm
from hw.paced_speaker import PacedSpeaker
from hw.player import Player
from hw.rk3566.process import end

_CHUNK_BYTES = CHUNK_SAMPLES * 2


class AlsaMicrophone:
    """Chunks of int16 `[CHUNK_SAMPLES]` at 16 kHz from an ALSA device; recording begins with the first chunk
    asked for.
    """

    def __init__(self, device: str = "default") -> None:
        """`device` as ALSA names it; "plughw:1,0" converts rate and width where the hardware has others."""
        self._device = device
        self._recorder: asyncio.subprocess.Process | None = None
        self._closed = False

    @property
    def sample_rate(self) -> int:
        """Samples per second."""
        return MICROPHONE_RATE_HZ

    def __aiter__(self) -> AsyncIterator[Pcm]:
        return self

    async def __anext__(self) -> Pcm:
        if self._closed:
            raise StopAsyncIteration
        recorder = self._recorder or await self._start()
        assert recorder.stdout is not None
        try:
            data = await recorder.stdout.readexactly(_CHUNK_BYTES)
        except asyncio.IncompleteReadError:
            if self._closed:
                raise StopAsyncIteration from None
            raise DeviceError(
                f"The microphone stopped working: {await self._last_words(recorder)}."
            ) from None
        return np.frombuffer(data, "<i2").astype(np.int16)

    async def close(self) -> None:
        """Stop recording."""
        self._closed = True
        await self._end()

    async def _start(self) -> asyncio.subprocess.Process:
        format_options = ("-q", "-t", "raw", "-f", "S16_LE", "-c", "1", "-r", str(MICROPHONE_RATE_HZ))
        try:
            self._recorder = await asyncio.create_subprocess_exec(
                "arecord",
                "-D",
                self._device,
                *format_options,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError:
            raise DeviceError(
                "There is no microphone: the program arecord (alsa-utils) is not installed."
            ) from None
        return self._recorder

    async def _last_words(self, recorder: asyncio.subprocess.Process) -> str:
        assert recorder.stderr is not None
        words = (await recorder.stderr.read()).decode(errors="replace").strip().splitlines()
        await self._end()  # the next chunk asked for starts a new recorder
        return words[-1].rstrip(".") if words else "the recording ended"

    async def _end(self) -> None:
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            await end(recorder)


class AlsaSpeaker(PacedSpeaker):
    """Sound to an ALSA device."""

    def __init__(self, clock: Clock, device: str = "default") -> None:
        """Raises `DeviceError` when aplay is not installed."""
        super().__init__(clock)
        program = shutil.which("aplay")
        if program is None:
            raise DeviceError("There is no speaker: the program aplay (alsa-utils) is not installed.")
        self._program = program
        self._device = device
        self._player: Player | None = None

    def _deliver(self, pcm: Pcm, rate_hz: int) -> None:
        if self._player is None or self._player.rate_hz != rate_hz:
            self._end(cut=False)
            self._player = Player(self._program, rate_hz, "-D", self._device)
        if not self._player.write(pcm):
            self._end(cut=True)
            raise DeviceError(f"The speaker stopped working: ALSA device {self._device} takes no sound.")

    def _end(self, cut: bool) -> None:
        if self._player is not None:
            self._player.end(cut)
            self._player = None

"""Microphone and speaker through ALSA's programs arecord and aplay: no binding to build, and a crash does not
end this process. Each recording and each sound starts a new program, so a device that was unplugged works
again when it is back.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections import deque
from collections.abc import AsyncIterator

import numpy as np

from hw.audio.player_program import Player
from hw.audio.real_time_speaker import PacedSpeaker
from hw.device import (
    CHUNK_SAMPLES,
    MICROPHONE_RATE_HZ,
    RECORDING_IS_OFF,
    Clock,
    DeviceError,
    Pcm,
    Sound,
)  # fmt: skip
from hw.linux.end_program import end, kill

_CHUNK_BYTES = CHUNK_SAMPLES * 2
_NO_DATA_LIMIT_S = 3.0
"""A recorder without data for this long counts as failed; it can hang when its device is unplugged."""
_CAPTURE_TIMING = ("--period-time=32000", "--buffer-time=512000")
"""Of arecord: deliver sound once per chunk, instead of once per quarter of the buffer."""
_PLAYBACK_TIMING = ("--start-delay=20000",)
"""Of aplay: start with the first 20 ms, instead of when the buffer of 0.5 s is full."""
CLOSE_LIMIT_S = 0.5
"""How long the last moments of a sound may take that is over when the speaker is closed: aplay's buffer."""
_LOOK_S = 0.02
"""Pause between two looks whether a player has ended."""


class AlsaMicrophone:
    """Chunks of int16 `[CHUNK_SAMPLES]` at `MICROPHONE_RATE_HZ` from an ALSA device; the first request for a
    chunk starts the recording, also after an error.
    """

    def __init__(self, device: str = "default", silent_s: float = _NO_DATA_LIMIT_S) -> None:
        """`device` as ALSA names it; "plughw:1,0" converts rate and width where the hardware has others."""
        self._device = device
        self._silent_s = silent_s
        self._recorder: asyncio.subprocess.Process | None = None
        self._log_reader: asyncio.Task[None] | None = None
        self._log: deque[str] = deque(maxlen=1)
        self._closed = False
        self._off = False
        self._in_use = asyncio.Lock()
        """Held while reading from the recorder or ending it."""

    @property
    def sample_rate(self) -> int:
        """Samples per second."""
        return MICROPHONE_RATE_HZ

    def __aiter__(self) -> AsyncIterator[Pcm]:
        return self

    async def __anext__(self) -> Pcm:
        async with self._in_use:
            return await self._chunk()

    async def _chunk(self) -> Pcm:
        self._check()
        recorder = self._recorder or await self._start()
        assert recorder.stdout is not None
        try:
            self._check()
            async with asyncio.timeout(self._silent_s):
                data = await recorder.stdout.readexactly(_CHUNK_BYTES)
        except asyncio.IncompleteReadError:
            problem = await self._failure_reason()
        except TimeoutError:
            problem = f"{self._device} delivers no sound"
        else:
            return np.frombuffer(data, "<i2").astype(np.int16)
        await self._end()  # the next chunk asked for starts a new recorder
        self._check()
        raise DeviceError(f"The microphone stopped working: {problem}.")

    async def record(self, on: bool) -> None:
        """Off: returns when the recorder has ended."""
        self._off = not on
        if self._off:
            await self._quit()

    async def close(self) -> None:
        """Stop recording."""
        self._closed = True
        await self._quit()

    def _check(self) -> None:
        if self._closed:
            raise StopAsyncIteration
        if self._off:
            raise DeviceError(RECORDING_IS_OFF)

    async def _quit(self) -> None:
        if self._recorder is not None:
            kill(self._recorder)  # a pending read ends
        async with self._in_use:
            await self._end()

    async def _start(self) -> asyncio.subprocess.Process:
        form = ("-q", "-t", "raw", "-f", "S16_LE", "-c", "1", "-r", str(MICROPHONE_RATE_HZ))
        self._log.clear()
        try:
            recorder = await asyncio.create_subprocess_exec(
                "arecord",
                "-D",
                self._device,
                *_CAPTURE_TIMING,
                *form,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,  # Ctrl-C reaches only the headband, which ends it itself
            )
        except FileNotFoundError:
            raise DeviceError(
                "There is no microphone: the program arecord (alsa-utils) is not installed."
            ) from None
        except OSError as error:  # no memory, too many processes
            raise DeviceError(
                f"The microphone does not work: the program arecord cannot be started ({error.strerror})."
            ) from None
        assert recorder.stderr is not None
        self._log_reader = asyncio.create_task(self._read_log(recorder.stderr))
        self._recorder = recorder
        return recorder

    async def _read_log(self, errors: asyncio.StreamReader) -> None:
        """Reads arecord's messages (one per overrun), because a full pipe would block it."""
        with contextlib.suppress(ValueError):  # a line longer than the reader's limit
            async for line in errors:
                if words := line.decode(errors="replace").strip().rstrip("."):
                    self._log.append(words)

    async def _failure_reason(self) -> str:
        if self._log_reader is not None:
            await asyncio.wait([self._log_reader], timeout=0.5)
        return self._log[-1] if self._log else "the recording ended"

    async def _end(self) -> None:
        recorder, self._recorder = self._recorder, None
        listening, self._log_reader = self._log_reader, None
        if listening is not None:
            listening.cancel()
            await asyncio.wait([listening])
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
        self._ended: list[Player] = []
        """Players whose input has ended, that have not been seen to end."""
        self._doubtful = False
        """A sound has failed, and none has been played to its end since."""
        self._late_fault = False
        """A sound that counted as played was lost, which nobody has been told yet."""

    async def close(self) -> None:
        """As `PacedSpeaker.close`; what is over but for its last moments is played to its end."""
        until_s = self._clock.monotonic() + CLOSE_LIMIT_S
        while self._player is None and self._draining and self._clock.monotonic() < until_s:
            await self._clock.sleep(_LOOK_S)
        await super().close()

    def doubt(self) -> None:
        """As after an error: the next sound counts as played when its program has ended well."""
        self._doubtful = True

    def take_late_fault(self) -> str | None:
        """Of a player that failed after its sound, which the next sound finds out."""
        late, self._late_fault = self._late_fault, False
        return str(self._failure()) if late else None

    async def _play(self, chunks: AsyncIterator[Sound]) -> float | None:
        """A program that ended before the sound, or did not end after it, is an error too. What the program
        does with the end of a sound shows later, so after an error a sound counts as played only when its
        program has ended well.
        """
        if self._any_failed():
            self._doubtful = self._late_fault = True
        try:
            first_s = await super()._play(chunks)
        except DeviceError:
            self._doubtful, self._late_fault = True, False
            raise
        if first_s is None:
            return None
        while self._doubtful and self._draining and not self._stopped.is_set():
            await self._wait(_LOOK_S)
        if self._any_failed() or (self._doubtful and self._stopped.is_set()):
            self._doubtful, self._late_fault = True, False
            raise self._failure()
        self._doubtful = False
        return first_s

    @property
    def _draining(self) -> bool:
        return any(player.runs for player in self._ended)

    def _any_failed(self) -> bool:
        """Whether a player has failed that ended since the last call."""
        ended = [player for player in self._ended if not player.runs]
        self._ended = [player for player in self._ended if player not in ended]
        return any(player.failed for player in ended)

    def _deliver(self, pcm: Pcm, rate_hz: int) -> None:
        if self._player is None or self._player.rate_hz != rate_hz:
            self._end(cut=False)
            try:
                self._player = Player(self._program, rate_hz, "-D", self._device, *_PLAYBACK_TIMING)
            except OSError:
                raise self._failure() from None
        if not self._player.write(pcm):
            self._end(cut=True)
            raise self._failure()

    def _end(self, cut: bool) -> None:
        if self._player is not None:
            self._ended.append(self._player)
            if not cut:
                self._player.end()
            self._player = None
        if cut:
            for player in self._ended:
                player.end(cut=True)
            self._ended.clear()

    def _failure(self) -> DeviceError:
        return DeviceError(f"The speaker stopped working: ALSA device {self._device} takes no sound.")

"""The devices of a board: one small Protocol per device, and the values they exchange; battery and power are
in `hw.supply`, and a whole board in `hw.board`.

`hw/rk3566`, `hw/laptop` and `hw/emulated` implement these protocols; code outside `hw` does not know which
one it has.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Pcm = NDArray[np.int16]
"""Mono sound, int16 `[samples]`; the sample rate is always named beside it."""

Image = NDArray[np.uint8]
"""One picture, uint8 `[height, width, 3]`, RGB."""

MICROPHONE_RATE_HZ = 16_000
"""Sample rate of the microphone and of all sound that models are given."""

CHUNK_SAMPLES = 512
"""Samples in one microphone chunk: 32 ms, the step of the voice-activity model."""


RECORDING_IS_OFF = "Recording is switched off."
"""Text of the `DeviceError` that a microphone or camera raises while recording is off."""


class DeviceError(Exception):
    """A device does not work; the text is one clear sentence."""


class DeviceMissing(DeviceError):
    """There is no such device, or it was removed."""


class LightPattern(Enum):
    """States that the light shows to the wearer."""

    OFF = "off"
    STANDBY = "standby"
    LISTENING = "listening"
    THINKING = "thinking"
    SPEAKING = "speaking"
    ERROR = "error"
    CHARGING = "charging"
    LOW_BATTERY = "low battery"
    RECORDING_OFF = "recording off"
    REMEMBERING = "remembering"


class Sound(Protocol):
    """A piece of sound to play."""

    @property
    def pcm(self) -> Pcm:
        """int16 mono `[samples]`."""

    @property
    def sample_rate(self) -> int:
        """Samples per second of `pcm`."""


class Clock(Protocol):
    """The board's clock."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary start; never goes back."""

    def time(self) -> float:
        """Seconds since 1970-01-01 UTC."""

    async def sleep(self, seconds: float) -> None:
        """Return after that many seconds of this clock; after one pass of the event loop for <= 0."""


class Microphone(Protocol):
    """An endless stream of chunks: int16 `[CHUNK_SAMPLES]` at `sample_rate`."""

    @property
    def sample_rate(self) -> int:
        """Samples per second: `MICROPHONE_RATE_HZ`."""

    def __aiter__(self) -> AsyncIterator[Pcm]:
        """The stream itself; iterating raises `DeviceError` when the microphone stops working."""

    async def record(self, on: bool) -> None:
        """Off: returns when the device is closed; until it is on again, asking or waiting for a chunk raises
        `DeviceError`, and sound is lost. Harmless when repeated.
        """

    async def close(self) -> None:
        """Stop recording and close the device. Harmless when repeated."""


@dataclass(frozen=True)
class HandOver:
    """Result of one hand-over from the microcontroller's microphone to the host's."""

    recorded_s: float
    """Seconds of sound read from the microcontroller."""
    took_s: float
    """From the host's resume until all was read, seconds."""
    transfers: int
    """I2C transfers for the pages."""
    repeated: int
    """How many of these were repeats."""
    wire_s: float
    """Time of the transfers, seconds."""
    bus_hz: float | None
    """Clocks of the bus per second over these transfers; None without a transfer."""
    joined_by: Literal["sound", "clock", "nothing"]
    """How the seam was found: by correlation, by the clock, or not at all (the stream begins with the live
    microphone)."""
    correlation: float
    """Normalised correlation of the two recordings at the seam."""
    lost_samples: int
    """Samples known to be missing: in pages that could not be read, and before the seam."""
    problem: str | None = None
    """One sentence when the microcontroller could not be read to the end."""


class SuspendableMicrophone(Microphone, Protocol):
    """A microphone of a computer that may suspend: the microcontroller's microphone records meanwhile, and
    the stream continues with its recording.
    """

    around_suspend: Callable[[Callable[[], Awaitable[None]]], Awaitable[None]]
    """Called with the function that suspends the computer and returns after its resume; has to call it."""
    woken_by_sound: bool
    """Did sound end the last suspend? Known with the first chunk after it."""
    handed_over: Callable[[HandOver], None]
    """Called when a hand-over has ended, which goes on while its first chunks are given."""
    suspend_refusal: str | None
    """Why the last suspend failed, one sentence; None when it succeeded."""

    async def listen_beside(self) -> None:
        """Let the microcontroller record beside this microphone for some seconds, in which `sleep` may be
        called: what begins in that time is lost by neither. Raises `DeviceError` when it would not listen.
        """

    async def sleep(self) -> bool:
        """The next request for a chunk suspends the computer. False: the microcontroller hears something
        already, so nothing changes; what it is has been heard here from its beginning. Raises `DeviceError`
        when the microcontroller would not listen; then the computer must stay awake. While recording is off
        nothing is recorded, and that request raises `DeviceError` after the resume.
        """

    def called(self) -> bool:
        """For `around_suspend`, between two suspends of one sleep, while this microphone is closed: has the
        microcontroller heard something, or does it listen no more? Then the sleep has to end.
        """


class WakeAlarm(Protocol):
    """Ends a suspend of the computer at a set time."""

    @property
    def late_s(self) -> float:
        """Largest delay of the alarm, seconds."""

    def set(self, seconds: int) -> None:
        """Wake the computer in `seconds`; replaces an earlier alarm. Raises `DeviceError`."""

    def clear(self) -> None:
        """Remove the alarm. Harmless when repeated."""


@dataclass(frozen=True)
class CameraUse:
    """What a camera's sensor has done since its object was made; the difference of two is the cost of what
    happened between.
    """

    starts: int = 0
    """How often it began to stream."""
    streamed_s: float = 0.0
    """Seconds in which it streamed and drew power, those of the present stream included."""
    frames: int = 0
    """Frames that it delivered, as far as the driver counts them; also those that nobody was given: before
    the exposure settled, damaged, or older than asked for.
    """


class Camera(Protocol):
    """Takes pictures. Its sensor streams while a picture is taken, and between pictures only while several
    are wanted in a row (`start`).
    """

    @property
    def use(self) -> CameraUse:
        """What its sensor has done so far."""

    async def capture(self) -> Image:
        """The first settled frame from now on, uint8 `[height, width, 3]` RGB. Raises `DeviceError`."""

    def start(self, rate_hz: float) -> None:
        """From now on about so many pictures a second are wanted, until `stop` or the next `start`: the
        sensor streams on after a picture where the next is soon enough. No picture is taken and the sensor is
        not started here. Does not block, and raises nothing but `ValueError` for a rate that is not positive.
        """

    def stop(self) -> None:
        """No further pictures are wanted: a sensor that streams on stops, at the end of a running `capture`.
        Returns before it has stopped. Harmless when repeated.
        """

    async def record(self, on: bool) -> None:
        """Off: returns when the device is closed; until it is on again, `capture` raises `DeviceError`, a
        running one too. Harmless when repeated.
        """

    async def close(self) -> None:
        """Close the device. Harmless when repeated."""


class PlayedSound(Protocol):
    """What a speaker plays, and when."""

    def read(self, from_s: float, samples: int) -> NDArray[np.float32]:
        """float32 [samples] at `MICROPHONE_RATE_HZ`, full scale 1: what is played from that monotonic time
        on, as far as it is known; zero where the speaker is silent.
        """

    def played_s(self, now_s: float) -> float:
        """Length of all sound that was played until that monotonic time, in seconds."""


class Speaker(Protocol):
    """Plays sound."""

    @property
    def loopback(self) -> PlayedSound | None:
        """What it plays, as the reference of the echo canceller; None if that is not known."""

    @property
    def volume_percent(self) -> int:
        """Loudness, 0..100."""

    def set_volume(self, percent: int) -> None:
        """Set the loudness; values outside 0..100 are clipped."""

    async def play(self, chunks: AsyncIterator[Sound]) -> float | None:
        """Play the chunks in turn and return when the last one has been played or `stop()` was called.

        Returns the clock's monotonic time of the first audible sample, or None if nothing was heard.
        Raises `DeviceError`.
        """

    def stop(self) -> None:
        """Stop playback now; a running `play` returns. Harmless when nothing plays."""

    async def close(self) -> None:
        """Stop playback and close the device."""


@runtime_checkable
class LateFaults(Protocol):
    """A speaker that may learn of a sound's loss only after it was played."""

    def doubt(self) -> None:
        """The next `play` returns when its sound has surely been played, or raises `DeviceError`."""

    def take_late_fault(self) -> str | None:
        """What has become known since the last call, one sentence; None where no sound was lost. What `play`
        has raised is not told again.
        """


class Light(Protocol):
    """The state light."""

    def set(self, pattern: LightPattern) -> None:
        """Show the pattern until the next call."""


class Line(Protocol):
    """One GPIO input; "active" is the logical state, independent of the electrical polarity."""

    @property
    def active(self) -> bool:
        """Is the line active now?"""

    async def wait(self) -> None:
        """Return at the next change from inactive to active."""


class Output(Protocol):
    """One GPIO output."""

    def set(self, active: bool) -> None:
        """Make it active or inactive, until the next call. Raises `DeviceError`."""

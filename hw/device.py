"""What every board offers: one small Protocol per device, and the values that cross them; those of its supply
are in `hw.supply`.

`hw/rk3566`, `hw/laptop` and `hw/emulated` satisfy these shapes; nothing above `hw` knows which it has.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from hw.supply import EnergyCounter, Gauge, HostGuard

Pcm = NDArray[np.int16]
"""Mono sound, int16 `[samples]`; the sample rate is always named beside it."""

Image = NDArray[np.uint8]
"""One picture, uint8 `[height, width, 3]`, RGB."""

MICROPHONE_RATE_HZ = 16_000
CHUNK_SAMPLES = 512
"""Samples in one microphone chunk: 32 ms, the step of the voice-activity model."""


RECORDING_IS_OFF = "Recording is switched off."
"""What a microphone or camera says that is asked all the same."""


class DeviceError(Exception):
    """A device of the board does not do its work; the text is one clear sentence."""


class DeviceMissing(DeviceError):
    """There is no such device, or none any more."""


class LightPattern(Enum):
    """What the light tells the wearer."""

    OFF = "off"
    STANDBY = "standby"
    LISTENING = "listening"
    THINKING = "thinking"
    SPEAKING = "speaking"
    ERROR = "error"
    CHARGING = "charging"
    LOW_BATTERY = "low battery"
    RECORDING_OFF = "recording off"


class Sound(Protocol):
    """A piece of sound to play."""

    @property
    def pcm(self) -> Pcm:
        """int16 mono `[samples]`."""

    @property
    def sample_rate(self) -> int:
        """Samples per second of `pcm`."""


class Clock(Protocol):
    """Time as the board tells it."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary start; never goes back."""

    def time(self) -> float:
        """Seconds since 1970-01-01 UTC."""

    async def sleep(self, seconds: float) -> None:
        """Return after that long by this clock; at once (but after one turn of the loop) for <= 0."""


class Microphone(Protocol):
    """An endless stream of chunks: int16 `[CHUNK_SAMPLES]` at `sample_rate`."""

    @property
    def sample_rate(self) -> int:
        """Samples per second: `MICROPHONE_RATE_HZ`."""

    def __aiter__(self) -> AsyncIterator[Pcm]:
        """The stream itself; iterating raises `DeviceError` when the microphone stops working."""

    async def record(self, on: bool) -> None:
        """Off: returns when the device is given back; until it is on again, whoever asks for a chunk or waits
        for one gets `DeviceError`, and what sounds meanwhile is lost. Harmless when repeated.
        """

    async def close(self) -> None:
        """Stop listening and give the device back. Harmless when repeated."""


@dataclass(frozen=True)
class HandOver:
    """How a hand-over from the microcontroller's microphone to the host's went."""

    recorded_s: float
    """Seconds of sound read from the microcontroller."""
    took_s: float
    """From the host being awake to the seam, seconds."""
    transfers: int
    """I2C transfers for the pages."""
    repeated: int
    """Of these, repeats."""
    wire_s: float
    """Modelled seconds they take at 400 kHz."""
    joined_by: Literal["sound", "clock", "nothing"]
    """What found the seam; nothing: the stream begins with the live microphone."""
    correlation: float
    """Of the two recordings at the seam."""
    lost_samples: int
    """Samples known to be missing, in pages that could not be read or before the seam."""
    problem: str | None = None
    """One sentence when the microcontroller could not be read to the end."""


class SuspendableMicrophone(Microphone, Protocol):
    """A microphone whose computer may sleep: another one listens meanwhile, and the stream goes on with what
    that one heard.
    """

    around_suspend: Callable[[Callable[[], Awaitable[None]]], Awaitable[None]]
    """Calls what it is given, which suspends the computer and returns when it is awake again."""
    last_hand_over: HandOver | None
    """How the last sleep ended; None when something else than sound ended it."""
    suspend_refusal: str | None
    """Why the computer did not sleep the last time, one sentence; None when it did."""

    async def sleep(self) -> None:
        """From the next chunk that is asked for, the computer sleeps. Raises `DeviceError`: then nobody would
        listen, so stay awake. While recording is off nobody does, and the sleep ends with `DeviceError`.
        """


class WakeAlarm(Protocol):
    """Ends a sleep of the computer at a set time."""

    @property
    def late_s(self) -> float:
        """By so many seconds it may come too late."""

    def set(self, seconds: int) -> None:
        """Wake the computer in so many seconds, instead of whenever was set before. Raises `DeviceError`."""

    def clear(self) -> None:
        """Wake it no more. Harmless when repeated."""


class Camera(Protocol):
    """Something that sees."""

    async def capture(self) -> Image:
        """The present frame, uint8 `[height, width, 3]` RGB. Raises `DeviceError`."""

    async def record(self, on: bool) -> None:
        """Off: returns when the device is given back; until it is on again, `capture` raises `DeviceError`,
        also one under way. Harmless when repeated.
        """

    async def close(self) -> None:
        """Give the device back. Harmless when repeated."""


class PlayedSound(Protocol):
    """What a speaker plays, and when."""

    def read(self, from_s: float, samples: int) -> NDArray[np.float32]:
        """float32 [samples] at `MICROPHONE_RATE_HZ`, full scale 1: what is heard from that monotonic time on,
        as far as it is known; zero where the speaker is silent.
        """

    def played_s(self, now_s: float) -> float:
        """Length of all sound that was heard until that monotonic time, in seconds."""


class Speaker(Protocol):
    """Something that is heard."""

    @property
    def loopback(self) -> PlayedSound | None:
        """What it plays, as the reference for taking its echo away; None if it cannot tell."""

    @property
    def volume_percent(self) -> int:
        """Loudness, 0..100."""

    def set_volume(self, percent: int) -> None:
        """Set the loudness; values outside 0..100 are clipped."""

    async def play(self, chunks: AsyncIterator[Sound]) -> float | None:
        """Play the chunks in turn and return when the last has been heard or `stop()` was called.

        Returns the clock's monotonic time of the first audible sample, or None if nothing was heard.
        Raises `DeviceError`.
        """

    def stop(self) -> None:
        """Fall silent now; a `play` under way returns. Harmless when nothing plays."""

    async def close(self) -> None:
        """Stop, and give the device back."""


class Light(Protocol):
    """The state light."""

    def set(self, pattern: LightPattern) -> None:
        """Show the pattern until the next call."""


class Line(Protocol):
    """One GPIO line that signals by going active (electrical polarity is the line's own matter)."""

    @property
    def active(self) -> bool:
        """Is the line active now?"""

    async def wait(self) -> None:
        """Return at the next change from inactive to active."""


class Output(Protocol):
    """One GPIO line that the headband drives."""

    def set(self, active: bool) -> None:
        """Make it active or inactive, until the next call. Raises `DeviceError`."""


@dataclass(frozen=True)
class Clocks:
    """Folders under `class/devfreq` by what they clock: the whole name, or what follows the address before
    it.
    """

    memory: str = "dmc"
    npu: str = "npu"
    gpu: str = "gpu"


@dataclass(frozen=True)
class Board:
    """Every device of one headband, and the root under which the power knobs live."""

    microphone: Microphone
    camera: Camera
    speaker: Speaker
    light: Light
    gauge: Gauge
    clock: Clock
    wake: Line
    """Goes active when the microcontroller heard something worth waking for."""
    alert: Line
    """Goes active when the microcontroller has an alarm or event to tell."""
    button: Line
    """Active while the wearer presses."""
    sysfs_root: Path
    """`/sys` on the real board, a temporary folder shaped like it on the emulated one."""
    guard: HostGuard | None = field(default=None, kw_only=True)
    """The microcontroller's watch over the host; None on a board without."""
    energy: EnergyCounter | None = field(default=None, kw_only=True)
    """Sees everything that the headband draws from its battery; None where nothing does: a stand-in for the
    headband has counters too, but they count what an emulated cell is told to give.
    """
    native: bool = field(default=False, kw_only=True)
    """This computer is the headband, so its seconds are the headband's; else it stands in for it."""
    suspendable_microphone: SuspendableMicrophone | None = field(default=None, kw_only=True)
    """`microphone` as a computer hears it that sleeps between events; None where it can't."""
    wake_alarm: WakeAlarm | None = field(default=None, kw_only=True)
    """Wakes a sleeping computer at a set time; None where nothing can."""
    recording_off: Line | None = field(default=None, kw_only=True)
    """Active while the wearer's switch stands at "recording off"; None where there is no such switch."""
    marker: Output | None = field(default=None, kw_only=True)
    """Active while the headband is busy with the wearer, for the digital input of a power meter; None where
    none is attached.
    """
    clocks: Clocks | None = field(default=Clocks(), kw_only=True)
    """Where the kernel's clock limits are; None: this computer is somebody's, and its clocks, cores and sleep
    are left alone.
    """
    thermal_zones: tuple[str, ...] = field(default=("soc-thermal", "cpu-thermal"), kw_only=True)
    """Types of the thermal zones that tell the chip's temperature: Rockchip's kernel; mainline. Empty where
    its heat is not the headband's to judge.
    """
    compatible: str = field(default="", kw_only=True)
    """What the kernel's device tree has to call this computer; empty: anything."""
    problems: tuple[str, ...] = field(default=(), kw_only=True)
    """What could not be opened, one sentence each; the headband goes on without."""

    async def close(self) -> None:
        """Give every device back."""
        await self.microphone.close()
        await self.camera.close()
        await self.speaker.close()

"""How a headband's devices are attached, read from a `board.toml`. Carrier boards differ:
`hw/rk3566/board.toml` is the one to copy, and `[board] file` in `headband.toml` names the copy.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from hw.device import Clocks
from hw.gauges import GaugeKind
from hw.settings import SettingsError, fill, read_toml

_LINE = re.compile(r"\S+( \d+)?")


@dataclass(frozen=True)
class LinesWiring:
    """GPIO lines, each as "CHIP NUMBER" or by the line's own name; empty where there is none.

    CHIP is a label ("gpio0", as the kernel calls the SoC's bank) or a path; labels stay when the numbers of
    the chips change.
    """

    wake: str = "gpio0 3"
    """The PMU pulls it to wake the computer; on a bank that wakes the SoC from deep sleep, which is GPIO0."""
    alert: str = "gpio0 4"
    """The PMU pulls it for alarms and events."""
    button: str = "gpio0 5"
    """The wearer's button."""
    recording_off: str = ""
    """The wearer's switch: closed stands for "see and hear nothing". On a bank that wakes the SoC from deep
    sleep, so that it counts at once.
    """
    marker: str = ""
    """Goes to the digital input of a power meter, active high."""

    def __post_init__(self) -> None:
        for name in ("wake", "alert", "button", "recording_off", "marker"):
            text = getattr(self, name)
            if text and not _LINE.fullmatch(text):
                raise ValueError(f'{name} must read like "gpio0 3" or be a line\'s name, not {text!r}')


@dataclass(frozen=True)
class SoundWiring:
    """ALSA devices by name, such as "default" or "plughw:CARD=Headset,DEV=0": a name with CARD stays when the
    device is plugged in elsewhere.
    """

    microphone: str = "default"
    """Records; "plughw" converts rate and width where the hardware has others."""
    speaker: str = "default"
    """Plays."""


@dataclass(frozen=True)
class CameraWiring:
    """A V4L2 camera and what is asked of it; the driver may deliver another size or interval."""

    device: str = "auto"
    """Path such as "/dev/video0" or one under /dev/v4l/by-id; auto: the first that delivers pictures."""
    format: str = "auto"
    """One of YUYV, UYVY, NV12, NV21, RGB3, BGR3, GREY, MJPG; auto: the first of them that the camera has."""
    width_px: int = 1280
    """Width asked for, pixels."""
    height_px: int = 720
    """Height asked for, pixels."""
    interval_s: float = 0.0
    """Time between two frames of its stream, seconds; 0 leaves it to the driver."""
    settling_frames: int = 4
    """Frames passed over after the stream starts, in which the exposure finds its way."""
    hold_s: float = 1.0
    """How long the stream runs on after a picture, seconds; 0 ends it with each. More than the interval at
    which the power plan takes pictures keeps it on between them.
    """

    def __post_init__(self) -> None:
        if self.width_px < 1 or self.height_px < 1:
            raise ValueError("a picture is at least 1 pixel wide and high")
        if min(self.interval_s, self.settling_frames, self.hold_s) < 0:
            raise ValueError("interval_s, settling_frames and hold_s must not be negative")


@dataclass(frozen=True)
class Wiring:
    """Everything in a `board.toml`."""

    compatible: str = ""
    """What the kernel's device tree has to call this computer; empty: anything."""
    i2c_bus: int = 1
    """Number of the I2C bus with the PMU."""
    gauge: GaugeKind = "auto"
    """Which battery gauge there is: "pmu", "bq27441", "max17048", "kernel", or "auto" for the first that
    answers.
    """
    led: str = "pmu"
    """The state light: "pmu" for the one on the microcontroller, else a name under `/sys/class/leds`."""
    thermal_zones: tuple[str, ...] = ("soc-thermal", "cpu-thermal")
    """Types of the thermal zones that tell the chip's temperature; the first that is there counts."""
    lines: LinesWiring = field(default_factory=LinesWiring)
    sound: SoundWiring = field(default_factory=SoundWiring)
    camera: CameraWiring = field(default_factory=CameraWiring)
    clocks: Clocks = field(default_factory=Clocks)

    def __post_init__(self) -> None:
        if self.gauge not in get_args(GaugeKind):
            raise ValueError(f"gauge must be one of {', '.join(get_args(GaugeKind))}, not {self.gauge!r}")


def read_wiring(path: Path) -> Wiring:
    """Raises `SettingsError`, one sentence naming the file and what is wrong in it."""
    table = read_toml(path)
    try:
        wiring: Wiring = fill(Wiring, table)
    except SettingsError as error:
        raise SettingsError(f"{str(error).rstrip('.')} (in {path}).") from None
    return wiring

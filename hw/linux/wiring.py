"""How a headband's devices are connected, read from a `board.toml`. For another carrier board copy
`hw/rk3566/board.toml`, and name the copy in `[board] file` of `headband.toml`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from hw.board import Clocks
from hw.gauges import GaugeKind
from hw.settings import Form, Range, read_settings

INPUT = "input:"
"""Before the name of an input device."""
LineName = Annotated[
    str,
    Form(
        rf"({INPUT}\S+ \d{{1,3}}|(?!{INPUT})\S+( \d+)?)?",
        'a line such as "gpio0 3" or "input:headband-keys 143", a line\'s own name, or empty',
    ),
]


@dataclass(frozen=True)
class LinesWiring:
    """GPIO lines, each as "CHIP NUMBER" or by the line's own name; empty where there is none.

    CHIP is a label ("gpio0", as the kernel calls the SoC's bank) or a path; labels stay when the numbers of
    the chips change. "input:NAME CODE" is a key of the input device with that name: inputs that end the
    computer's sleep have to be such keys (`hw.linux.key_line`).
    """

    wake: LineName = "input:headband-keys 143"
    """The PMU pulls it to wake the computer; on a bank that wakes the SoC from deep sleep, which is GPIO0. A
    computer whose line is no such key, or one that may not wake it, does not sleep.
    """
    alert: LineName = "input:headband-keys 149"
    """The PMU pulls it for alarms and events."""
    button: LineName = "input:headband-keys 148"
    """The wearer's button."""
    recording_off: LineName = ""
    """The wearer's switch: closed stands for "see and hear nothing". A key on a bank that wakes the SoC from
    deep sleep, so that it counts at once.
    """
    heartbeat: LineName = ""
    """Toggles with every heartbeat, to the PMU: with it a dead bus is not taken for a computer that hangs."""
    bus_clock: LineName = ""
    """Wired to the clock of the PMU's bus, open drain: nine clocks free a data line that a chip holds."""
    pmu_reset: LineName = ""
    """Active resets the PMU: to the gate, pulled down, of an N-channel transistor that pulls RUN to ground.
    """
    marker: LineName = ""
    """Goes to the digital input of a power meter, active high."""


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
    format: Literal["auto", "YUYV", "UYVY", "NV12", "NV21", "RGB3", "BGR3", "GREY", "MJPG", "JPEG"] = "auto"
    """One of YUYV, UYVY, NV12, NV21, RGB3, BGR3, GREY, MJPG, JPEG; auto: the first of them that the camera
    has.
    """
    width_px: Annotated[int, Range(1, 10_000, "pixels")] = 1280
    """Width asked for, 1 to 10_000 pixels."""
    height_px: Annotated[int, Range(1, 10_000, "pixels")] = 720
    """Height asked for, 1 to 10_000 pixels."""
    interval_s: Annotated[float, Range(0, 60, "seconds")] = 0.0
    """Time between two frames of its stream, 0 to 60 seconds; 0 leaves it to the driver. The first picture of
    a stream comes after those that are passed over (`settling_frames`), and so takes several times as long.
    """
    settling_frames: Annotated[int, Range(0, 100, "frames")] = 4
    """Frames passed over after the stream starts, whatever they show, 0 to 100 frames: many sensors begin
    with a bad one, and a new exposure shows two or three frames after it was chosen. 0 uses the first frame.
    """
    settling_most_frames: Annotated[int, Range(0, 100, "frames")] = 12
    """After them frames are passed over while their mean brightness still changes, until so many were in all,
    0 to 100 frames. Raspberry Pi's exposure control takes 10 frames for its first, undamped steps (libcamera,
    `startup_frames`). Compressed frames are not measured.
    """
    settling_levels: Annotated[float, Range(0, 255, "levels")] = 6.0
    """Change of the mean brightness from one frame to the next up to which the exposure counts as settled, 0
    to 255 levels; an estimate, a twentieth of a usual exposure's mean.
    """
    hold_s: Annotated[float, Range(0, 3600, "seconds")] = 1.0
    """How long the stream runs on after a picture while another is expected within that time, 0 to 3600
    seconds; a single picture always ends it. More than the interval at which the power plan takes pictures
    keeps it on between them; 0 ends it with each.
    """


@dataclass(frozen=True)
class Wiring:
    """Everything in a `board.toml`."""

    compatible: str = ""
    """What the kernel's device tree has to call this computer; empty: anything."""
    i2c_bus: Annotated[int, Range(0, 255)] = 1
    """Number of the I2C bus with the PMU, 0 to 255; 1 where none is named. The service's user may use this
    bus and no other: a deploy sees to it, also the next one after a change here.
    """
    gauge: GaugeKind = "auto"
    """Which battery gauge there is: "pmu", "bq27441", "max17048", "kernel", or "auto" for the first that
    answers. The kernel's battery comes last, after three seconds in which a PMU that restarts may answer.
    """
    led: str = "pmu"
    """The state light: "pmu" for the one on the microcontroller, else a name under `/sys/class/leds`."""
    thermal_zones: tuple[str, ...] = ("soc-thermal", "cpu-thermal")
    """Types of the thermal zones that tell the chip's temperature; the first that is there counts."""
    lines: LinesWiring = field(default_factory=LinesWiring)
    sound: SoundWiring = field(default_factory=SoundWiring)
    camera: CameraWiring = field(default_factory=CameraWiring)
    clocks: Clocks = field(default_factory=Clocks)


def read_wiring(path: Path) -> Wiring:
    """Raises `SettingsError`, one sentence naming the file and what is wrong in it."""
    wiring: Wiring = read_settings(Wiring, path)
    return wiring

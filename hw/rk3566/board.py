"""The real headband: `rk3566_board(wiring)` opens its devices."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hw.clock import SystemClock
from hw.device import Board
from hw.gauges import GaugeKind, find_gauge
from hw.pmu import PmuGauge
from hw.pmu_guard import PmuGuard, PmuLight
from hw.preroll import PrerollMicrophone
from hw.rk3566.bus import open_bus
from hw.rk3566.camera import V4l2Camera
from hw.rk3566.light import SysfsLight
from hw.rk3566.lines import GpioLine, GpioOutput
from hw.rk3566.sound import AlsaMicrophone, AlsaSpeaker
from hw.rk3566.suspend import KernelSuspend
from hw.rtc import find_alarm

if TYPE_CHECKING:
    import smbus2


@dataclass(frozen=True)
class Wiring:
    """Where each device of a headband is attached. Carrier boards differ: set these for yours."""

    i2c_bus: int = 1
    """Number of the I2C bus with the PMU."""
    gauge: GaugeKind = "auto"
    """Which battery gauge there is: "pmu", "bq27441", "max17048", "kernel", or "auto" for the first that
    answers.
    """
    gpio_chip: str = "/dev/gpiochip0"
    """Chip of the three lines: bank GPIO0, the only one that wakes the SoC from deep sleep."""
    wake_line: int = 3
    """Line the PMU pulls to wake the host."""
    alert_line: int = 4
    """Line the PMU pulls for alarms and events."""
    button_line: int = 5
    """Line of the wearer's button."""
    marker_line: int | None = None
    """Line of `marker_chip` that goes to the digital input of a power meter, active high; None: there is
    none.
    """
    marker_chip: str = "/dev/gpiochip0"
    """Chip of that line; any will do."""
    microphone: str = "default"
    """ALSA capture device."""
    speaker: str = "default"
    """ALSA playback device."""
    camera: str = "/dev/video0"
    """V4L2 device."""
    led: str = "pmu"
    """The state light: "pmu" for the one on the microcontroller, else a name under `/sys/class/leds`."""


@dataclass(frozen=True)
class Rk3566Board(Board):
    """The board, with what it holds open besides."""

    wake: GpioLine
    alert: GpioLine
    button: GpioLine
    marker: GpioOutput | None = field(kw_only=True)
    bus: smbus2.SMBus

    async def close(self) -> None:
        """Give every device back."""
        await super().close()
        for line in (self.wake, self.alert, self.button, self.marker):
            if line is not None:
                line.close()
        self.bus.close()


def rk3566_board(wiring: Wiring | None = None, sysfs_root: Path = Path("/sys")) -> Rk3566Board:
    """Open the board. Raises `DeviceError` with one sentence for the first device that is missing."""
    wiring = wiring or Wiring()
    clock = SystemClock()
    bus = open_bus(wiring.i2c_bus)
    gauge = find_gauge(bus, sysfs_root, kind=wiring.gauge)
    pmu = gauge if isinstance(gauge, PmuGauge) else None

    def live() -> AlsaMicrophone:
        return AlsaMicrophone(wiring.microphone)

    sleeper = PrerollMicrophone(live, pmu, bus, clock, KernelSuspend(sysfs_root)) if pmu else None
    return Rk3566Board(
        microphone=sleeper or live(),
        sleeper=sleeper,
        wake_alarm=find_alarm(sysfs_root),
        camera=V4l2Camera(wiring.camera),
        speaker=AlsaSpeaker(clock, wiring.speaker),
        light=PmuLight(pmu or PmuGauge(bus)) if wiring.led == "pmu" else SysfsLight(sysfs_root, wiring.led),
        gauge=gauge,
        guard=None if pmu is None else PmuGuard(pmu),
        energy=pmu,
        native=True,
        clock=clock,
        wake=GpioLine(wiring.gpio_chip, wiring.wake_line, name="wake"),
        alert=GpioLine(wiring.gpio_chip, wiring.alert_line, name="alert"),
        button=GpioLine(wiring.gpio_chip, wiring.button_line, name="button"),
        marker=None
        if wiring.marker_line is None
        else GpioOutput(wiring.marker_chip, wiring.marker_line, name="marker"),
        sysfs_root=sysfs_root,
        bus=bus,
    )

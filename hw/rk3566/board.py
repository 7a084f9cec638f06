"""The real headband: `rk3566_board(wiring)` opens its devices. An RK3588 uses the same code with another
wiring.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hw.absent import AbsentBus, AbsentLine, AbsentOutput, AbsentSpeaker
from hw.board import Board
from hw.device import DeviceError, Line, Output, Speaker
from hw.gauges import find_gauge
from hw.linux.alsa import AlsaMicrophone, AlsaSpeaker
from hw.linux.gpio import GpioLine, GpioOutput, find_line
from hw.linux.i2c import BusLines, RecoveringBus, open_bus
from hw.linux.key_line import KeyLine
from hw.linux.led import SysfsLight
from hw.linux.reopened_line import ReopenedLine
from hw.linux.rtc_alarm import find_alarm
from hw.linux.suspend import KernelSuspend
from hw.linux.system_clock import SystemClock
from hw.linux.v4l2_camera import V4l2Camera
from hw.linux.wiring import INPUT, Wiring
from hw.pmu.gauge import PmuGauge
from hw.pmu.key_page import PmuKeyPage
from hw.pmu.sleeping_microphone import PrerollMicrophone
from hw.pmu.watchdog_and_light import PmuGuard, PmuLight


@dataclass(frozen=True)
class Rk3566Board(Board):
    """A `Board` that also closes its GPIO lines and its I2C bus."""

    bus: RecoveringBus | AbsentBus
    outputs: tuple[Output, ...] = ()
    """Lines to the PMU."""

    async def close(self) -> None:
        """Give every device back."""
        await super().close()
        for line in (self.wake, self.alert, self.button, self.recording_off, self.marker):
            if isinstance(line, ReopenedLine | GpioOutput):
                line.close()
        for output in self.outputs:
            if isinstance(output, GpioOutput):
                output.close()
        self.bus.close()


def rk3566_board(
    wiring: Wiring | None = None, sysfs_root: Path = Path("/sys"), dev_root: Path = Path("/dev")
) -> Rk3566Board:
    """Open the board. A device that cannot be opened is in `problems`, and raises `DeviceError` when it is
    used.
    """
    wiring = wiring or Wiring()
    clock = SystemClock()
    problems: list[str] = []

    def lacking(problem: str) -> str:
        problems.append(problem)
        return problem

    def line(name: str, where: str) -> Line:
        if not where:
            return AbsentLine()
        off = name == "recording_off"  # an unreadable switch may be at "off"
        lost_active = off or name == "wake"  # without it nothing would end the computer's sleep

        def opened() -> GpioLine | KeyLine:
            if where.startswith(INPUT):
                device, code = where.removeprefix(INPUT).split()
                return KeyLine(
                    device, int(code), name=name, lost_active=lost_active, sysfs_root=sysfs_root,
                    dev_root=dev_root,
                )  # fmt: skip
            bounces = name == "button"
            where_it_is = find_line(where, name, dev_root)
            return GpioLine(*where_it_is, name=name, bounces=bounces, lost_active=lost_active)

        try:
            what = f"The {name} line ({where.removeprefix(INPUT)})"
            return ReopenedLine(what, opened, lost_active=lost_active)
        except DeviceError as error:
            return AbsentLine(lacking(str(error)), active=off)

    def output(name: str, where: str, *, open_drain: bool = False) -> Output | None:
        if not where:
            return None
        try:
            return GpioOutput(*find_line(where, name, dev_root), name=name, open_drain=open_drain)
        except DeviceError as error:
            return AbsentOutput(lacking(str(error)))

    def speaker() -> Speaker:
        try:
            return AlsaSpeaker(clock, wiring.sound.speaker)
        except DeviceError as error:
            return AbsentSpeaker(lacking(str(error)))

    def i2c() -> RecoveringBus | AbsentBus:
        try:
            return RecoveringBus(lambda: open_bus(wiring.i2c_bus), BusLines(clock_line, reset))
        except DeviceError as error:
            return AbsentBus(lacking(str(error)))

    def live() -> AlsaMicrophone:
        return AlsaMicrophone(wiring.sound.microphone)

    heartbeat = output("heartbeat", wiring.lines.heartbeat)
    clock_line = output("bus_clock", wiring.lines.bus_clock, open_drain=True)
    reset = output("pmu_reset", wiring.lines.pmu_reset)
    bus = i2c()
    gauge = find_gauge(bus, sysfs_root, kind=wiring.gauge, since_boot=clock.monotonic)
    pmu = gauge if isinstance(gauge, PmuGauge) else None
    lines = {name: line(name, getattr(wiring.lines, name)) for name in ("wake", "alert", "button")}

    def called() -> bool:
        return lines["wake"].active

    sleeper = None
    wake = lines["wake"]
    # Else nothing would end the suspend.
    if pmu is not None and isinstance(wake, ReopenedLine) and wake.wakes:
        sleeper = PrerollMicrophone(live, pmu, bus, clock, KernelSuspend(sysfs_root, called))
    return Rk3566Board(
        microphone=sleeper or live(),
        suspendable_microphone=sleeper,
        wake_alarm=find_alarm(sysfs_root),
        camera=V4l2Camera(wiring.camera, dev_root),
        speaker=speaker(),
        light=PmuLight(pmu or PmuGauge(bus)) if wiring.led == "pmu" else SysfsLight(sysfs_root, wiring.led),
        gauge=gauge,
        guard=None if pmu is None else PmuGuard(pmu, heartbeat),
        energy=pmu,
        key_page=None if pmu is None else PmuKeyPage(pmu),
        native=True,
        clock=clock,
        wake=wake,
        alert=lines["alert"],
        button=lines["button"],
        recording_off=line("recording_off", switch) if (switch := wiring.lines.recording_off) else None,
        marker=output("marker", wiring.lines.marker),
        sysfs_root=sysfs_root,
        clocks=wiring.clocks,
        thermal_zones=wiring.thermal_zones,
        compatible=wiring.compatible,
        problems=tuple(problems),
        bus=bus,
        outputs=tuple(each for each in (heartbeat, clock_line, reset) if each is not None),
    )

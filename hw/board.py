"""Every device of one headband together, and where the kernel's settings for it are."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from hw.device import (
    Camera,
    Clock,
    Light,
    Line,
    Microphone,
    Output,
    Speaker,
    SuspendableMicrophone,
    WakeAlarm,
)
from hw.key_page import KeyPage
from hw.supply import EnergyCounter, Gauge, HostGuard


@dataclass(frozen=True)
class Clocks:
    """Names of the folders under `class/devfreq` by device: the whole name, or the part after "ADDRESS."."""

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
    """Goes active when the microcontroller heard speech while the host was suspended."""
    alert: Line
    """Goes active when the microcontroller has an alarm or event for the host."""
    button: Line
    """Active while the wearer presses."""
    sysfs_root: Path
    """`/sys` on the real board, a temporary folder shaped like it on the emulated one."""
    guard: HostGuard | None = field(default=None, kw_only=True)
    """The microcontroller's watchdog for the host; None on a board without one."""
    energy: EnergyCounter | None = field(default=None, kw_only=True)
    """Measures the energy that the headband draws from its battery; None where nothing measures it: the
    counters of the emulated board count the load of an emulated cell.
    """
    native: bool = field(default=False, kw_only=True)
    """True on the headband itself; False on a computer that stands in for it, whose times are not the
    headband's.
    """
    suspendable_microphone: SuspendableMicrophone | None = field(default=None, kw_only=True)
    """`microphone` with suspend between events; None where the computer cannot suspend."""
    wake_alarm: WakeAlarm | None = field(default=None, kw_only=True)
    """Wakes the suspended computer at a set time; None where nothing can."""
    recording_off: Line | None = field(default=None, kw_only=True)
    """Active while the wearer's switch is at "recording off"; None where there is no such switch."""
    key_page: KeyPage | None = field(default=None, kw_only=True)
    """Keeps the memory's key outside of the computer's disk; None where nothing does."""
    marker: Output | None = field(default=None, kw_only=True)
    """Active during a turn, for the digital input of a power meter; None where none is attached.
    """
    clocks: Clocks | None = field(default=Clocks(), kw_only=True)
    """Where the kernel's clock limits are; None on a computer whose clocks, cores and suspend the program
    must not change.
    """
    thermal_zones: tuple[str, ...] = field(default=("soc-thermal", "cpu-thermal"), kw_only=True)
    """Types of the thermal zones with the SoC's temperature, in Rockchip's and in the mainline kernel. Empty
    where the temperature is not to be checked.
    """
    compatible: str = field(default="", kw_only=True)
    """The `compatible` string that the kernel's device tree must have; empty: any."""
    problems: tuple[str, ...] = field(default=(), kw_only=True)
    """Devices that could not be opened, one sentence each; the headband works without them."""

    async def close(self) -> None:
        """Close every device."""
        await self.microphone.close()
        await self.camera.close()
        await self.speaker.close()

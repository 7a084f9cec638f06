"""Battery and power of a board: fuel gauge, events of the microcontroller, energy counter, and its watchdog
for the host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

ReadingState = Literal["good", "stale", "absent", "implausible"]
"""good: valid. stale: the gauge answers but does not measure. absent: nothing answers. implausible: the gauge
answers with values out of range.
"""


@dataclass(frozen=True)
class BatteryReading:
    """One reading of the battery. A value is None unless it was read with a valid checksum."""

    percent: int | None
    """Relative state of charge, 0..100."""
    voltage_mv: int | None
    """Voltage at the pack's terminals, millivolt."""
    current_ma: int | None
    """Milliampere, positive while charging (the Smart Battery sign)."""
    temperature_c: float | None
    """Degrees Celsius of the cell."""
    charging: bool
    """True while current flows into the cell, or outside power keeps it full; not with a charger that is
    weaker than the load.
    """
    state: ReadingState
    """Validity of the values."""
    problem: str | None = None
    """One sentence saying what is wrong; None exactly when the state is good."""
    alarms: tuple[str, ...] = ()
    """Names of the alarms the gauge raises, as in `firmware.pmu.registers.ALARM_NAMES`."""
    error_percent: int | None = None
    """How far the charge may be from what is shown, percent of a full charge, two standard deviations; None
    for a gauge that does not say.
    """
    full_mah: int | None = None
    """What the cell holds when it is full, as learned; None for a gauge that does not say."""

    @property
    def no_battery(self) -> bool:
        """The computer runs from the mains, without a battery."""
        return self.state == "good" and self.voltage_mv is None


EventKind = Literal["alarm", "guard", "button", "sound", "power", "cut-off", "lost", "restart"]
"""alarm, guard, button, sound, power, cut-off, lost: as `EVENT_KIND_*` of `firmware.pmu.registers`.
restart: the microcontroller restarted and lost its settings (deadlines, thresholds, requests)."""


@dataclass(frozen=True)
class PmuEvent:
    """An event that the microcontroller reports."""

    kind: EventKind
    """What happened."""
    detail: int
    """Meaning depends on the kind, see the register map; for a restart the RESET_CAUSE."""


class Gauge(Protocol):
    """The battery gauge."""

    def read(self) -> BatteryReading:
        """One reading. Never raises: a fault of gauge or bus is in the reading's state. May block for the bus
        time-out (0.2 s), so call it in a thread.
        """


@runtime_checkable
class EventSource(Protocol):
    """A gauge whose microcontroller also reports events."""

    def take_events(self) -> tuple[PmuEvent, ...]:
        """Events since the last call, oldest first, each once. Never raises."""


@dataclass(frozen=True)
class Energy:
    """Energy taken from the battery, mWh."""

    since_start_mwh: float
    """Since the microcontroller started."""
    since_mark_mwh: float
    """Since `EnergyCounter.mark`."""


class EnergyCounter(Protocol):
    """Measures the energy taken from the battery, a few times a second.

    Every call may block for the bus time-out (0.2 s) and raises `DeviceError`.
    """

    def mark(self) -> None:
        """Reset `since_mark_mwh` to 0."""

    def energy(self) -> Energy:
        """The counters; a restart of the microcontroller resets both."""


@runtime_checkable
class ChargeWarner(Protocol):
    """A gauge that activates the alert line at a low charge."""

    def warn_below(self, percent: int) -> None:
        """Activate it when the charge falls to `percent`; 0: never. Raises `DeviceError`."""


class HostGuard(Protocol):
    """The microcontroller's watchdog for the host, which controls the host's power.

    Every call may block for the bus time-out (0.2 s) and raises `DeviceError`.
    """

    def arm(self, deadline_s: int) -> None:
        """Require a heartbeat every `deadline_s` seconds; without one the host is restarted. 0 disables the
        watchdog.
        """

    def beat(self) -> bool:
        """Send a heartbeat; True when the microcontroller requests a shutdown of the host."""

    def stage(self) -> str:
        """State of the watchdog: off, armed, warned, reset, cycled, gave up, asleep,
        maintenance.
        """

    def past_events(self) -> tuple[PmuEvent, ...]:
        """Events from before the host was ready; each is returned once."""

    def sleeping(self) -> None:
        """The host suspends now: no heartbeat is due until `awake`, or until the next one. It may do so only
        once `stage` is "asleep".
        """

    def awake(self) -> None:
        """The host has resumed."""

    def saved(self) -> None:
        """Everything is saved, and the computer powers itself off: its supply is cut 20 s later."""

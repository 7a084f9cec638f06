"""What every board offers about its supply: the battery gauge, what the microcontroller tells, its energy
counter, and its guard over the host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

ReadingState = Literal["good", "stale", "absent", "implausible"]
"""good: believe it. stale: the gauge answers but no longer measures. absent: nothing answers.
implausible: it answers, and what it says cannot be."""


@dataclass(frozen=True)
class BatteryReading:
    """One look at the battery. Values are None unless they were read and their checksum held."""

    percent: int | None
    """Relative state of charge, 0..100."""
    voltage_mv: int | None
    """Voltage at the pack's terminals, millivolt."""
    current_ma: int | None
    """Milliampere, positive while charging (the Smart Battery sign)."""
    temperature_c: float | None
    """Degrees Celsius of the cell."""
    charging: bool
    """True while outside power is connected."""
    state: ReadingState
    """How far the values may be believed."""
    problem: str | None = None
    """One sentence saying what is wrong; None exactly when the state is good."""
    alarms: tuple[str, ...] = ()
    """Names of the alarms the gauge raises, as in `firmware.pmu.registers.ALARM_NAMES`."""


EventKind = Literal["alarm", "guard", "button", "sound", "power", "cut-off", "lost", "restart"]
"""alarm, guard, button, sound, power, cut-off, lost: as `EVENT_KIND_*` of `firmware.pmu.registers`.
restart: the microcontroller started anew and forgot what it was told (deadlines, thresholds, requests)."""


@dataclass(frozen=True)
class PmuEvent:
    """Something the microcontroller has to tell."""

    kind: EventKind
    """What happened."""
    detail: int
    """Which: as the register map says for the kind; a restart's is the RESET_CAUSE."""


class Gauge(Protocol):
    """The battery gauge."""

    def read(self) -> BatteryReading:
        """One reading. Never raises for what the gauge or the bus does: the reading's state says it.

        It may take as long as a bus takes to time out (0.2 s), so whoever has an event loop calls it in a
        thread.
        """


@runtime_checkable
class EventSource(Protocol):
    """A gauge whose microcontroller also tells events."""

    def take_events(self) -> tuple[PmuEvent, ...]:
        """What happened since the last call, oldest first, each event once. Never raises."""


@dataclass(frozen=True)
class Energy:
    """What was taken out of the battery, mWh."""

    since_start_mwh: float
    """Since the microcontroller started."""
    since_mark_mwh: float
    """Since `EnergyCounter.mark`."""


class EnergyCounter(Protocol):
    """Counts what is taken out of the battery, a few times a second.

    Every call may take as long as a bus takes to time out (0.2 s) and raises `DeviceError`.
    """

    def mark(self) -> None:
        """Start the marked energy anew."""

    def energy(self) -> Energy:
        """The counters; both start anew with the microcontroller."""


@runtime_checkable
class ChargeWarner(Protocol):
    """A gauge that pulls the alert line when the charge gets low."""

    def warn_below(self, percent: int) -> None:
        """Pull it when the charge falls to that many percent; 0 = never. Raises `DeviceError`."""


class HostGuard(Protocol):
    """The microcontroller's watch over the host, and its hand on the host's power.

    Every call may take as long as a bus takes to time out (0.2 s) and raises `DeviceError`.
    """

    def arm(self, deadline_s: int) -> None:
        """From now on a heartbeat is due within every so many seconds; on silence the host is restarted.

        0 ends it.
        """

    def beat(self) -> bool:
        """One heartbeat; tells whether the microcontroller wants the host to shut down."""

    def stage(self) -> str:
        """What the guard is about, for the journal: off, armed, warned, reset, cycled, gave up, asleep,
        maintenance.
        """

    def past_events(self) -> tuple[PmuEvent, ...]:
        """What happened before the host was there to hear it; told once."""

    def sleeping(self) -> None:
        """The host suspends now: no heartbeat is due until `awake`, or until the next one."""

    def awake(self) -> None:
        """The host is back."""

    def saved(self) -> None:
        """Everything is saved: the power goes in a few seconds."""

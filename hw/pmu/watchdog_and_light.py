"""The PMU's watchdog and light: `hw.supply.HostGuard` and `hw.device.Light` over `hw.pmu.gauge`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from firmware.pmu import guard_light as light
from firmware.pmu import registers as r
from hw.device import DeviceError, LightPattern, Output
from hw.light_thread import LightThread
from hw.pmu.gauge import PmuGauge, PowerRequest
from hw.pmu.register_bus import GaugeError
from hw.supply import PmuEvent

STAGES = {
    r.GUARD_OFF: "off", r.GUARD_ARMED: "armed", r.GUARD_WARNED: "warned", r.GUARD_RESET: "reset",
    r.GUARD_CYCLED: "cycled", r.GUARD_GAVE_UP: "gave up", r.GUARD_ASLEEP: "asleep",
    r.GUARD_MAINTENANCE: "maintenance",
}  # fmt: skip
"""Names of the watchdog's states."""

PATTERN_CODES = {
    LightPattern.OFF: light.OFF,
    LightPattern.STANDBY: light.OWN_CHOICE,  # the PMU shows charging or a low battery
    LightPattern.LISTENING: light.LISTENING,
    LightPattern.THINKING: light.THINKING,
    LightPattern.SPEAKING: light.SPEAKING,
    LightPattern.ERROR: light.ERROR,
    LightPattern.CHARGING: light.CHARGING,
    LightPattern.LOW_BATTERY: light.LOW_BATTERY,
    LightPattern.RECORDING_OFF: light.RECORDING_OFF,
    LightPattern.REMEMBERING: light.REMEMBERING,
}
"""The code of the LIGHT register for each pattern."""


class PmuGuard:
    """`hw.supply.HostGuard` on the PMU."""

    def __init__(self, pmu: PmuGauge, line: Output | None = None) -> None:
        """`line`: toggled with every heartbeat, beside the bus; None where it is not wired."""
        self._pmu = pmu
        self._line = line
        self._level = False

    def arm(self, deadline_s: int) -> None:
        """Require a heartbeat every `deadline_s` seconds; 0 disables the watchdog."""
        with _failing():
            self._pmu.set_heartbeat_deadline(deadline_s)

    def beat(self) -> bool:
        """Send a heartbeat, on the line too and there first; True when the PMU requests a shutdown. A line
        that fails costs the heartbeat on the bus nothing.
        """
        if self._line is not None:
            self._level = not self._level
            with suppress(DeviceError):  # told when it was opened
                self._line.set(self._level)
        with _failing():
            self._pmu.beat()
            return bool(self._pmu.asks() & r.ASK_SHUTDOWN)

    def stage(self) -> str:
        """Name of the watchdog's state."""
        with _failing():
            return STAGES.get(self._pmu.guard(), "unknown")

    def past_events(self) -> tuple[PmuEvent, ...]:
        """Events in the PMU's queue; each is returned once."""
        return self._pmu.take_events()

    def sleeping(self) -> None:
        """The host suspends: no heartbeat is due until `awake`."""
        self._request(PowerRequest.SLEEP)

    def awake(self) -> None:
        """The host has resumed."""
        self._request(PowerRequest.NORMAL)

    def saved(self) -> None:
        """Everything is saved: the PMU may switch the power off."""
        self._request(PowerRequest.SAVED)

    def _request(self, what: PowerRequest) -> None:
        with _failing():
            self._pmu.request(what)


class PmuLight:
    """The state light on the PMU. `set` returns at once: a thread writes the latest pattern. Bus errors are
    ignored: the headband works without its light.
    """

    def __init__(self, pmu: PmuGauge) -> None:
        self._pmu = pmu
        self._thread = LightThread(self._show)

    @property
    def problem(self) -> str | None:
        """Why it shows nothing, one sentence; None when it works. Reads a register of the PMU."""
        try:
            self._pmu.word(r.LIGHT)
        except GaugeError as error:
            return f"The light is on the PMU. {error}"
        return None

    def set(self, pattern: LightPattern) -> None:
        """Show the pattern until the next call."""
        self._thread.set(pattern)

    def settled(self) -> None:
        """Return when the last pattern has been written, or could not be."""
        self._thread.settled()

    def _show(self, pattern: LightPattern) -> None:
        with suppress(GaugeError):
            self._pmu.set_light(PATTERN_CODES[pattern])


@contextmanager
def _failing() -> Iterator[None]:
    try:
        yield
    except GaugeError as error:
        raise DeviceError(str(error)) from None

"""Client of the PMU's register map: fuel gauge, energy counters, events, watchdog, power requests.

`PmuGauge.read` and `take_events` never raise: a fault becomes the state of the reading, with one sentence.
The other methods raise `GaugeError`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import get_args

from firmware.pmu import registers as r
from hw.plausible import UnchangedTimer, frozen_gauge_sentence, implausible
from hw.pmu.bus_rate import BusRate, measure_bus_rate
from hw.pmu.cell_curve import NOMINAL_MVS, PROFILES
from hw.pmu.register_bus import ATTEMPTS, GaugeError, I2cBus, PmuRegisters, TornRead
from hw.supply import BatteryReading, Energy, EventKind, PmuEvent, ReadingState

STALE_AFTER_S = 5.0
"""The PMU publishes four times a second; when its counters do not change for this long, it does not measure.
"""
_READ_CODES = (
    *range(r.TEMPERATURE, r.RELATIVE_STATE_OF_CHARGE + 1),
    r.FULL_CHARGE_CAPACITY, r.BATTERY_STATUS, r.UPTIME_LOW, r.UPTIME_HIGH, r.RESET_CAUSE, r.MAX_ERROR,
)  # fmt: skip
_EVENT_CODES = (
    r.UPTIME_LOW, r.UPTIME_HIGH, r.RESET_CAUSE, r.EVENT_COUNT, r.EVENT_ACK, r.EVENT_1, r.EVENT_2, r.EVENT_3,
)  # fmt: skip
_SLACK_S = 5.0  # by which the two clocks may differ between two reads, and for each second between them
_DRIFT = 0.01
_EVENTS_AT_ONCE = 3  # shown by the registers
_EVENT_ROUNDS = 8  # of three events each; more than the PMU's queue holds
_KINDS: dict[int, EventKind] = dict(enumerate(get_args(EventKind)[:-1], start=r.EVENT_KIND_ALARM))


class PowerRequest(IntEnum):
    """Values of the POWER_REQUEST register that the host writes."""

    SAVED = r.REQUEST_SAVED
    SLEEP = r.REQUEST_SLEEP
    NORMAL = r.REQUEST_NORMAL


@dataclass(frozen=True)
class PmuIdentity:
    """Firmware and uptime of a PMU."""

    map_version: int
    """Version of the register map."""
    commit: str | None
    """First 8 hexadecimal digits of the firmware's commit; None when it does not know."""
    uptime_s: int
    """Seconds since it started."""
    reset_cause: int
    """CAUSE_* of the register map."""


@dataclass(frozen=True)
class PmuCell:
    """The cell that the gauge expects, and what it makes of it."""

    profile: str
    """Of `cell_curve.PROFILES`; "unknown" for a firmware with other ones."""
    design_mah: int
    """Capacity when new."""
    full_mah: int
    """Capacity as learned, at its present temperature."""
    error_percent: int
    """Expected error of the charge, percent."""


class PmuGauge:
    """The PMU over I2C: `hw.supply.Gauge` and `EventSource`, and typed methods for all other registers.

    Calls may come from several threads.
    """

    def __init__(
        self,
        bus: I2cBus,
        monotonic: Callable[[], float] = time.monotonic,
        *,
        attempts: int = ATTEMPTS,
        stale_after_s: float = STALE_AFTER_S,
        pause: Callable[[float], None] = time.sleep,
        stopwatch: Callable[[], float] = time.perf_counter,
        since_boot: Callable[[], float] | None = None,
    ) -> None:
        """`pause` waits seconds in the caller's thread, between two attempts; `stopwatch` measures how long a
        transfer takes, seconds. `since_boot` counts a suspend of this computer, in which the PMU may restart,
        and `monotonic` need not, as nothing is read then; None: the same.
        """
        self._bus, self._stopwatch = bus, stopwatch
        self._map = PmuRegisters(bus, attempts, pause)
        self.words = self._map.words
        self.words_or_torn = self._map.words_or_torn
        self.word = self._map.word
        self.write = self._map.write
        self._monotonic = monotonic
        self._stale_after_s = stale_after_s
        self._unchanged = UnchangedTimer(monotonic), UnchangedTimer(monotonic)
        self._uptime_s = 0
        self._since_boot = since_boot or monotonic
        self._looked_at_s = self._since_boot()
        self._restarts: list[PmuEvent] = []
        self._events_read: int | None = (
            None  # number of the newest event taken; None: none since the PMU started
        )
        self._marks = 0
        self._beats = 0

    def read(self) -> BatteryReading:
        """One reading; every fault of gauge or bus is in its state."""
        try:
            words = self.words(_READ_CODES)
            self._notice_restart(words)
        except TornRead as torn:
            words = torn.words  # words of neighbouring updates are good enough
        except GaugeError as problem:
            return BatteryReading(None, None, None, None, False, problem.state, str(problem))
        reading = _reading(words)
        counters = words[r.SEQUENCE], words[r.UPTIME_LOW]
        unchanged_s = max(still.seconds(now) for still, now in zip(self._unchanged, counters, strict=True))
        if reading.state == "good" and unchanged_s > self._stale_after_s:
            return replace(reading, state="stale", problem=frozen_gauge_sentence(unchanged_s))
        return reading

    def take_events(self) -> tuple[PmuEvent, ...]:
        """Events since the last call, oldest first, each once; a restart of the PMU is an event too. After a
        bus fault the next call returns the rest.
        """
        events: list[PmuEvent] = []
        try:
            for _ in range(_EVENT_ROUNDS):
                words = self.words(_EVENT_CODES)
                self._notice_restart(words)
                unread = (words[r.EVENT_COUNT] - words[r.EVENT_ACK]) & 0xFFFF
                if not unread:
                    break
                if self._events_read is None:
                    self._events_read = words[r.EVENT_ACK]
                shown = [words[code] for code in (r.EVENT_1, r.EVENT_2, r.EVENT_3)][:unread]
                for number, word in enumerate(shown, start=words[r.EVENT_ACK] + 1):
                    # An event is read twice when its acknowledgement was lost.
                    if 0 < (number - self._events_read) & 0xFFFF < 0x8000:
                        self._events_read = number & 0xFFFF
                        if word >> 8 in _KINDS:
                            events.append(PmuEvent(_KINDS[word >> 8], word & 0xFF))
                self.write(r.EVENT_ACK, (words[r.EVENT_ACK] + len(shown)) & 0xFFFF)
        except GaugeError:
            pass  # the next reading says what is wrong
        restarts, self._restarts = self._restarts, []
        return (*restarts, *events)

    def energy(self) -> Energy:
        """The energy counters."""
        words = self.words((r.ENERGY_LOW, r.ENERGY_HIGH, r.MARKED_ENERGY_LOW, r.MARKED_ENERGY_HIGH))
        total = words[r.ENERGY_HIGH] << 16 | words[r.ENERGY_LOW]
        marked = words[r.MARKED_ENERGY_HIGH] << 16 | words[r.MARKED_ENERGY_LOW]
        return Energy(total / 100, marked / 100)

    def mark(self) -> None:
        """Reset the marked energy to 0."""
        self._marks = self._marks % 0xFFFF + 1
        self.write(r.MARK, self._marks)

    def bus_rate(self) -> BusRate:
        """Measures the bit rate of the bus; takes some 20 ms. Raises `GaugeError`."""
        return measure_bus_rate(self._bus, self._stopwatch)

    def identity(self) -> PmuIdentity:
        """Firmware, uptime and cause of the last reset."""
        words = self._map.words_or_torn(
            (r.COMMIT_LOW, r.COMMIT_HIGH, r.UPTIME_LOW, r.UPTIME_HIGH, r.RESET_CAUSE)
        )
        commit = words[r.COMMIT_HIGH] << 16 | words[r.COMMIT_LOW]
        return PmuIdentity(
            map_version=words[r.MAP] & 0xFF,
            commit=f"{commit:08x}" if commit else None,
            uptime_s=_uptime_s(words),
            reset_cause=words[r.RESET_CAUSE],
        )

    def cell(self) -> PmuCell:
        """The cell that the gauge expects."""
        words = self._map.words_or_torn(
            (r.DESIGN_VOLTAGE, r.DESIGN_CAPACITY, r.FULL_CHARGE_CAPACITY, r.MAX_ERROR)
        )
        names = dict(zip(NOMINAL_MVS, PROFILES, strict=True))
        return PmuCell(
            names.get(words[r.DESIGN_VOLTAGE], "unknown"),
            words[r.DESIGN_CAPACITY],
            words[r.FULL_CHARGE_CAPACITY],
            words[r.MAX_ERROR],
        )

    def warn_below(self, percent: int) -> None:
        """Raise the capacity alarm when the charge falls to `percent`; 0: never."""
        full_mah = self.word(r.FULL_CHARGE_CAPACITY)
        self.write(r.REMAINING_CAPACITY_ALARM, full_mah * percent // 100)

    def beat(self) -> None:
        """Send one heartbeat to the watchdog."""
        self._beats = self._beats % 0xFFFF + 1
        self.write(r.HEARTBEAT, self._beats)

    def set_heartbeat_deadline(self, seconds: int) -> None:
        """Longest time between heartbeats, seconds, before the watchdog acts; 0 disables it."""
        self.write(r.HEARTBEAT_DEADLINE, seconds)

    def guard(self) -> int:
        """State of the watchdog, GUARD_* of the register map."""
        return self.word(r.GUARD)

    def request(self, what: PowerRequest) -> None:
        """Request a change of the power state."""
        self.write(r.POWER_REQUEST, what, request=True)

    def asks(self) -> int:
        """Requests of the PMU to the host, ASK_* bits of the register map."""
        return self.word(r.PMU_REQUEST)

    def set_light(self, pattern: int) -> None:
        """Pattern of the PMU's light (see `firmware.pmu.guard_light`); 0: the PMU chooses."""
        self.write(r.LIGHT, pattern)

    def _notice_restart(self, words: dict[int, int]) -> None:
        uptime_s, now_s = _uptime_s(words), self._since_boot()
        elapsed_s = now_s - self._looked_at_s
        slack_s = _SLACK_S + _DRIFT * elapsed_s
        # It restarted since the last read when it has been up for less long than it would be otherwise. An
        # uptime that stands still is that of a PMU that does not measure.
        shorter = uptime_s != self._uptime_s and uptime_s + slack_s < self._uptime_s + elapsed_s
        if uptime_s < self._uptime_s or shorter or self._events_begin_again(words):
            self._restarts = [PmuEvent("restart", words[r.RESET_CAUSE])]
            self._events_read = None
        self._uptime_s, self._looked_at_s = uptime_s, now_s

    def _events_begin_again(self, words: dict[int, int]) -> bool:
        """Whether the PMU awaits an event whose acknowledgement was not the last to be sent, which it must
        have lost.
        """
        if self._events_read is None or r.EVENT_ACK not in words:
            return False
        behind = (self._events_read - words[r.EVENT_ACK]) & 0xFFFF
        return _EVENTS_AT_ONCE < behind < 0x8000


def _uptime_s(words: dict[int, int]) -> int:
    return words[r.UPTIME_HIGH] << 16 | words[r.UPTIME_LOW]


def _reading(words: dict[int, int]) -> BatteryReading:
    status = words[r.BATTERY_STATUS]
    percent, voltage_mv = words[r.RELATIVE_STATE_OF_CHARGE], words[r.VOLTAGE]
    current_ma, temperature_dk = r.signed(words[r.CURRENT]), words[r.TEMPERATURE]
    temperature_c = (temperature_dk - r.ZERO_CELSIUS_DK) / 10
    state: ReadingState = "good"
    problem = implausible(percent, voltage_mv, current_ma, temperature_c)
    if not status & r.STATUS_INITIALIZED:
        state, problem = "stale", "The battery gauge has not measured anything yet."
    elif problem:
        state = "implausible"
    return BatteryReading(
        percent=percent,
        voltage_mv=voltage_mv,
        current_ma=current_ma,
        temperature_c=temperature_c,
        charging=not status & r.STATUS_DISCHARGING,
        state=state,
        problem=problem,
        alarms=r.alarm_names(status),
        error_percent=min(100, words[r.MAX_ERROR]),
        full_mah=words[r.FULL_CHARGE_CAPACITY] or None,
    )

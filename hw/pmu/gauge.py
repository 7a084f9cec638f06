"""The PMU as the host knows it: battery gauge, energy, events, guard, requests; over `hw.pmu.register_bus`.

`PmuGauge.read` and `take_events` never raise: whatever goes wrong becomes the state of the reading, with one
sentence, so that the rest of the program carries on. The other calls raise `GaugeError` with such a sentence.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import get_args

from firmware.pmu import registers as r
from hw.plausible import Stillness, implausible, standstill
from hw.pmu.register_bus import ATTEMPTS, GaugeError, I2cBus, PmuWords, Torn
from hw.supply import BatteryReading, Energy, EventKind, PmuEvent, ReadingState

STALE_AFTER_S = 5.0
"""The PMU publishes four times a second; counters that stand still for longer mean it no longer measures."""
_READ_CODES = (
    *range(r.TEMPERATURE, r.RELATIVE_STATE_OF_CHARGE + 1),
    r.BATTERY_STATUS, r.UPTIME_LOW, r.UPTIME_HIGH, r.RESET_CAUSE,
)  # fmt: skip
_EVENT_CODES = (
    r.UPTIME_LOW, r.UPTIME_HIGH, r.RESET_CAUSE, r.EVENT_COUNT, r.EVENT_ACK, r.EVENT_1, r.EVENT_2, r.EVENT_3,
)  # fmt: skip
_SLACK_S = 5.0  # by which two clocks may differ between two looks
_EVENT_ROUNDS = 8  # of three events each; more than the PMU keeps
_KINDS: dict[int, EventKind] = dict(enumerate(get_args(EventKind)[:-1], start=r.EVENT_KIND_ALARM))


class PowerRequest(IntEnum):
    """What the host may ask of the PMU."""

    SAVED = r.REQUEST_SAVED
    SLEEP = r.REQUEST_SLEEP
    MAINTENANCE = r.REQUEST_MAINTENANCE
    NORMAL = r.REQUEST_NORMAL


@dataclass(frozen=True)
class BatteryDetail:
    """What the gauge has learned about the cell."""

    resistance_mohm: int
    """Internal resistance."""
    remaining_mah: int
    """Charge left."""
    full_mah: int
    """Charge of the full cell, as learned."""
    design_mah: int
    """Charge of the full cell when it was new."""
    cycles: int
    """Full charges so far."""
    max_error_percent: int
    """Expected error of the relative charge, points."""
    minutes_to_empty: int | None
    """At the average current; None while nothing empties the battery."""
    minutes_to_full: int | None
    """At the average current; None while nothing charges it."""


@dataclass(frozen=True)
class PmuIdentity:
    """Which PMU this is, and since when."""

    map_version: int
    """Version of the register map."""
    commit: str | None
    """First 8 hexadecimal digits of the firmware's commit; None when it does not know."""
    uptime_s: int
    """Seconds since it started."""
    reset_cause: int
    """CAUSE_* of the register map."""


class PmuGauge:
    """The PMU over I2C: `hw.supply.Gauge` and `EventSource`, and a typed call for everything else.

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
    ) -> None:
        """`pause` waits seconds in the caller's thread, between two attempts."""
        self._map = PmuWords(bus, attempts, pause)
        self.words = self._map.words
        self.word = self._map.word
        self.write = self._map.write
        self._monotonic = monotonic
        self._stale_after_s = stale_after_s
        self._still = Stillness(monotonic), Stillness(monotonic)
        self._uptime_s = 0
        self._looked_at_s = monotonic()
        self._restarts: list[PmuEvent] = []
        self._events_read: int | None = None  # number of the newest event taken; None = none of this start's
        self._marks = 0
        self._beats = 0

    def read(self) -> BatteryReading:
        """One reading; every fault of gauge or bus is in its state."""
        try:
            words = self.words(_READ_CODES)
            self._notice_restart(words)
        except Torn as torn:
            words = torn.words  # values of neighbouring updates are a reading, too
        except GaugeError as problem:
            return BatteryReading(None, None, None, None, False, problem.state, str(problem))
        reading = _reading(words)
        counters = words[r.SEQUENCE], words[r.UPTIME_LOW]
        still_s = max(still.seconds(now) for still, now in zip(self._still, counters, strict=True))
        if reading.state == "good" and still_s > self._stale_after_s:
            return replace(reading, state="stale", problem=standstill(still_s))
        return reading

    def take_events(self) -> tuple[PmuEvent, ...]:
        """What happened since the last call, oldest first, each event once; a restart of the PMU is one.

        A fault of the bus leaves the rest for the next call.
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
                    # What was taken before shows again when its acknowledgement got lost.
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
        """Start the marked energy anew."""
        self._marks = self._marks % 0xFFFF + 1
        self.write(r.MARK, self._marks)

    def detail(self) -> BatteryDetail:
        """What the gauge has learned about the cell."""
        words = self._map.loose((
            r.RESISTANCE, r.REMAINING_CAPACITY, r.FULL_CHARGE_CAPACITY, r.DESIGN_CAPACITY, r.CYCLE_COUNT,
            r.MAX_ERROR, r.AVERAGE_TIME_TO_EMPTY, r.AVERAGE_TIME_TO_FULL,
        ))  # fmt: skip
        return BatteryDetail(
            resistance_mohm=words[r.RESISTANCE],
            remaining_mah=words[r.REMAINING_CAPACITY],
            full_mah=words[r.FULL_CHARGE_CAPACITY],
            design_mah=words[r.DESIGN_CAPACITY],
            cycles=words[r.CYCLE_COUNT],
            max_error_percent=words[r.MAX_ERROR],
            minutes_to_empty=_minutes(words[r.AVERAGE_TIME_TO_EMPTY]),
            minutes_to_full=_minutes(words[r.AVERAGE_TIME_TO_FULL]),
        )

    def identity(self) -> PmuIdentity:
        """Which PMU this is."""
        words = self._map.loose((r.COMMIT_LOW, r.COMMIT_HIGH, r.UPTIME_LOW, r.UPTIME_HIGH, r.RESET_CAUSE))
        commit = words[r.COMMIT_HIGH] << 16 | words[r.COMMIT_LOW]
        return PmuIdentity(
            map_version=words[r.MAP] & 0xFF,
            commit=f"{commit:08x}" if commit else None,
            uptime_s=_uptime_s(words),
            reset_cause=words[r.RESET_CAUSE],
        )

    def warn_below(self, percent: int) -> None:
        """Raise the capacity alarm when the charge falls to that; 0 = never."""
        full_mah = self.word(r.FULL_CHARGE_CAPACITY)
        self.write(r.REMAINING_CAPACITY_ALARM, full_mah * percent // 100)

    def beat(self) -> None:
        """Tell the guard that the host is alive."""
        self._beats = self._beats % 0xFFFF + 1
        self.write(r.HEARTBEAT, self._beats)

    def set_heartbeat_deadline(self, seconds: int) -> None:
        """Seconds between heartbeats before the guard acts; 0 switches the guard off."""
        self.write(r.HEARTBEAT_DEADLINE, seconds)

    def guard(self) -> int:
        """State of the guard, GUARD_* of the register map."""
        return self.word(r.GUARD)

    def request(self, what: PowerRequest) -> None:
        """Ask for a change of power."""
        self.write(r.POWER_REQUEST, what, request=True)

    def asks(self) -> int:
        """What the PMU asks of the host, ASK_* bits of the register map."""
        return self.word(r.PMU_REQUEST)

    def set_light(self, pattern: int) -> None:
        """Pattern of the PMU's light (see `firmware.pmu.guard_light`); 0 leaves it to the PMU."""
        self.write(r.LIGHT, pattern)

    def _notice_restart(self, words: dict[int, int]) -> None:
        uptime_s, now_s = _uptime_s(words), self._monotonic()
        # Up for a shorter time than since the last look: it started in between.
        shorter = uptime_s != self._uptime_s and uptime_s + _SLACK_S < now_s - self._looked_at_s
        if uptime_s < self._uptime_s or shorter:
            self._restarts = [PmuEvent("restart", words[r.RESET_CAUSE])]
            self._events_read = None
        self._uptime_s, self._looked_at_s = uptime_s, now_s


def _uptime_s(words: dict[int, int]) -> int:
    return words[r.UPTIME_HIGH] << 16 | words[r.UPTIME_LOW]


def _minutes(word: int) -> int | None:
    return None if word == r.NOT_DISCHARGING else word


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
    )

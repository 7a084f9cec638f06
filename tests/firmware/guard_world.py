"""A guard with its host, cell and wearer, for tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from firmware.pmu import gauge_cell as cell
from firmware.pmu import guard_rail as rail
from firmware.pmu import registers as r
from firmware.pmu.guard import Guard

DEADLINE_S = 30
FULL_MV = 3_900
CURVE = cell.curve(0)


@dataclass
class World:
    """A guard with its host, cell and wearer; records everything the guard does."""

    step_ms: int = 250
    now_ms: int = 0
    beat: int = 0
    deadline_s: int = 0
    voltage_mv: int = FULL_MV
    """Of a cell with the first profile's curve."""
    headroom_mv: int = 500
    """Open-circuit voltage minus that of an empty cell, mV."""
    powered: bool = False
    charging: bool | None = None
    """Current flows into the cell; None: as `powered`."""
    events: list[tuple[int, int, int]] = field(default_factory=list)
    """(milliseconds, kind, detail)"""
    resets_ms: list[int] = field(default_factory=list)
    cycles_ms: list[int] = field(default_factory=list)
    offs: list[tuple[int, int]] = field(default_factory=list)
    """(milliseconds, reason) of every time the rail went off."""
    starts_ms: list[int] = field(default_factory=list)
    """When it came on again."""
    automatic_ms: list[int] = field(default_factory=list)
    """Times of power cycles and of starts after an empty cell: those without the wearer."""
    beaten_ms: int = 0
    """Time of the host's last heartbeat or write."""

    def __post_init__(self) -> None:
        self.guard = Guard(self)
        self._percent, self._percent_mv = 0.0, -1

    def add(self, kind: int, detail: int = 0) -> None:
        self.events.append((self.now_ms, kind, detail))

    @property
    def state(self) -> int:
        return self.guard.words()[r.GUARD]

    @property
    def asks(self) -> int:
        return self.guard.words()[r.PMU_REQUEST]

    def host_on(self) -> bool:
        return self.guard.rail.on

    def lines(self) -> tuple[bool, bool]:
        """Reset line, wake line."""
        return self.guard.reset, self.guard.wake

    def stages(self) -> list[int]:
        return [detail for _, kind, detail in self.events if kind == r.EVENT_KIND_GUARD]

    def arm(self, deadline_s: int = DEADLINE_S) -> None:
        self.deadline_s = deadline_s
        self.run(1, beats=True)

    def request(self, what: int) -> None:
        self._step(what)

    def gesture(self, what: int) -> None:
        automatic = len(self.automatic_ms)
        self._observed(lambda: self.guard.gesture(self.now_ms, what))
        del self.automatic_ms[automatic:]

    def run(self, seconds: float, *, beats: bool = False) -> None:
        """Advance time; with `beats` the host sends three heartbeats within each deadline."""
        for _ in range(round(seconds * 1000 / self.step_ms)):
            period_ms = max(self.step_ms, self.deadline_s * 1000 // 3)
            if beats and self.now_ms - self.beaten_ms >= period_ms:
                self.live()
            self._step(0)

    def live(self) -> None:
        """One heartbeat."""
        self.beat = (self.beat + 1) & 0xFFFF
        self.beaten_ms = self.now_ms

    def _step(self, request: int) -> None:
        self.now_ms += self.step_ms
        if request:
            self.beaten_ms = self.now_ms
        if self._percent_mv != self.voltage_mv:
            self._percent, self._percent_mv = cell.percent_at(self.voltage_mv, CURVE), self.voltage_mv
        self._observed(
            lambda: self.guard.step(
                self.now_ms,
                self.beat,
                self.deadline_s,
                request,
                self.voltage_mv,
                self.headroom_mv,
                self._percent,
                self.powered,
                self.powered if self.charging is None else self.charging,
            )
        )
        self.deadline_s = self.guard.words().get(r.HEARTBEAT_DEADLINE, self.deadline_s)

    def _observed(self, act: Callable[[], None]) -> None:
        guard = self.guard
        before, was_resetting = guard.rail.reason, guard.reset
        act()
        after = guard.rail.reason
        if guard.reset and not was_resetting:
            self.resets_ms.append(self.now_ms)
        if before == rail.NOT_OFF != after:
            self.offs.append((self.now_ms, after))
        if after == rail.CYCLE != before:
            self.cycles_ms.append(self.now_ms)
        if after == rail.NOT_OFF != before:
            self.starts_ms.append(self.now_ms)
        if rail.CYCLE == after != before or (before == rail.EMPTY and after == rail.NOT_OFF):
            self.automatic_ms.append(self.now_ms)

"""An energy meter on an emulated board whose clock the test moves, with counters that can be made to fail."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from host.energy.energy_meter import MAX_STANDBY_INTERVAL_S, EnergyMeter
from host.observe.journal import Journal
from host.observe.timeline import Span, Timeline
from hw.device import DeviceError
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.emulated.clock import FakeClock
from hw.supply import BatteryReading, Energy
from power.account.energy_model import load_energy_model
from power.account.ledger import Spent
from power.policy.policy import Policy

GOOD = BatteryReading(60, 3800, -400, 25.0, False, "good")
MODEL = load_energy_model()


class Counter:
    """An energy counter on a board that draws `power_mw`, independently of the model."""

    def __init__(self, clock: FakeClock, power_mw: float = 1000.0) -> None:
        self.clock, self.power_mw = clock, power_mw
        self.total_mwh, self.marked_mwh = 500.0, 0.0
        self.counted_s = clock.monotonic()
        self.broken = False
        self.blocked_s = 0.0

    def _count(self) -> None:
        if self.blocked_s:
            time.sleep(self.blocked_s)
        if self.broken:
            raise DeviceError("The battery gauge does not answer on the bus.")
        now_s = self.clock.monotonic()
        self.total_mwh += self.power_mw * (now_s - self.counted_s) / 3600
        self.counted_s = now_s

    def mark(self) -> None:
        self._count()
        self.marked_mwh = self.total_mwh

    def energy(self) -> Energy:
        self._count()
        return Energy(round(self.total_mwh, 2), round(self.total_mwh - self.marked_mwh, 2))

    def restart(self) -> None:
        self.total_mwh = self.marked_mwh = 0.0


class Bench:
    """An energy meter on a board whose clock the test moves."""

    def __init__(self, path: Path | None, *, measures: bool, by_pmu: bool = False) -> None:
        self.clock = FakeClock()
        self.counter = Counter(self.clock)
        self.emulated: EmulatedBoard = emulated_board(clock=self.clock, real_time=False, sound_card=False)
        counter = self.emulated.gauge if by_pmu else self.counter
        self.board = replace(self.emulated, native=measures, energy=counter if measures else None)
        self.timeline = Timeline(self.clock.monotonic)
        self.journal = Journal(None, self.clock)
        self.reading = GOOD
        self.plan = Policy().decide(GOOD, 0.0)[0]
        self.heard_s = self.looked_s = 0.0
        self.state = "standby"
        self.meter = EnergyMeter(
            self.board, self.timeline, self.journal, MODEL, path,
            now=lambda: (self.plan, self.reading), heard_s=lambda: self.heard_s,
            looked_s=lambda: self.looked_s,
        )  # fmt: skip

    async def wait(self, seconds: float) -> None:
        while seconds > 0:
            await self.settle()
            step_s = min(MAX_STANDBY_INTERVAL_S, seconds)
            self.heard_s += step_s
            await self.clock.advance(step_s)
            seconds -= step_s
        await self.settle()

    def go(self, state: str, on: str = "") -> None:
        fields = {"region": "interaction", "from": self.state, "on": on, "to": state}
        self.state = state
        self.meter.observe("transition", fields)

    def work(self, track: str, seconds: float, name: str = "execute", **details: Any) -> None:
        began_s = self.clock.monotonic()
        self.clock.jump(seconds)
        self.timeline.add(Span(track, name, began_s, self.clock.monotonic(), details))

    async def turn(self) -> Spent:
        """A question of two seconds, five of work and three of speech."""
        self.go("listening")
        await self.wait(2)
        asked_s = self.clock.monotonic()
        self.work("stt", 2)
        self.work("llm", 3)
        self.work("speaker", 3, "It is red.", sound_s=3.0)
        spent = await self.meter.end_turn(asked_s)
        assert spent is not None
        return spent

    async def settle(self) -> None:
        """Waits until the counters of the last boundary are read."""
        if self.meter._booking is not None:
            await asyncio.wait([self.meter._booking])
        if self.meter._interval_start is not None:
            await asyncio.wait([self.meter._interval_start.counters])

    def booked(self) -> float:
        return sum(book.total_mwh for book in self.meter.ledger.hours.values())


def on_bench(
    scene: Callable[[Bench], Awaitable[None]],
    path: Path | None = None,
    *,
    measures: bool = True,
    by_pmu: bool = False,
) -> Bench:
    async def whole() -> Bench:
        async with bench(path, measures=measures, by_pmu=by_pmu) as b:
            await scene(b)
        return b

    return asyncio.run(whole())


@asynccontextmanager
async def bench(path: Path | None, *, measures: bool, by_pmu: bool) -> AsyncIterator[Bench]:
    b = Bench(path, measures=measures, by_pmu=by_pmu)
    b.meter.timeout_s = b.meter.turn_end_timeout_s = 10.0  # the test does not advance its clock meanwhile
    await b.meter.start()
    try:
        yield b
    finally:
        await b.meter.close()
        await b.emulated.close()

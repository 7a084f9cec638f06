"""The ledger of a running headband: measured where counters say so, else modelled, and kept on disk."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from host.journal import Journal
from host.ledger import CUT_S, SAVE_S, EnergyLedger
from host.ledger_file import format_used, read_ledger, used, write_whole
from host.timeline import Span, Timeline
from hw.device import BatteryReading, DeviceError, Energy
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.emulated.clock import FakeClock
from models.pack import load_pack
from power.energy import load_energy_model
from power.ledger import Spent
from power.ledger_json import LedgerError
from power.policy import Policy

GOOD = BatteryReading(60, 3800, -400, 25.0, False, "good")
MODEL = load_energy_model()


class Counter:
    """An energy counter on a board that draws `power_mw`, whatever the model believes."""

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
    """A ledger on a board whose clock is moved by hand."""

    def __init__(self, path: Path | None, *, measures: bool) -> None:
        self.clock = FakeClock()
        self.counter = Counter(self.clock)
        self.emulated: EmulatedBoard = emulated_board(clock=self.clock, real_time=False, sound_card=False)
        self.board = replace(self.emulated, native=measures, energy=self.counter if measures else None)
        self.timeline = Timeline(self.clock.monotonic)
        self.journal = Journal(None, self.clock.time)
        self.reading = GOOD
        self.plan = Policy().decide(GOOD, 0.0)[0]
        self.heard_s = 0.0
        self.book = EnergyLedger(
            self.board, load_pack("micro"), self.timeline, self.journal, MODEL, path,
            now=lambda: (self.plan, self.reading), heard_s=lambda: self.heard_s,
        )  # fmt: skip

    async def wait(self, seconds: float) -> None:
        while seconds > 0:
            await self.settle()
            step_s = min(CUT_S, seconds)
            self.heard_s += step_s
            await self.clock.advance(step_s)
            seconds -= step_s
        await self.settle()

    def go(self, state: str) -> None:
        self.book.observe("transition", {"region": "interaction", "to": state})

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
        spent = await self.book.end_turn(asked_s)
        assert spent is not None
        return spent

    async def settle(self) -> None:
        """Until the counters of the last cut are read."""
        if self.book._booking is not None:
            await asyncio.wait([self.book._booking])
        if self.book._began is not None:
            await asyncio.wait([self.book._began.look])

    def booked(self) -> float:
        return sum(book.total_mwh for book in self.book.ledger.hours.values())


def on_bench(
    scene: Callable[[Bench], Awaitable[None]], path: Path | None = None, *, measures: bool = True
) -> Bench:
    async def whole() -> Bench:
        async with bench(path, measures=measures) as b:
            await scene(b)
        return b

    return asyncio.run(whole())


@asynccontextmanager
async def bench(path: Path | None, *, measures: bool) -> AsyncIterator[Bench]:
    b = Bench(path, measures=measures)
    b.book.patience_s = b.book.hurry_s = 10.0  # the clock of the test stands still meanwhile
    await b.book.start()
    try:
        yield b
    finally:
        await b.book.close()
        await b.emulated.close()


def test_a_measured_turn_is_what_the_counters_say_and_the_model_only_divides_it() -> None:
    async def scene(b: Bench) -> None:
        await b.wait(30)
        spent = await b.turn()
        assert (spent.kind, spent.note, spent.mode) == ("measured", "", "performance")
        assert spent.total_mwh == pytest.approx(1000 * 10 / 3600, abs=0.02)
        assert spent.seconds == pytest.approx(10)
        assert set(spent.stages_mwh) == {"listen", "stt", "llm", "speak"}
        assert spent.stages_mwh["llm"] == pytest.approx(1.5 * spent.stages_mwh["stt"], rel=0.01)

    on_bench(scene)


def test_everything_together_is_what_the_counter_counted() -> None:
    async def scene(b: Bench) -> None:
        for power_mw in (700.0, 2500.0, 900.0):
            b.counter.power_mw = power_mw
            await b.wait(400)
            await b.turn()
        b.go("follow_up")
        b.book.observe("asleep", {})
        b.counter.power_mw = 180.0
        await b.wait(3000)
        b.book.observe("awake", {"slept_s": 3000.0})
        await b.wait(10)

    b = on_bench(scene)
    assert b.booked() == pytest.approx(b.counter.total_mwh - 500, abs=0.05)
    assert all(account.kind == "measured" for book in b.book.ledger.hours.values() for account in book)
    day = b.book.ledger.day(b.clock.time())
    assert day.only(activity="asleep").total_mwh == pytest.approx(150, abs=1)
    assert sum(account.count for account in day.only(activity="turn")) == pytest.approx(3)


def test_the_emulated_board_is_never_measured() -> None:
    async def scene(b: Bench) -> None:
        await b.wait(30)
        spent = await b.turn()
        assert (spent.kind, spent.note) == ("modelled", "")
        assert spent.seconds == pytest.approx(2 + 5 * MODEL.slowdown + 3)

    b = on_bench(scene, measures=False)
    assert b.emulated.energy is None and not b.emulated.native
    assert b.book.ledger.day(b.clock.time()).kind == "modelled"


def test_a_day_that_is_rushed_through_still_waits_and_speaks_its_seconds() -> None:
    async def scene(b: Bench) -> None:
        b.heard_s += 3600  # an hour of sound in no time
        b.go("listening")
        b.heard_s += 2
        b.work("speaker", 0.0001, "It is red.", sound_s=4.0)
        spent = await b.book.end_turn(b.clock.monotonic())
        assert spent is not None and spent.seconds == pytest.approx(6, abs=0.1)

    b = on_bench(scene, measures=False)
    standby = b.book.ledger.day(b.clock.time()).only(activity="standby")
    assert standby.seconds == pytest.approx(3600, abs=1)
    assert standby.total_mwh == pytest.approx(MODEL.stage_mw("listen", b.plan), rel=0.01)


def test_a_bus_that_fails_costs_only_the_label() -> None:
    async def scene(b: Bench) -> None:
        b.counter.broken = True
        spent = await b.turn()
        assert (spent.kind, spent.note) == ("modelled", "The microcontroller's counters could not be read.")
        assert spent.total_mwh > 0
        b.counter.broken = False
        await b.wait(CUT_S)
        assert (await b.turn()).kind == "measured"

    on_bench(scene)


def test_a_bus_that_hangs_holds_up_nothing() -> None:
    async def scene(b: Bench) -> None:
        await b.settle()
        b.go("listening")
        await b.settle()
        b.counter.blocked_s = 2.0
        b.book.hurry_s = 0.05
        began_s = time.monotonic()
        spent = await b.book.end_turn(b.clock.monotonic())
        assert time.monotonic() - began_s < 1.5
        assert spent is not None and spent.kind == "modelled"
        b.counter.blocked_s = 0.0

    on_bench(scene)


def test_a_microcontroller_that_starts_anew_is_noticed() -> None:
    async def scene(b: Bench) -> None:
        b.go("listening")
        await b.wait(2)
        b.counter.restart()
        b.clock.jump(5)
        spent = await b.book.end_turn(b.clock.monotonic())
        assert spent is not None
        assert (spent.kind, spent.note) == ("modelled", "The microcontroller's counters started anew.")

    on_bench(scene)


def test_a_counter_that_cannot_be_right_is_not_believed() -> None:
    async def scene(b: Bench) -> None:
        b.go("listening")
        await b.wait(2)
        b.counter.power_mw = 90_000
        b.clock.jump(5)
        spent = await b.book.end_turn(b.clock.monotonic())
        assert spent is not None and spent.kind == "modelled"

    on_bench(scene)


def test_on_the_charger_the_battery_loses_nothing() -> None:
    async def scene(b: Bench) -> None:
        b.reading = replace(GOOD, charging=True)
        b.book.observe("plan", {})
        b.counter.power_mw = 0.0
        spent = await b.turn()
        assert (spent.kind, spent.supply) == ("modelled", "outside")
        assert spent.total_mwh > 0
        assert b.book.ledger.day(b.clock.time()).only(supply="battery").total_mwh == pytest.approx(0, abs=1)

    on_bench(scene)


def test_a_question_that_never_came_is_waiting() -> None:
    async def scene(b: Bench) -> None:
        b.go("listening")
        await b.wait(4)
        b.go("standby")
        await b.settle()
        assert await b.book.end_turn(b.clock.monotonic()) is None
        assert not b.book.ledger.turns

    on_bench(scene)


def test_waiting_is_booked_and_saved_now_and_then(tmp_path: Path) -> None:
    path = tmp_path / "state" / "energy.json"

    async def scene(b: Bench) -> None:
        for _ in range(round(SAVE_S / CUT_S) + 1):
            await b.wait(CUT_S)
        await asyncio.sleep(0.1)
        kept = read_ledger(path)
        assert sum(book.seconds for book in kept.hours.values()) >= SAVE_S - CUT_S

    on_bench(scene, path)


def test_a_restart_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "energy.json"

    async def scene(b: Bench) -> None:
        await b.wait(60)
        await b.turn()

    first = on_bench(scene, path)
    second = on_bench(scene, path)
    assert second.booked() == pytest.approx(2 * first.booked(), rel=0.01)
    assert len(read_ledger(path).turns) == 2
    assert [item.name for item in tmp_path.iterdir()] == ["energy.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 9}', "\x00" * 50])
def test_a_damaged_file_is_put_aside_and_said(tmp_path: Path, text: str) -> None:
    path = tmp_path / "energy.json"
    path.write_text(text)
    with pytest.raises(LedgerError):
        read_ledger(path)

    async def scene(b: Bench) -> None:
        assert [line["event"] for line in b.journal.recent] == ["ledger"]
        await b.turn()

    on_bench(scene, path)
    assert len(read_ledger(path).turns) == 1
    assert (tmp_path / "energy.bad.json").read_text() == text


def test_a_disk_that_refuses_stops_nothing_and_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    async def scene(b: Bench) -> None:
        for _ in range(2):
            await b.turn()
            await asyncio.sleep(0.05)

    b = on_bench(scene, tmp_path / "file" / "energy.json")
    assert len(b.book.ledger.turns) == 2 and b.book.problem is not None
    problems = [line["problem"] for line in b.journal.recent if line["event"] == "ledger"]
    assert len(problems) == 2 and "cannot be read" in problems[0] and "cannot be saved" in problems[1]


def test_a_crash_while_saving_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "energy.json"
    write_whole(path, "old")

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, "new" * 1000)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_what_was_used_is_told_with_its_kind(tmp_path: Path) -> None:
    path = tmp_path / "energy.json"

    async def scene(b: Bench) -> None:
        await b.wait(600)
        await b.turn()
        b.counter.broken = True
        await b.turn()

    b = on_bench(scene, path)
    result = used(path, b.clock.time())
    assert json.loads(json.dumps(result)) == result
    assert result["battery"]["kind"] == "modelled" and 0 < result["battery"]["measured_share"] < 1
    assert result["battery"]["mwh"] == pytest.approx(
        sum(row["mwh"] for row in result["activities"]), abs=0.01
    )
    assert result["battery"]["mwh"] == pytest.approx(sum(result["stages_mwh"].values()), abs=0.01)
    assert {(row["activity"], row["kind"]) for row in result["activities"]} >= {
        ("turn", "measured"), ("turn", "modelled"), ("standby", "measured"),
    }  # fmt: skip
    text = format_used(result)
    assert "of it measured, the rest modelled" in text and "could not be read" in text
    assert "nothing" not in format_used(used(tmp_path / "none.json", b.clock.time()))

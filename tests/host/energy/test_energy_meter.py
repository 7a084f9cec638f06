"""The energy meter: intervals are measured if the counters can be read, else modelled."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import pytest

from host.energy.energy_meter import MAX_STANDBY_INTERVAL_S
from hw.emulated.bus import Fault
from power.account.ledger import Ledger
from power.account.ledger_json import as_json, restore
from power.policy.policy import Policy
from tests.host.energy.ledger_bench import GOOD, MODEL, Bench, on_bench


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
        b.meter.observe("asleep", {})
        b.counter.power_mw = 180.0
        await b.wait(3000)
        b.meter.observe("awake", {"slept_s": 3000.0})
        await b.wait(10)

    b = on_bench(scene)
    assert b.booked() == pytest.approx(b.counter.total_mwh - 500, abs=0.05)
    assert all(account.kind == "measured" for meter in b.meter.ledger.hours.values() for account in meter)
    day = b.meter.ledger.day(b.clock.time())
    assert day.only(activity="asleep").total_mwh == pytest.approx(150, abs=1)
    assert sum(account.count for account in day.only(activity="turn")) == pytest.approx(3)


def test_a_clock_set_while_asleep_makes_the_sleep_neither_longer_nor_shorter() -> None:
    async def scene(b: Bench) -> None:
        for set_s in (400_000.0, -400_000.0):
            b.meter.observe("asleep", {})
            await b.wait(300)
            b.clock._epoch_offset_s += set_s
            b.meter.observe("awake", {"slept_s": 300.0})
            await b.settle()

    b = on_bench(scene, measures=False)
    slept_s = sum(book.only(activity="asleep").seconds for book in b.meter.ledger.days.values())
    assert slept_s == pytest.approx(600, abs=1)


def test_an_answer_that_the_next_question_silences_costs_its_own_turn() -> None:
    async def scene(b: Bench) -> None:
        await b.wait(30)
        b.go("listening")
        await b.wait(2)
        b.go("thinking")
        asked_s = b.clock.monotonic()
        b.work("llm", 6)
        b.go("speaking")
        b.work("speaker", 2, "There is a")
        b.go("listening", "woken")  # the wake word during the answer
        await b.settle()
        b.counter.power_mw = 3000.0
        await b.wait(1)
        first = await b.meter.end_turn(asked_s)
        await b.wait(0.5)
        b.go("thinking")
        b.go("listening", "resumed")  # the question continues in the same turn
        await b.wait(0.5)
        b.go("thinking")
        asked_s = b.clock.monotonic()
        b.work("llm", 3)
        second = await b.meter.end_turn(asked_s)
        assert first is not None and second is not None
        assert (first.kind, second.kind) == ("measured", "measured"), (first.note, second.note)
        assert (first.seconds, second.seconds) == pytest.approx((10, 5))
        assert first.total_mwh == pytest.approx(1000 * 10 / 3600, abs=0.02)
        assert second.total_mwh == pytest.approx(3000 * 5 / 3600, abs=0.02)
        assert "speak" in first.stages_mwh and "speak" not in second.stages_mwh
        assert [spent.activity for spent in b.meter.ledger.turns] == ["turn", "turn"]

    b = on_bench(scene)
    assert b.booked() == pytest.approx(b.counter.total_mwh - 500, abs=0.05)


def test_the_firmwares_own_counters_measure_over_the_bus() -> None:
    """A board that draws 600 mA while it works, with the real firmware, register map and bus protocol."""

    async def scene(b: Bench) -> None:
        b.emulated.set_battery(60, current_ma=-200)
        await b.wait(120)
        b.emulated.set_battery(60, current_ma=-600)
        spent = await b.turn()
        cell = b.emulated.pmu.cell
        assert spent.kind == "measured"
        assert spent.total_mwh == pytest.approx(cell.voltage_mv * 600 / 1e6 * 10 / 3.6, rel=0.03)
        b.emulated.bus.inject(Fault.STUCK_SDA)
        assert (await b.turn()).note == "The microcontroller's counters could not be read."
        b.emulated.bus.inject(None)

    on_bench(scene, by_pmu=True)


def test_what_is_done_to_remember_has_its_own_line_and_the_rest_stays_as_it_was() -> None:
    """A view is placed and stored between questions; the eye's work for a question is the question's."""

    async def scene(b: Bench) -> None:
        b.plan = Policy().decide(GOOD, 0.0, remembering=True)[0]
        await b.wait(60)
        b.work("vision", 2, **{"for": "memory"})
        b.work("vision", 1, "load", **{"for": "memory"})
        b.work("memory", 0.1, **{"for": "memory"})
        b.meter.observe("memory", {"number": 1, "depth": 12})
        b.looked_s += 5
        await b.wait(60)
        b.go("listening")
        await b.wait(2)
        b.work("vision", 1)
        b.work("memory", 0.1)
        spent = await b.meter.end_turn(b.clock.monotonic())
        assert spent is not None and spent.views == 0
        assert "remember" not in spent.stages_mwh and spent.stages_mwh["vision"] > 0

    b = on_bench(scene)
    assert b.booked() == pytest.approx(b.counter.total_mwh - 500, abs=0.05)
    day = b.meter.ledger.day(b.clock.time())
    waiting = day.only(activity="standby").stages_mwh()
    assert day.views == pytest.approx(1) and waiting["remember"] > 0
    assert not {"vision", "capture", "load"} & set(waiting)
    again = Ledger()
    restore(again, json.loads(json.dumps(as_json(b.meter.ledger))))
    assert again.day(b.clock.time()).views == pytest.approx(1)


def test_the_emulated_board_is_never_measured() -> None:
    async def scene(b: Bench) -> None:
        await b.wait(30)
        spent = await b.turn()
        assert (spent.kind, spent.note) == ("modelled", "")
        assert spent.seconds == pytest.approx(2 + 2 * MODEL.longer["stt"] + 3 * MODEL.longer["llm"] + 3)

    b = on_bench(scene, measures=False)
    assert b.emulated.energy is None and not b.emulated.native
    assert b.meter.ledger.day(b.clock.time()).kind == "modelled"


def test_a_day_that_is_rushed_through_still_waits_and_speaks_its_seconds() -> None:
    async def scene(b: Bench) -> None:
        b.heard_s += 3600  # an hour of sound, without time for it
        b.go("listening")
        b.heard_s += 2
        b.work("speaker", 0.0001, "It is red.", sound_s=4.0)
        spent = await b.meter.end_turn(b.clock.monotonic())
        assert spent is not None and spent.seconds == pytest.approx(6, abs=0.1)

    b = on_bench(scene, measures=False)
    standby = b.meter.ledger.day(b.clock.time()).only(activity="standby")
    assert standby.seconds == pytest.approx(3600, abs=1)
    assert standby.total_mwh == pytest.approx(MODEL.stage_mw("listen", b.plan), rel=0.01)


def test_a_bus_that_fails_costs_only_the_label() -> None:
    async def scene(b: Bench) -> None:
        b.counter.broken = True
        spent = await b.turn()
        assert (spent.kind, spent.note) == ("modelled", "The microcontroller's counters could not be read.")
        assert spent.total_mwh > 0
        b.counter.broken = False
        await b.wait(MAX_STANDBY_INTERVAL_S)
        assert (await b.turn()).kind == "measured"

    on_bench(scene)


def test_a_bus_that_hangs_holds_up_nothing() -> None:
    async def scene(b: Bench) -> None:
        await b.settle()
        b.go("listening")
        await b.settle()
        b.counter.blocked_s = 1.0
        b.meter.turn_end_timeout_s = 0.05
        began_s = time.monotonic()
        spent = await b.meter.end_turn(b.clock.monotonic())
        assert time.monotonic() - began_s < 0.8
        assert spent is not None and spent.kind == "modelled"
        b.counter.blocked_s = 0.0

    on_bench(scene)


def test_boundaries_that_come_faster_than_the_counters_are_read_are_measured() -> None:
    """A sound wakes it, and the wake word is heard at once in what was handed over."""

    async def scene(b: Bench) -> None:
        b.meter.observe("asleep", {})
        await b.wait(30)
        b.counter.blocked_s = 0.02
        b.meter.observe("awake", {"slept_s": 30.0})
        b.meter.observe("plan", {})
        b.go("listening")
        await b.settle()
        b.counter.blocked_s = 0.0
        b.clock.jump(5)
        spent = await b.meter.end_turn(b.clock.monotonic())
        assert spent is not None and (spent.kind, spent.note) == ("measured", "")

    b = on_bench(scene)
    assert b.meter.ledger.day(b.clock.time()).kind == "measured"


def test_a_microcontroller_that_starts_anew_is_noticed() -> None:
    async def scene(b: Bench) -> None:
        b.go("listening")
        await b.wait(2)
        b.counter.restart()
        b.clock.jump(5)
        spent = await b.meter.end_turn(b.clock.monotonic())
        assert spent is not None
        assert (spent.kind, spent.note) == ("modelled", "The microcontroller's counters started anew.")

    on_bench(scene)


def test_a_counter_that_cannot_be_right_is_not_believed() -> None:
    async def scene(b: Bench) -> None:
        b.go("listening")
        await b.wait(2)
        b.counter.power_mw = 90_000
        b.clock.jump(5)
        spent = await b.meter.end_turn(b.clock.monotonic())
        assert spent is not None and spent.kind == "modelled"

    on_bench(scene)


def test_on_the_charger_the_battery_loses_nothing() -> None:
    async def scene(b: Bench) -> None:
        b.reading = replace(GOOD, charging=True)
        b.meter.observe("plan", {})
        b.counter.power_mw = 0.0
        spent = await b.turn()
        assert (spent.kind, spent.supply) == ("modelled", "outside")
        assert spent.total_mwh > 0
        assert b.meter.ledger.day(b.clock.time()).only(supply="battery").total_mwh == pytest.approx(0, abs=1)

    on_bench(scene)


def test_a_question_that_never_came_is_waiting() -> None:
    async def scene(b: Bench) -> None:
        b.go("listening")
        await b.wait(4)
        b.go("standby")
        await b.settle()
        assert await b.meter.end_turn(b.clock.monotonic()) is None
        assert not b.meter.ledger.turns

    on_bench(scene)

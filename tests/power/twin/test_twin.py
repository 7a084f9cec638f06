"""The twin over whole days: energy is conserved, a turn's energy is that of its trace, sleep saves most."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host.states import InteractionEvent, StateMachine
from hw.supply import BatteryReading
from power.account.routes import ROUTES
from power.placement.site import modelled_site
from power.policy.config import PowerConfig
from power.policy.plan import Mode, PowerPlan
from power.twin.answered import answered_share
from power.twin.board_power import TwinBoard
from power.twin.cell import TwinCell
from power.twin.day import Day, DaySpan, load_day
from power.twin.governors import AlwaysOn, Governor, OurPolicy, PaperPolicy
from power.twin.hours import hours
from power.twin.modelled_trace import ModelledTrace
from power.twin.paper import paper_arithmetic
from power.twin.parameters import TwinError, load_parameters
from power.twin.sensitivity import lasting_h, sensitivity
from power.twin.simulate import Twin
from power.twin.totals import RunTotals
from power.twin.turn.turns import TurnTaken, TwinBricks, TwinQuestion, take_turn

PARAMETERS = load_parameters()
NORMAL = load_day("normal")


class Restless(OurPolicy):
    """Our policy, which keeps the headband awake between events while the battery is above half."""

    def decide(self, reading: BatteryReading, now_s: float, worn: bool, soc_c: float) -> PowerPlan:
        plan = super().decide(reading, now_s, worn, soc_c)
        asleep = plan.suspend_between_events and plan.mode is not Mode.PERFORMANCE
        return replace(plan, suspend_between_events=asleep)


@pytest.mark.parametrize("quiet_s", [0.0, 10.0])
def test_a_headband_that_is_set_never_to_sleep_stays_awake(quiet_s: float) -> None:
    """As `[listen] sleep_after_s = 0`."""
    twin = Twin(PARAMETERS.known({"sleep.quiet_s": quiet_s}), OurPolicy(), StateMachine())
    account = twin.run(NORMAL)
    assert (account.asleep_s == 0) == (quiet_s == 0)


GOVERNORS: tuple[type[Governor], ...] = (AlwaysOn, PaperPolicy, OurPolicy)


def lived(governor: Governor, day: Day = NORMAL, *, percent: float = 100.0) -> tuple[Twin, ModelledTrace]:
    trace = ModelledTrace()
    twin = Twin(PARAMETERS, governor, StateMachine(), percent=percent, record=trace.add)
    twin.run(day)
    return twin, trace


@cache
def normal_day(governor: type[Governor]) -> tuple[Twin, ModelledTrace]:
    """Lived once; whoever asks only reads."""
    return lived(governor())


@st.composite
def days(draw: st.DrawFn) -> Day:
    """A random day without a charger, so that all energy is the cell's."""
    cuts = sorted(draw(st.sets(st.integers(1, 23), min_size=1, max_size=3)))
    edges = [0, *cuts, 24]
    spans = []
    for start_h, end_h in itertools.pairwise(edges):
        worn = draw(st.booleans())
        rates = draw(st.dictionaries(st.sampled_from(ROUTES), st.floats(0, 8), max_size=3)) if worn else {}
        spans.append(
            DaySpan(
                start_h * 3600.0, end_h * 3600.0, worn, False, draw(st.floats(-5, 38)), draw(st.booleans()),
                draw(st.sampled_from(["quiet", "household", "speech"])), rates, draw(st.floats(0, 2)),
            )
        )  # fmt: skip
    return replace(NORMAL, seed=draw(st.integers(0, 999)), spans=tuple(spans))


@settings(max_examples=12, deadline=None)
@given(days(), st.sampled_from([AlwaysOn, PaperPolicy, OurPolicy, Restless]), st.floats(6, 100))
def test_energy_out_of_the_cell_is_the_sum_over_stages(
    day: Day, governor: type[Governor], percent: float
) -> None:
    twin, trace = lived(governor(), day, percent=percent)
    account, cell = twin.account, twin.cell
    assert sum(account.by_stage.values()) == pytest.approx(cell.delivered_mwh, rel=1e-6)
    assert sum(total.mwh for total in account.by_cause.values()) == pytest.approx(
        cell.delivered_mwh, rel=1e-6
    )
    assert trace.energy_mwh(0, trace.end_s) == pytest.approx(cell.delivered_mwh, rel=1e-6)
    assert cell.chemical_mwh == pytest.approx(cell.delivered_mwh + cell.heat_mwh, rel=1e-6)
    assert account.seconds == pytest.approx(sum(account.mode_s.values()))
    assert all(mwh >= 0 for mwh in account.by_stage.values())


@pytest.mark.parametrize("governor", GOVERNORS, ids=lambda g: g.name)
def test_a_turns_energy_is_the_integral_of_its_trace(governor: type[Governor]) -> None:
    twin, trace = normal_day(governor)
    turns = [asked for asked in twin.account.asked if asked.at_s < 16 * 3600]
    assert len(turns) > 60
    for asked in turns[::7]:
        later = [s for s in trace.segments if asked.at_s < s.start_s]
        end_s = next(s.start_s for s in later if s.stage in ("awake", "asleep") or s.cause != asked.route)
        assert trace.energy_mwh(asked.at_s, end_s) == pytest.approx(asked.mwh, rel=0.01)


def test_a_meter_can_be_built_on_the_trace() -> None:
    _, trace = normal_day(OurPolicy)
    times, levels = trace.source(3600.0, 7200.0)
    assert times[0] == 0.0 and np.all(np.diff(times) >= 0) and times[-1] < 3600
    energy = np.sum(levels * np.diff(np.append(times, 3600.0))) / 3600
    assert energy == pytest.approx(trace.energy_mwh(3600.0, 7200.0))


def test_the_same_questions_are_asked_under_every_policy() -> None:
    asked = [[a.route for a in normal_day(governor)[0].account.asked] for governor in GOVERNORS]
    assert asked[0] == asked[1] == asked[2]


def test_sleep_is_what_saves() -> None:
    """With sleep between events at every charge, the normal day takes less than half of the energy, and no
    answer takes longer.
    """
    always, rested = normal_day(AlwaysOn)[0].account, normal_day(OurPolicy)[0].account
    assert rested.battery_mwh < 0.45 * always.battery_mwh
    assert rested.battery_mwh < 0.7 * lived(Restless())[0].account.battery_mwh
    waits = [sum(a.latency_s for a in account.asked) / len(account.asked) for account in (always, rested)]
    assert waits[1] < waits[0] + 0.1
    assert rested.asleep_s > 20 / 2 * 3600


@pytest.mark.parametrize("name", ["light", "normal", "heavy"])
def test_our_policy_saves_more_than_the_paper_claims(name: str) -> None:
    day = load_day(name)
    twins = [normal_day(g)[0] if name == "normal" else lived(g(), day)[0] for g in GOVERNORS]
    always, paper, ours = (twin.account.battery_mwh for twin in twins)
    assert ours <= (1 - 0.423) * always
    assert ours < paper < always


def test_the_largest_pack_is_run_until_it_is_empty() -> None:
    """Also where it lasts for weeks: hours that end with the simulation would be those of no pack."""
    frugal = {"cell.capacity_mah": 8_000.0, "board.suspend_mw": 40.0}
    values, day = PARAMETERS.changed(frugal), replace(NORMAL, recorded=())
    stretched = lasting_h(values, day, StateMachine(), pack="micro", config=None)
    quarter = values.changed({"cell.capacity_mah": 2_000.0})
    assert stretched == pytest.approx(
        4 * lasting_h(quarter, day, StateMachine(), pack="micro", config=None), rel=0.02
    )


def test_no_policy_takes_more_out_of_a_cell_than_is_in_it() -> None:
    """One that asks for a hundred readings before it stops is stopped by the microcontroller."""
    late = PowerConfig(confirm_readings=100)
    twin = Twin(PARAMETERS, OurPolicy(late), StateMachine(), percent=20.0)
    twin.run(NORMAL, 2, charger=False, until_empty=True)
    assert twin.account.emptied_s is not None and twin.cell.percent == 0
    whole = TwinCell(PARAMETERS, 20.0)
    while whole.percent > 0:
        whole.discharge(60.0, 400.0)
    assert twin.cell.drawn_mah == pytest.approx(whole.drawn_mah, rel=0.03)


def test_hours_are_the_terms_of_the_formula() -> None:
    twin = Twin(PARAMETERS, OurPolicy(), StateMachine())
    twin.run(NORMAL, 10, charger=False, until_empty=True)
    terms = hours(twin.account, twin.cell, PARAMETERS)
    assert terms.hours == pytest.approx(terms.simulated_h, rel=0.01)
    assert terms.delivered_mwh == pytest.approx(twin.cell.delivered_mwh)
    assert 0.9 < terms.eta < 1.0
    assert terms.idle_mw > twin.cell.delivered_mwh / 100 > 0
    assert {event.kind for event in terms.events} >= {"now", "open", "device", "sound"}
    assert all(event.mwh > 0 for event in terms.events)


def test_a_smaller_pack_lasts_less_long() -> None:
    small = PARAMETERS.changed({"cell.capacity_mah": 1200.0})
    whole_h = lasting_h(PARAMETERS, NORMAL, StateMachine(), pack="micro", config=None)
    small_h = lasting_h(small, NORMAL, StateMachine(), pack="micro", config=None)
    assert 0.4 < small_h / whole_h < 0.75


def test_a_question_may_find_the_computer_asleep_without_a_longer_wait() -> None:
    board = TwinBoard(PARAMETERS, PARAMETERS.pack("micro"))
    plan = AlwaysOn().decide(BatteryReading(90, 4000, -200, 25.0, False, "good"), 0.0, True, 40.0)
    question = TwinQuestion("now", 2.0, 20, wake_word=True, camera=True)
    loaded = ["stt", "vision", "llm", "tts"]
    awake, asleep = (
        take_turn(question, plan, board, TwinBricks(dict(board.pack.memory_mib), loaded.copy()), sleeping)
        for sleeping in (False, True)
    )
    assert asleep.latency_s == pytest.approx(awake.latency_s)
    assert "resume" in [step.stage for step in asleep.listening]
    cascade = replace(plan, residency="one_at_a_time", mode=Mode.CASCADE)
    cold = take_turn(question, cascade, board, TwinBricks(dict(board.pack.memory_mib)), False)
    assert cold.latency_s > awake.latency_s + 0.5
    assert sum(step.stage == "load" for step in cold.steps) == 4


def test_a_clock_changes_only_what_it_sets_the_pace_of() -> None:
    plan = AlwaysOn().decide(BatteryReading(90, 4000, -200, 25.0, False, "good"), 0.0, True, 40.0)
    plan = replace(plan, cpu_max_khz=1_800_000, ddr_max_hz=1_056_000_000)
    board = TwinBoard(PARAMETERS, PARAMETERS.pack("standard"))
    slow_cores, slow_memory = replace(plan, cpu_max_khz=408_000), replace(plan, ddr_max_hz=528_000_000)
    for work in (board.pack.stt, board.pack.prefill, board.pack.token, board.pack.load["llm"]):
        assert work.core_s > 0 and work.memory_s > 0 and work.fixed_s > 0
        full_s = board.seconds(work, plan)
        assert full_s == pytest.approx(work.full_clock_s)
        assert board.seconds(work, slow_cores) - full_s == pytest.approx(work.core_s * (1800 / 408 - 1))
        assert board.seconds(work, slow_memory) - full_s == pytest.approx(work.memory_s)
    beyond = replace(plan, ddr_max_hz=10_000_000_000)
    assert board.seconds(board.pack.token, beyond) == board.seconds(board.pack.token, plan)
    assert board.stage_mw("llm", beyond) == board.stage_mw("llm", plan)
    on_npu = board.pack.vision
    assert board.seconds(on_npu, slow_cores) == pytest.approx(PARAMETERS["pack.standard.vision_s"])
    assert board.pack.token.memory_s > 0.7 * board.pack.token.full_clock_s, "every weight is read for a token"


def test_loading_takes_the_counted_time_and_that_of_reading_the_file() -> None:
    load = PARAMETERS.pack("standard").load["llm"]
    counted = PARAMETERS.quantities["pack.standard.load_llm_s"]
    assert load.full_clock_s == pytest.approx(counted.value + 279.3 / PARAMETERS["flash.read_mb_s"])
    assert not counted.estimate and PARAMETERS.quantities["flash.read_mb_s"].estimate


@pytest.mark.parametrize("percent", [80, 35, 12])
def test_a_closed_question_costs_no_language_model(percent: int) -> None:
    plan = OurPolicy().decide(BatteryReading(percent, 3700, -200, 25.0, False, "good"), 0.0, True, 30.0)
    parameters = replace(PARAMETERS, reflex=True)
    board = TwinBoard(parameters, parameters.pack("standard"))

    def turn(route: str, *, closed: bool) -> tuple[TurnTaken, list[str]]:
        bricks = TwinBricks(dict(board.pack.memory_mib))
        taken = take_turn(TwinQuestion(route, 2.0, 20, True, True, closed), plan, board, bricks, False)
        return taken, [step.stage for step in (*taken.thinking, *taken.speaking)]

    answered, stages = turn("now", closed=True)
    handed_over, others = turn("now", closed=False)
    assert "reflex" in stages and "llm" not in stages
    assert "reflex" in others and "llm" in others
    assert answered.latency_s < handed_over.latency_s
    assert "reflex" not in turn("frames", closed=False)[1] + turn("device", closed=False)[1]


def test_so_many_questions_are_closed_as_their_share_says() -> None:
    parameters = replace(PARAMETERS, reflex=True).changed({"reflex.answered_share": 0.75})
    twin = Twin(parameters, OurPolicy(), StateMachine(), pack="standard")
    assert [twin._closed("now") for _ in range(8)] == [False, True, True, True] * 2
    assert not any(twin._closed("frames") for _ in range(8))


def test_a_packs_own_share_of_closed_questions_comes_before_the_estimate(tmp_path: Path) -> None:
    (tmp_path / "micro").mkdir()
    manifest = "[brick.reflex.settings]\nanswered_share = 0.25\n"
    (tmp_path / "micro" / "pack.toml").write_text(manifest, encoding="utf-8")
    parameters = load_parameters(packs_folder=tmp_path)
    assert PARAMETERS.quantities["reflex.answered_share"].estimate
    assert parameters.answered_share("standard") == "reflex.answered_share"
    assert parameters[parameters.answered_share("micro")] == 0.25
    twin = Twin(parameters, OurPolicy(), StateMachine(), pack="micro")
    assert [twin._closed("now") for _ in range(8)] == [False, False, False, True] * 2


@pytest.mark.parametrize("share", ["1.5", "true", '"much"', "nan"])
def test_a_share_that_is_none_is_told(tmp_path: Path, share: str) -> None:
    assert answered_share("some", tmp_path) is None
    (tmp_path / "some").mkdir()
    manifest = tmp_path / "some" / "pack.toml"
    manifest.write_text("[brick.reflex.settings]\ntokens = 64\n", encoding="utf-8")
    assert answered_share("some", tmp_path) is None
    manifest.write_text(f"[brick.reflex.settings]\nanswered_share = {share}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"answered_share is .*; it must be a number, 0 to 1"):
        answered_share("some", tmp_path)


def test_a_state_table_that_refuses_is_told() -> None:
    class Stubborn(StateMachine):
        def interact(self, event: InteractionEvent, cause: str) -> bool:
            return event != "answer" and super().interact(event, cause)

    with pytest.raises(TwinError, match="does not permit answer in thinking"):
        Twin(PARAMETERS, OurPolicy(), Stubborn()).run(NORMAL)


def test_a_day_is_quick() -> None:
    """At most five seconds of processor time, which other load on the computer does not affect."""
    started_s = time.process_time()
    lived(OurPolicy())
    assert time.process_time() - started_s < 5


def test_the_papers_arithmetic() -> None:
    sums = paper_arithmetic(PARAMETERS)
    assert sums["claimed_wh"] == pytest.approx(7.80)
    assert sums["needed_volt"] == pytest.approx(3.90)
    assert sums["hours_lossless"] == pytest.approx(19.73, abs=0.01)
    assert sums["hours_at_95_percent"] == pytest.approx(18.75, abs=0.01)
    assert sums["eta_of_later_abstract"] == pytest.approx(0.95, abs=0.005)
    assert 0 < sums["awake_share_at_0.375_w"] < 1
    assert len(sums["steps"]) == 7


VARIED = ("board.floor_mw", "board.suspend_mw", "board.pmu_mw", "board.conversion", "cell.cold_resistance")


def test_the_numbers_that_decide_come_first() -> None:
    few = replace(
        PARAMETERS.changed({"cell.capacity_mah": 500.0}),  # a quarter of the hours, the same order
        quantities={
            name: quantity if name in VARIED else replace(
                quantity, low=quantity.value, high=quantity.value
            )
            for name, quantity in PARAMETERS.quantities.items()
        },
    )  # fmt: skip
    base_h, swings = sensitivity(few, NORMAL, StateMachine)
    assert [s.swing_h for s in swings] == sorted((s.swing_h for s in swings), reverse=True)
    assert {s.parameter for s in swings[:4]} >= {"board.floor_mw", "board.suspend_mw"}
    pmu = next(s for s in swings if s.parameter == "board.pmu_mw")
    assert pmu.hours_low > base_h > pmu.hours_high


def test_a_sensor_that_starts_with_the_sound_shortens_waits_and_costs_hardly_anything() -> None:
    """Television wakes it 200 times on that day; after two sounds in vain the sensor waits."""

    def lives(config: PowerConfig) -> RunTotals:
        governor = OurPolicy(config, modelled_site("standard"))
        return Twin(PARAMETERS, governor, StateMachine(), pack="standard").run(NORMAL)

    ahead, at_wake_word = lives(PowerConfig()), lives(PowerConfig(sensor_at_sound=False))
    pairs = zip(ahead.asked, at_wake_word.asked, strict=True)
    later_s = [one.latency_s - other.latency_s for one, other in pairs]
    assert max(later_s) < 1e-6
    assert min(later_s) == pytest.approx(PARAMETERS["camera.frame_s"] - PARAMETERS["camera.capture_s"])
    assert ahead.battery_mwh < 1.003 * at_wake_word.battery_mwh
    sounds, woken = (each.by_cause["sound"] for each in (ahead, at_wake_word))
    each_mwh = (PARAMETERS["camera.capture_s"] + PARAMETERS["camera.ready_s"]) * 200 / 3600  # at 200 mW
    assert 0 < sounds.mwh - woken.mwh < 0.3 * woken.count * each_mwh

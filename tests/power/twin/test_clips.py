"""What the pictures that are taken while a question is spoken cost on the twin."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from host.cli.main import main
from host.states import StateMachine
from hw.supply import BatteryReading
from models.clip import MOST_UNITS as UNITS_OF_THE_BRICK
from power.policy.config import PowerConfig
from power.policy.plan import PowerPlan
from power.replay.compare import compare
from power.replay.page import page
from power.twin.board_power import TwinBoard
from power.twin.day import load_day
from power.twin.governors import OurPolicy, PaperPolicy
from power.twin.parameters import Parameters, load_parameters
from power.twin.simulate import Twin
from power.twin.turn.clips import CLIP, MOST_UNITS
from power.twin.turn.turns import TurnTaken, TwinBricks, TwinQuestion, load_all, take_turn

PARAMETERS = load_parameters()
WITHOUT = replace(PARAMETERS, motion=False)


def plan_at(percent: int, config: PowerConfig | None = None) -> PowerPlan:
    reading = BatteryReading(percent, 3800, -200, 25.0, False, "good")
    return OurPolicy(config).decide(reading, 0.0, True, 30.0)


def turn(
    plan: PowerPlan,
    route: str = "frames",
    *,
    parameters: Parameters = PARAMETERS,
    seconds: float = 2.2,
    camera: bool = True,
    asleep: bool = False,
) -> tuple[TurnTaken, TwinBoard]:
    """A second question, so that models are as the first left them."""
    board = TwinBoard(parameters, parameters.pack("micro"))
    bricks = TwinBricks(dict(board.pack.memory_mib))
    if plan.residency == "resident":
        load_all(plan, board, bricks)
    question = TwinQuestion(route, seconds, 16, True, camera)
    take_turn(question, plan, board, bricks, asleep)
    return take_turn(question, plan, board, bricks, asleep), board


def encoding_s(taken: TurnTaken, *, late: bool) -> float:
    steps = [step for step in taken.steps if step.stage == CLIP]
    return sum(step.seconds for step in steps if (step.part == "late pictures") == late)


def streaming(taken: TurnTaken) -> list[Any]:
    return [step for step in taken.steps if step.pulse is not None]


def test_pictures_of_a_question_are_encoded_as_they_come_and_answered_without_the_language_model() -> None:
    taken, board = turn(plan_at(80))
    heard_s = 2.2 + PARAMETERS["talk.wake_word_s"] + PARAMETERS["talk.end_silence_s"]
    first_s = PARAMETERS["talk.wake_word_s"] + PARAMETERS["camera.capture_s"]
    pictures = (heard_s - first_s) / 0.2
    unit_s = board.seconds(board.pack.clip_unit, plan_at(80))
    answer_s = board.seconds(board.pack.clip_answer, plan_at(80))
    early_s, late_s = (encoding_s(taken, late=late) for late in (False, True))
    assert early_s - answer_s + late_s == pytest.approx(pictures * unit_s, abs=0.5 * unit_s)
    assert late_s < unit_s
    assert "llm" not in [step.stage for step in (*taken.thinking, *taken.speaking)] and taken.given
    assert taken.latency_s < turn(plan_at(80), parameters=WITHOUT)[0].latency_s


def test_the_camera_goes_on_from_its_first_picture_until_the_question_is_understood() -> None:
    taken, board = turn(plan_at(80), "open", asleep=True)
    filmed = streaming(taken)
    known_s = 2.2 + PARAMETERS["talk.wake_word_s"] + PARAMETERS["talk.end_silence_s"]
    before_s = sum(PARAMETERS[f"sleep.{each}_s"] for each in ("resume", "hand_over"))
    before_s += PARAMETERS["camera.capture_s"]
    assert sum(step.seconds for step in filmed) == pytest.approx(known_s - before_s, abs=0.01)
    extra_mw = board.stage_mw("capture", plan_at(80)) - board.stage_mw("idle", plan_at(80))
    assert all(step.pulse.mean_mw == pytest.approx(extra_mw) for step in filmed)
    assert not {"resume", "capture", "speak"} & {step.stage for step in filmed}


def test_another_question_pays_for_them_too_and_is_answered_as_before() -> None:
    with_them, without = turn(plan_at(80), "now")[0], turn(plan_at(80), "now", parameters=WITHOUT)[0]
    assert with_them.latency_s == pytest.approx(without.latency_s)
    assert [step.stage for step in with_them.speaking] == [step.stage for step in without.speaking]
    energy = [sum(step.seconds * step.power_mw for step in taken.steps) for taken in (with_them, without)]
    assert energy[0] > energy[1]


def test_a_throttled_headband_encodes_them_when_the_question_is_about_them_at_most_sixteen() -> None:
    plan = plan_at(35)
    unit_s = turn(plan)[1].seconds(PARAMETERS.pack("micro").clip_unit, plan)
    short, long = turn(plan, seconds=1.0)[0], turn(plan, seconds=30.0)[0]
    assert encoding_s(short, late=True) < encoding_s(long, late=True) == pytest.approx(16 * unit_s)
    assert "late pictures" in long.waited_for()
    assert encoding_s(turn(plan, "now")[0], late=True) == encoding_s(turn(plan, "now")[0], late=False) == 0
    assert MOST_UNITS == UNITS_OF_THE_BRICK


@pytest.mark.parametrize("case", ["setting", "covered", "one at a time", "pack"])
def test_nothing_is_taken_where_plan_camera_or_pack_have_no_clips(case: str) -> None:
    plan = plan_at(80, PowerConfig(clips=False)) if case == "setting" else plan_at(80)
    if case == "one at a time":
        plan = plan_at(12, PowerConfig(cascade_memory_mib=1000))
    parameters = WITHOUT if case == "pack" else PARAMETERS
    taken, _ = turn(plan, parameters=parameters, camera=case != "covered")
    assert not streaming(taken) and CLIP not in {step.stage for step in taken.steps}


def test_the_papers_policy_takes_none_with_one_model_at_a_time() -> None:
    plan = PaperPolicy().decide(BatteryReading(12, 3600, -200, 25.0, False, "good"), 0.0, True, 30.0)
    assert plan.clip_interval_s is None and not plan.clip_on_arrival


def test_a_day_counts_them_and_its_energy_still_adds_up() -> None:
    twin = Twin(PARAMETERS, OurPolicy(), StateMachine())
    account = twin.run(load_day("heavy"))
    assert account.by_stage[CLIP] > 0 and account.by_stage["camera"] > 0
    assert account.battery_mwh == pytest.approx(twin.cell.delivered_mwh, rel=1e-6)
    without = Twin(WITHOUT, OurPolicy(), StateMachine()).run(load_day("heavy"))
    assert CLIP not in without.by_stage and "camera" not in without.by_stage
    assert 1.0 < account.battery_mwh / without.battery_mwh < 1.1


def test_replay_says_what_they_cost_and_how_many_questions_are_about_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    result = compare(load_day("light"), PARAMETERS, StateMachine, tradeoff=False)
    assert result["clips"]["asked"] == 0 and result["clips"]["more_percent"] > 0
    assert "Pictures while a question is spoken" in page(result)
    assert main(["power", "replay", "heavy"]) == 0
    told = capsys.readouterr().out
    assert "in case it asks about the last seconds" in told and "ask about them, wait" in told
    other = compare(load_day("light"), PARAMETERS, StateMachine, pack="standard", tradeoff=False)
    assert other["clips"] is None and "Pictures while" not in page(other)

"""Scenario files and budgets: the bundled ones are valid, and errors are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from power.account.routes import ANSWERED_ROUTES
from power.account.sensor_time import streamed_s
from power.policy.plan import MODES
from power.rig.budgets import DEFAULT_BUDGETS, BudgetError, load_budgets
from power.rig.scenario import (
    ScenarioError,
    bundled_scenarios,
    find_scenario,
    load_scenario,
)
from power.twin.parameters import load_parameters
from tests.power.rig.bench import MODEL, plan_for


def test_the_bundled_scenarios() -> None:
    assert set(bundled_scenarios()) == {
        "standby", "asleep", "questions", "conversation", "memory", "mini-day", "motion",
    }  # fmt: skip
    scenarios = {name: load_scenario(find_scenario(name)) for name in bundled_scenarios()}
    assert set(scenarios["questions"].asked) == {(mode, route) for mode in MODES for route in ANSWERED_ROUTES}
    assert [step.mode for step in scenarios["standby"].steps[1:]] == list(MODES)
    budgets = load_budgets().budgets
    for scenario in scenarios.values():
        assert list(scenario.expect["turns"]) == [len(scenario.asked)] * 2
        assert list(scenario.expect["failures"]) == [0, 0]
        assert scenario.repeats >= 5 and scenario.about
        assert set(scenario.budgets) <= set(budgets)
        asked = len(scenario.asked)
        by_motion = ("frames",) if "runs.motion" in scenario.expect else ()
        model = {"now", "frames", "open"} - set(by_motion)
        answered = sum(route in model for _, route in scenario.asked)
        seen = sum(route in ("now", "frames") for _, route in scenario.asked)
        # a question is also transcribed at its pauses, and views are encoded before it ends
        for brick, least, often in (
            ("stt", asked, 2 * asked),
            ("tts", asked, asked + 1),
            ("vision", seen, 2 * asked),
            ("llm", answered, answered + 2 * asked),
        ):
            if asked:
                low, high = scenario.expect["answers" if brick == "llm" else f"runs.{brick}"]
                assert least <= low <= asked and high >= often


def test_the_scenario_of_motion_shows_other_pictures_while_each_of_its_questions_is_asked() -> None:
    scenario = load_scenario(find_scenario("motion"))
    asked = [step for step in scenario.steps if step.say is not None]
    assert all(len(set(step.images)) > 1 and all(each.is_file() for each in step.images) for step in asked)
    about = sum(mode != "cascade" and route == "frames" for mode, route in scenario.asked)
    assert scenario.expect["runs.motion"][0] > 2 * about, "two pictures and an answer at the least"
    assert any(route == "now" for _, route in scenario.asked), "another question pays for pictures too"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("repeats = 2", r"has no \[\[step\]\]"),
        ("speed = 2\n[[step]]\nwait_s = 1", "unknown key speed"),
        ('[[step]]\nmode = "turbo"', r'\[\[step\]\] 1 mode is "turbo"; it must be one of "performance"'),
        ("[[step]]\nwait_s = -1", r"\[\[step\]\] 1 wait_s is -1; it must be a number, 0 to 86_400 seconds"),
        ('[[step]]\nsay = "x.wav"\nroute = "now"\n[expect]\nturns = 1', "x.wav, which does not exist"),
        ('[[step]]\nsay = "x.wav"', r"\[\[step\]\] 1 cannot be used: what says something needs its route"),
        ("[[step]]\nwait_s = 1\n[expect]\ntruns = 1", r"\[expect\] has the unknown key truns"),
        (
            '[[step]]\nwait_s = 1\n[expect]\nturns = "few"',
            r"\[expect\] turns is \"few\"; it must be a number, 0 to 1_000_000, or a list of 2",
        ),
        ("[[step]]\nwait_s = 1\n[expect", "not valid TOML"),
        ("repeats = 0\n[[step]]\nwait_s = 1", "repeats is 0; it must be a whole number, 1 to 1000 repeats"),
        ("repeats = 2.5\n[[step]]\nwait_s = 1", "repeats is 2.5"),
        ("settle_s = nan\n[[step]]\nwait_s = 1", "settle_s is nan"),
        ("step = 3", "step is 3; it must be a list"),
        ("step = [3]", "value 1 of step is 3; it must be a table"),
        ("emulated = 3\n[[step]]\nwait_s = 1", "emulated is 3; it must be a table"),
        ("[[step]]\nwait_s = inf", "wait_s is inf"),
        ('[[step]]\nimages = ["x.png"]', "images are seen while a question is asked, and it asks none"),
        ('[[step]]\nimage = ["x.png"]', r'image is \["x.png"\]; it must be a text'),
        ("[[step]]\nwait_s = 1\n[expect.runs]\nears = 1", "has the key ears"),
        ("[[step]]\nwait_s = 1\n[expect]\nframes = [5, 2]", r"frames must be \[least, most\], not \[5, 2\]"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "day.toml"
    path.write_text(text)
    with pytest.raises(ScenarioError, match=says):
        load_scenario(path)


def test_questions_need_an_expected_number(tmp_path: Path) -> None:
    (tmp_path / "q.wav").write_bytes(b"")
    (tmp_path / "day.toml").write_text('[[step]]\nsay = "q.wav"\nroute = "now"')
    with pytest.raises(ScenarioError, match="expects no"):
        load_scenario(tmp_path / "day.toml")


def test_an_unknown_scenario_lists_those_there_are() -> None:
    with pytest.raises(ScenarioError, match="conversation, memory, mini-day, motion"):
        find_scenario("nap")
    with pytest.raises(ScenarioError, match=r"cannot be read: File name too long\.$"):
        find_scenario("x" * 300 + ".toml")


@pytest.mark.parametrize("mode", MODES)
def test_budgets_that_say_so_follow_from_the_energy_model(mode: str) -> None:
    """When the model's parameters change, the budgets have to be updated, or replaced by measured ones."""
    plan, budgets = plan_for(mode), load_budgets().budgets
    idle_mw = MODEL.stage_mw("idle", plan)
    clock_khz = plan.cpu_max_khz or MODEL.points[-1][0]
    camera = 0.0
    if plan.frame_interval_s is not None:
        known = load_parameters()
        on_s = streamed_s(plan.frame_interval_s, known["camera.capture_s"], known["camera.streaming_s"])
        camera = on_s / plan.frame_interval_s * (MODEL.stage_mw("capture", plan) - idle_mw)
    standby = budgets[f"state.{mode}/standby"]
    assert standby.source.startswith("energy model")
    assert standby.mw == pytest.approx(MODEL.stage_mw("listen", plan) + camera, abs=2)
    asleep = budgets.get(f"state.{mode}/asleep")
    assert (asleep is not None) == plan.suspend_between_events
    assert asleep is None or asleep.mw == pytest.approx(MODEL.suspend_mw + MODEL.pmu_asleep_mw, abs=1)
    for stage in ("stt", "vision", "reflex", "llm", "tts", "speak"):
        budget = budgets[f"brick.{mode}/{stage}"]
        above_mw = MODEL.stage_mw(stage, plan) - idle_mw
        if MODEL.stages[stage].cores is None:  # what listens has its share of the cores already
            above_mw -= (MODEL.stages["listen"].cores or 0) * MODEL.core_mw(clock_khz) / MODEL.conversion
        assert budget.mw == pytest.approx(above_mw, rel=0.01, abs=2)


def test_a_number_without_a_source_or_a_name_that_nothing_has_is_no_budget(tmp_path: Path) -> None:
    path = tmp_path / "budgets.toml"
    whole = DEFAULT_BUDGETS.read_text()
    for old, new, says in (
        ('source = "no instrument"', 'source = " "', "says where the number comes from"),
        ('tolerance = "awake"', 'tolerance = "cosy"', "names the unknown tolerance cosy"),
        ("awake = { rtol = 0.08", "awake = { rtol = 0.3", "rtol is 0.3; it must be a number, 0 to 0.2"),
        ("twin = {", "# twin = {", "lacks the error of the meter twin"),
        (
            '"performance/standby"',
            '"performance/stanby"',
            "key performance/stanby; a key here must be a mode",
        ),
        ('"performance/standby"', '"normal/standby"', "key normal/standby; a key here must be a mode"),
        ('"performance/stt"', '"performance/sst"', "key performance/sst; a key here must be a mode"),
        ("\nnow = {", "\nnoww = {", 'key noww; a key here must be one of "now"'),
    ):
        assert old in whole
        path.write_text(whole.replace(old, new))
        with pytest.raises(BudgetError, match=says):
            load_budgets(path)

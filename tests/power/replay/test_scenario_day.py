"""A scenario of the rig under every policy: a step's mode becomes the charge that represents it."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from host.cli.main import main
from host.rig.emulated import BATTERY_PERCENT
from host.states import StateMachine
from power.policy.config import PowerConfig
from power.replay.compare import compare
from power.replay.page import page
from power.replay.scenario_day import TURN_S, scenario_day, scenario_policy
from power.rig.scenario import Scenario, ScenarioStep, find_scenario, load_scenario
from power.twin.day import Day, load_day
from power.twin.parameters import load_parameters

PARAMETERS = load_parameters()


def as_day(scenario: Scenario) -> Day:
    return scenario_day(scenario, BATTERY_PERCENT, load_day("normal"), PARAMETERS)


@pytest.fixture(scope="module")
def mini() -> Scenario:
    return load_scenario(find_scenario("mini-day"))


@pytest.fixture(scope="module")
def result(mini: Scenario) -> dict[str, Any]:
    config = scenario_policy(PowerConfig())
    return compare(as_day(mini), PARAMETERS, StateMachine, config=config)


def mode_at(policy: dict[str, Any], at_s: float) -> str:
    return str([s["mode"] for s in policy["samples"] if s["at_s"] <= at_s][-1])


def test_steps_become_packs_waits_and_questions(mini: Scenario) -> None:
    recording = find_scenario("mini-day").with_name("open.wav")
    ask = ScenarioStep(say=recording, route="open")
    steps = (
        ScenarioStep("throttled", 240.0),
        ask,
        replace(ask, wait_s=120.0),
        ask,
        ScenarioStep("cascade", 60.0),
    )
    day = as_day(Scenario("mine", "Mine.", steps, repeats=2, settle_s=50.0))
    first = [(event.at_s, event.kind, event.percent) for event in day.recorded or ()][:6]
    row_s = 50.0 + 240.0
    then_s = row_s + 2 * TURN_S + 120.0
    assert first == [
        (0.0, "charge", 35), (row_s, "question", 100), (row_s, "question", 100), (then_s, "question", 100),
        (then_s + TURN_S, "charge", 14), (then_s + TURN_S + 60.0, "charge", 35),
    ]  # fmt: skip
    assert day.length_s == 2 * (then_s + TURN_S + 60.0) == day.spans[-1].end_s
    assert day.question_s["open"] == pytest.approx(1.5894 - PARAMETERS["talk.wake_word_s"], abs=0.001)
    packs = [event.percent for event in as_day(mini).recorded or () if event.kind == "charge"]
    assert packs == [82, 35, 14] * mini.repeats


def test_each_policy_decides_for_itself(mini: Scenario, result: dict[str, Any]) -> None:
    always, paper, *_, ours = result["policies"]
    assert set(always["mode_h"]) == {"performance"}
    modes = {percent: mode for mode, percent in BATTERY_PERCENT.items()}
    starts = [(pack["at_s"], modes[pack["percent"]]) for pack in result["packs_put_in"]]
    for (at_s, mode), (until_s, _) in pairwise([*starts, (result["length_s"], "")]):
        for policy in (paper, ours):
            assert mode_at(policy, (at_s + until_s) / 2) == mode
    asked = len(mini.asked) * mini.repeats
    assert [p["questions"] for p in result["policies"]] == [asked] * 6
    hours = [p["on_battery_h"] for p in result["policies"]]
    assert hours == pytest.approx([result["length_s"] / 3600] * 6), "they live through the same time"
    assert always["energy_mwh"] > paper["energy_mwh"] > ours["energy_mwh"]


def test_one_pack_lasts_by_itself(result: dict[str, Any]) -> None:
    """For the hours on a charge no step replaces the pack, which runs from full to empty; those that
    sleep last longest.
    """
    hours = [policy["hours"]["simulated_h"] for policy in result["policies"]]
    assert hours[0] < hours[1] < min(hours[2:])
    capacity_mwh = PARAMETERS["cell.capacity_mah"] * 3.7
    for policy in result["policies"]:
        terms = policy["hours"]
        assert terms["mean_mw"] * terms["simulated_h"] == pytest.approx(capacity_mwh, rel=0.1)


def test_a_row_of_questions_goes_from_one_to_the_next() -> None:
    """As on the rig there is no wait between two questions; the remaining time of a row is at its end."""
    scenario = load_scenario(find_scenario("questions"))
    result = compare(as_day(scenario), PARAMETERS, StateMachine, tradeoff=False)
    for policy in result["policies"]:
        first = [asked["at_s"] for asked in policy["asked"][:5]]
        gaps = [later - earlier for earlier, later in pairwise(first)]
        assert all(8 < gap < TURN_S for gap in gaps)
        for pack in result["packs_put_in"]:
            after = [asked["at_s"] - pack["at_s"] for asked in policy["asked"]]
            assert min(each for each in after if each > -1e-6) > 29, "a pack comes after the row before it"


def test_the_page_and_the_json_say_what_was_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], result: dict[str, Any]
) -> None:
    text = page(result)
    assert "One scenario, six policies: mini-day" in text and "minutes" in text
    assert "performance 82 percent, throttled 35 percent, cascade 14 percent" in text
    assert "this day" not in text and "time of day" not in text
    mine = tmp_path / "mine.toml"
    mine.write_text('about = "Quiet"\nrepeats = 1\n[[step]]\nmode = "cascade"\nwait_s = 30.0\n')
    assert main(["power", "replay", str(mine), "--json", "--capacity-mah", "1000"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["kind"], told["meter"], told["capacity_mah"]) == ("modelled", "twin", 1000)
    assert {policy["kind"] for policy in told["policies"]} == {"modelled"}
    assert "each policy decides for itself" in told["note"]
    assert [pack["percent"] for pack in told["packs_put_in"]] == [14]
    with pytest.raises(SystemExit):
        main(["power", "replay", "--help"])
    assert "each policy decides for itself" in " ".join(capsys.readouterr().out.split())


def test_a_scenario_that_is_none_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text('[[step]]\nmode = "sprint"\n')
    assert main(["power", "replay", str(bad)]) == 2
    told = capsys.readouterr().err
    assert "sprint" in told and told.count("\n") == 1


def test_a_recording_that_is_none_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hello.wav").write_bytes(b"RIFF")
    bad = tmp_path / "bad.toml"
    bad.write_text('[expect]\nturns = 1\n[[step]]\nsay = "hello.wav"\nroute = "now"\n')
    assert main(["power", "replay", str(bad)]) == 2
    told = capsys.readouterr().err
    assert "hello.wav is not a WAV file" in told and told.count("\n") == 1


def test_a_recording_of_any_kind_that_the_rig_plays_has_its_length(tmp_path: Path) -> None:
    """Here 32 bit floating point, in stereo at 8 kHz."""
    samples = np.zeros((20_000, 2), "<f4").tobytes()
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 3, 2, 8_000, 64_000, 8, 32)
    body = b"WAVE" + form + struct.pack("<4sI", b"data", len(samples)) + samples
    (tmp_path / "long.wav").write_bytes(struct.pack("<4sI", b"RIFF", len(body)) + body)
    step = ScenarioStep("performance", say=tmp_path / "long.wav", route="now")
    day = as_day(Scenario("float", "Float.", (step,), repeats=1))
    assert day.question_s["now"] == pytest.approx(2.5 - load_parameters()["talk.wake_word_s"], abs=0.01)


def test_a_scenario_without_a_mode_begins_as_the_rig_does() -> None:
    scenario = Scenario("plain", "Plain.", (ScenarioStep(wait_s=10.0),), repeats=2, settle_s=5.0)
    day = as_day(scenario)
    assert [(e.at_s, e.percent) for e in day.recorded or ()] == [(0.0, 82), (15.0, 82)]
    assert day.length_s == 30.0

"""The rig's command: the meter's recording and the headband's activity of each repeat."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from host.cli.main import main
from host.config import Config
from host.rig import command as rig_commands
from host.rig import emulated
from host.rig.journal_follower import RigFault
from host.rig.measurable import measurable
from host.rig.play import play
from host.rig.service import ServiceSubject
from power.meters.meter import MeterKind, MeterRecording
from power.policy.config import PowerConfig
from power.rig.activity import JournalLine, activity
from power.rig.budgets import load_budgets
from power.rig.checks.refusal import Refusal
from power.rig.modelled import expected_power
from power.rig.run import Repeat, evaluate
from power.rig.scenario import Scenario, ScenarioStep
from tests.power.rig.bench import MODEL, PLANS, load, recorded

QUESTION = ScenarioStep("performance", 0.0, Path("colour.wav"), "now", text="what colour is it")
SCENARIO = Scenario(
    "bench", "Two questions", (ScenarioStep("performance", 4.0), QUESTION, QUESTION), 2,
    settle_s=3.0, emulated_settle_s=3.0, expect={"turns": (2, 2), "runs.stt": (2, 2)},
)  # fmt: skip


class ScriptedHeadband:
    """A headband whose clock jumps, and whose answers are all equal."""

    emulated = True
    plans = PLANS

    def __init__(self) -> None:
        self.at_s = 100.0
        self.journal: list[JournalLine] = []

    def now_s(self) -> float:
        return self.at_s

    def lines(self) -> Sequence[JournalLine]:
        return self.journal

    async def wait(self, seconds: float) -> None:
        self.at_s += seconds

    async def enter(self, mode: str) -> None:
        self.note("plan", mode=mode)

    waits_s = 0.0
    """How long a brick waits for a processor of a busy computer."""

    async def ask(self, step: ScenarioStep) -> None:
        self.at_s += 0.05
        self.note("transition", region="interaction", **{"from": "standby", "to": "listening"})
        self.note("marker", level=True)
        start_s, self.at_s = self.at_s + 1.5, self.at_s + 2.0 + self.waits_s
        self.note("brick", brick="stt", kind="execute", start_s=start_s, end_s=self.at_s, processor_s=0.5)
        self.at_s += 1.0
        self.note("turn", route=step.route, mode="performance", failure=None)
        self.at_s += 0.001
        self.note("transition", region="interaction", **{"from": "speaking", "to": "standby"})
        self.note("marker", level=False)
        self.at_s += 0.5

    def note(self, event: str, **fields: Any) -> None:
        self.journal.append({"mono_s": self.at_s, "event": event, **fields})


class Bench:
    """A meter of a load of 700 mW, and 1500 mW more while speech is transcribed."""

    name = "ppk2"
    kind: MeterKind = "measured"
    sample_rate_hz = 1000.0

    def __init__(self, headband: ScriptedHeadband) -> None:
        self.headband = headband
        self.running = False

    async def start(self) -> None:
        assert not self.running
        self.running, self.start_s = True, self.headband.at_s

    async def stop(self) -> MeterRecording:
        self.running = False
        did = activity(self.headband.journal, self.start_s, self.start_s, self.headband.at_s)
        return recorded(load(did, 700.0, {"stt": 1500.0}), did, seed=round(self.start_s * 10))

    async def close(self) -> None:
        self.running = False


def played(measured: bool, repeats: int = 2, *, waits_s: float = 0.0) -> list[Repeat]:
    headband = ScriptedHeadband()
    headband.waits_s = waits_s
    meter = Bench(headband) if measured else None
    return asyncio.run(play(SCENARIO, headband, meter, MODEL, repeats, lambda text: None, headband.now_s))


def test_each_repeat_is_recorded_aligned_and_judged() -> None:
    result = evaluate(SCENARIO, played(True), PLANS, MODEL, load_budgets(), {})
    figures = {entry["id"]: entry for entry in result["figures"]}
    assert figures["state.performance/standby.mw"]["value"] == pytest.approx(700, rel=0.01)
    extra = figures["question.performance/now.extra_mwh"]
    assert extra["value"] == pytest.approx(1500 * 0.5 / 3600, rel=0.02) and extra["n"] == 4
    assert [entry["method"] for entry in result["alignment"]] == ["marker", "marker"]
    assert result["meter"]["kind"] == "measured"


def test_without_a_meter_the_power_is_modelled_on_the_boards_time() -> None:
    repeats = played(False)
    for repeat in repeats:
        (first, _) = repeat.done.questions
        assert first.end_s - first.start_s == pytest.approx(2.5 + 0.5 * MODEL.longer["stt"], rel=0.02)
        assert (repeat.recording.kind, repeat.recording.meter) == ("modelled", "twin")
        power = expected_power(repeat.done, PLANS, MODEL)
        truth_mw = power.means_mw([repeat.done.settle_s, repeat.done.end_s])[0]
        assert repeat.recording.energy_mwh == pytest.approx(
            truth_mw * repeat.recording.duration_s / 3600, rel=0.001
        )
    result = evaluate(SCENARIO, repeats, PLANS, MODEL, load_budgets(), {})
    assert {entry["kind"] for entry in result["figures"]} == {"modelled"}


def test_a_computer_that_does_something_else_as_well_models_the_same_power() -> None:
    """A brick that waits three seconds for a processor computes no more than one that does not."""
    at_rest, busy = (
        {
            each["id"]: each["value"]
            for each in evaluate(SCENARIO, played(False, waits_s=waits_s), PLANS, MODEL, load_budgets(), {})[
                "figures"
            ]
        }
        for waits_s in (0.0, 3.0)
    )
    for name in ("brick.performance/stt.mw", "brick.performance/stt.mwh", "state.performance/standby.mw"):
        assert busy[name] == pytest.approx(at_rest[name], rel=0.01)


def test_a_repeat_without_its_work_ends_the_run() -> None:
    headband, told = ScriptedHeadband(), list[str]()
    busier = replace(SCENARIO, expect={**SCENARIO.expect, "runs.llm": (2, 4)})
    with pytest.raises(Refusal, match=r"Repeat 1: runs.llm should be 2 to 4, and there were 0"):
        asyncio.run(play(busier, headband, None, MODEL, 5, told.append, headband.now_s))
    assert [line for line in told if "settling" in line] == ["repeat 1 of 5: settling"]


def service(tmp_path: Path, clock: list[float], told: list[str]) -> tuple[ServiceSubject, Any]:
    path = tmp_path / "journal.jsonl"
    path.write_text('{"t": 1, "event": "turn", "mono_s": 7.0}\n')

    def write(event: str, **fields: Any) -> None:
        """The service's clock is 500 s behind; a line takes 10 ms to arrive."""
        with path.open("a") as file:
            file.write(json.dumps({"event": event, "mono_s": clock[0] - 500.01, **fields}) + "\n")

    return ServiceSubject(path, told.append, lambda: clock[0]), write


def test_a_running_service_is_followed_by_its_journal(tmp_path: Path) -> None:
    clock, told = [1000.0], list[str]()
    subject, write = service(tmp_path, clock, told)
    with pytest.raises(RigFault, match="is the headband running"):
        subject.now_s()
    write("plan", mode="cascade")
    assert subject.now_s() == pytest.approx(499.99, abs=0.02)
    asyncio.run(subject.enter("cascade"))
    assert told == [], "nobody has to do anything where the mode holds"
    write("brick", brick="stt", kind="execute", start_s=1.0, end_s=2.0)
    assert [line["event"] for line in subject.lines()] == ["turn", "plan", "brick"]
    assert subject.plans["cascade"].residency == "one_at_a_time"
    with (tmp_path / "journal.jsonl").open("a") as file:
        file.write('{"event": "turn", "mo')
    assert len(subject.lines()) == 3, "a line that is still being written waits"
    (tmp_path / "journal.jsonl").unlink()
    with pytest.raises(RigFault, match="cannot be read"):
        subject.lines()


def test_list_and_meters(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rig", "list", "--json"]) == 0
    assert {each["name"] for each in json.loads(capsys.readouterr().out)} >= {"standby", "questions"}
    assert main(["rig", "meters"]) == 0
    assert "ppk2" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "nap"], "There is no scenario 'nap'"),
        (["run", "standby", "--meter", "ruler"], "There is no meter 'ruler'"),
        (["run", "standby", "--against", "nowhere.json"], "nowhere.json cannot be read"),
        (["run", "standby", "--journal", ""], "There is no journal '.'"),
        (["run", "standby", "--journal", "nowhere.jsonl"], "There is no journal 'nowhere.jsonl'"),
        (["run", "standby", "--journal", "/dev/zero"], "There is no journal '/dev/zero'"),
    ],
)
def test_bad_usage_is_one_sentence(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rig", *arguments]) == 2
    error = capsys.readouterr().err
    assert says in error and error.count("\n") == 1


def test_the_emulated_subject_keeps_its_journal_where_a_later_start_removes_what_a_killed_one_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[Path] = []

    def stand_in(board: Any, pack: str, config: Config, journal: Path) -> None:
        kept.append(journal.parent)
        raise RigFault("enough")

    async def entered() -> None:
        async with emulated.emulated_subject("micro", Config(), rig_commands.VIEW):
            pass

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(emulated, "EmulatedSubject", stand_in)
    with pytest.raises(RigFault):
        asyncio.run(entered())
    assert kept[0].name.startswith("headband-tmp-") and list(tmp_path.iterdir()) == []


def test_an_unknown_budget_is_told_before_anything_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def played(*_: object) -> None:
        raise AssertionError("played in vain")

    monkeypatch.setattr(rig_commands, "_play", played)
    scenario = tmp_path / "alone.toml"
    scenario.write_text('budgets = ["state.performance/nap"]\n[[step]]\nwait_s = 20.0\n')
    assert main(["rig", "run", str(scenario), "--out", str(tmp_path / "out")]) == 2
    assert "names the unknown budget state.performance/nap" in capsys.readouterr().err


def test_the_page_has_the_settings_with_which_the_emulated_headband_is_measured() -> None:
    page = (Path(__file__).parents[3] / "docs" / "measure.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```toml\n(.*?)^```$", page, re.M | re.S)
    told = [block for block in map(tomllib.loads, blocks) if block.get("journal") == {"work": True}]
    assert [replace(PowerConfig(), **block["power"]) for block in told] == [measurable(PowerConfig())]


@pytest.mark.parametrize(("with_journal", "told"), [(False, True), (True, False)])
def test_a_meter_without_a_journal_is_told_what_it_has_to_measure(
    with_journal: bool,
    told: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def refused(*_: object) -> None:
        raise RigFault("enough")

    monkeypatch.setattr(rig_commands, "_play", refused)
    meter, journal = tmp_path / "meter.csv", tmp_path / "journal.jsonl"
    meter.write_text("time_s,power_mw\n0.0,700\n0.1,700\n")
    journal.touch()
    arguments = ["--meter", f"csv:{meter}", "--out", str(tmp_path / "out")]
    arguments += ["--journal", str(journal)] if with_journal else []
    assert main(["rig", "run", "standby", *arguments]) == 1
    assert ("played on the emulated board" in capsys.readouterr().err) is told


def test_no_repeats_are_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["rig", "run", "standby", "--repeats", "0"])
    error = capsys.readouterr().err
    assert "must be a whole number, 1 to 1000 repeats" in error and error.count("\n") == 1


def run_with(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, repeats: list[Repeat], *arguments: str) -> int:
    async def stand_in(*_: Any) -> tuple[list[Repeat], Any, dict[str, Any]]:
        return repeats, PLANS, {"board": "emulated", "pack": "micro", "at": "now"}

    monkeypatch.setattr(rig_commands, "_play", stand_in)
    monkeypatch.setattr(rig_commands, "load_scenario", lambda path: SCENARIO)
    return main(["rig", "run", "standby", "--out", str(tmp_path / "out"), *arguments])


def test_what_could_not_be_judged_is_no_failure_and_no_success(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        sys.modules[__name__], "SCENARIO", replace(SCENARIO, budgets=("state.cascade/asleep",))
    )
    budgets = load_budgets()
    kept = {name: each for name, each in budgets.budgets.items() if name != "state.performance/standby"}
    monkeypatch.setattr(rig_commands, "load_budgets", lambda: replace(budgets, budgets=kept))
    assert run_with(monkeypatch, tmp_path, played(False)) == 3
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith(
        "not judged: nothing is over or under its budget, but not every budget could be judged; "
    )
    assert "FAILED" not in last
    saved = json.loads((tmp_path / "out" / "report.json").read_text())
    assert saved["outcome"] == "not judged" and not saved["passed"]


def test_the_report_is_written_and_compared(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repeats = played(False, 3)
    code = run_with(monkeypatch, tmp_path, repeats)
    saved = json.loads((tmp_path / "out" / "report.json").read_text())
    assert code == (0 if saved["passed"] else 1)
    assert "h    on the pack in performance" in capsys.readouterr().out
    kept = tmp_path / "before.json"
    kept.write_text(json.dumps(saved))
    run_with(monkeypatch, tmp_path, repeats, "--against", str(kept), "--repeats", "3", "--json")
    printed = json.loads(capsys.readouterr().out)
    assert {entry["verdict"] for entry in printed["baseline"]["figures"]} == {"same"}
    run_with(monkeypatch, tmp_path, repeats, "--against", str(kept), "--repeats", "3")
    assert (
        f"against before.json: {len(saved['figures'])} figures, 0 worse, 0 better" in capsys.readouterr().out
    )
    assert "Against before.json" in (tmp_path / "out" / "report.html").read_text()
    saved["conditions"]["pack"] = "standard"
    kept.write_text(json.dumps(saved))
    run_with(monkeypatch, tmp_path, repeats, "--against", str(kept), "--repeats", "3")
    of_packs = "The pack was standard in the baseline and is micro in this run."
    assert of_packs in capsys.readouterr().out
    assert of_packs in (tmp_path / "out" / "report.html").read_text()
    saved["conditions"]["board"] = "headband"
    kept.write_text(json.dumps(saved))
    assert run_with(monkeypatch, tmp_path, repeats, "--against", str(kept), "--repeats", "3") == 2
    assert "of the headband board, and this run is of the emulated board" in capsys.readouterr().err


def test_a_refused_run_writes_no_report(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stalled = [replace(each, done=replace(each.done, work={"turns": 1})) for each in played(False)]
    assert run_with(monkeypatch, tmp_path, stalled) == 1
    assert capsys.readouterr().err == (
        "Refused: Repeat 1: questions answered should be 2, and there were 1.\n"
    )
    assert not (tmp_path / "out").exists()

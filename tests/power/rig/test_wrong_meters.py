"""What a meter or its export does wrong is refused with its cause. The recordings are CSV files that this
test draws by itself, of a bench instrument with fine steps and of an INA226's log with steps of 1 mA.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from host.cli.main import main
from host.rig import command as rig_commands
from power.meters.meter import open_meter
from power.rig.activity import Activity, JournalLine, activity
from power.rig.budgets import load_budgets
from power.rig.checks.refusal import Refusal
from power.rig.run import Repeat, evaluate
from power.rig.scenario import Scenario, ScenarioStep
from tests.power.rig.bench import MODEL, PLANS

STEP = ScenarioStep("performance", 0.0, Path("q.wav"), "now")
SCENARIO = Scenario("bench", "Two questions", (STEP, STEP), 1, expect={"turns": (2, 2)})
STARTED_S, SETTLED_S, END_S = 50.0, 54.0, 83.0
WORK = (("llm", 57.0, 58.3), ("tts", 62.0, 62.8))
"""Brick, beginning and end: 2.5 and 1.5 s after the first sample that counts."""
AWAKE_MA, WORKING_MA, CELL_MV = 195.0, 480.0, 3_790.0


@dataclass(frozen=True)
class Log:
    """Columns of an export: seconds since the meter started, mA, mV, the marker's level."""

    time_s: np.ndarray
    current_ma: np.ndarray
    voltage_mv: np.ndarray
    marker: np.ndarray

    def without(self, rows: np.ndarray) -> Log:
        return Log(*(column[~rows] for column in self.columns()))

    def with_current(self, rows: np.ndarray, current_ma: Any) -> Log:
        changed = self.current_ma.copy()
        changed[rows] = current_ma
        return replace(self, current_ma=changed)

    def between(self, start_s: float, end_s: float) -> np.ndarray:
        return (self.time_s >= start_s) & (self.time_s < end_s)

    def columns(self) -> tuple[np.ndarray, ...]:
        return self.time_s, self.current_ma, self.voltage_mv, self.marker

    def written(self, path: Path, *facts: str) -> Path:
        rows = zip(*self.columns(), strict=True)
        lines = [f"# start_monotonic_s: {STARTED_S}", *(f"# {fact}" for fact in facts)]
        lines += ["time_s,current_ma,voltage_mv,marker", *(",".join(f"{n:.8g}" for n in row) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
        return path


def journal() -> list[JournalLine]:
    lines: list[JournalLine] = [{"mono_s": 40.0, "event": "plan", "mode": "performance"}]
    for brick, start_s, end_s in WORK:
        step = {"event": "transition", "region": "interaction"}
        lines += [
            {**step, "mono_s": start_s - 0.5, "from": "standby", "to": "listening"},
            {"mono_s": start_s - 0.5, "event": "marker", "level": True},
            {
                "mono_s": end_s, "event": "brick", "brick": brick, "kind": "execute",
                "start_s": start_s, "end_s": end_s,
            },
            {"mono_s": end_s + 0.1, "event": "turn", "route": "now", "mode": "performance", "failure": None},
            {"mono_s": end_s + 0.1, "event": "marker", "level": False},
            {**step, "mono_s": end_s + 0.11, "from": "speaking", "to": "standby"},
        ]  # fmt: skip
    return lines


DONE: Activity = activity(journal(), STARTED_S + 0.5, SETTLED_S, END_S)


def log(rate_hz: float = 250.0, *, coarse: bool = False, seed: int = 3) -> Log:
    draw = np.random.default_rng(seed)
    time_s = np.arange(round((END_S + 0.5 - STARTED_S) * rate_hz)) / rate_hz
    true_ma, marker = np.full(len(time_s), AWAKE_MA), np.zeros(len(time_s))
    for _, start_s, end_s in WORK:
        at_s = time_s + STARTED_S
        true_ma[(at_s >= start_s) & (at_s < end_s)] += WORKING_MA
        marker[(at_s >= start_s - 0.5) & (at_s < end_s + 0.1)] = 1
    current_ma = true_ma + draw.normal(0.0, 1.5 if coarse else 0.6, len(time_s))
    voltage_mv = CELL_MV - 0.09 * current_ma + draw.normal(0.0, 0.4, len(time_s))
    if coarse:
        return Log(time_s, np.rint(current_ma), np.rint(voltage_mv / 1.25) * 1.25, marker)
    return Log(time_s, current_ma, voltage_mv, marker)


def judged(tmp_path: Path, *logs: Log) -> dict[str, Any]:
    repeats = []
    for each in logs:
        path = each.written(tmp_path / "meter.csv")
        repeats.append(Repeat(asyncio.run(open_meter(f"csv:{path}").stop()), DONE))
    return evaluate(SCENARIO, repeats, PLANS, MODEL, load_budgets(), {})


@pytest.mark.parametrize("coarse", [False, True])
def test_a_good_recording_is_judged(tmp_path: Path, coarse: bool) -> None:
    figures = {e["id"]: e["value"] for e in judged(tmp_path, log(coarse=coarse))["figures"]}
    assert figures["brick.performance/llm.mw"] == pytest.approx(WORKING_MA * 3.73, rel=0.03)


def test_a_quiet_meter_of_coarse_steps_is_judged(tmp_path: Path) -> None:
    """All its samples of a state are equal, because the noise is less than its step."""
    good = log(coarse=True)
    levels = np.where(good.current_ma > 400, AWAKE_MA + WORKING_MA, AWAKE_MA)
    quiet = replace(good, current_ma=levels, voltage_mv=np.full(len(levels), CELL_MV))
    assert judged(tmp_path, quiet)["figures"]


def gap(good: Log, start_s: float, length_s: float) -> Log:
    return good.without(good.between(start_s, start_s + length_s))


def frozen(good: Log, start_s: float, length_s: float) -> Log:
    rows = good.between(start_s, start_s + length_s)
    held = replace(good, voltage_mv=np.where(rows, good.voltage_mv[rows][0], good.voltage_mv))
    return held.with_current(rows, good.current_ma[rows][0])


def clipped(good: Log) -> Log:
    return replace(good, current_ma=np.minimum(good.current_ma, 500.0))


def sent_again(good: Log) -> Log:
    return good.with_current(good.between(12.4, 12.8), good.current_ma[good.between(12.0, 12.4)])


def stepped(good: Log) -> Log:
    return replace(good, time_s=good.time_s + np.where(good.time_s > 9.5, 1.0, 0.0))


FAULTS: dict[str, tuple[Callable[[Log], Log], str, str]] = {
    "a gap over a brick's run": (
        lambda good: gap(good, 7.05, 1.2), "gaps",
        r"no samples for 1\.20 of the 1\.30 s that llm worked \(from 7\.0 s",
    ),
    "a gap in standby": (
        lambda good: gap(good, 9.3, 1.6), "gaps", r"1\.60 of the \d+\.\d+ s of standby in performance",
    ),
    "frozen in a brick's run": (lambda good: frozen(good, 6.0, 2.0), "frozen", r"from 6\.00 to 8\.00 s"),
    "frozen while nothing happened": (lambda good: frozen(good, 9.5, 2.0), "frozen", "it was frozen"),
    "beyond its range": (clipped, "frozen", "the current was beyond its range"),
    "a buffer sent twice": (sent_again, "repeated", r"from 12\.40 s .* are those from 12\.00 s on"),
    "leads swapped": (
        lambda good: replace(good, current_ma=-good.current_ma), "direction",
        r"gave \d+ mW instead of drawing power: its leads are swapped, or a charger",
    ),
    "charging all the time": (
        lambda good: replace(good, current_ma=good.current_ma - 1_100.0), "direction",
        "gave 3.* a charger was",
    ),
    "a charger for a while": (
        lambda good: good.with_current(good.between(13.0, 16.0), -400.0 + good.current_ma[:750]), "direction",
        r"for 3\.0 s power flowed into the supply, up to 7\d\d mW: unplug the charger",
    ),
    "volts called millivolts": (
        lambda good: replace(good, voltage_mv=good.voltage_mv / 1000, current_ma=good.current_ma * 1000),
        "supply", r"a supply of 3\.7\d* mV feeds no headband: the voltage's unit is wrong",
    ),
    "a clock set forward": (stepped, "clocks", "disagree"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_it_is_refused_with_its_cause(tmp_path: Path, name: str) -> None:
    spoil, check, says = FAULTS[name]
    with pytest.raises(Refusal, match=says) as refusal:
        judged(tmp_path, spoil(log()))
    assert refusal.value.check == check
    assert "\n" not in str(refusal.value)
    assert str(refusal.value).endswith(".") and str(refusal.value).count(". ") == 0


@pytest.mark.parametrize("start_s", [6.0, 9.5])
def test_a_meter_of_coarse_steps_that_freezes_is_refused(tmp_path: Path, start_s: float) -> None:
    with pytest.raises(Refusal, match="it was frozen"):
        judged(tmp_path, frozen(log(coarse=True), start_s, 2.0))


def test_small_gaps_far_from_all_that_happened_are_no_fault(tmp_path: Path) -> None:
    assert judged(tmp_path, gap(log(), 9.3, 0.2))["figures"]


def test_samples_out_of_order_of_any_meter_are_refused(tmp_path: Path) -> None:
    recording = asyncio.run(open_meter(f"csv:{log().written(tmp_path / 'meter.csv')}").stop())
    time_s = recording.time_s.copy()
    time_s[1500:1550] = time_s[1500:1550][::-1]
    power_mw = recording.power_mw.copy()
    power_mw[10] = np.nan
    for spoilt, says in (
        (replace(recording, time_s=time_s), r"its time goes back by 0\.00\d+ s at 6\.2"),
        (replace(recording, power_mw=power_mw), "no finite numbers"),
        (replace(recording, unplaced_s=0.3), r"lost 0\.30 s of samples and cannot say where"),
    ):
        with pytest.raises(Refusal, match=says):
            evaluate(SCENARIO, [Repeat(spoilt, DONE)], PLANS, MODEL, load_budgets(), {})


def test_one_file_for_two_repeats_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="Repeats 1 and 3 have the same recording"):
        judged(tmp_path, log(), log(seed=4), log())


def test_the_command_says_why_and_with_which_status(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """1: the run was refused. 2: the file is no recording."""

    async def stand_in(*_: Any) -> tuple[list[Repeat], Any, dict[str, Any]]:
        path = gap(log(), 7.05, 1.2).written(tmp_path / "meter.csv")
        return [Repeat(await open_meter(f"csv:{path}").stop(), DONE)], PLANS, {"board": "bench", "at": "now"}

    monkeypatch.setattr(rig_commands, "_play", stand_in)
    monkeypatch.setattr(rig_commands, "load_scenario", lambda path: SCENARIO)
    assert main(["rig", "run", "standby", "--out", str(tmp_path / "out")]) == 1
    error = capsys.readouterr().err
    assert error.startswith("Refused: Repeat 1: the meter has no samples") and error.count("\n") == 1
    assert not (tmp_path / "out").exists()
    bad = tmp_path / "bad.csv"
    bad.write_text("time_s,power_mw\n0,735\n0.001,inf\n0.002,735\n")
    assert main(["rig", "run", "standby", "--meter", f"csv:{bad}", "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert "bad.csv: line 3: the power is 'inf'" in error and error.count("\n") == 1

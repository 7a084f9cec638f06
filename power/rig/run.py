"""From recordings and activities to the result of a run: one mapping, ready for JSON and for the page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from power.account.energy_model import EnergyModel
from power.meters.meter import KEEP_PMU_AWAKE, MeterRecording
from power.policy.plan import MODES
from power.rig import run_checks, short_events
from power.rig.activity import ASLEEP, STANDBY, Activity
from power.rig.attribution import ALONE_S, RepeatEnergy, attribute
from power.rig.budgets import Budgets, MeterAccuracy, judge, outcome
from power.rig.checks import frozen, samples
from power.rig.checks.refusal import Check
from power.rig.clock_alignment import Alignment, align
from power.rig.drawing_data import overview, question_views
from power.rig.figures import Figure, FigureSource, collect, figure, rounded
from power.rig.hours import hours
from power.rig.measured_trace import MeasuredTrace
from power.rig.modelled import Plans, expected_power
from power.rig.scenario import Scenario

FORMAT = 1
MIN_STATE_S = 10.0
"""A state with less time in all repeats is not judged: one picture would decide."""


@dataclass(frozen=True)
class Repeat:
    """One repeat: the meter's recording and the headband's activity."""

    recording: MeterRecording
    done: Activity


@dataclass(frozen=True)
class _Measured:
    trace: MeasuredTrace
    done: Activity
    alignment: Alignment
    settled: run_checks.Settled
    energy: RepeatEnergy


def evaluate(
    scenario: Scenario,
    repeats: Sequence[Repeat],
    plans: Plans,
    model: EnergyModel,
    budgets: Budgets,
    conditions: Mapping[str, Any],
) -> dict[str, Any]:
    """The result of a run. Raises `Refusal` when a repeat is invalid."""
    passed: list[Check] = []
    measured = [
        _measured(scenario, number, each, plans, model, passed) for number, each in enumerate(repeats, 1)
    ]
    passed.append(run_checks.warmed_up([each.settled for each in measured]))
    samples.different([each.recording for each in repeats])
    recording = repeats[0].recording
    source = FigureSource(recording.kind, recording.meter)
    energies = [each.energy for each in measured]
    figures = _figures(source, energies)
    too_short = {each.id for each in figures if not _lasted(each, measured)}
    shortest = short_events.too_short([each.done for each in repeats], recording.shortest_event_s)
    too_short |= {f"{each['figures']}.mw" for each in shortest}
    # A file may have power alone; the meter's offset counts all the same.
    supply_mv = float(recording.voltage_mv.mean()) or 1000 * budgets.day.voltage_v.value
    verdicts = judge(figures, budgets, scenario.budgets, too_short, supply_mv)
    found = outcome(verdicts, scenario.budgets)
    return {
        "format": FORMAT,
        "scenario": {"name": scenario.name, "about": scenario.about, "repeats": len(repeats)},
        "meter": _meter(recording, budgets.meters[recording.meter]),
        "conditions": dict(conditions),
        "outcome": found,
        "passed": found == "passed",
        "alignment": [_aligned(each) for each in measured],
        "checks": [check.as_dict() for check in passed],
        "figures": [each.as_dict() for each in figures],
        "too_short": shortest,
        "hours": hours(
            budgets.day,
            source,
            _between_questions(energies, recording.meter),
            _by_repeat([_extra_mwh(each) for each in energies]),
            _by_repeat([each.around_mwh for each in energies]),
        ),
        "budgets": verdicts,
        "overview": overview(measured[0].trace, measured[0].done),
        "questions": question_views([(each.trace, each.done) for each in measured]),
    }


def _measured(
    scenario: Scenario, number: int, repeat: Repeat, plans: Plans, model: EnergyModel, passed: list[Check]
) -> _Measured:
    recording, done = repeat.recording, repeat.done
    passed.append(run_checks.no_samples_lost(recording, number))
    passed.extend(run_checks.work_done(done, scenario, number))
    samples.sound(recording, number)
    expected = expected_power(done, plans, model)
    alignment = align(recording, done, expected)
    trace = MeasuredTrace(recording, alignment.clock)
    run_checks.covered(trace, done, number)
    passed.append(samples.gaps(trace, done, number))
    if (each := frozen.moving(trace, expected, number)) is not None:
        passed.append(each)
    passed.append(samples.drawn(trace, done, number))
    check, settled = run_checks.settled(trace, done, number, scenario.settle_drift)
    passed.append(check)
    passed.append(Check("clocks", number, alignment.residual_s * 1000, alignment.allowed_s * 1000, "ms"))
    return _Measured(trace, done, alignment, settled, attribute(trace, done, settled))


def _lasted(each: Figure, repeats: Sequence[_Measured]) -> bool:
    """Does the figure cover enough time to be judged by a budget? For a brick, time in which no other one
    works.
    """
    kind, _, name = each.id.removesuffix(".mw").partition(".")
    if kind == "state":
        return sum(repeat.energy.state_s.get(name, 0.0) for repeat in repeats) >= MIN_STATE_S
    worked = [repeat.energy.bricks[name] for repeat in repeats if name in repeat.energy.bricks]
    return kind != "brick" or all(brick.alone_s >= ALONE_S for brick in worked)


def _figures(source: FigureSource, repeats: Sequence[RepeatEnergy]) -> list[Figure]:
    figures = [
        figure(source, f"state.{name}.mw", _state_words(name, source.meter), "mW", values)
        for name, values in _in_order(collect([each.state_mw for each in repeats], float))
    ]
    asked = []
    for repeat in repeats:
        by_name: dict[str, list[Any]] = defaultdict(list)
        for each in repeat.questions:
            by_name[each.question.name].append(each)
        asked.append(by_name)
    for suffix, label, value in (
        ("mwh", "one question", lambda each: each.total_mwh),
        ("extra_mwh", "one question above the power between questions", lambda each: each.extra_mwh),
    ):
        for name, values in _in_order(collect(asked, value)):
            figures.append(
                figure(source, f"question.{name}.{suffix}", f"{_words(name)}, {label}", "mWh", values)
            )
    for name, values in _in_order(collect(asked, lambda each: each.question.end_s - each.question.start_s)):
        figures.append(
            figure(source, f"question.{name}.s", f"{_words(name)}, wake word to last word", "s", values)
        )
    around = [{mode: list(mwh) for mode, mwh in each.around_mwh.items()} for each in repeats]
    for mode, values in _in_order(collect(around, float)):
        figures.append(
            figure(source, f"around.{mode}.mwh", f"awake around a question in {mode}", "mWh", values)
        )
    bricks = [each.bricks for each in repeats]
    for name, values in _in_order(collect(bricks, lambda brick: brick.mw)):
        figures.append(figure(source, f"brick.{name}.mw", f"{_words(name)} above idle", "mW", values))
    for name, values in _in_order(collect(bricks, lambda brick: brick.mwh)):
        figures.append(figure(source, f"brick.{name}.mwh", f"{_words(name)}, one run", "mWh", values))
    figures.append(
        figure(
            source,
            "repeat.mwh",
            "one repeat without changes of mode",
            "mWh",
            [[each.total_mwh] for each in repeats],
        )
    )
    return figures


def _in_order(named: Mapping[str, list[list[float]]]) -> list[tuple[str, list[list[float]]]]:
    """In the order of the modes, independent of the scenario."""
    rank: dict[str, int] = {mode: place for place, mode in enumerate(MODES)}
    return sorted(named.items(), key=lambda entry: rank.get(entry[0].partition("/")[0], len(MODES)))


def _words(name: str) -> str:
    mode, _, what = name.partition("/")
    return f"{what.replace('_', ' ')} in {mode}"


def _state_words(name: str, meter: str) -> str:
    not_by_itself = name.endswith(f"/{ASLEEP}") and meter in KEEP_PMU_AWAKE
    return _words(name) + (", PMU awake" if not_by_itself else "")


def _by_repeat(repeats: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, dict[int, float]]:
    """By name the mean of each repeat that has it, by the repeat's number."""
    found: dict[str, dict[int, float]] = defaultdict(dict)
    for number, named in enumerate(repeats, 1):
        for name, values in named.items():
            found[name][number] = sum(values) / len(values)
    return dict(found)


def _extra_mwh(energy: RepeatEnergy) -> dict[str, list[float]]:
    """Energy of each question above the power between questions, by "mode/route"."""
    extra: dict[str, list[float]] = defaultdict(list)
    for each in energy.questions:
        extra[each.question.name].append(each.extra_mwh)
    return extra


def _between_questions(energies: Sequence[RepeatEnergy], meter: str) -> dict[str, dict[int, float]]:
    """Power by mode and repeat while nobody asks: asleep where the mode sleeps, else in standby. A mode that
    sleeps is left out where the meter keeps the PMU awake.
    """
    states = _by_repeat([{name: (mw,) for name, mw in each.state_mw.items()} for each in energies])
    found: dict[str, dict[int, float]] = {}
    for state in (STANDBY, ASLEEP):
        found |= {mode: states[f"{mode}/{state}"] for mode in MODES if f"{mode}/{state}" in states}
    kept_awake = meter in KEEP_PMU_AWAKE
    return {mode: mw for mode, mw in found.items() if not (kept_awake and f"{mode}/{ASLEEP}" in states)}


def _meter(recording: MeterRecording, accuracy: MeterAccuracy) -> dict[str, Any]:
    return {
        "name": recording.meter,
        "kind": recording.kind,
        "sample_rate_hz": recording.sample_rate_hz,
        "voltage_mv": rounded(float(recording.voltage_mv.mean())),
        "voltage_measured": recording.voltage_measured,
        "marker": recording.marker is not None,
        "shortest_event_s": recording.shortest_event_s,
        "error": asdict(accuracy),
    }


def _aligned(each: _Measured) -> dict[str, Any]:
    recording = each.trace.recording
    return {
        "method": each.alignment.method,
        "offset_s": rounded(each.alignment.clock.offset_s - recording.start_monotonic_s),
        "drift_ppm": rounded(each.alignment.clock.drift * 1e6),
        "residual_ms": rounded(each.alignment.residual_s * 1000),
        "quality": rounded(each.alignment.quality),
    }

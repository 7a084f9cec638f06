"""Samples that are out of order, without a place, missing just where something happened, in the wrong
direction, or of another repeat. Each check returns what it found or raises `Refusal`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from power.meters.meter import MeterRecording
from power.rig.activity import Activity
from power.rig.checks.refusal import Check, Refusal
from power.rig.measured_trace import MeasuredTrace

MAX_GAP = 0.05
"""Largest share of a run, a question or a state that gaps may take."""
_GAP_PERIODS, _SPARED_PERIODS = 2.5, 3.0
"""A longer step is a gap; so short a time may be missing from any run, as a straight line bridges it."""
MAX_UNPLACED_S = 0.05
"""Most time that may be missing at an unknown place, where it may be all of a brick's run."""
MAX_CHARGED_MW = 20.0
"""Least mean power into the supply, over `_BLOCK_S`, that is neither noise nor a meter's offset."""
_BLOCK_S = 0.5
_PLAUSIBLE_MV = (1_000.0, 30_000.0)


def sound(recording: MeterRecording, repeat: int) -> None:
    """Time rises, numbers are finite, the voltage is one that feeds a computer, and the headband draws."""
    time_s, power_mw = recording.time_s, recording.power_mw
    if not (np.isfinite(time_s).all() and np.isfinite(power_mw).all()):
        raise Refusal("samples", f"Repeat {repeat}: the meter delivered samples that are no finite numbers.")
    steps = np.diff(time_s)
    if (steps <= 0).any():
        at = int(np.argmax(steps <= 0))
        how = f"goes back by {-steps[at]:.3g} s" if steps[at] < 0 else "stands still"
        raise Refusal(
            "samples",
            f"Repeat {repeat}: the meter's samples are twice there or out of order: its time {how} at "
            f"{time_s[at]:.2f} s of the recording.",
        )
    if recording.unplaced_s > MAX_UNPLACED_S:
        raise Refusal(
            "lost samples",
            f"Repeat {repeat}: the meter lost {recording.unplaced_s:.2f} s of samples and cannot say where: "
            f"they may be all of a brick's run, and at most {MAX_UNPLACED_S:g} s may be missing like that.",
        )
    volts = float(np.median(recording.voltage_mv))
    if volts and not _PLAUSIBLE_MV[0] <= volts <= _PLAUSIBLE_MV[1]:
        raise Refusal(
            "supply",
            f"Repeat {repeat}: a supply of {volts:.4g} mV feeds no headband: the voltage's unit is wrong.",
        )
    mean_mw = float(np.trapezoid(power_mw, time_s) / (time_s[-1] - time_s[0]))
    if mean_mw < 0:
        raise Refusal(
            "direction",
            f"Repeat {repeat}: the meter says that the headband gave {-mean_mw:.0f} mW instead of drawing "
            "power: its leads are swapped, or a charger was plugged in.",
        )
    if not power_mw.any():
        raise Refusal(
            "direction",
            f"Repeat {repeat}: the meter says that the headband drew nothing at all: the supply's current "
            "does not flow through it.",
        )


def drawn(trace: MeasuredTrace, done: Activity, repeat: int) -> Check:
    """Nothing charged the supply during the repeat."""
    blocks = max(1, round((done.end_s - done.settle_s) / _BLOCK_S))
    means = trace.means_mw(np.linspace(done.settle_s, done.end_s, blocks + 1))
    into_mw = float(-means.min())
    if into_mw > MAX_CHARGED_MW:
        seconds = float((means < -MAX_CHARGED_MW).sum()) * (done.end_s - done.settle_s) / blocks
        raise Refusal(
            "direction",
            f"Repeat {repeat}: for {seconds:.1f} s power flowed into the supply, up to {into_mw:.0f} mW: "
            "unplug the charger while the meter records.",
        )
    return Check("power into the supply", repeat, max(0.0, into_mw), MAX_CHARGED_MW, "mW")


def gaps(trace: MeasuredTrace, done: Activity, repeat: int) -> Check:
    """No run of a brick, question or state lacks more than `MAX_GAP` of its samples."""
    period_s = trace.period_s
    wide = np.flatnonzero(np.diff(trace.time_s) > _GAP_PERIODS * period_s)
    starts, ends = trace.time_s[wide] + period_s / 2, trace.time_s[wide + 1] - period_s / 2
    edges = np.column_stack([starts, ends]).ravel()
    until = np.repeat(np.cumsum(np.append(0.0, ends - starts)), 2)[1:-1]
    worst = 0.0
    for what, spans in _rested_on(done) if len(wide) else ():
        length_s = sum(end_s - start_s for start_s, end_s in spans)
        missing = np.diff(np.interp(np.array(spans), edges, until)).ravel()
        missing_s = float(missing.sum())
        if missing_s <= _SPARED_PERIODS * period_s:
            continue
        share = missing_s / length_s
        if share > MAX_GAP:
            first_s = spans[int(np.argmax(missing > 0))][0] - trace.time_s[0]
            raise Refusal(
                "gaps",
                f"Repeat {repeat}: the meter has no samples for {missing_s:.2f} of the {length_s:.2f} s "
                f"{what} (from {first_s:.1f} s of the recording on), at most {MAX_GAP:.0%} may be missing.",
            )
        worst = max(worst, share)
    return Check("gaps", repeat, worst, MAX_GAP, "share")


def _rested_on(done: Activity) -> Iterator[tuple[str, list[tuple[float, float]]]]:
    """What figures rest on, in words, with its times."""
    for stage in done.stages:
        if stage.kind in ("execute", "load") and stage.end_s > stage.start_s >= done.settle_s:
            what = "that a model was loaded" if stage.kind == "load" else f"that {stage.name} worked"
            yield what, [(stage.start_s, stage.end_s)]
    for question in done.questions:
        yield f"of a {question.route} question in {question.mode}", [(question.start_s, question.end_s)]
    states: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for span in done.states:
        if span.end_s > span.start_s:
            states[span.state, span.mode].append((span.start_s, span.end_s))
    for (state, mode), spans in states.items():
        yield f"of {state.replace('_', ' ')} in {mode}", spans


def different(recordings: list[MeterRecording]) -> None:
    """Every repeat has a recording of its own: a file that is read again proves nothing again."""
    for later, recording in enumerate(recordings):
        for earlier in range(later):
            if recording.kind == "measured" and np.array_equal(
                recording.power_mw, recordings[earlier].power_mw
            ):
                raise Refusal(
                    "repeated",
                    f"Repeats {earlier + 1} and {later + 1} have the same recording: each needs its own.",
                )

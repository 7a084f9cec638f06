"""Checks that a run is valid. Each returns what it found or raises `Refusal`.

Work is counted as openpilot's power-draw test counts messages (its `tici/tests/test_power_draw.py`): a
headband that stalls draws little and would pass the budgets.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from power.meters.meter import MeterRecording
from power.rig.activity import ASLEEP, STANDBY, Activity, StateSpan
from power.rig.checks.refusal import Check, Refusal
from power.rig.measured_trace import MeasuredTrace
from power.rig.scenario import Bounds, Scenario

MAX_LOST = 0.05
MAX_WARM_UP = 0.05
"""Largest difference of settled power between repeats, as a share of the least."""
_BLOCK_S = 0.05
_WINDOW = 0.5
"""Share of the settling time, at its end, that has to be level."""


def no_samples_lost(recording: MeterRecording, repeat: int) -> Check:
    """At most one sample in twenty may be missing, and some must have come."""
    if len(recording.time_s) < 2:
        raise Refusal("lost samples", f"Repeat {repeat}: the meter delivered no samples.")
    share = recording.lost_share
    if share > MAX_LOST:
        raise Refusal(
            "lost samples",
            f"Repeat {repeat}: the meter lost {share:.1%} of its samples ({recording.lost} of "
            f"{recording.expected}), at most {MAX_LOST:.0%} may be missing.",
        )
    return Check("lost samples", repeat, share, MAX_LOST, "share")


def covered(trace: MeasuredTrace, done: Activity, repeat: int) -> None:
    """The recording spans the repeat."""
    slack_s = 0.05 + 2 * trace.period_s
    late_s, early_s = trace.time_s[0] - done.settle_s, done.end_s - trace.time_s[-1]
    if max(late_s, early_s) > slack_s:
        how = f"begins {late_s:.1f} s after it" if late_s > slack_s else f"ends {early_s:.1f} s before it"
        raise Refusal(
            "clocks",
            f"Repeat {repeat}: the recording, {trace.time_s[-1] - trace.time_s[0]:.1f} s long, has not all "
            f"of the {done.end_s - done.settle_s:.1f} s that the repeat took: it {how}.",
        )


@dataclass(frozen=True)
class Settled:
    """State and power before the first step."""

    name: str
    """ "mode/state": it may have been asleep."""
    mw: float


def settled(trace: MeasuredTrace, done: Activity, repeat: int, allowed: float) -> tuple[Check, Settled]:
    """Power was level when the first step began; returns that level too.

    Of the last half of the settling time, the longest span of one state (standby or asleep) is divided in
    three; the levels of the first and the last third may differ by `allowed`. The level of a third is its
    10th percentile, so that pictures taken in it do not count.
    """
    span = _longest_quiet(done, done.begin_s - (done.begin_s - done.settle_s) * _WINDOW)
    if span is None:
        raise Refusal(
            "settling", f"Repeat {repeat}: the headband did not come to rest before the first step."
        )
    cuts = np.linspace(span.start_s, span.end_s, 4)
    levels = [_level_mw(trace, low, high) for low, high in itertools.pairwise(cuts)]
    level = float(np.mean(levels))
    change = (levels[-1] - levels[0]) / level if level > 0 else 0.0
    if abs(change) > allowed:
        raise Refusal(
            "settling",
            f"Repeat {repeat} had not settled: power moved from {levels[0]:.0f} to {levels[-1]:.0f} mW "
            f"({change:+.1%}, at most {allowed:.0%}) before the first step; give it more than the "
            f"{done.begin_s - done.settle_s:.0f} s of settle_s.",
        )
    return Check("settling", repeat, abs(change), allowed, "share"), Settled(span.name, level)


def _longest_quiet(done: Activity, from_s: float) -> StateSpan | None:
    quiet = [
        replace(span, start_s=max(span.start_s, from_s), end_s=min(span.end_s, done.begin_s))
        for span in done.states
        if span.state in (STANDBY, ASLEEP) and span.end_s > from_s and span.start_s < done.begin_s
    ]
    return max(quiet, key=lambda span: span.end_s - span.start_s, default=None)


def _level_mw(trace: MeasuredTrace, start_s: float, end_s: float) -> float:
    blocks = max(1, int((end_s - start_s) / max(_BLOCK_S, 2 * trace.period_s)))
    return float(np.percentile(trace.means_mw(np.linspace(start_s, end_s, blocks + 1)), 10))


def warmed_up(before: Sequence[Settled]) -> Check:
    """Settled power of the same state is the same before every repeat."""
    drifts = []
    for name in sorted({each.name for each in before}):
        levels = [each.mw for each in before if each.name == name]
        low, high = min(levels), max(levels)
        drifts.append((high - low) / low if low > 0 else 0.0)
        if drifts[-1] > MAX_WARM_UP:
            raise Refusal(
                "settling",
                f"The headband was still warming up: settled power went from {levels[0]:.0f} mW before the "
                f"first repeat to {levels[-1]:.0f} mW before the last, between {low:.0f} and {high:.0f} "
                f"(at most {MAX_WARM_UP:.0%} apart).",
            )
    return Check("warm-up", len(before), max(drifts), MAX_WARM_UP, "share")


def work_done(done: Activity, scenario: Scenario, repeat: int) -> list[Check]:
    """Everything expected was done, and every question took its route in its mode."""
    checks = [_counted(name, done.work, bounds, repeat) for name, bounds in scenario.expect.items()]
    took = [(question.mode, question.route) for question in done.questions]
    for number, (wanted, got) in enumerate(zip(scenario.asked, took, strict=False), 1):
        if wanted != got:
            raise Refusal(
                "work",
                f"Repeat {repeat}: question {number} should take the route {wanted[1]} in {wanted[0]} mode "
                f"and took {got[1]} in {got[0]} mode.",
            )
    return checks


def _counted(name: str, work: Mapping[str, int], bounds: Bounds, repeat: int) -> Check:
    found = work.get(name, 0)
    least, most = bounds
    if not least <= found <= most:
        wanted = f"{least:g}" if least == most else f"{least:g} to {most:g}"
        raise Refusal(
            "work", f"Repeat {repeat}: {_WORDS.get(name, name)} should be {wanted}, and there were {found}."
        )
    return Check(f"work: {name}", repeat, found, most, "", least)


_WORDS = {
    "turns": "questions answered",
    "failures": "questions that failed",
    "frames": "pictures taken",
    "answers": "runs of the language model and of reflex",
}

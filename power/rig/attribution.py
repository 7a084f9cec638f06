"""Divides the power of one repeat among states, questions and bricks.

A state's power is its mean. A question's energy is the integral over it; `extra` is its energy above the
power between questions in its mode, which is what it adds to a day. Stages overlap, so a brick's power is
fitted: in every piece of time with the same set of stages at work, power above that of the awake headband
with none at work is the sum of what each of them draws (least squares, weighted by duration, nothing below
zero). Two bricks at once, or a brick and one that is loaded, share the cores and draw less than both alone: a
brick's power is that of the time when no other brick works or is loaded, and its energy is its share of all
the time it worked.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from power.account.energy_model import MW_S_PER_MWH
from power.rig.activity import (
    ASLEEP,
    CAPTURE,
    CHANGING,
    DOZING,
    SPEAK,
    STANDBY,
    Activity,
    AskedQuestion,
    Stage,
    StateSpan,
)
from power.rig.measured_trace import MeasuredTrace
from power.rig.run_checks import Settled

_DRAWS = ("execute", "load")
_NOT_AWAKE = (ASLEEP, DOZING, CHANGING)
_LIGHT = (CAPTURE, SPEAK)
"""Stages that do not take cores from a brick."""
ALONE_S = 0.1
"""A brick that worked alone for less time gets only its share of all the time it worked."""


@dataclass(frozen=True)
class QuestionEnergy:
    """One question's energy, milliwatt-hours."""

    question: AskedQuestion
    total_mwh: float
    extra_mwh: float
    """Above what its mode draws between questions: asleep where it sleeps, else in standby."""


@dataclass(frozen=True)
class BrickEnergy:
    """What one stage drew above the awake headband with nothing at work."""

    mw: float
    """While it worked."""
    mwh: float
    """Per run."""
    runs: int
    alone_s: float
    """Seconds in which no other brick worked or was loaded."""


@dataclass(frozen=True)
class RepeatEnergy:
    """One repeat, divided."""

    state_mw: Mapping[str, float]
    """Mean power by "mode/state"."""
    state_s: Mapping[str, float]
    """Seconds by "mode/state"."""
    questions: tuple[QuestionEnergy, ...]
    around_mwh: Mapping[str, tuple[float, ...]]
    """By mode: energy above asleep of each time awake between two sleeps without its questions: waking up,
    and staying awake until the next sleep.
    """
    bricks: Mapping[str, BrickEnergy]
    """By "mode/stage"."""
    total_mwh: float
    """From the first step to the end, without the changes of mode."""


def attribute(trace: MeasuredTrace, done: Activity, settled: Settled) -> RepeatEnergy:
    """`settled`: power before the first step, for modes whose standby the repeat did not visit."""
    energy: dict[str, float] = defaultdict(float)
    lasted: dict[str, float] = defaultdict(float)
    for span in done.states:
        start_s = max(span.start_s, done.begin_s)
        if span.end_s > start_s and span.state != CHANGING:
            energy[span.name] += trace.energy_mwh(start_s, span.end_s) * MW_S_PER_MWH
            lasted[span.name] += span.end_s - start_s
    state_mw = {name: energy[name] / lasted[name] for name in energy}
    known_mw = {settled.name: settled.mw, **state_mw}
    seen = [mw for name, mw in known_mw.items() if name.endswith(f"/{STANDBY}")]
    elsewhere_mw = max(seen, default=settled.mw)
    standby = {span.mode: known_mw.get(f"{span.mode}/{STANDBY}", elsewhere_mw) for span in done.states}
    idle = {mode: known_mw.get(f"{mode}/{ASLEEP}", mw) for mode, mw in standby.items()}
    questions = []
    for question in done.questions:
        total_mwh = trace.energy_mwh(question.start_s, question.end_s)
        idle_mwh = idle[question.mode] * (question.end_s - question.start_s) / MW_S_PER_MWH
        questions.append(QuestionEnergy(question, total_mwh, total_mwh - idle_mwh))
    return RepeatEnergy(
        state_mw,
        dict(lasted),
        tuple(questions),
        _around(trace, done, idle),
        _bricks(trace, done, standby),
        sum(energy.values()) / MW_S_PER_MWH,
    )


def _around(trace: MeasuredTrace, done: Activity, idle: Mapping[str, float]) -> dict[str, tuple[float, ...]]:
    """For each time awake in one mode between two sleeps: the energy before its first question and after its
    last, above `idle`.
    """
    around: dict[str, list[float]] = defaultdict(list)
    woken_s: float | None = None
    for before, span in itertools.pairwise(done.states):
        if span.mode != before.mode or CHANGING in (span.state, before.state):
            woken_s = None
        elif before.state == ASLEEP:
            woken_s = max(before.end_s, done.begin_s)
        elif span.state == ASLEEP and woken_s is not None:
            asked = [q for q in done.questions if woken_s <= q.start_s and q.end_s <= span.start_s]
            for start_s, end_s in (
                [(woken_s, asked[0].start_s), (asked[-1].end_s, span.start_s)] if asked else []
            ):
                mwh = trace.energy_mwh(start_s, end_s) - idle[span.mode] * (end_s - start_s) / MW_S_PER_MWH
                around[span.mode].append(mwh)
    return {
        mode: tuple(a + b for a, b in zip(both[::2], both[1::2], strict=True))
        for mode, both in around.items()
    }


def extra_mwh(trace: MeasuredTrace, start_s: float, end_s: float, quiet_s: float = 0.05) -> float:
    """Energy of one event above the power just before and after it, milliwatt-hours.

    The window is wider than the event by three samples on either side, because a sample may stand for the
    time around it; `quiet_s` seconds of quiet beyond that give the level underneath.
    """
    pad_s = 3 * trace.period_s
    low, high = start_s - pad_s, end_s + pad_s
    quiet_s = max(quiet_s, 5 * trace.period_s)
    under_mw = (trace.mean_mw(low - quiet_s, low) + trace.mean_mw(high, high + quiet_s)) / 2
    return trace.energy_mwh(low, high) - under_mw * (high - low) / MW_S_PER_MWH


def _bricks(trace: MeasuredTrace, done: Activity, standby: Mapping[str, float]) -> dict[str, BrickEnergy]:
    bricks: dict[str, BrickEnergy] = {}
    measured = [s for s in done.stages if s.kind in _DRAWS and s.end_s > done.begin_s]
    for mode in dict.fromkeys(span.mode for span in done.states):
        spans = [
            span
            for span in done.states
            if span.mode == mode and span.end_s > done.begin_s and span.state not in _NOT_AWAKE
        ]
        pieces = [
            piece
            for span in spans
            for piece in _pieces(done.stages, max(span.start_s, done.begin_s), span.end_s)
        ]
        idle_mw = _mean_mw(trace, [piece for piece in pieces if not piece[2]], standby[mode])
        pieces = [piece for piece in pieces if piece[2]]
        names = sorted({name for _, _, active in pieces for name in active})
        if not names:
            continue
        seconds = np.array([end_s - start_s for start_s, end_s, _ in pieces])
        above = np.array([trace.mean_mw(start_s, end_s) - idle_mw for start_s, end_s, _ in pieces])
        at_work = np.array([[name in active for name in names] for _, _, active in pieces], float)
        shares = _fit(at_work, above, seconds)
        single = at_work[:, [name not in _LIGHT for name in names]].sum(axis=1) <= 1
        alone_s = at_work[single].T @ seconds[single]
        told = alone_s >= ALONE_S
        rows = single & ~(at_work[:, ~told] > 0).any(axis=1)
        powers = shares.copy()
        powers[told] = _fit(at_work[rows][:, told], above[rows], seconds[rows])
        for name, mw, share_mw, by_itself_s in zip(names, powers, shares, alone_s, strict=True):
            runs = sum(1 for s in measured if _lane(s) == name and _within(s, spans))
            worked_s = float(at_work[:, names.index(name)] @ seconds)
            mwh = float(share_mw) * worked_s / MW_S_PER_MWH / max(1, runs)
            bricks[f"{mode}/{name}"] = BrickEnergy(float(mw), mwh, runs, float(by_itself_s))
    return bricks


def _pieces(
    stages: Iterable[Stage], start_s: float, end_s: float
) -> list[tuple[float, float, frozenset[str]]]:
    """(start, end, stages at work), cut wherever a stage begins or ends."""
    near = [s for s in stages if s.kind in _DRAWS and s.start_s < end_s and s.end_s > start_s]
    cuts = np.unique(
        np.clip([t for s in near for t in (s.start_s, s.end_s)] + [start_s, end_s], start_s, end_s)
    )
    pieces = []
    for low, high in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        active = frozenset(_lane(s) for s in near if s.start_s < high and s.end_s > low)
        if high > low:
            pieces.append((low, high, active))
    return pieces


def _mean_mw(
    trace: MeasuredTrace, pieces: Sequence[tuple[float, float, frozenset[str]]], otherwise_mw: float
) -> float:
    seconds = sum(end_s - start_s for start_s, end_s, _ in pieces)
    energy_mwh = sum(trace.energy_mwh(start_s, end_s) for start_s, end_s, _ in pieces)
    return energy_mwh * MW_S_PER_MWH / seconds if seconds > 0 else otherwise_mw


def _lane(stage: Stage) -> str:
    """Bricks differ while they work; loading is the same work for all of them."""
    return "load" if stage.kind == "load" else stage.name


def _within(stage: Stage, spans: Iterable[StateSpan]) -> bool:
    return any(span.start_s <= stage.start_s < span.end_s for span in spans)


def _fit(at_work: np.ndarray, above_mw: np.ndarray, seconds: np.ndarray) -> np.ndarray:
    """Non-negative least squares, in milliwatts per column: a negative column is set to 0 and the others are
    fitted again.
    """
    weight = np.sqrt(seconds)
    kept = list(range(at_work.shape[1]))
    drawn = np.zeros(at_work.shape[1])
    while kept:
        fitted, *_ = np.linalg.lstsq(at_work[:, kept] * weight[:, None], above_mw * weight, rcond=None)
        if (fitted >= 0).all():
            drawn[kept] = fitted
            break
        kept.pop(int(np.argmin(fitted)))
    return drawn

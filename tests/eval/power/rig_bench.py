"""A headband on a bench, drawn for `just eval rig` by other code than the rig's model and meters: the journal
of three questions in three modes, the recording of what they drew, and what each figure is on average.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from power.account.energy_model import MW_S_PER_MWH
from power.meters.meter import MeterRecording
from power.policy.plan import MODES
from power.rig.activity import JournalLine, activity
from power.rig.budgets import load_budgets
from power.rig.run import Repeat
from power.rig.scenario import Scenario, ScenarioStep

RATE_HZ = 200.0
CELL_MV = 3_700.0
SETTLE_S = 4.0
QUIET_S, ASLEEP_S, LISTEN_S = 9.0, 8.0, 0.8
WORK_S = {"stt": (0.8, 0.15), "llm": (1.2, 0.3), "tts": (0.6, 0.2)}
"""Median seconds of each brick's run, and the spread of its logarithm."""
BETWEEN = {"standby": 0.01, "asleep": 0.02, "brick": 0.025}
"""Standard deviation between repeats."""
SHARED, SESSION, DRIFT = 0.005, 0.01, 0.003
"""Of all of a repeat; between two runs of one headband; of the slope per repeat."""
BURSTS_HZ, BURST_MW, BURST_S = 0.25, 250.0, (0.06, 0.8)
OF_ONE = 4
"""So many runs are of one headband with one meter."""
BUDGETS = load_budgets()
STEPS = tuple(ScenarioStep(mode, 0.0, Path("q.wav"), "now") for mode in MODES)
SCENARIO = Scenario("simulated", "Three questions", STEPS, expect={"turns": (3, 3)})


def true_mw(name: str) -> float:
    """Of the headband as planned: the budget."""
    return BUDGETS.budgets[name].mw


@dataclass(frozen=True)
class Rig:
    """One run of one headband: by how much the day, and its meter, are off."""

    session: float
    slope: float
    gain: float
    offset_mw: float

    def shown(self, mw: float, *, difference: bool = False) -> float:
        """What this rig's meter shows of a true power on this day."""
        return mw * self.session * self.gain + (0.0 if difference else self.offset_mw)


EXACT = Rig(1.0, 0.0, 1.0, 0.0)
"""Neither day nor meter is off: what it shows is the headband's own power."""


def rigs(draw: np.random.Generator) -> list[Rig]:
    """Runs of one headband."""
    accuracy = BUDGETS.meters["pmu"]
    gain = 1 + draw.uniform(-accuracy.rtol, accuracy.rtol)
    offset_mw = draw.uniform(-1, 1) * accuracy.offset_ma * CELL_MV / 1000
    return [Rig(1 + draw.normal(0, SESSION), draw.normal(0, DRIFT), gain, offset_mw) for _ in range(OF_ONE)]


def skewed(draw: np.random.Generator, spread: float) -> float:
    """A factor of mean 1 with a long tail upwards (skewness 1)."""
    return float(1 + spread * (draw.gamma(4.0) - 4.0) / 2.0)


def repeat(draw: np.random.Generator, rig: Rig, number: int, repeats: int) -> Repeat:
    """One repeat: the journal of a course of states, and the recording of what it drew."""
    start_s = 1_000.0 + 500.0 * number
    common = skewed(draw, SHARED) * (1 + rig.slope * (number - (repeats - 1) / 2))
    at_s, lines, levels, works = start_s, list[JournalLine](), [], []
    pulses = [(start_s + 0.1, start_s + 0.2)]

    def rest(name: str, seconds: float) -> None:
        nonlocal at_s
        factor = factors.setdefault(name, skewed(draw, BETWEEN[name.partition("/")[2]]))
        levels.append((at_s, at_s + seconds, true_mw(f"state.{name}") * factor, name.endswith("standby")))
        at_s += seconds

    factors: dict[str, float] = {}
    for mode in MODES:
        lines.append({"mono_s": at_s - (0.5 if mode == MODES[0] else 0.0), "event": "plan", "mode": mode})
        rest(f"{mode}/standby", QUIET_S + (SETTLE_S if mode == MODES[0] else 0.0))
        asked_s = at_s
        lines.append(_moved(at_s, "standby", "listening"))
        rest(f"{mode}/standby", LISTEN_S)
        for brick, (median_s, spread) in WORK_S.items():
            seconds = float(median_s * np.exp(draw.normal(0, spread)))
            factor = skewed(draw, BETWEEN["brick"])
            works.append((at_s, at_s + seconds, true_mw(f"brick.{mode}/{brick}") * factor))
            lines.append({
                "mono_s": at_s + seconds, "event": "brick", "brick": brick, "kind": "execute",
                "start_s": at_s, "end_s": at_s + seconds,
            })  # fmt: skip
            rest(f"{mode}/standby", seconds)
        lines.append({"mono_s": at_s, "event": "turn", "route": "now", "mode": mode, "failure": None})
        lines.append(_moved(at_s + 1e-6, "speaking", "standby"))
        pulses.append((asked_s, at_s))
        rest(f"{mode}/standby", QUIET_S)
        lines.append({"mono_s": at_s, "event": "asleep"})
        rest(f"{mode}/asleep", ASLEEP_S)
        lines.append({"mono_s": at_s, "event": "awake", "took_s": 0.0})
    rest(f"{MODES[-1]}/standby", 1.0)
    lines += [
        {"mono_s": when_s, "event": "marker", "level": level}
        for pulse in pulses
        for when_s, level in zip(pulse, (True, False), strict=True)
    ]
    awake = [(start, end) for start, end, _, is_awake in levels if is_awake]
    pieces = [(start, end, mw) for start, end, mw, _ in levels] + works + list(_bursts(draw, awake))
    power_mw = _sampled(pieces, start_s, at_s) * common * rig.session * rig.gain + rig.offset_mw
    power_mw += draw.normal(0, 4.0, len(power_mw))
    middle_s = start_s + (np.arange(len(power_mw), dtype=np.float64) + 0.5) / RATE_HZ
    high = sum((middle_s >= up) & (middle_s < down) for up, down in pulses)
    recording = MeterRecording(
        "pmu", "measured", RATE_HZ, middle_s - start_s, power_mw, np.full(len(power_mw), CELL_MV), False,
        np.asarray(high, np.uint8), len(power_mw), 0, start_s,
    )  # fmt: skip
    return Repeat(recording, activity(lines, start_s, start_s + SETTLE_S, at_s))


def _moved(at_s: float, source: str, target: str) -> JournalLine:
    return {"mono_s": at_s, "event": "transition", "region": "interaction", "from": source, "to": target}


def _bursts(
    draw: np.random.Generator, awake: Sequence[tuple[float, float]]
) -> Iterator[tuple[float, float, float]]:
    for start_s, end_s in awake:
        for _ in range(draw.poisson(BURSTS_HZ * (end_s - start_s))):
            begins_s = draw.uniform(start_s, end_s)
            yield begins_s, begins_s + float(BURST_S[0] * np.exp(draw.normal(0, BURST_S[1]))), BURST_MW


def _sampled(pieces: Sequence[tuple[float, float, float]], start_s: float, end_s: float) -> np.ndarray:
    """Mean power of each sample's period: the sum of pieces (beginning, end, mW)."""
    samples = int((end_s - start_s) * RATE_HZ)
    power_mw = np.zeros(samples + 1)
    for begins_s, ends_s, mw in pieces:
        low, high = (begins_s - start_s) * RATE_HZ, min((ends_s - start_s) * RATE_HZ, samples)
        first, last = int(low), int(high)
        if first == last:
            power_mw[first] += mw * (high - low)
            continue
        power_mw[first] += mw * (first + 1 - low)
        power_mw[first + 1 : last] += mw
        power_mw[last] += mw * (high - last)
    return power_mw[:samples]


def truth(rig: Rig) -> dict[str, float]:
    """What each figure is on average, as this rig shows it; of `EXACT`, as the headband draws it."""
    burst_mw = BURSTS_HZ * BURST_MW * BURST_S[0] * float(np.exp(BURST_S[1] ** 2 / 2))
    seconds, lasts_s = _brick_s(), _question_s()
    known = {}
    for mode in MODES:
        awake_mw, asleep_mw = true_mw(f"state.{mode}/standby") + burst_mw, true_mw(f"state.{mode}/asleep")
        known[f"state.{mode}/standby.mw"] = rig.shown(awake_mw)
        known[f"state.{mode}/asleep.mw"] = rig.shown(asleep_mw)
        work = {brick: true_mw(f"brick.{mode}/{brick}") for brick in WORK_S}
        for brick, mw in work.items():
            known[f"brick.{mode}/{brick}.mw"] = rig.shown(mw, difference=True)
        drawn_mws = sum(work[brick] * s for brick, s in seconds.items()) + awake_mw * lasts_s
        extra_mws = rig.shown(drawn_mws - asleep_mw * lasts_s, difference=True)
        known[f"question.{mode}/now.mwh"] = (
            rig.shown(drawn_mws, difference=True) + rig.offset_mw * lasts_s
        ) / MW_S_PER_MWH
        known[f"question.{mode}/now.extra_mwh"] = extra_mws / MW_S_PER_MWH
    return known


def margin(name: str, value: float) -> float:
    """By how much the meter's stated error, and twice what days differ by, can move a figure."""
    accuracy = BUDGETS.meters["pmu"]
    moved = (accuracy.rtol + 2 * BUDGETS.change.between_runs) * abs(value)
    offset_mw = accuracy.offset_ma * CELL_MV / 1000
    if name.startswith("state."):
        return moved + offset_mw
    return moved + (offset_mw * _question_s() / MW_S_PER_MWH if name.endswith("/now.mwh") else 0.0)


def _brick_s() -> dict[str, float]:
    """How long each brick works for a question, on average."""
    return {brick: median_s * float(np.exp(s**2 / 2)) for brick, (median_s, s) in WORK_S.items()}


def _question_s() -> float:
    return LISTEN_S + sum(_brick_s().values())

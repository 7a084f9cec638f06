"""A known activity of a headband, its known load, and the recording of that load by a meter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from host.rig.measurable import measurable
from hw.supply import BatteryReading
from power.account.energy_model import load_energy_model
from power.meters.meter import MeterRecording
from power.policy.config import PowerConfig
from power.policy.plan import MODES, Mode, PowerPlan
from power.policy.policy import Policy
from power.rig.activity import Activity, JournalLine, activity
from power.rig.modelled import Steps
from power.rig.scenario import Scenario, ScenarioStep

MODEL = load_energy_model()
SETTLE_S = 1.5
START_S = 500.0
"""The headband's clock when the recording starts."""


def plan_for(mode: str) -> PowerPlan:
    """With the policy's settings with which the rig measures."""
    percent = {"performance": 82, "throttled": 35, "cascade": 14}[mode]
    policy = Policy(measurable(PowerConfig()))
    return policy.decide(BatteryReading(percent, 3800, -150, 25.0, False, "good"), 0.0, Mode(mode))[0]


PLANS = {mode: plan_for(mode) for mode in MODES}


def journal(
    stages: Sequence[tuple[str, float, float]], *, marker: bool = True, route: str = "now"
) -> list[JournalLine]:
    """Journal lines of one repeat. Each stage (brick, seconds after the first step, length) is a question.

    The marker is high for a moment at the start and at the end, and during each question.
    """
    begin_s = START_S + SETTLE_S
    end_s = begin_s + max((at_s + length_s for _, at_s, length_s in stages), default=10.0) + 2.0
    lines: list[JournalLine] = [{"mono_s": START_S - 1, "event": "plan", "mode": "performance"}]
    pulses = [(START_S + 0.05, START_S + 0.1), (end_s - 0.1, end_s - 0.05)]
    for brick, at_s, length_s in stages:
        woken_s, over_s = begin_s + at_s - 0.3, begin_s + at_s + length_s + 0.3
        pulses.append((woken_s, over_s))
        lines += [
            _step(woken_s, "standby", "listening"),
            {
                "mono_s": over_s, "event": "brick", "brick": brick, "kind": "execute",
                "start_s": begin_s + at_s, "end_s": begin_s + at_s + length_s,
            },
            {"mono_s": over_s, "event": "turn", "route": route, "mode": "performance", "failure": None},
            _step(over_s + 1e-6, "speaking", "standby"),
        ]  # fmt: skip
    if marker:
        lines += [
            {"mono_s": when_s, "event": "marker", "level": level}
            for pulse in pulses
            for when_s, level in zip(pulse, (True, False), strict=True)
        ]
    return lines


def _step(at_s: float, source: str, target: str) -> JournalLine:
    return {
        "mono_s": at_s, "event": "transition", "region": "interaction", "from": source, "to": target,
    }  # fmt: skip


def done(stages: Sequence[tuple[str, float, float]], *, marker: bool = True, route: str = "now") -> Activity:
    """The activity of `journal`, with the first step `SETTLE_S` after the start."""
    end_s = START_S + SETTLE_S + max((at_s + length_s for _, at_s, length_s in stages), default=10.0) + 2.0
    lines = journal(stages, marker=marker, route=route)
    return activity(lines, START_S, START_S + SETTLE_S, end_s)


def load(did: Activity, floor_mw: float, extra_mw: dict[str, float]) -> Steps:
    """The true power: a floor, and the addition of each stage."""
    moments = np.unique([did.settle_s, did.end_s, *(t for s in did.stages for t in (s.start_s, s.end_s))])
    middles = (moments[1:] + moments[:-1]) / 2
    mw = [floor_mw + sum(extra_mw[s.name] for s in did.stages if s.start_s <= at < s.end_s) for at in middles]
    return Steps(moments[:-1], np.array(mw), float(moments[-1]))


def recorded(
    power: Steps,
    did: Activity,
    *,
    rate_hz: float = 1000.0,
    marker: bool = True,
    offset_s: float = 0.0,
    drift: float = 0.0,
    noise_mw: float = 2.0,
    seed: int = 1,
    lost: int = 0,
) -> MeterRecording:
    """The recording of a meter whose clock is `offset_s` behind and slow by `drift`; each sample is the mean
    of its period. It records from half a second before the load to half a second after it.
    """
    length_s = did.end_s - did.settle_s + 1.0
    edges = np.arange(int(length_s * rate_hz) + 1) / rate_hz
    true_s = did.settle_s - 0.5 + edges * (1 + drift)
    middle = (true_s[1:] + true_s[:-1]) / 2
    changes = np.array([when_s for when_s, _ in sorted(did.marker)])
    levels = np.array([0, *(1 if level else 0 for _, level in sorted(did.marker))], np.uint8)
    noise = np.random.default_rng(seed).normal(0.0, noise_mw, len(middle))
    return MeterRecording(
        "joulescope", "measured", rate_hz, (edges[1:] + edges[:-1]) / 2, power.means_mw(true_s) + noise,
        np.full(len(middle), 3800.0), False,
        levels[np.searchsorted(changes, middle, side="right")] if marker else None,
        len(middle) + lost, lost, did.settle_s - 0.5 - offset_s,
    )  # fmt: skip


def scenario(questions: int, **changes: Any) -> Scenario:
    """Asks "now" questions in performance mode."""
    step = ScenarioStep("performance", 0.0, Path("q.wav"), "now")
    plain = Scenario("bench", "A bench", (step,) * questions, 3, expect={"turns": (questions, questions)})
    return replace(plain, **changes)

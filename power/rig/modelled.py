"""The power that the energy model expects of an activity: the recording of a modelled meter, and the shape
that a recording without marker is aligned with.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from power.account.energy_model import DRAWS_AS, EnergyModel
from power.account.sensor_time import streamed_s
from power.meters.meter import MeterRecording
from power.policy.plan import PowerPlan
from power.rig.activity import ASLEEP, CAPTURE, DOZING, SPEAK, Activity, Stage
from power.rig.checks.refusal import Refusal

SAMPLE_RATE_HZ = 1000.0
SUPPLY_MV = 3800.0
MARKER_BIT = 1
_ALWAYS = "listen"
"""The microphone is on whenever the computer is awake."""
_RESUME = "resume"
"""What the kernel does while devices suspend or resume."""

Plans = Mapping[str, PowerPlan]
"""The plan of every mode that occurred."""


@dataclass(frozen=True)
class Steps:
    """Power as steps: `mw[i]` from `time_s[i]` until the next, the last until `end_s`."""

    time_s: NDArray[np.float64]
    mw: NDArray[np.float64]
    end_s: float

    def means_mw(self, edges_s: ArrayLike) -> NDArray[np.float64]:
        """Mean power between each edge and the next; outside, the nearest level holds."""
        edges = np.asarray(edges_s, np.float64)
        corners = np.append(self.time_s, max(self.end_s, self.time_s[-1]))
        area = np.concatenate([[0.0], np.cumsum(np.diff(corners) * self.mw)])
        until = np.interp(edges, corners, area)
        until += np.where(edges < corners[0], self.mw[0] * (edges - corners[0]), 0.0)
        until += np.where(edges > corners[-1], self.mw[-1] * (edges - corners[-1]), 0.0)
        return np.diff(until) / np.diff(edges)


def working(done: Activity) -> Activity:
    """The activity of an emulated board without the time in which a brick waits: for the loudspeaker, as its
    run ends when its last chunk is taken, and speaking a sentence takes longer than computing it; and for a
    processor of a computer that does something else as well.
    """
    spoken = [(stage.start_s, stage.end_s) for stage in done.stages if stage.name == SPEAK]
    stages: list[Stage] = []
    for stage in done.stages:
        stages += [stage] if stage.name in (SPEAK, CAPTURE) else _computing(stage, _without(stage, spoken))
    return replace(done, stages=tuple(stages))


def on_the_board(
    done: Activity, plans: Plans, model: EnergyModel, capture_s: float, hold_s: float = 0.0
) -> Activity:
    """The activity with the board's durations: the time in which a brick works by
    `EnergyModel.stage_seconds`; `capture_s` for a picture, or until the next one where that follows within
    `hold_s`, as the sensor streams on; all other durations are unchanged. Raises `Refusal` where a brick is
    none of the model's.
    """
    moments = _moments(done)
    lasting = [
        (end_s - start_s) * max([1.0, *(_longer(stage, plan, model) for stage in active)])
        for start_s, end_s, plan, active, _ in _pieces(done, plans, moments, model)
    ]
    board = moments[0] + np.concatenate([[0.0], np.cumsum(lasting)])

    def at(moment_s: float) -> float:
        return float(np.interp(moment_s, moments, board))

    pictures = sorted(at(each.start_s) for each in done.stages if each.name == CAPTURE)
    until = {
        start_s: start_s + streamed_s(next_s - start_s, capture_s, hold_s)
        for start_s, next_s in itertools.pairwise([*pictures, math.inf])
    }

    def stage(each: Stage) -> Stage:
        start_s = at(each.start_s)
        end_s = until[start_s] if each.name == CAPTURE else at(each.end_s)
        return replace(each, start_s=start_s, end_s=end_s)

    return replace(
        done,
        settle_s=at(done.settle_s),
        begin_s=at(done.begin_s),
        end_s=at(done.end_s),
        states=tuple(replace(each, start_s=at(each.start_s), end_s=at(each.end_s)) for each in done.states),
        stages=tuple(stage(each) for each in done.stages),
        questions=tuple(replace(q, start_s=at(q.start_s), end_s=at(q.end_s)) for q in done.questions),
        marker=tuple((at(when_s), level) for when_s, level in done.marker),
    )


def expected_power(done: Activity, plans: Plans, model: EnergyModel) -> Steps:
    """What the model expects the headband to draw while it does this. Raises `Refusal` where a brick is none
    of the model's.
    """
    moments = _moments(done)
    levels = [
        model.suspend_mw + model.pmu_asleep_mw if asleep else _level_mw(active, plan, model)
        for _, _, plan, active, asleep in _pieces(done, plans, moments, model)
    ]
    return Steps(moments[:-1], np.array(levels), float(moments[-1]))


def record(done: Activity, power: Steps, sample_rate_hz: float = SAMPLE_RATE_HZ) -> MeterRecording:
    """The recording of a meter of that rate: each sample is the mean of its period, with the marker on the
    first digital input.
    """
    count = max(2, round((done.end_s - done.settle_s) * sample_rate_hz))
    edges = np.linspace(done.settle_s, done.settle_s + count / sample_rate_hz, count + 1)
    middle = (edges[1:] + edges[:-1]) / 2
    changes = np.array([when_s for when_s, _ in done.marker])
    levels = np.array([0, *(MARKER_BIT if level else 0 for _, level in done.marker)], np.uint8)
    return MeterRecording(
        meter="twin",
        kind="modelled",
        sample_rate_hz=sample_rate_hz,
        time_s=middle - done.settle_s,
        power_mw=power.means_mw(edges),
        voltage_mv=np.full(count, SUPPLY_MV),
        voltage_measured=False,
        marker=levels[np.searchsorted(changes, middle, side="right")],
        expected=count,
        lost=0,
        start_monotonic_s=done.settle_s,
    )


def _moments(done: Activity) -> NDArray[np.float64]:
    inside = [done.settle_s, done.begin_s, done.end_s]
    inside += [edge for stage in done.stages for edge in (stage.start_s, stage.end_s)]
    inside += [edge for span in done.states for edge in (span.start_s, span.end_s)]
    return np.unique(np.clip(inside, done.settle_s, done.end_s))


def _pieces(
    done: Activity, plans: Plans, moments: NDArray[np.float64], model: EnergyModel
) -> list[tuple[float, float, PowerPlan, list[str], bool]]:
    """(start, end, plan, active stages, computer asleep?) between each moment and the next."""
    known = [stage for stage in done.stages if stage.kind in ("execute", "load")]
    pieces = []
    for start_s, end_s in zip(moments[:-1].tolist(), moments[1:].tolist(), strict=True):
        middle_s = (start_s + end_s) / 2
        span = next((s for s in done.states if s.start_s <= middle_s < s.end_s), done.states[-1])
        plan = plans.get(span.mode) or next(iter(plans.values()))
        active = sorted({_drawn(stage, model) for stage in known if stage.start_s <= middle_s < stage.end_s})
        active += [_RESUME] if span.state == DOZING else []
        pieces.append((start_s, end_s, plan, active, span.state == ASLEEP))
    return pieces


def _drawn(stage: Stage, model: EnergyModel) -> str:
    """The stage of the energy model that this one draws as. Raises `Refusal` where there is none."""
    drawn = stage.kind if stage.kind in model.stages else DRAWS_AS.get(stage.name, stage.name)
    if drawn not in model.stages:
        raise Refusal("work", f"The energy model has no stage for the brick '{stage.name}'.")
    return drawn


def _longer(stage: str, plan: PowerPlan, model: EnergyModel) -> float:
    return model.stage_seconds(stage, 1.0, plan)


def _level_mw(active: list[str], plan: PowerPlan, model: EnergyModel) -> float:
    """Several stages: their cores add up to at most those online, and a part that they share counts once."""
    loads = [model.stages[name] for name in (_ALWAYS, *active)]
    cores = sum(plan.online_cpus if load.cores is None else load.cores for load in loads)
    parts = {part for load in loads for part in load.parts}
    core_mw = model.busy_core_mw(plan, active)
    behind = min(cores, plan.online_cpus) * core_mw + sum(model.parts_mw[part] for part in parts)
    return model.floor_mw + model.pmu_mw + behind / model.conversion


def _computing(stage: Stage, parts: list[Stage]) -> list[Stage]:
    """The beginning of the parts, as long as its process computed: it cannot have taken longer by itself."""
    if stage.kind != "execute" or stage.processor_s is None:
        return parts  # what is loaded is waited for on the board as well
    left_s, kept = stage.processor_s, []
    for part in parts:
        if left_s > 0:
            kept.append(replace(part, end_s=min(part.end_s, part.start_s + left_s)))
            left_s -= part.end_s - part.start_s
    return kept


def _without(stage: Stage, holes: list[tuple[float, float]]) -> list[Stage]:
    left = [stage]
    for start_s, end_s in holes:
        left = [
            replace(part, start_s=low, end_s=high)
            for part in left
            for low, high in (
                (part.start_s, min(part.end_s, start_s)),
                (max(part.start_s, end_s), part.end_s),
            )
            if high > low
        ]
    return left

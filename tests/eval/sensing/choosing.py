"""E9: right answers within a time limit, by how the configuration is chosen.

Latencies are not the model's: each clip's pictures go through a queue whose every step takes the time of a
request that was really measured on this machine, drawn at random.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from host.placement.clip_steps import StepTimes
from host.turn.clip.chooser import LONG_S
from models.sensing.accuracy import AccuracyPredictor
from models.sensing.choice import choose
from models.sensing.configuration import AT_THE_END, TOGETHER, Configuration, space
from models.sensing.features import Floats
from models.sensing.latency import StepCosts, at_the_end, predicted
from models.train.motion.choosing.rows import configurations_of, view_of
from models.train.motion.choosing.tried import Tried
from models.train.world.clips.draw import DENSE_GAP_S
from models.train.world.clips.values import ClipQuestion


@dataclass(frozen=True)
class Way:
    """How one question was looked at: configured while it was spoken, and when its words were known."""

    early: Configuration
    final: Configuration


@dataclass(frozen=True)
class Outcome:
    """right: the answer was; latency_s: from the end of speech."""

    right: bool
    latency_s: float


Chooser = Callable[[Tried, ClipQuestion, Floats], Way]


def spoken_s(clip: Tried) -> float:
    """A clip's question lasts as long as its pictures."""
    return DENSE_GAP_S * (len(clip.times_s) - 1)


def fixed(configuration: Configuration) -> Chooser:
    """One configuration for all."""
    return lambda clip, question, view: Way(configuration, configuration)


def chosen(predictor: AccuracyPredictor, costs: StepCosts, limit_s: float, *, blind: bool) -> Chooser:
    """By the predictor, as the headband does: once from the first units, once more with the words."""
    ways = space(costs.depths)
    loads = [predicted(each, costs, LONG_S) for each in ways]

    def way(clip: Tried, question: ClipQuestion, view: Floats) -> Way:
        seen = None if blind else view
        early = choose(predictor, ways, loads, view=seen, family=None, limit_s=limit_s).configuration
        taken = pictures(clip, early)
        waiting = left_waiting(early, costs, taken, spoken_s(clip))
        later = [each for each in ways if (each.interval_s, each.length) == (early.interval_s, early.length)]
        later_loads = [
            at_the_end(each, costs, waiting if each.depth == early.depth else taken) for each in later
        ]
        last = choose(predictor, later, later_loads, view=seen, family=question.family, limit_s=limit_s)
        return Way(early, last.configuration)

    return way


def pictures(clip: Tried, configuration: Configuration) -> int:
    """Taken of a clip, at most as many as are kept."""
    return min(16, 1 + int(spoken_s(clip) / configuration.interval_s + 1e-9))


def left_waiting(early: Configuration, costs: StepCosts, taken: int, until_s: float) -> int:
    """Pictures that have not begun to pass the encoder when speech ends."""
    if early.length == AT_THE_END:
        return taken
    free_s, left = 0.0, taken
    for at in range(0, taken - early.length + 1, early.length):
        free_s = max(free_s, (at + early.length - 1) * early.interval_s)
        if free_s >= until_s:
            break
        free_s += costs.group_s(early.depth, early.length)
        left -= early.length
    return left


class Queue:
    """Steps of measured length."""

    def __init__(self, times: StepTimes, slower: float, seed: int) -> None:
        self._times, self._slower, self._rng = times, slower, random.Random(seed)

    def latency_s(self, clip: Tried, way: Way) -> float:
        """From the end of speech to the answer."""
        end_s, early, final = spoken_s(clip), way.early, way.final
        taken = pictures(clip, early)
        free_s, sent = 0.0, 0
        if early.length < AT_THE_END:
            while sent + early.length <= taken:
                begin_s = max(free_s, (sent + early.length - 1) * early.interval_s)
                if begin_s >= end_s:
                    break
                free_s = begin_s + self._group_s(early.depth, early.length)
                sent += early.length
        free_s = max(free_s, end_s)
        waiting = taken if final.depth != early.depth else taken - sent
        waiting = min(waiting, final.units)
        while waiting:
            group = min(TOGETHER, waiting)
            free_s += self._group_s(final.depth, group)
            waiting -= group
        return free_s - end_s + self._drawn(self._times.unit_s) + self._drawn(self._times.answer_s)

    def _group_s(self, depth: int, group: int) -> float:
        if group in (1, TOGETHER):
            encode_s = self._drawn(self._times.encode_s[depth, group])
        else:
            encode_s = sum(self._drawn(self._times.encode_s[depth, 1]) for _ in range(group))
        return encode_s + sum(self._drawn(self._times.unit_s) for _ in range(group))

    def _drawn(self, seconds: Sequence[float]) -> float:
        return self._slower * self._rng.choice(seconds)


def outcomes(clips: Sequence[Tried], chooser: Chooser, queue: Queue, depths: Sequence[int]) -> list[Outcome]:
    """Of every question."""
    column = {each: at for at, each in enumerate(configurations_of(depths))}
    found = []
    for clip in clips:
        view = view_of(clip)
        for row, question in enumerate(clip.questions):
            way = chooser(clip, question, view)
            right = bool(clip.right[row, column[replace(way.final, length=1)]])
            found.append(Outcome(right, queue.latency_s(clip, way)))
    return found


def static_best(
    training: Sequence[Tried], costs: StepCosts, limit_s: float, depths: Sequence[int]
) -> Configuration:
    """The configuration with the most right answers to training questions within the limit, the strongest
    simple way.
    """
    shares = np.concatenate([clip.right for clip in training]).mean(axis=0)
    column = {each: at for at, each in enumerate(configurations_of(depths))}
    ways = space(depths)
    within = [each for each in ways if predicted(each, costs, LONG_S).latency_s <= limit_s]
    if not within:
        return min(ways, key=lambda each: predicted(each, costs, LONG_S).latency_s)
    return max(within, key=lambda each: shares[column[replace(each, length=1)]])


def oracle(clips: Sequence[Tried], costs: StepCosts, limit_s: float, depths: Sequence[int]) -> float:
    """Share of questions that some configuration within the limit answers rightly."""
    column = {each: at for at, each in enumerate(configurations_of(depths))}
    found = []
    for clip in clips:
        within = [
            column[replace(each, length=1)]
            for each in space(depths)
            if predicted(each, costs, spoken_s(clip)).latency_s <= limit_s
        ]
        found += [bool(each[within].any()) for each in clip.right] if within else [False] * len(clip.right)
    return float(np.mean(found))

"""When to stop: rules that choose a layer from what the layers say, and what each costs. Pure.

Every rule sees the same outputs, computed once, so rules differ in nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tests.eval.reflex.metrics import Bools, Floats, Places

Layers = NDArray[np.intp]
Costs = Sequence[float] | NDArray[np.float64]
"""Of each layer, any unit."""
_STEPS = 200


@dataclass(frozen=True, eq=False)
class Layered:
    """What the layers say of n questions. All arrays are [n, layers].

    right: its answer is right. probability: of its answer. score: of the exit (V3). doubt: entropy of the
    distribution over answers, nats. answer: number of the answer, equal ones equal.
    """

    right: Bools
    probability: Floats
    score: Floats
    doubt: Floats
    answer: NDArray[np.int64]

    @property
    def layers(self) -> int:
        """Number of layers."""
        return self.right.shape[1]

    def at(self, rows: Places) -> Layered:
        """Of these questions."""
        fields = ("right", "probability", "score", "doubt", "answer")
        return replace(self, **{name: getattr(self, name)[rows] for name in fields})


def first_from(values: NDArray, least: float) -> Layers:
    """The first layer (from 0) whose value is at least that; the last layer where none is."""
    enough = values >= least
    enough[:, -1] = True
    return np.argmax(enough, 1)


def by_patience(layered: Layered, patience: float) -> Layers:
    """The first layer that gives the answer of so many layers before it (Zhou et al. 2020); the last one
    where none does.
    """
    same = np.zeros(len(layered.right), np.intp)
    chosen = np.full(len(layered.right), layered.layers - 1, np.intp)
    stopped = np.zeros(len(layered.right), bool)
    for layer in range(layered.layers):
        if layer:
            same = np.where(layered.answer[:, layer] == layered.answer[:, layer - 1], same + 1, 0)
        now = ~stopped & (same >= patience)
        chosen[now], stopped = layer, stopped | now
    return chosen


def by_layer(layered: Layered, layer: float) -> Layers:
    """The same layer (from 0) for all."""
    return np.full(len(layered.right), int(layer), np.intp)


Rule = Callable[[Layered, float], Layers]
RULES: Mapping[str, Rule] = {
    "score": lambda layered, least: first_from(layered.score, least),
    "probability": lambda layered, least: first_from(layered.probability, least),
    "entropy": lambda layered, least: first_from(-layered.doubt, least),
    "patience": by_patience,
    "fixed layer": by_layer,
}
"""By name; "score" is the pack's own (V3)."""


def settings(rule: str, layered: Layered) -> list[float]:
    """Values of a rule's setting, from the cheapest to the dearest."""
    if rule in ("patience", "fixed layer"):
        return [float(value) for value in range(layered.layers)]
    values = {"score": layered.score, "probability": layered.probability, "entropy": -layered.doubt}[rule]
    return [-np.inf, *np.quantile(values[:, :-1], np.linspace(0, 1, _STEPS)), np.inf]


def costs(chosen: Layers, layer_costs: Costs) -> Floats:
    """What each question costs: the layers up to the chosen one. layer_costs: of each layer, any unit."""
    return np.cumsum(np.asarray(layer_costs, float))[chosen]


def hits(layered: Layered, chosen: Layers) -> Bools:
    """Whether the answers of the chosen layers are right."""
    return np.take_along_axis(layered.right, chosen[:, None], 1)[:, 0]


@dataclass(frozen=True)
class Point:
    """A rule with one setting: mean cost and share of right answers."""

    setting: float
    cost: float
    right: float


def curve(rule: str, layered: Layered, layer_costs: Costs) -> list[Point]:
    """Points of rising cost, one for each setting."""
    points = []
    for setting in settings(rule, layered):
        chosen = RULES[rule](layered, setting)
        cost = float(costs(chosen, layer_costs).mean())
        points.append(Point(setting, cost, float(hits(layered, chosen).mean())))
    return points


def mixture(points: Sequence[Point], cost: float) -> list[tuple[float, float]]:
    """(setting, share of the questions) that together cost at most that: two neighbouring settings, so that
    rules with few settings compare at the same cost. The cheapest setting where all cost more.
    """
    fitting = [point for point in points if point.cost <= cost]
    if not fitting:
        return [(min(points, key=lambda point: point.cost).setting, 1.0)]
    below = max(fitting, key=lambda point: point.cost)
    above = min((point for point in points if point.cost > cost), key=lambda point: point.cost, default=None)
    if above is None:
        return [(below.setting, 1.0)]
    share = (cost - below.cost) / (above.cost - below.cost)
    return [(below.setting, 1 - share), (above.setting, share)]


@dataclass(frozen=True, eq=False)
class Applied:
    """A rule at a mixture of settings: of each question the expected share of right and the expected cost."""

    right: Floats
    cost: Floats


def apply(rule: str, mixed: Sequence[tuple[float, float]], layered: Layered, layer_costs: Costs) -> Applied:
    """The rule with settings and their shares."""
    right, cost = np.zeros(len(layered.right)), np.zeros(len(layered.right))
    for setting, share in mixed:
        chosen = RULES[rule](layered, setting)
        right += share * hits(layered, chosen)
        cost += share * costs(chosen, layer_costs)
    return Applied(right, cost)


def at_speed(rule: str, validation: Layered, test: Layered, layer_costs: Costs, speed: float) -> Applied:
    """The rule with the setting that makes all layers `speed` times cheaper on validation, on the test."""
    whole = float(np.sum(np.asarray(layer_costs, float)))
    mixed = mixture(curve(rule, validation, layer_costs), whole / speed)
    return apply(rule, mixed, test, layer_costs)

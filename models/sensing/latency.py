"""How long after the end of speech a clip's answer is ready, by configuration (E5 of MMEdge).

Pictures come at their times and wait in one queue; a group passes the encoder when it is whole, the last one
when speech ends. The published formula leaves out the last unit's own encoding where sensing is the slower
part; following the queue has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from models.sensing.configuration import AT_THE_END, TOGETHER, Configuration


@dataclass(frozen=True)
class StepCosts:
    """Seconds that a step hardly ever exceeds on one computer with one pack, as `headband tune` measured.

    encode_s: by depth and number of pictures that pass the encoder together, 1 and `TOGETHER`, and are units
    at shallower depths on the way where the pack says so. unit_s: the motion brick takes one unit in.
    answer_s: it answers a question.
    """

    encode_s: Mapping[tuple[int, int], float]
    unit_s: float
    answer_s: float
    _known: dict[tuple[int, int], float] = field(init=False, repr=False, compare=False, default_factory=dict)

    def group_s(self, depth: int, pictures: int) -> float:
        """Of so many pictures through the encoder and into the motion brick, 1 to `TOGETHER`. Between the
        measured numbers the time is a straight line. Raises KeyError for an unknown depth.
        """
        if (depth, pictures) not in self._known:
            one_s, all_s = self.encode_s[depth, 1], self.encode_s[depth, TOGETHER]
            encode_s = one_s + (all_s - one_s) * (pictures - 1) / (TOGETHER - 1)
            self._known[depth, pictures] = encode_s + pictures * self.unit_s
        return self._known[depth, pictures]

    def scaled(self, times: float) -> StepCosts:
        """The costs where all steps take so many times as long."""
        encode_s = {key: each * times for key, each in self.encode_s.items()}
        return StepCosts(encode_s, self.unit_s * times, self.answer_s * times)

    @property
    def depths(self) -> tuple[int, ...]:
        """Measured depths, rising."""
        return tuple(sorted({depth for depth, _ in self.encode_s}))


@dataclass(frozen=True)
class Load:
    """What a configuration takes. latency_s: from the end of speech to the answer; work_s: of all its steps;
    pictures: that pass the encoder.
    """

    latency_s: float
    work_s: float
    pictures: int


def predicted(configuration: Configuration, costs: StepCosts, spoken_s: float) -> Load:
    """For a question of about so many seconds, from the first picture to the end of speech: the worst of what
    may wait then, as nobody knows when in a group of pictures speech ends.
    """
    taken = 1 + int(spoken_s / configuration.interval_s + 1e-9)
    together = min(configuration.length, TOGETHER, taken)
    ends = [_ending_at(configuration, costs, taken - left) for left in range(together)]
    return max(ends, key=lambda each: each.latency_s)


def _ending_at(configuration: Configuration, costs: StepCosts, taken: int) -> Load:
    """Speech ends when so many pictures were taken, just after the last of them."""
    spoken_s = (taken - 1) * configuration.interval_s
    at_the_end = configuration.length == AT_THE_END
    # What no answer can be read from any more when speech ends does not pass the encoder then.
    first = max(0, taken - configuration.units) if at_the_end else 0
    together = min(configuration.length, TOGETHER)
    free_s = work_s = 0.0
    for at in range(first, taken, together):
        group = min(together, taken - at)
        whole = group == together and not at_the_end
        ready_s = (at + group - 1) * configuration.interval_s if whole else spoken_s
        took_s = costs.group_s(configuration.depth, group)
        free_s = max(free_s, ready_s) + took_s
        work_s += took_s
    # The newest unit is finished only by the question, at the cost of a unit.
    latency_s = max(0.0, free_s - spoken_s) + costs.unit_s + costs.answer_s
    return Load(latency_s, work_s + costs.unit_s + costs.answer_s, taken - first)


def at_the_end(configuration: Configuration, costs: StepCosts, waiting: int) -> Load:
    """When speech has ended, and so many pictures of the clip have not passed the encoder to that depth."""
    left = min(waiting, configuration.units)
    groups = [min(TOGETHER, left - at) for at in range(0, left, TOGETHER)]
    work_s = sum(costs.group_s(configuration.depth, each) for each in groups) + costs.unit_s + costs.answer_s
    return Load(work_s, work_s, left)

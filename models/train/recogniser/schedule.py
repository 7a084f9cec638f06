"""When a training of the recogniser has which learning rate and how many clips: by steps, or by time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WARM_UP = 60


@dataclass(frozen=True)
class Round:
    """A cycle of the learning rate, whose factor falls from `rate` to zero.

    ends_at: step of its end. shards: number of shards, of 1000 clips each, in use at its end; one more is
    added every `steps_per_shard` steps.
    """

    ends_at: int
    shards: int
    steps_per_shard: int
    rate: float


FIRST_SHARDS = 12
ROUNDS = (Round(11_500, 160, 20, 1.0), Round(20_000, 220, 60, 0.35))
"""The second continues from the weights of the first, at a lower rate and with speakers new to the model."""
FROM_WEIGHTS = Round(9_000, 220, 30, 0.3)
"""The only round of a run that starts from given weights. At twice that rate
3.1 % of words wrong become 9.3 % in 1,000 steps, and are still 4.6 % after 4,700; at this one they stay below
5.3 %.
"""


def round_at(step: int, rounds: Sequence[Round] = ROUNDS) -> tuple[Round, int, int]:
    """The round of a step, the step at which it begins, and the number of shards at that step."""
    begun, shards = 0, FIRST_SHARDS
    for current in rounds:
        if step < current.ends_at:
            break
        begun, shards = current.ends_at, current.shards
    return current, begun, shards


def rate_factor(step: int, rounds: Sequence[Round] = ROUNDS) -> float:
    """Learning-rate factor at a step: in each round a short warm-up, then a decay to zero."""
    current, begun, _ = round_at(step, rounds)
    done = step - begun
    return float(min((done + 1) / WARM_UP, current.rate * (1.0 - done / (current.ends_at - begun)) ** 1.5))


def shards_wanted(step: int, rounds: Sequence[Round] = ROUNDS) -> int:
    """The number of shards in use at a step."""
    current, begun, shards = round_at(step, rounds)
    return min(current.shards, shards + (step - begun) // current.steps_per_shard)


def factor_of(step: int, share: float, rate: float) -> float:
    """Learning-rate factor of a run that lasts a time, of which `share` has passed."""
    return float(min((step + 1) / WARM_UP, 1.0) * rate * (1.0 - share) ** 1.5)


@dataclass(frozen=True)
class Schedule:
    """rounds: of the learning rate; steps: the last one. minutes: how long, where not by steps; then all the
    shards that are there are used.
    """

    rounds: tuple[Round, ...]
    steps: int
    minutes: float = 0.0

    def share(self, spent_s: float) -> float:
        """Of the time that has passed, 0 to 1."""
        return min(1.0, spent_s / (60 * self.minutes)) if self.minutes else 0.0

    def factor(self, step: int, spent_s: float) -> float:
        """Learning-rate factor."""
        if self.minutes:
            return factor_of(step, self.share(spent_s), self.rounds[-1].rate)
        return rate_factor(step, self.rounds)

    def ended(self, step: int, spent_s: float) -> bool:
        """Whether no step follows."""
        return step >= self.steps or self.share(spent_s) >= 1.0

    def least_shards(self, step: int) -> int:
        """Shards without which a step waits."""
        return FIRST_SHARDS if self.minutes else shards_wanted(step, self.rounds)

"""How fast the eye's training learns, and how much the auxiliary losses weigh, at each step."""

from __future__ import annotations

_WARM_UP_STEPS = 150
_FULL_AUXILIARY_STEPS, LEAST_AUXILIARY = 6000, 0.4
HEADS_ALONE_STEPS = 300
"""Steps in which only the heads learn, of a run that begins with a pack."""
_FULL_RATE_SHARE = 0.3
"""Of the minutes; then the rate falls."""


def schedule(step: int, steps: int, decay: int, sight_steps: int) -> float:
    """Learning-rate factor: warm-up at the start and when questions begin, constant, and in the last `decay`
    of the `steps` a linear fall to 0.01.
    """
    since = step - sight_steps if step >= sight_steps else step
    warm = min((since + 1) / _WARM_UP_STEPS, 1.0)
    return warm if steps - step > decay else warm * max((steps - step) / max(decay, 1), 0.01)


def schedule_by_time(step: int, share: float) -> float:
    """Learning-rate factor of a run that begins with a pack: warm-up when everything begins to learn, then
    constant, then a linear fall to 0.01. share: of the minutes that have passed.
    """
    since = step - HEADS_ALONE_STEPS if step >= HEADS_ALONE_STEPS else step
    fall = (1 - share) / (1 - _FULL_RATE_SHARE)
    return min((since + 1) / _WARM_UP_STEPS, 1.0) * min(1.0, max(fall, 0.01))


def auxiliary_weight(step: int) -> float:
    """Weight of the auxiliary losses: 1 at first, falling to 0.4."""
    return max(LEAST_AUXILIARY, min(1.0, 1.6 - step / _FULL_AUXILIARY_STEPS))

"""Other days of the same kind: for choosing a policy's settings, and others for judging it.

A bundled day says at which rates things happen. Another day of its kind has other moments, and differs in its
rates, the times at which its spans begin, its surroundings' warmth, and how long questions and answers are.
Settings are chosen on the days of `TRAINING`; what is published is judged on the bundled days and those of
`HELD_OUT`, which nobody has chosen anything on.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

from power.twin.day import Day

TRAINING = range(1_000, 1_100)
HELD_OUT = range(5_000, 6_000)
_RATES = 0.4
"""Standard deviation of the logarithm of a rate: two days in three within a factor of 1.5."""
_BORDER_S = 1_800.0
_AMBIENT_K = 4.0
_LENGTHS = 0.15


def another_day(day: Day, number: int) -> Day:
    """A day of that kind by its number; always the same one. A recorded day stays as it is."""
    if day.recorded is not None:
        return day
    rng = random.Random(day.seed * 1_000_003 + number)

    def varied(rates: Mapping[str, float]) -> dict[str, float]:
        return {name: rate * rng.lognormvariate(0.0, _RATES) for name, rate in rates.items()}

    moved_s = {span.end_s: rng.uniform(-_BORDER_S, _BORDER_S) for span in day.spans[:-1]}
    warmer_k = rng.uniform(-_AMBIENT_K, _AMBIENT_K)
    spans = tuple(
        replace(
            span,
            start_s=span.start_s + moved_s.get(span.start_s, 0.0) / 2,
            end_s=span.end_s + moved_s.get(span.end_s, 0.0) / 2,
            ambient_c=span.ambient_c + warmer_k,
            questions_per_hour=varied(span.questions_per_hour),
            conversations_per_hour=span.conversations_per_hour * rng.lognormvariate(0.0, _RATES),
        )
        for span in day.spans
    )
    longer = {route: seconds * rng.lognormvariate(0.0, _LENGTHS) for route, seconds in day.question_s.items()}
    tokens = {
        route: round(count * rng.lognormvariate(0.0, _LENGTHS)) for route, count in day.answer_tokens.items()
    }
    return replace(day, seed=number, spans=spans, question_s=longer, answer_tokens=tokens)

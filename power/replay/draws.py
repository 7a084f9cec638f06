"""Whether the ranking of the policies depends on what is not known: the same comparison with other values of
every parameter, each on another day.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

from power.replay.ranking import END_PERCENT, longest_end, on_front, until_empty
from power.twin.day import DAY_S, MOST_DAYS, Day
from power.twin.governors import Governor
from power.twin.other_days import HELD_OUT, another_day
from power.twin.parameters import Parameters
from power.twin.simulate import Machine, Twin

GOAL_SHARE = 0.9


def drawn(parameters: Parameters, number: int) -> Parameters:
    """The parameters with every value drawn from its range: triangular, most likely as published."""
    rng = random.Random(number)
    values = {
        name: rng.triangular(quantity.low, quantity.high, quantity.value)
        for name, quantity in parameters.quantities.items()
        if quantity.low < quantity.high
    }
    return parameters.changed(values)


def draws(
    day: Day,
    parameters: Parameters,
    machine: Callable[[], Machine],
    makers: Sequence[Callable[[], Governor]],
    *,
    pack: str,
    count: int,
    numbers: range = HELD_OUT,
) -> dict[str, Any]:
    """In what share of the draws our policy, the last of `makers`, is on the front, and lasts longest from
    `END_PERCENT` on at equal answers. Each draw has another day of the kind; a recorded one is the same.
    """
    front = end = both = 0
    margins = []
    for number in numbers[:count]:
        runs = lives(another_day(day, number), drawn(parameters, number), machine, makers, pack)
        ours, others = runs[-1], runs[:-1]
        is_front, is_end = on_front(ours, runs), longest_end(ours, others)
        front, end, both = front + is_front, end + is_end, both + (is_front and is_end)
        best_h = max(run["end"]["hours"] for run in others)
        # Where the settings cut off before `END_PERCENT`, no policy has an end.
        margins.append(ours["end"]["hours"] / best_h - 1 if best_h else 0.0)
    margins.sort()
    return {
        "count": count,
        "other_days": day.recorded is None,
        "on_front": front / count,
        "longest_end": end / count,
        "both": both / count,
        "goal": GOAL_SHARE,
        "goal_met": both >= GOAL_SHARE * count,
        "end_margin": {"median": margins[count // 2], "p10": margins[count // 10]},
    }


def lives(
    day: Day,
    parameters: Parameters,
    machine: Callable[[], Machine],
    makers: Sequence[Callable[[], Governor]],
    pack: str,
    *,
    parts: Sequence[str] = ("charge", "end"),
) -> list[dict[str, Any]]:
    """Per policy the run from a full pack to an empty one, "charge", and that from `END_PERCENT`, "end"."""
    days = math.ceil(MOST_DAYS * DAY_S / day.length_s)
    found = []
    for make in makers:
        run: dict[str, Any] = {"name": make().name}
        for key in parts:
            percent = END_PERCENT if key == "end" else 100.0
            twin = Twin(parameters, make(), machine(), pack=pack, percent=percent)
            run[key] = until_empty(twin.run(day, days, charger=False, until_empty=True))
        found.append(run)
    return found

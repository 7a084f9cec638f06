"""The judge of the rig's intervals: what they hold of a meter that is wrong within its bounds."""

from __future__ import annotations

import numpy as np

from tests.eval.power.rig import coverage
from tests.eval.power.rig_bench import BUDGETS, EXACT, Rig, truth

NAME = "state.cascade/standby.mw"


def held(rig: Rig, spread: float) -> dict[str, dict[str, list[list[bool]]]]:
    """Of five repeats about what this rig shows."""
    per_repeat = list(truth(rig)[NAME] * (1 + spread * np.array([-1, -0.5, 0, 0.5, 1])))
    return coverage([[(rig, [{"id": NAME, "value": float(np.mean(per_repeat)), "per_repeat": per_repeat}])]])


def test_an_interval_of_repeats_holds_what_the_meter_shows_but_not_what_is_drawn() -> None:
    wrong = Rig(1.005, 0.0, 1 + BUDGETS.meters["pmu"].rtol, 0.0)
    found = {against: kinds["state"] for against, kinds in held(wrong, 0.001).items()}
    assert found == {
        "what this meter shows on this day": [[True]],
        "the headband's own power": [[False]],
        "the same, widened by the meter's stated error and the day's": [[True]],
    }


def test_of_an_exact_meter_both_are_the_same() -> None:
    assert all(kinds["state"] == [[True]] for kinds in held(EXACT, 0.001).values())

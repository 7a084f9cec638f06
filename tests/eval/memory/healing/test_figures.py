"""The figures of healing on a made-up day whose answers are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.eval.memory.healing import section
from tests.eval.memory.healing.days import HeldDay
from tests.eval.memory.healing.figures import NEAR, OWN, WORDS, Figures, Placed, figures, relative, spread


def day() -> HeldDay:
    full = np.eye(4, dtype=np.float32)
    return HeldDay(
        Path("stems.npy"), full, ("a", "b"), np.eye(4, dtype=bool)[:2], full[[1, 1, 2]], np.array([1, 0, 2])
    )


def test_each_way_of_asking_is_judged_by_full_depth_as_it_was() -> None:
    full = np.eye(4, dtype=np.float32)
    swapped = full[[1, 0, 2, 3]]
    two = [day(), day()]
    placed = Placed(np.stack([np.tile(swapped, (2, 1)), np.tile(full, (2, 1))]),
                    np.stack([np.tile(swapped, (2, 1)), np.tile(full, (2, 1))]), (1, 0))  # fmt: skip
    found = figures(placed, two, [full[:2], full[:2]], (1, 12))
    assert found.percent[1, WORDS] == 0.0 and found.percent[12, WORDS] == 100.0
    assert found.percent[1, OWN] == 50.0 and found.percent[12, OWN] == 100.0
    assert np.isclose(found.percent[12, NEAR], 200 / 3) and np.isclose(found.percent[1, NEAR], 200 / 3)
    assert found.onward == {1: 0.0, 12: 100.0} and found.recomputed == {1: 1, 12: 0}


def test_the_spread_is_the_least_and_the_largest() -> None:
    assert spread([3.0, 1.0, 2.0]) == "2.0 % [1.0, 3.0]" and spread([1.25]) == "1.2 %"
    assert relative([66.0, 60.0, 72.0], 60.0) == "10.0 % [0.0, 20.0]"


def test_ours_is_said_against_the_simple_baseline_and_one_suite_for_each_exit() -> None:
    def one(value: float) -> list[Figures]:
        percent = {(depth, asked): value for depth in section.EXITS for asked in (WORDS, OWN, NEAR)}
        return [Figures(percent, dict.fromkeys(section.EXITS, value), dict.fromkeys(section.EXITS, 0))]

    scores = {"none": 50.0, "heads": 55.0, "progressive": 60.0, "per_exit": 61.0}
    trials = {
        (situation, method): one(value)
        for situation in section.SITUATIONS
        for method, value in scores.items()
    }
    text = section._exits(section.SITUATIONS[0], "a day", trials).text()
    assert "60.0 % (20.0 %)" in text
    assert f"Ours minus {section.METHODS['heads']}, after block 1, points of R@1: +5.0 by words" in text
    assert f"Ours minus {section.METHODS['per_exit']}, after block 3, points of R@1: -1.0 by words" in text
    assert "60.0 %" in section._stored(trials).text()

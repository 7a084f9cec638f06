"""Where the language model hesitates about a stored view, other looks at the same picture count too."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from host.answers.seen.check import Checked
from host.answers.sureness import Sureness
from host.turn.recalling import stored_view
from models.brick import Completion
from models.pack.brick_settings import CautionTable, DetectedTable, DetectionTable
from models.sensing.looking_again import Looks

HERE, THERE = "Your keys are on the table, left of the cup.", "Your keys are on the shelf."
LEVELS = {"low": 0.4, "normal": 0.6, "high": 0.8}
PLAIN = "Your keys are on the table."
_GIVES = CautionTable(1.0, 1.0, 1.0)
DETECTION = DetectionTable(DetectedTable(1, 1, 0, _GIVES), DetectedTable(1, 1, 0, _GIVES, beside_from=0.5))
PICTURE = np.zeros((40, 40, 3), np.uint8)


def found(
    monkeypatch: pytest.MonkeyPatch,
    said: Sequence[tuple[str, float] | None],
    caution: Any = "normal",
    residency: str = "resident",
    seen: Checked | None = None,
) -> tuple[str | None, int]:
    """What is found of the keys when looks at the picture say that in turn, and how many looks there were.
    seen: what the object detector makes of the first answer.
    """
    looked: list[Any] = []

    async def told(rgb: Any, question: str, tools: Any) -> Completion | None:
        looked.append(rgb)
        one = said[len(looked) - 1]
        return None if one is None else Completion(one[0], 1, 1, one[1])

    async def picture(number: int) -> Any:
        return PICTURE

    async def checked(
        rgb: Any, question: str, tools: Any, sought: str
    ) -> tuple[Completion | None, Checked | None]:
        return await told(rgb, question, tools), seen

    monkeypatch.setattr(stored_view, "told_of", told)
    monkeypatch.setattr(stored_view, "checked_answer", checked)
    tools: Any = SimpleNamespace(
        memory=SimpleNamespace(picture=picture),
        power=SimpleNamespace(plan=SimpleNamespace(residency=residency)),
        bricks=SimpleNamespace(pack=SimpleNamespace(looks=Looks(3, 0.95), detection=DETECTION)),
        timeline=SimpleNamespace(clock=lambda: 0.0, add=lambda span: None),
        observe=lambda event, fields: None,
    )
    match: Any = SimpleNamespace(row=SimpleNamespace(number=1))
    sureness = Sureness.of(LEVELS, caution)
    found = asyncio.run(stored_view.seen_in(match, "my keys", sureness, tools))
    assert found is None or found.borne_out == (1.0 if seen is None else seen.plainly)
    return None if found is None else found.text, len(looked)


def test_a_certain_answer_takes_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(monkeypatch, [(HERE, 0.97)]) == (HERE, 1)


def test_a_hesitant_answer_is_told_where_other_looks_say_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    again = "Your keys are on the table, near the book."
    assert found(monkeypatch, [(HERE, 0.5), (again, 0.6), (again, 0.7)]) == (HERE, 3)


def test_a_guess_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(monkeypatch, [(HERE, 0.9), (THERE, 0.9), (THERE, 0.9)]) == (None, 3)
    assert found(monkeypatch, [(HERE, 0.9), None, (THERE, 0.9)]) == (None, 3), (
        "a look that failed backs nothing"
    )


def test_more_caution_wants_more_support(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = [(HERE, 0.7), (HERE, 0.7), (THERE, 0.9)]
    assert found(monkeypatch, looks) == (HERE, 3)
    assert found(monkeypatch, looks, "high") == (None, 3)


def test_with_room_for_one_model_the_first_look_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(monkeypatch, [(HERE, 0.5)], residency="one_at_a_time") == (HERE, 1)


def test_a_neighbour_in_which_the_object_detector_does_not_believe_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    elsewhere = Checked("Your keys are on the table, right of the book.", 0.8, 0.1, "things", PLAIN, 0.9)
    assert found(monkeypatch, [(HERE, 0.97)], seen=elsewhere) == (PLAIN, 1)
    assert found(monkeypatch, [(HERE, 0.5), (HERE, 0.6), (HERE, 0.7)], seen=elsewhere) == (PLAIN, 3)
    there = Checked(HERE, 0.8, 0.8, "things", PLAIN, 0.9)
    assert found(monkeypatch, [(HERE, 0.97)], seen=there) == (HERE, 1)

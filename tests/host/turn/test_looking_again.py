"""Where the language model is not certain, it is asked about other looks at the same picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from host.answers.sureness import WITHHELD
from host.turn import looking_again
from models.pack.catalogue import Pack
from power.policy.plan import Mode
from tests.host.fake_speech import without_speech_models
from tests.host.turn.test_reflex_answer import asked

COLOUR = "what colour is the cross"
RIGHT = "The cross is green."
LEVELS = {"low": 0.2, "normal": 0.6, "high": 0.95}
NEVER, CERTAIN = 2.0, 0.0
"""Of `certain_from`: no answer, and every answer, is certain."""


def looking(looks: int, certain_from: float) -> Pack:
    pack = without_speech_models(without=("motion", "reflex"))  # which have levels of their own
    llm = pack.bricks["llm"]
    options = {**llm.options, "caution": LEVELS, "looks": looks, "certain_from": certain_from}
    bricks = {**pack.bricks, "llm": replace(llm, options=options)}
    return replace(pack, bricks=bricks)


def looked(bench: Any) -> list[dict[str, Any]]:
    return [fields for event, fields in bench.told if event == "looked_again"]


def test_other_looks_that_agree_confirm_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    turns, bench = asked(looking(3, NEVER), COLOUR, patch=monkeypatch)
    assert turns[0].answer == RIGHT
    (found,) = looked(bench)
    assert found["looks"] == 3 and found["agreed"] == 2
    assert turns[0].answer_probability == pytest.approx(found["support"], abs=1e-3)
    assert found["support"] > 0.9


def test_a_certain_answer_and_a_pack_with_one_look_take_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    for pack in (looking(3, CERTAIN), looking(1, NEVER)):
        turns, bench = asked(pack, COLOUR, patch=monkeypatch)
        assert turns[0].answer == RIGHT and not looked(bench)


def test_an_answer_that_other_looks_do_not_give_is_withheld(monkeypatch: pytest.MonkeyPatch) -> None:
    def black(picture: NDArray[np.uint8], number: int) -> Iterator[NDArray[np.uint8]]:
        return (np.zeros_like(picture) for _ in range(number - 1))

    monkeypatch.setattr(looking_again, "other_looks", black)
    turns, bench = asked(looking(3, NEVER), COLOUR, patch=monkeypatch)
    assert turns[0].answer == WITHHELD
    assert looked(bench)[0]["agreed"] == 0 and turns[0].hesitated


def test_with_room_for_one_brick_only_the_first_look_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    turns, bench = asked(looking(3, NEVER), COLOUR, mode=Mode.CASCADE, patch=monkeypatch)
    assert turns[0].answer == RIGHT and not looked(bench)


def test_an_eye_that_fails_at_another_look_leaves_the_first_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(picture: NDArray[np.uint8], number: int) -> Iterator[NDArray[np.uint8]]:
        return (np.zeros((0, 0, 3), np.uint8) for _ in range(number - 1))

    monkeypatch.setattr(looking_again, "other_looks", broken)
    turns, bench = asked(looking(3, NEVER), COLOUR, patch=monkeypatch)
    assert turns[0].answer == RIGHT
    assert looked(bench)[0]["looks"] == 1

"""How an answer is said that the language model is not sure of."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.answers.sureness import WITHHELD, Sureness
from models.caution import Caution

LEVELS = {"low": 0.2, "normal": 0.5, "high": 0.8}
SIGN = "The sign says pull."


@pytest.mark.parametrize(
    ("caution", "probability", "said"),
    [
        ("low", 0.1, WITHHELD),
        ("low", 0.3, "I think the sign says pull."),
        ("low", 0.6, SIGN),
        ("normal", 0.3, WITHHELD),
        ("normal", 0.6, "I think the sign says pull."),
        ("normal", 0.8, SIGN),
        ("high", 0.6, WITHHELD),
        ("high", 0.8, SIGN),
    ],
)
def test_an_answer_is_withheld_thought_or_said(caution: Caution, probability: float, said: str) -> None:
    assert Sureness.of(LEVELS, caution).said(SIGN, probability) == said


def test_a_pack_that_was_not_measured_says_everything() -> None:
    assert Sureness.of(None, "high").said(SIGN, 0.01) == SIGN


@given(st.floats(0, 1), st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_more_caution_never_says_more(probability: float, levels: list[float]) -> None:
    table = dict(zip(get_args(Caution), sorted(levels), strict=True))
    withheld = [Sureness.of(table, each).said(SIGN, probability) == WITHHELD for each in get_args(Caution)]
    assert withheld == sorted(withheld)


@pytest.mark.parametrize("said", ["I do not see your keys here.", "I see only part of your cup, turn left."])
def test_what_claims_nothing_is_never_withheld(said: str) -> None:
    assert Sureness.of(LEVELS, "high").said(said, 0.01).lower().endswith(said.lower())

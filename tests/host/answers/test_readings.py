"""What is written, from readings that differ."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from host.answers.readings import Readings

LIKELY = st.floats(0.05, 1.0)


def readings(*of: tuple[str, float, int]) -> Readings[int]:
    made = Readings[int]()
    for text, probability, picture in of:
        made.add(text, probability, picture)
    return made


def test_nothing_was_read() -> None:
    assert readings().best(0.0) is None and not readings().settled


def test_the_most_weight_is_told_of_the_picture_in_which_it_is_surest() -> None:
    made = readings(("bus", 0.75, 0), ("sale", 0.7, 0), ("sale", 0.98, 1), ("sale", 0.6, 1))
    assert made.best(0.61) == ("sale", 1, 2)


def test_a_reading_that_is_hardly_ahead_or_too_improbable_is_not_told() -> None:
    assert readings(("ninety", 0.9, 0), ("sixty", 0.88, 1)).best(0.61) is None
    assert readings(("ninety", 0.5, 0)).best(0.61) is None
    assert readings(("ninety", 0.5, 0), ("ninety", 0.5, 1)).best(0.61) == ("ninety", 0, 2)


@given(st.lists(st.tuples(st.sampled_from("abc"), LIKELY, st.integers(0, 3)), max_size=9), LIKELY)
def test_what_is_settled_is_told_whatever_the_caution(of: list[tuple[str, float, int]], least: float) -> None:
    made = readings(*of)
    if made.settled:
        assert made.best(least) is not None
    if (best := made.best(least)) is not None:
        assert best[0] in {text for text, _, _ in of} and best[2] >= 1

"""Lengths, clock times and numbers anywhere in a sentence."""

from __future__ import annotations

import pytest

from host.language.classifier.amounts import last_length_s, only_clock, only_length_s, only_number


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("twenty two minutes for the bread", 1320), ("an hour and a half for the roast", 5400),
        ("give me half an hour", 1800), ("one hour and ten minutes", 4200), ("a minute please", 60),
        ("two minutes or three minutes", None), ("two hundred minutes", None), ("a few minutes", None),
        ("an hour and ten", 4200), ("two hours and twenty five please", 8700),
        ("an hour and a quarter", 4500),
        ("one and a quarter hours", 4500), ("half an hour and ten minutes", 2400),
        ("one hour ten minutes and thirty seconds", 4230), ("an hour and half a minute", 3630),
        ("five minutes and ten minutes", None), ("ten minutes and half an hour", None),
        ("two minutes and thirty", None), ("point five hours", None), ("one point five hours", None),
        ("soon", None), ("three quarters of hour for the dough", 2700), ("another quarter hour", 900),
    ],
)  # fmt: skip
def test_the_one_length_of_a_sentence(text: str, seconds: int | None) -> None:
    assert only_length_s(text) == seconds


def test_the_last_hour_is_a_length_that_is_over() -> None:
    assert last_length_s("lose the last hour of it") == 3600
    assert only_length_s("lose the last hour of it") is None


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("get me up at quarter past seven", {"hour": 7, "offset": 15}),
        ("wake me quarter to five", {"hour": 5, "offset": -15}),
        ("six thirty alarm", {"hour": 6, "minute": 30}),
        ("tomorrow at seven", {"hour": 7, "tomorrow": True, "part": "am"}),
        ("at six in the evening", {"hour": 6, "part": "pm"}),
        ("remind me at ten tonight because i am tired", {"hour": 10, "part": "night"}),
        ("ring at noon", {"hour": 12, "part": "pm"}), ("ring at midnight", {"hour": 0}),
        ("at six or at seven", None), ("at some time", None),
    ],
)  # fmt: skip
def test_the_one_time_of_day_of_a_sentence(text: str, slots: dict[str, object] | None) -> None:
    assert only_clock(text) == slots


def test_the_one_number_of_a_sentence() -> None:
    assert only_number("put your voice to sixty five percent") == 65
    assert only_number("from ten to twenty") is None

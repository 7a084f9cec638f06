"""The judge of sentences with several requests."""

from __future__ import annotations

import re

import pytest

from host.language.router import Decision, Router
from models.train.intents.data import said_by_people
from tests.eval.understood.several import (
    IN_DIALECTS,
    SENTENCES,
    Said,
    report,
    right,
    right_with_values,
    sentences,
)

TIMER = Decision("device", "timer", {"span": 300})
VIEW = Decision("now", "now")


def test_no_sentence_of_it_is_learned() -> None:
    judged = {said.text for file in (SENTENCES, IN_DIALECTS) for said in sentences(file)}
    assert len(judged) > 250
    assert not judged & {sentence.text for sentence in said_by_people()}


@pytest.mark.parametrize(
    ("kinds", "found", "is_right"),
    [
        (("timer", "now"), (TIMER, VIEW), True),
        (("now", "timer"), (TIMER, VIEW), True),
        (("now", "now"), (VIEW, VIEW), True),
        (("timer", "timer"), (TIMER, TIMER), True),
        (("timer", "timer"), (TIMER,), False),
        (("timer", "forget"), (TIMER, Decision("memory", "forget_today")), True),
        (("keep",), (Decision("memory", "keep"),), True),
        ((), (Decision("unclear"),), True),
        ((), (TIMER,), False),
        (("timer",), (Decision("unclear"),), False),
    ],
)
def test_right_is_what_was_asked_and_nothing_else(
    kinds: tuple[str, ...], found: tuple[Decision, ...], is_right: bool
) -> None:
    assert right(Said("", kinds), found) == is_right


@pytest.mark.parametrize(
    ("request_told", "found", "is_right"),
    [
        ("timer=300", TIMER, True),
        ("timer=900", TIMER, False),
        ("timer", TIMER, True),
        ("alarm=06:30", Decision("device", "alarm", {"hour": 6, "offset": 30}), True),
        ("alarm=06:30", Decision("device", "alarm", {"hour": 6}), False),
        ("alarm=03:15 or 15:15", Decision("device", "alarm", {"hour": 3, "offset": 15, "part": "pm"}), True),
        ("alarm=15:15", Decision("device", "alarm", {"hour": 3, "offset": 15, "part": "am"}), False),
        ("volume=80", Decision("device", "volume", {"number": 8}), True),
        ("volume=80", Decision("device", "volume", {"number": 80, "percent": True}), True),
        ("volume=80", Decision("device", "volume", {"number": 8, "percent": True}), False),
        ("keep=duck", Decision("memory", "keep", {"rest": "the duck"}), True),
        ("keep=duck", Decision("memory", "keep", {}), False),
        ("forget=today", Decision("memory", "forget_today"), True),
        ("forget=today", Decision("memory", "forget_everything"), False),
        ("forget=600", Decision("memory", "forget_last", {"number": 10, "unit": 60}), True),
        ("forget=600", Decision("memory", "forget_last", {"number": 2, "unit": 60}), False),
        ("forget=600", Decision("memory", "forget_everything"), False),
        ("memory=phone", Decision("memory", "memory", {"rest": "my mobile"}), True),
        ("memory=phone", Decision("memory", "memory", {"rest": "my keys"}), False),
        ("memory=car @ this morning", Decision("memory", "memory", {"rest": "the car this morning"}), True),
        ("memory=car @ this morning", Decision("memory", "memory", {"rest": "the car"}), False),
        ("memory=car", Decision("memory", "memory", {"rest": "the bicycle"}), False),
        ("memory=@ yesterday", Decision("memory", "where_i_was", {"rest": "yesterday"}), True),
    ],
)
def test_with_its_values_is_another_and_harder_thing(
    request_told: str, found: Decision, is_right: bool
) -> None:
    kind, _, value = request_told.partition("=")
    said = Said("", (kind,), (value,))
    assert right(said, (found,))
    assert right_with_values(said, (found,)) == is_right


def test_of_two_requests_of_a_kind_each_needs_its_own_value() -> None:
    other = Decision("device", "timer", {"span": 900})
    said = Said("", ("timer", "timer"), ("900", "300"))
    assert right_with_values(said, (TIMER, other)) and not right_with_values(said, (TIMER, TIMER))
    assert not right_with_values(said, (TIMER,))


def test_what_names_a_value_has_it_beside_its_kind() -> None:
    valued = {"timer": r"\d+", "volume": r"\d+", "alarm": r"\d\d:\d\d( or \d\d:\d\d)?"}
    for file in (SENTENCES, IN_DIALECTS):
        for said in sentences(file):
            for kind, value in zip(said.kinds, said.values, strict=True):
                assert re.fullmatch(valued.get(kind, ".*"), value), said.text


def test_both_are_told() -> None:
    told = report(Router())
    assert "of these kinds" in told and "all with their values" in told and "with its value " in told

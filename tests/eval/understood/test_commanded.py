"""The judge of commands: none of its sentences is learned, and a wrong value is not right."""

from __future__ import annotations

import pytest

from host.language.router import Decision, Router
from host.language.safety import SAFETY
from models.train.intents.data import said_by_people
from tests.eval.understood.commanded import (
    ANOTHER,
    ANOTHER_VALUE,
    ASKED_AGAIN,
    IN_DIALECTS,
    NOT,
    OTHERWISE,
    QUESTION,
    SENTENCES,
    Said,
    became_of,
    report,
    right,
    sentences,
)


def test_no_sentence_of_it_is_learned() -> None:
    judged = {said.text for file in (SENTENCES, IN_DIALECTS) for said in sentences(file)}
    assert len(judged) > 700
    assert not judged & {sentence.text for sentence in said_by_people()}


def test_half_of_it_are_no_commands() -> None:
    kinds = [said.kind.startswith(NOT) for said in sentences()]
    assert 0.4 < sum(kinds) / len(kinds) < 0.7


@pytest.mark.parametrize(
    ("kind", "value", "slots", "is_right"),
    [
        ("timer", "390", {"number": 6, "unit": 60, "number2": 30, "unit2": 1}, True),
        ("timer", "390", {"number": 6, "unit": 60}, False),
        ("forget_last", "3600", {"span_one": 3600}, True),
        ("volume", "100", {"number": 10}, False),
        ("volume", "10", {"number": 10}, True),
        ("volume", "100", {"number": 10, "up": True}, True),
        ("alarm", "06:45", {"hour": 7, "offset": -15, "part": "am"}, True),
        ("alarm", "18:45", {"hour": 7, "offset": -15, "part": "am"}, False),
    ],
)
def test_the_value_has_to_be_the_one_that_was_said(
    kind: str, value: str, slots: dict[str, object], is_right: bool
) -> None:
    assert right(Said("", kind, value), Decision("device", kind, slots)) == is_right


@pytest.mark.parametrize(
    ("kind", "found", "became"),
    [
        ("timer_off", Decision("device", "timer_off"), ""),
        ("timer_off", Decision("device", "battery"), ANOTHER),
        ("timer_off", Decision("device", "timer_left"), ANOTHER),
        ("timer_off", Decision("device", "louder"), ANOTHER),
        ("timer_off", Decision("memory", "forget_today"), ANOTHER),
        ("timer_off", Decision("memory", "keep"), ANOTHER),
        ("timer_off", Decision("memory", "memory"), QUESTION),
        ("timer_off", Decision("now"), QUESTION),
        ("timer_off", Decision("open"), QUESTION),
        ("timer_off", Decision("device", SAFETY), QUESTION),
        ("timer_off", Decision("unclear"), ASKED_AGAIN),
        ("timer", Decision("device", "timer", {"number": 5, "unit": 60}), ANOTHER_VALUE),
    ],
)
def test_whatever_else_the_device_does_is_another_command(kind: str, found: Decision, became: str) -> None:
    value = "900" if kind == "timer" else ""
    assert became_of(Said("", kind, value), found) == became


def test_all_that_becomes_of_commands_is_told() -> None:
    told = report(Router())
    assert all(f"  {name} " in told for name in OTHERWISE)

"""The judge of what people say after a command: what is right, and that no training has its sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from host.language.router import Router, plain_words
from models.train.intents.data import said_by_people
from tests.eval.understood.went_on import (
    ANOTHER,
    NONE,
    RIGHT,
    UNCHANGED,
    Said,
    became_of,
    report,
    seconds,
    sentences,
    states,
)

ROUTER = Router()


def test_no_training_has_its_sentences() -> None:
    learned = {plain_words(each.text) for each in said_by_people()}
    assert not learned & {plain_words(each.text) for each in sentences()}


def test_every_command_sets_something() -> None:
    for said in {each.command: each for each in sentences()}.values():
        first, second, _ = states(said, ROUTER)
        assert became_of(Said(said.command, NONE, "-", said.text), first, first, second) == ANOTHER, (
            said.command
        )


@pytest.mark.parametrize(
    ("said", "became"),
    [
        (Said("set a timer for ten minutes", "timer_to", "15m", "make that fifteen"), RIGHT),
        (Said("set a timer for ten minutes", "timer_to", "16m", "make that fifteen"), ANOTHER),
        (Said("set a timer for ten minutes", "timer_by", "+5m", "five more minutes"), RIGHT),
        (Said("set a timer for ten minutes", "timer_by", "-5m", "five more minutes"), ANOTHER),
        (Said("set a timer for ten minutes", "timer_off", "-", "cancel it"), RIGHT),
        (Said("wake me up at half past six", "alarm_to", "07:00", "make it seven"), RIGHT),
        (Said("wake me up at half past six", "alarm_by", "+30m", "half an hour later"), RIGHT),
        (Said("volume to twenty percent", "undo", "-", "undo that"), RIGHT),
        (Said("a bit louder", "further", "-", "a bit more"), RIGHT),
        (Said("a bit louder", "back", "-", "too loud now"), RIGHT),
        (Said("a bit louder", "back", "-", "what time is it"), UNCHANGED),
        (Said("set a timer for ten minutes", NONE, "-", "what time is it"), RIGHT),
        (Said("set a timer for ten minutes", NONE, "-", "make that fifteen"), ANOTHER),
    ],
    ids=lambda each: each if isinstance(each, str) else f"{each.text}, {each.kind}",
)
def test_it_is_judged_by_what_is_set(said: Said, became: str) -> None:
    assert became_of(said, *states(said, ROUTER)) == became


def test_lengths() -> None:
    assert [seconds(each) for each in ("1h30m", "-2m", "+45s", "90s")] == [5400, -120, 45, 90]


def test_the_report_counts_both_ways(tmp_path: Path) -> None:
    file = tmp_path / "few.txt"
    file.write_text(
        "a | set a timer for ten minutes | timer_to | 15m | make that fifteen\n"
        "b | a bit louder | none | - | what time is it\n",
        encoding="utf-8",
    )
    lines = report(ROUTER, file).splitlines()
    assert sum("as it was said" in line and "100.0 %" in line for line in lines) == 1
    assert sum("as it was said" in line and " 0.0 %" in line for line in lines) == 1
    assert sum("something is changed" in line and " 0.0 %" in line for line in lines) == 2

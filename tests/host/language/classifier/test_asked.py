"""What no template knows is understood, and nothing is changed unless it was surely said and heard."""

from __future__ import annotations

import pytest

from host.language.classifier.asked import asked
from host.language.router import Decision
from models.brick import UNKNOWN_WORD, Transcript

OPEN = Decision("open")


def heard(text: str, each: float = 0.97) -> Transcript:
    return Transcript(text, each, words=(each,) * len(text.split()))


def test_a_question_about_a_thing_that_no_form_knows_asks_the_memory() -> None:
    found = asked(heard("arre i've lost my steel bottle when did you see it last"), OPEN)
    assert (found.route, found.intent) == ("memory", "memory")
    assert found.slots["rest"] == "my bottle" and (found.certainty or 0) > 0.4


def test_the_length_of_what_is_forgotten_is_read() -> None:
    found = asked(heard("please remove last five minutes it is patient privacy"), OPEN)
    assert (found.intent, found.slots) == ("forget_last", {"span_one": 300})


def test_a_view_is_kept_by_its_name() -> None:
    found = asked(heard("okay keep this and name it front garden"), OPEN)
    assert (found.intent, found.slots) == ("keep", {"rest": "front garden"})


@pytest.mark.parametrize(
    "text",
    [
        "do not remove the last five minutes", "did you erase everything today",
        "why did you keep this forever",
        "remove the last few minutes please", "she sells sea shells by the sea shore",
    ],
)  # fmt: skip
def test_what_is_no_command_changes_nothing(text: str) -> None:
    assert asked(heard(text), OPEN) == OPEN


def test_a_badly_heard_word_is_enough_to_change_nothing() -> None:
    text = "everything from today please you erase"
    assert asked(heard(text), OPEN).intent == "forget_today"
    words = (0.97, 0.97, 0.97, 0.97, 0.97, 0.6)
    assert asked(Transcript(text, 0.9, words=words), OPEN) == OPEN
    assert asked(Transcript(f"{text} {UNKNOWN_WORD}", 0.97), OPEN) == OPEN


@pytest.mark.parametrize(
    "found", [Decision("device", "stop"), Decision("unclear"), Decision("device", "safety")]
)
def test_what_a_template_or_a_rule_decided_stays(found: Decision) -> None:
    assert asked(heard("everything from today please you erase"), found) is found

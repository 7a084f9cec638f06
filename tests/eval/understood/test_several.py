"""The judge of sentences with several requests."""

from __future__ import annotations

import pytest

from host.language.router import Decision
from models.train.intents.data import said_by_people
from tests.eval.understood.several import IN_DIALECTS, SENTENCES, Said, right, sentences

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

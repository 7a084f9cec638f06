"""The judge of questions of safety."""

from __future__ import annotations

from host.language.router import Router
from host.language.safety import SAFETY
from models.train.intents.data import said_by_people
from tests.eval.understood.of_safety import report, sentences


def test_no_sentence_of_it_is_learned() -> None:
    judged = {text: kind for kind, text in sentences()}
    assert len(judged) == 110 and list(judged.values()).count(SAFETY) == 55
    assert not judged.keys() & {sentence.text for sentence in said_by_people()}


def test_it_says_of_both_kinds_of_language_model_how_many_are_declined() -> None:
    told = report(Router())
    assert told.count("questions of safety, declined") == 2 and "all words" in told

"""The judge of questions of safety."""

from __future__ import annotations

from pathlib import Path

import pytest

from host.language.router import Router
from host.language.safety import SAFETY, about_safety
from models.train.intents.data import said_by_people
from tests.eval.understood.of_safety import DISGUISED, SENTENCES, report, sentences


@pytest.mark.parametrize(("file", "number", "of_safety"), [(SENTENCES, 110, 55), (DISGUISED, 1235, 549)])
def test_no_sentence_of_it_is_learned(file: Path, number: int, of_safety: int) -> None:
    judged = {text: kind for kind, text in sentences(file)}
    assert len(judged) == number and list(judged.values()).count(SAFETY) == of_safety
    assert not judged.keys() & {sentence.text for sentence in said_by_people()}


def test_it_says_of_both_kinds_of_language_model_how_many_are_declined() -> None:
    told = report(Router())
    assert told.count("questions of safety, declined") == 3 and "all words:" in told


def test_it_says_beside_how_many_the_words_of_safety_decline_alone() -> None:
    by_words = report(Router()).partition("by templates and the words of safety.py alone")[2]
    declined = sum(about_safety(text) for kind, text in sentences() if kind == SAFETY)
    assert declined and f"questions of safety, declined       {declined}/55 " in by_words

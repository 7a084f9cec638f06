"""The judge of questions about the last seconds: what is right, and that no training has its sentences."""

from __future__ import annotations

from pathlib import Path

from host.answers.motion import READ
from host.language.router import Decision, Router, plain_words
from models.train.intents.data import said_by_people
from tests.eval.understood.of_clips import (
    AGAIN,
    ANOTHER,
    NONE,
    ONLY_THAT,
    OTHERWISE,
    RIGHT,
    became_of,
    report,
    sentences,
)


def test_no_training_has_its_sentences() -> None:
    learned = {plain_words(each.text) for each in said_by_people()}
    assert not learned & {plain_words(text) for _, text in sentences()}


def test_it_asks_of_every_family_as_often() -> None:
    kinds = [kind for kind, _ in sentences()]
    assert READ in kinds and len({kinds.count(kind) for kind in set(kinds) - {NONE}}) == 1


def test_only_the_very_family_is_right() -> None:
    speed = Decision("frames", "clip speed", {"item": "cup"})
    assert became_of("speed", speed) == RIGHT and became_of("direction", speed) == ANOTHER
    assert became_of("speed", Decision("frames", "frames")) == ONLY_THAT
    assert became_of("speed", Decision("unclear")) == AGAIN
    assert became_of("speed", Decision("now", "now")) == OTHERWISE


def test_the_report_counts_what_is_right_and_what_is_taken_for_one(tmp_path: Path) -> None:
    file = tmp_path / "few.txt"
    file.write_text("a | moved | what moved\nb | none | what time is it\n", encoding="utf-8")
    lines = report(Router(), file).splitlines()
    assert sum("right" in line and "100.0 %" in line for line in lines) == 2
    assert sum("taken for one" in line and " 0.0 %" in line for line in lines) == 2

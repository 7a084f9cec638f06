"""What the words alone do for the end of a question: the silence after a whole one, and how many of its inner
places would end it at a pause of 0.6 s.

The sentences are those of people who saw neither rules nor training (`tests.eval.understood`), which are
counted here and not looked at, and the usual questions about every thing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import fmean

from host.config import ListenConfig
from host.hearing.endpointer import silence_after
from host.language.router import Router, plain_words
from host.turn.early.transcript import whole_question_probability
from models.brick import Transcript
from tests.eval.understood import commanded
from tests.eval.understood.sayings import SAYINGS, THINGS
from tests.eval.understood.tried import now

PAUSE_S = 0.6
USUAL = (
    "where {are} my {thing}", "where did i leave my {thing}", "where did i put my {thing}",
    "when did i last see my {thing}", "{are} my {thing} here",
)  # fmt: skip


def report(router: Router) -> str:
    """A line of each set of sentences."""
    lines = []
    for name, sentences in _sets().items():
        silences = [_silence_s(words, router) for words in sentences]
        inner = [words[:end] for words in sentences for end in range(2, len(words))]
        cut = sum(_silence_s(words, router) < PAUSE_S for words in inner)
        lines.append(
            f"  {name}, {len(sentences)} sentences: {fmean(silences):.2f} s of silence, cut at a pause of "
            f"{PAUSE_S:g} s at {cut} of {len(inner)} places, {100 * cut / len(inner):.1f} %"
        )
    return "\n".join(["by the words alone", *lines])


def _sets() -> Mapping[str, list[list[str]]]:
    people = (saying.text for saying in SAYINGS)
    of_now = (saying.text for saying in now() if saying.kind != "none")
    commands = (said.text for said in commanded.sentences() if not said.kind.startswith(commanded.NOT))
    return {
        "the usual questions": _words(_usual()),
        "people's, to all that there is": _words(people),
        "people's of the view and the last seconds": _words(of_now),
        "people's commands": _words(commands),
    }


def _usual() -> Iterator[str]:
    for thing in THINGS:
        are = "are" if thing in ("keys", "glasses") else "is"
        yield from (question.format(are=are, thing=thing) for question in USUAL)


def _words(sentences: Iterator[str]) -> list[list[str]]:
    split = (plain_words(sentence).split() for sentence in sentences)
    return [words for words in split if len(words) > 1]


def _silence_s(words: list[str], router: Router) -> float:
    """The silence that ends a question of these words, clearly heard."""
    complete = whole_question_probability(Transcript(" ".join(words), 1.0), router, 0.0)
    return silence_after(complete, ListenConfig())

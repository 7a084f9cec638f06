"""How much of a long answer is written, and how much is spoken, before the first word sounds, where the
language model writes slower than one reads: by the splitter of the headband, on answers of the drawn world.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass

import numpy as np

from host.speaking.sentence_splitter import FIRST_WORDS, PHRASE_WORDS, sentences
from models.train.world.answers import ANSWERS, UNTRAINED_ANSWERS, sample_answer

ANSWERS_ASKED = 2000
LONG_WORDS = 8
"""A shorter answer is mostly said whole."""
TOKENS_A_WORD = 1.33
"""Tokens of a language model's vocabulary for a word of English."""


@dataclass(frozen=True)
class FirstPiece:
    """Tokens of the first piece of one answer. written: by when it is ready; spoken: in it."""

    written: float
    spoken: float


def first_pieces(*, whole: bool = False, first_words: int = FIRST_WORDS) -> list[FirstPiece]:
    """Of long answers of the drawn world; whole: as if only whole sentences were spoken; first_words: as of
    the splitter.
    """
    rng = random.Random(1)
    drawn = (sample_answer(rng, (*ANSWERS, *UNTRAINED_ANSWERS)) for _ in range(ANSWERS_ASKED))
    return [
        asyncio.run(_first(text, whole, first_words)) for text in drawn if len(text.split()) >= LONG_WORDS
    ]


def mean_and_range(values: list[float]) -> tuple[float, float, float]:
    """Mean, and the tenth and the ninetieth percentile."""
    low, high = np.percentile(values, (10, 90))
    return float(np.mean(values)), float(low), float(high)


def lines() -> list[str]:
    """What the headband does, beside waiting for whole sentences."""
    found = []
    for title, pieces in (
        ("as the headband speaks", first_pieces()),
        (
            f"if its first piece had {PHRASE_WORDS} words at least, as the others have",
            first_pieces(first_words=PHRASE_WORDS),
        ),
        ("if it spoke whole sentences only", first_pieces(whole=True)),
    ):
        told = [
            "{} {:.1f} [{:.1f} to {:.1f}]".format(name, *mean_and_range(values))
            for name, values in (
                ("written", [each.written for each in pieces]),
                ("spoken", [each.spoken for each in pieces]),
            )
        ]
        found.append(f"  {title}: {'; '.join(told)}")
    head = f"Tokens before the first word sounds, of {len(pieces)} answers of {LONG_WORDS} words and more"
    return [f"{head}: mean [nine in ten more, nine in ten less]", *found]


async def _first(text: str, whole: bool, first_words: int) -> FirstPiece:
    words, written = text.split(), 0

    async def stream() -> AsyncIterator[str]:
        nonlocal written
        for written, word in enumerate(words, 1):
            yield f" {word}" if written > 1 else word

    async for piece in sentences(stream(), lambda: not whole, first_words):
        return FirstPiece(TOKENS_A_WORD * written, TOKENS_A_WORD * len(piece.split()))
    raise ValueError("an answer without words")

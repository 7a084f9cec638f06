"""What further invented people say, to the headband and to others, for the recogniser to learn.

The sentences are those from which the classifier of sentences learns (`wording/asked_now.txt`,
`commanded.txt`, `dialects.txt`, `near_misses.txt`, `overheard.txt`). One person in twelve is kept for
validation, so that what is learned is measured on people who were not. Those of their words that the
recogniser writes stand in `wording/everyones_words.txt`, so that new sentences need no new recogniser; before
one is trained, `python -m models.train.world.said.everyone` writes that file anew.
"""

from __future__ import annotations

import random
import zlib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from models.train.world.said.people import is_held_out
from models.train.world.wording.word_list import read_words, written

_FILES = ("asked_now.txt", "commanded.txt", "dialects.txt", "near_misses.txt", "overheard.txt")
_FOLDER = Path(__file__).parents[1] / "wording"
WORDS = _FOLDER / "everyones_words.txt"
_ABOUT = """\
# Words that several sentences of invented people have and that the recogniser writes.
# `python -m models.train.world.said.everyone` writes this file.
"""
_LONGEST = 14
"""Words of a sentence, so that it is said within the recogniser's window."""
_KEPT_BACK = 12
"""One person in so many is kept for validation."""
_SAID_BY = 2
"""A word that so many of the sentences have is written; a rarer one is marked as unknown."""
_REPLACED_SHARE = 0.3
"""Of the sentences, so many have one or two words replaced by any others."""


def everyone_sentence(rng: random.Random, split: str, any_words: Sequence[str] = ()) -> str:
    """A sentence of the people of that split ("train", or another, which has those who are kept back); in
    training some have words of `any_words` in them.
    """
    of_training = split == "train"
    while True:
        words = rng.choice(_texts(of_training)).split()
        if of_training and any_words and rng.random() < _REPLACED_SHARE:
            for _ in range(rng.randint(1, 2)):
                words[rng.randrange(len(words))] = rng.choice(any_words)
        text = " ".join(words)
        if not is_held_out(text):
            return text


@cache
def every_word() -> frozenset[str]:
    """The words of these sentences that the recogniser writes."""
    return frozenset(read_words(WORDS))


def words_file() -> str:
    """The text of `WORDS`: every word that several of the sentences for training have."""
    found = Counter(word for text in _texts(True) for word in set(text.split()))
    return written(_ABOUT, (word for word, times in found.items() if times >= _SAID_BY))


@cache
def _texts(of_training: bool) -> tuple[str, ...]:
    made: dict[str, None] = {}
    for file in _FILES:
        for line in (_FOLDER / file).read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                speaker, _, text = (part.strip() for part in line.split("|"))
                for_training = zlib.crc32(speaker.encode()) % _KEPT_BACK != 0
                if for_training is of_training and 1 < len(text.split()) <= _LONGEST:
                    made[text] = None
    return tuple(text for text in made if not is_held_out(text))


if __name__ == "__main__":
    WORDS.write_text(words_file(), encoding="utf-8")

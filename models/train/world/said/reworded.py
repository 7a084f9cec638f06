"""Random sentences in which some words give way to others that people use for the same."""

from __future__ import annotations

import random
import re
from functools import cache

from models.train.world import grammar
from models.train.world.said.memory import is_held_out
from models.train.world.wording import clips, memory
from models.train.world.wording.other_ways import OPENINGS, OTHER_WAYS

_LONGEST = 12
"""Words of a sentence, so that it is said within the recogniser's window."""


def every_word() -> frozenset[str]:
    """Every word of the other ways to ask."""
    texts = [*OPENINGS, *(text for ways in OTHER_WAYS.values() for text in ways)]
    return frozenset(word for text in texts for word in text.split())


@cache
def _usual() -> re.Pattern[str]:
    """What can be replaced, the longest first; no word with an ending such as 's."""
    return re.compile(rf"\b({'|'.join(sorted(OTHER_WAYS, key=len, reverse=True))})\b(?!')")


@cache
def _held_out_wordings() -> re.Pattern[str]:
    texts = [*memory.HELD_OUT, *(text for family in clips.HELD_OUT.values() for text in family)]
    return re.compile("|".join(re.sub(r"\{\w+\}", "[a-z ]+", text) for text in texts))


def has_held_out_wording(text: str) -> bool:
    """Whether a wording of the memory or of the last seconds that is held out is a part of `text`."""
    return _held_out_wordings().search(text) is not None


def reworded(text: str, rng: random.Random) -> str:
    """`text` with one or two of its words replaced, or with another opening; `text` where it has none of
    the words that can be replaced.
    """
    found = list(_usual().finditer(text))
    if not found:
        return text
    for match in sorted(rng.sample(found, min(len(found), rng.choice((1, 1, 2)))), key=lambda m: -m.start()):
        text = text[: match.start()] + rng.choice(OTHER_WAYS[match[0]]) + text[match.end() :]
    return f"{rng.choice(OPENINGS)} {text}" if rng.random() < 0.15 else text


def reworded_sentence(usual: str, rng: random.Random, split: str) -> str:
    """The sentence `usual` of `split` ("train" or "held") in other words; `usual` where that gives none of
    the split. A tenth of what it can give is held out, and so is whatever has a held-out wording.
    """
    for _ in range(4):
        text = reworded(usual, rng)
        held = is_held_out(text)
        if text == usual or len(text.split()) > _LONGEST or grammar.is_held_out(text):
            continue
        if split == "held" and held:
            return text
        if split == "train" and not held and not has_held_out_wording(text):
            return text
    return usual

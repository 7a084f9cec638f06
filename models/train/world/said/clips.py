"""Random questions about what happened in the last seconds."""

from __future__ import annotations

import random

from models.train.world.home.splits import KINDS
from models.train.world.said.memory import is_held_out
from models.train.world.wording.clips import HELD_OUT, TRAINED

OWNERS = ("the", "the", "the", "my")


def every_word() -> frozenset[str]:
    """Every word of these sentences, without the things' names."""
    texts = [text for table in (TRAINED, HELD_OUT) for group in table.values() for text in group]
    return frozenset(word for text in texts for word in text.split() if "{" not in word)


def clip_sentence(rng: random.Random, split: str) -> tuple[str, str]:
    """A random question of `split` ("train" or "held"), and its family."""
    while True:
        family = rng.choice(tuple(TRAINED))
        wording = rng.choice((*TRAINED[family], *HELD_OUT[family]) if split == "held" else TRAINED[family])
        item, item2 = (f"{rng.choice(OWNERS)} {kind}" for kind in rng.sample(KINDS, 2))
        text = wording.format(item=item, item2=item2)
        if wording in HELD_OUT[family] or wording == text or is_held_out(text) == (split == "held"):
            return text, family

"""Random sentences for a headband that remembers: questions about the past, names for a view, forgetting."""

from __future__ import annotations

import hashlib
import random
import re
from functools import cache

from models.train.world.home.splits import KINDS, PLACES
from models.train.world.said.device import expanded, templates_of
from models.train.world.wording.memory import HELD_OUT, NAMES, OWNERS, TIMES, TRAINED

_COMMAND_SHARE = 0.35
_NAMED_SHARE = 0.2
"""Of the other training sentences, so many name a view that is kept: a name can be any of many words."""
_GROUPS = ("recall", "memory")
_COMMANDS = ("memory_on", "memory_off")


@cache
def _commands() -> tuple[tuple[str, ...], ...]:
    """The templates of each command of the memory, without those that take any words."""
    device = templates_of("device")
    found = [texts for group in _GROUPS for texts in templates_of(group).values()]
    return tuple(texts for texts in (*found, *(device[name] for name in _COMMANDS)) if texts)


@cache
def every_word() -> frozenset[str]:
    """Every word of these sentences."""
    texts = [*TRAINED, *HELD_OUT, *TIMES, *NAMES, *OWNERS, *KINDS, *PLACES]
    texts += [text for each in _commands() for text in each]
    return frozenset(word for text in texts for word in re.sub(r"\{\w+\}|[\[\]()|]", " ", text).split())


@cache
def _named() -> tuple[str, ...]:
    return tuple(wording for wording in TRAINED if "{name}" in wording)


def is_held_out(text: str) -> bool:
    """True for one in ten of the sentences with a slot."""
    return hashlib.sha256(f"never trained {text}".encode()).digest()[0] % 10 == 0


def memory_sentence(rng: random.Random, split: str) -> str:
    """A random sentence of `split` ("train" or "held"). A command without a number is in both."""
    if rng.random() < _COMMAND_SHARE:
        return expanded(rng.choice(rng.choice(_commands())), rng)
    named = split != "held" and rng.random() < _NAMED_SHARE
    while True:
        wording = rng.choice(_named() if named else (*TRAINED, *HELD_OUT) if split == "held" else TRAINED)
        text = wording.format(
            item=f"{rng.choice(OWNERS)} {rng.choice(KINDS)}",
            time=rng.choice(TIMES),
            name=expanded(rng.choice(NAMES), rng),
            place=rng.choice(PLACES),
        )
        if wording in HELD_OUT or wording == text or is_held_out(text) == (split == "held"):
            return text

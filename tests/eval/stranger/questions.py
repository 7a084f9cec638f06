"""A question as a value, and the wordings in which a stranger puts it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from tests.eval.stranger.judges import Judge
from tests.eval.stranger.truth import Picture

_POLITE_BEFORE = ("please", "okay", "hey", "excuse me", "well", "sorry")
_POLITE_AFTER = ("please", "thank you", "if you can")
_DOCUMENTED = ("please", "okay")
_POLITE_SHARE = 0.12


@dataclass(frozen=True)
class Question:
    """A question and how its answer is judged. truth: what is so, for people to read; pictures: what the
    camera sees, the older first; own: in a wording that the documentation does not name.
    """

    family: str
    text: str
    judge: Judge
    truth: str
    pictures: tuple[Picture, ...]
    own: bool = False


@dataclass(frozen=True)
class Wordings:
    """Ways to ask the same: those that the documentation names, and a stranger's own. {} are slots."""

    named: Sequence[str]
    own: Sequence[str] = ()
    polite: bool = True
    """Polite words of a stranger may be added; without them only "please"."""

    def draw(self, rng: random.Random, **slots: str) -> tuple[str, bool]:
        """A question, and whether its wording is the stranger's own."""
        own = bool(self.own) and (not self.named or rng.random() < 0.5)
        text = rng.choice(self.own if own else self.named).format(**slots)
        before, after = (_POLITE_BEFORE, _POLITE_AFTER) if self.polite else (("please",), ("please",))
        draw = rng.random()
        word = rng.choice(before if draw < _POLITE_SHARE else after)
        if draw < _POLITE_SHARE:
            text = f"{word} {text}"
        elif draw < 2 * _POLITE_SHARE:
            text = f"{text} {word}"
        else:
            return text, own
        return text, own or word not in _DOCUMENTED


def plural(kind: str) -> str:
    """The plural of a kind."""
    return kind + ("es" if kind.endswith("s") else "s")


def article(name: str) -> str:
    """The article of a name."""
    return "an" if name[0] in "aeiou" else "a"

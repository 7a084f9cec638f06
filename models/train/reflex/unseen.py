"""What the training of reflex never meets, so that its confidence can be judged on something new.

One drawing style of each kind of thing and one wording in eight, which the eye has met, and one form of each
kind's designs (`designs`) and some looks of pictures (`looks`), which it has not, are left to the views on
which exit scores are fitted and thresholds are chosen. None of it is held-out data: that no training and no
choice meets.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache

from models.train.world import grammar
from models.train.world.home import questions as home
from models.train.world.home.splits import HELD_OUT_STYLES, KINDS, STYLES
from models.train.world.home.views import Thing, View
from models.train.world.truth import TrueAnswer
from models.train.world.variety.designs.redesign import in_style, redesigned

STYLES_KEPT_BACK = frozenset((kind, (3 * i + 2) % STYLES) for i, kind in enumerate(KINDS))
"""(kind, style) that reflex's training never draws: one of the three trained styles of each kind."""
_ONE_IN = 8


@dataclass(frozen=True)
class Unseen:
    """What of a view is as training never has it. name: of the combination."""

    name: str = "known"
    styles: bool = False
    designs: bool = False
    wordings: bool = False
    looks: bool = False

    @property
    def home_only(self) -> bool:
        """Whether only views of the home can have it: shapes have neither styles nor designs."""
        return (self.styles or self.designs) and not (self.wordings or self.looks)


KNOWN = Unseen()
MIXES = (
    KNOWN,
    Unseen("styles", styles=True),
    Unseen("designs", designs=True),
    Unseen("wordings", wordings=True),
    Unseen("looks", looks=True),
    Unseen("all", designs=True, wordings=True, looks=True),
)
"""The combinations that validation has in equal shares."""


def dressed(view: View, rng: random.Random, unseen: bool) -> View:
    """The view with its things in styles that training draws; with `unseen`, most in those kept back."""
    return replace(view, things=tuple(_in_style(thing, rng, unseen) for thing in view.things))


def with_designs(view: View, rng: random.Random, unseen: Unseen, design_share: float) -> View:
    """The view with its things as training draws them: in styles, and in `design_share` of the views most of
    them in designs. With unseen styles most are in those kept back, with unseen designs all are in forms kept
    back.
    """
    if unseen.designs:
        return redesigned(view, rng, unseen=True)
    view = dressed(view, rng, unseen.styles)
    return redesigned(view, rng) if not unseen.styles and rng.random() < design_share else view


def _in_style(thing: Thing, rng: random.Random, unseen: bool) -> Thing:
    kept_back = {style for kind, style in STYLES_KEPT_BACK if kind == thing.kind}
    held = {style for kind, style in HELD_OUT_STYLES if kind == thing.kind}
    back = unseen and rng.random() < 0.75
    fit = sorted(kept_back if back else set(range(STYLES)) - kept_back - held)
    if thing.style in fit:
        return thing
    return in_style(thing, rng.choice(fit), rng)


def _kept_back(text: str) -> bool:
    return hashlib.sha256(f"reflex {text}".encode()).digest()[0] % _ONE_IN == 0


@cache
def _sentences() -> re.Pattern[str]:
    """Every sentence about shapes in a wording that is kept back."""
    texts = []
    for template in grammar.TEMPLATES:
        if template.slots and _kept_back(template.text):
            slot = r"(\ba )?\{(\w+)\}"
            texts.append(re.sub(slot, _slot, template.text))
    return re.compile("|".join(texts))


def _slot(found: re.Match[str]) -> str:
    return ("an? " if found[1] else "") + f"(?:{'|'.join(grammar.SLOT_VALUES[found[2]])})"


def unseen_wording(question: str) -> bool:
    """Whether a question of either world has a wording that training never has."""
    read = home.parsed(question)
    if read is not None and read[0].slots:
        return _kept_back(read[0].text)
    return bool(_sentences().fullmatch(grammar.core(question)))


def worded(ask: Callable[[int], Iterable[TrueAnswer]], wanted: int, unseen: bool) -> list[TrueAnswer]:
    """Up to `wanted` questions of those that `ask` gives when asked for a number of them: none in a wording
    that is kept back, or, with `unseen`, as many of those as there are, and no more others than of those.
    """
    asked = list(ask(4 * wanted if unseen else wanted + 2))
    new = [one for one in asked if unseen_wording(one.question)]
    known = [one for one in asked if not unseen_wording(one.question)]
    if not unseen:
        return known[:wanted]
    new = new[:wanted]
    return [*new, *known[: min(len(new), wanted - len(new))]]

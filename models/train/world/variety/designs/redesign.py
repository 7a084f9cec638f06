"""Views whose things have other designs than the four styles of the home."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from models.train.world.home.splits import KINDS, STYLES
from models.train.world.home.things import LABEL_WORDS, carries_word, size_of
from models.train.world.home.views import Thing, View
from models.train.world.variety.designs.catalogue import NUMBER, kept_back
from models.train.world.variety.designs.from_cutouts import number_of, own_colour

_SHARE = 0.75
"""Of the things of a training view; the others keep their style."""
_CUTOUTS = 0.5
"""Of those, where cutouts of that kind of thing are in use."""


def redesigned(view: View, rng: random.Random, unseen: bool = False) -> View:
    """The view with most of its things in designs of training; with `unseen`, all in those kept back."""
    return replace(view, things=tuple(_other(thing, rng, unseen) for thing in view.things))


def one_design_each(views: Sequence[View], seed: int) -> tuple[View, ...]:
    """The views of a day, all things of a kind in one design, which is kept back from training."""
    styles = {}
    for kind in KINDS:
        fit = [number for number in range(NUMBER) if kept_back(kind, number)]
        styles[kind] = STYLES + random.Random(f"day {seed} {kind}").choice(fit)
    return tuple(
        replace(
            view,
            things=tuple(
                in_style(thing, styles[thing.kind], random.Random(f"label {seed} {thing.kind}"))
                for thing in view.things
            ),
        )
        for view in views
    )


def _other(thing: Thing, rng: random.Random, unseen: bool) -> Thing:
    if not unseen and rng.random() > _SHARE:
        return thing
    cutouts = 0 if unseen else number_of(thing.kind)
    if cutouts and rng.random() < _CUTOUTS:
        return in_style(thing, STYLES + NUMBER + rng.randrange(cutouts), rng)
    fit = [number for number in range(NUMBER) if kept_back(thing.kind, number) == unseen]
    return in_style(thing, STYLES + rng.choice(fit), rng)


def in_style(thing: Thing, style: int, rng: random.Random) -> Thing:
    """The thing in another style, in the same place; it has a word only where that style can hold one."""
    y = thing.y
    if thing.surface == "hook":  # things hang from their upper edge
        y += size_of(thing.kind, style)[1] - size_of(thing.kind, thing.style)[1]
    label = thing.label
    if not carries_word(thing.kind, style):
        label = ""
    elif not label and not carries_word(thing.kind, thing.style) and rng.random() < 0.75:
        label = rng.choice(LABEL_WORDS).upper()
    thing = replace(thing, style=style, y=y, label=label)
    own = own_colour(thing.kind, style - STYLES - NUMBER) if style >= STYLES + NUMBER else None
    return replace(thing, colour=own[0], rgb=own[1]) if own else thing

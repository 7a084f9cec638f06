"""Which captions are true of a picture: every true one, those that nobody can judge, and a test for others.

The contrastive loss compares each picture of a batch with captions of all of them; a caption of another
picture that is also true of this one is not a wrong answer.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from models.train.world.answering.reference import listed
from models.train.world.grammar import COLOURS, RELATIONS, SHAPES
from models.train.world.home.captions import PLURALS, named, spot
from models.train.world.home.layouts import SURFACES
from models.train.world.home.splits import KINDS, PLACES
from models.train.world.home.truth import NOTHING, PLACE_KNOWN, READABLE_PX, SEEN, SeenThing, Truth
from models.train.world.home.views import View
from models.train.world.scenes import Scene, Thing
from models.train.world.truth import offset_px, some

_CLEAR_PX = 14.0


@dataclass(frozen=True)
class Captioned:
    """The captions of a picture. `doubtful`: nobody can say whether they are true; the same holds for every
    caption that names one of `doubtful_kinds`. `telling`: the true ones that say most, for examples.
    """

    true: frozenset[str]
    telling: tuple[str, ...]
    doubtful: frozenset[str] = frozenset()
    doubtful_kinds: tuple[str, ...] = ()

    def holds(self, caption: str) -> bool | None:
        """Whether the caption is true of the picture; None where that is a matter of judgement."""
        if caption in self.true:
            return True
        if caption in self.doubtful or any(kind in caption for kind in self.doubtful_kinds):
            return None
        return False


def _of_thing(thing: SeenThing, truth: Truth) -> Iterator[str]:
    for words in (thing.kind, f"{thing.colour} {thing.kind}"):
        if thing.held:
            yield f"{words} in the hand"
            continue
        for known in (True, False):
            where = f"{words} {spot(truth.place, thing.surface, known)}"
            yield where
            yield from (f"{where}, {beside}" for beside in thing.beside)


def _short(thing: SeenThing) -> tuple[str, ...]:
    be = "are" if thing.kind in PLURALS else "is"
    return (
        thing.kind, named(thing.kind), f"my {thing.kind}", named(thing.kind, thing.colour),
        f"where {be} my {thing.kind}", f"my {thing.colour} {thing.kind}",
    )  # fmt: skip


def of_view(view: View, truth: Truth) -> Captioned:
    """The captions of a view of the home. The forms are those of `home.captions`, and a few short ones."""
    if truth.quality != "clear":
        return Captioned(frozenset(), ())
    telling = [text for thing in truth.seen for text in _of_thing(thing, truth)]
    true = {text for thing in truth.seen for text in _short(thing)}
    doubtful: set[str] = set()
    by_surface: dict[str, list[str]] = {}
    for thing in truth.seen:
        if not thing.held:
            by_surface.setdefault(thing.surface, []).append(named(thing.kind))
    for surface, kinds in by_surface.items():
        for known in (True, False):
            where = spot(truth.place, surface, known)
            if len(kinds) > 1:
                telling.append(f"{listed(kinds)} {where}")
            true |= {f"{a} and {b} {where}" for a, b in permutations(kinds, 2)}
    doubtful.add(f"the {truth.place}")
    if truth.landmark >= PLACE_KNOWN:
        telling.append(f"the {truth.place}")
    for thing in truth.things:
        text = f"{thing.kind} with the word {thing.label.lower()}"
        if thing.label:
            doubtful.add(text)
        if thing.label and thing.visible > 0.95 and thing.letter_px >= READABLE_PX:
            telling.append(text)
    doubtful |= {f"a sign that says {sign.spoken}" for sign in view.layout.signs}
    telling += [f"a sign that says {word}" for word, letter_px in truth.signs if letter_px >= READABLE_PX]
    for poster in view.layout.posters:
        painted = f"{poster.colour} {poster.shape}"
        doubtful |= {f"a picture of {some(painted)}", some(painted), some(poster.shape)}
    telling += [f"a picture of {some(f'{colour} {shape}')}" for shape, colour in truth.pictures]
    unsure = tuple(thing.kind for thing in truth.things if NOTHING <= thing.visible < SEEN)
    return Captioned(frozenset({*true, *telling}), tuple(dict.fromkeys(telling)), frozenset(doubtful), unsure)


def _painted(thing: Thing) -> str:
    return some(f"{thing.colour} {thing.shape}")


def of_scene(scene: Scene) -> Captioned:
    """The captions of a drawn scene of shapes; what has no name is not mentioned."""
    if scene.quality != "clear":
        return Captioned(frozenset(), ())
    things = [thing for thing in scene.things if thing.shape in SHAPES and thing.colour in COLOURS]
    true = {some(thing.shape) for thing in scene.things if thing.shape in SHAPES}
    true |= {some(f"{thing.size} {thing.colour} {thing.shape}") for thing in things}
    telling, doubtful = [_painted(thing) for thing in things], set()
    for a in things:
        for b in things:
            if a.pair == b.pair:
                continue
            telling.append(f"{_painted(a)} and {_painted(b)}")
            for relation in RELATIONS:
                text, offset = f"{_painted(a)} {relation} {_painted(b)}", offset_px(relation, a, b)
                if offset >= _CLEAR_PX:
                    telling.append(text)
                elif offset > -_CLEAR_PX:
                    doubtful.add(text)
    telling += [f"a sign that says {sign.spoken}" for sign in scene.signs]
    true |= {text for sign in scene.signs for text in ("a sign", some(f"{sign.colour} sign"))}
    return Captioned(frozenset({*true, *telling}), tuple(dict.fromkeys(telling)), frozenset(doubtful))


_GROUPS = (KINDS, COLOURS, SURFACES, PLACES, ("left", "right"), ("above", "below"), SHAPES)


def altered(caption: str, rng: random.Random) -> str:
    """The caption with one of its words exchanged: a kind, colour, surface, place, side or shape. The caption
    itself where it has none.
    """
    found = [
        (match, group)
        for group in _GROUPS
        for word in group
        for match in re.finditer(rf"(\ban? )?(?<!\w){word}(?!\w)", caption)
    ]
    if not found:
        return caption
    match, group = rng.choice(found)
    article, word = match[1] or "", match[0][len(match[1] or "") :]
    others = [other for other in group if other != word and not (article and other in PLURALS)]
    other = rng.choice(others)
    new = some(other) if article else other
    return caption[: match.start()] + new + caption[match.end() :]

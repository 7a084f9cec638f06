"""What sentences about how many shapes there are claim, by their forms, told anew from a scene."""

from __future__ import annotations

import re

from host.answers.seen.named import SHAPES, Named, named_in
from host.answers.seen.scene import Scene
from host.answers.seen.shape_claims import Claim
from host.answers.seen.words import number, plural, several, some, started, verdict


def _there_are(count: int, named: Named) -> str:
    many = f"{named.words[: -len(named.shape or 'thing')]}{plural(named.shape or 'thing')}"
    return f"there is one {named.words}" if count == 1 else f"there are {number(count)} {many}"


def _count(scene: Scene, named: Named) -> int:
    return len(scene.matching(named.shape, named.colour, named.size))


def more(found: re.Match[str], question: str) -> Claim:
    """ "Yes, there are two stars and one ring."."""
    first, second = named_in(found, "a"), named_in(found, "b")
    fewer = re.search(r"\b(fewer|less)\b", question) is not None

    def claim(scene: Scene) -> str:
        one, other = _count(scene, first), _count(scene, second)
        true = one < other if fewer else one > other
        rest = _there_are(other, second).split(" ", 2)[2]
        return verdict(true, f"{_there_are(one, first)} and {rest}.")

    return claim


def exists(found: re.Match[str], question: str) -> Claim:
    """ "Yes, there is a red star.", "No, there are no rings."."""
    named = named_in(found, "a")
    many = found["ashape"] not in (*SHAPES.split("|"), "thing")

    def claim(scene: Scene) -> str:
        count = _count(scene, named)
        if not many:
            return f"Yes, there is {some(named.words)}." if count else f"No, there is no {named.words}."
        words = f"{named.colour} {plural(named.shape or 'thing')}".strip()
        one = named.words
        return verdict(count > 0, f"there {'is' if count == 1 else 'are'} {several(count, one, words)}.")

    return claim


def anything(found: re.Match[str], question: str) -> Claim:
    """ "Yes, there is something red."."""
    colour = found["colour"]

    def claim(scene: Scene) -> str:
        there = bool(scene.matching(colour=colour)) or (
            scene.sign is not None and scene.sign.colour == colour
        )
        return f"Yes, there is something {colour}." if there else f"No, there is nothing {colour}."

    return claim


def counted(found: re.Match[str], question: str) -> Claim:
    """ "There are two stars."."""
    named = named_in(found, "a")
    return lambda scene: f"{started(_there_are(_count(scene, named), named))}."

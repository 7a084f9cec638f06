"""What a description such as "the large red star" names, and the one thing of a scene that it fits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from host.answers.seen.scene import Item, Scene, size_of
from host.answers.seen.words import in_order, listed, number, plural, several, singular, some
from host.language.usual import shapes

SIZES = r"large|small"
COLOURS, SHAPES = "|".join(shapes.COLOURS), "|".join(shapes.SHAPES)


@dataclass(frozen=True)
class Named:
    """What a description names; "" for what it leaves open."""

    shape: str = ""
    colour: str = ""
    size: str = ""

    @property
    def words(self) -> str:
        """ "large red star", "red thing"."""
        return " ".join(filter(None, (self.size, self.colour, self.shape or "thing")))

    def without(self, key: str) -> Named:
        """The same with one property left open."""
        return Named(**{**vars(self), key: ""})


def one_of(name: str) -> str:
    """A description as a regular expression, whose groups begin with `name`."""
    return rf"(?:(?P<{name}size>{SIZES}) )?(?:(?P<{name}colour>{COLOURS}) )?(?P<{name}shape>{SHAPES}|thing)"


def several_of(name: str) -> str:
    """Several of a description."""
    many = "|".join(map(plural, shapes.SHAPES))
    return (
        rf"(?:(?P<{name}size>{SIZES}) )?(?:(?P<{name}colour>{COLOURS}) )?"
        rf"(?P<{name}shape>{SHAPES}|{many}|things?)"
    )


def named_in(found: re.Match[str], name: str) -> Named:
    """What the groups of `one_of` or `several_of` hold."""
    shape = found[f"{name}shape"]
    shape = shape if shape in shapes.SHAPES else singular(shape)
    return Named("" if shape == "thing" else shape, found[f"{name}colour"] or "", found[f"{name}size"] or "")


def referent(scene: Scene, named: Named) -> Item | str:
    """The one thing that the description fits; otherwise the sentence that says what is there."""
    found = scene.matching(named.shape, named.colour, named.size)
    if len(found) == 1:
        return found[0]
    if found:
        return _too_many(found, named, scene)
    alike = scene.matching(named.shape) if named.shape else []
    if alike and (named.colour or named.size):
        return _another(alike, named, scene)
    return f"I cannot see {some(named.words) if named.shape else f'anything {named.colour}'}."


def _too_many(found: Sequence[Item], named: Named, scene: Scene) -> str:
    words = list(filter(None, (named.size, named.colour)))
    many = plural(named.shape or "thing")
    sentence = f"I see {number(len(found))} {' '.join([*words, many])}"
    if len(found) > 2:
        return f"{sentence}."
    ordered = in_order(found, scene.colours, scene.names)
    if len({item.pair for item in found}) == 1:
        first = ordered[0]
        return f"I see two {' '.join([*words[: bool(named.size)], first.colour, plural(first.name)])}."
    parts = [some(f"{item.colour} one" if named.shape else item.name) for item in ordered]
    return f"{sentence}, {listed(parts)}."


def _another(alike: Sequence[Item], named: Named, scene: Scene) -> str:
    counts: dict[str, int] = {}
    for item in in_order(alike, scene.colours, scene.names):
        value = item.colour if named.colour else size_of(item)
        counts[value] = counts.get(value, 0) + 1
    if len(counts) > 2:
        there = f"{number(len(alike))} {plural(named.shape)}"
    else:
        there = listed(
            [
                several(n, f"{each} {named.shape}", f"{each} {plural(named.shape)}")
                for each, n in counts.items()
            ]
        )
    return f"I see {there}, no {named.colour or named.size} one."


def named_by(words: Sequence[str]) -> Named:
    """What single words name."""
    found = {"shape": list(shapes.SHAPES), "colour": shapes.COLOURS, "size": SIZES.split("|")}
    return Named(**{key: next((word for word in words if word in known), "") for key, known in found.items()})

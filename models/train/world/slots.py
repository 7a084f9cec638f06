"""Values for the slots of a question about a view: usually what is there, sometimes what is not.

In a set share of the questions that describe a thing by two properties, both are in view, but not together.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from models.train.world.answering.geometry import position_of
from models.train.world.answering.reference import matching
from models.train.world.grammar import (
    COLOURS,
    CORNER_MEANT,
    POSITIONS,
    RELATION_MEANT,
    RELATIONS,
    SHAPES,
    SIZE_MEANT,
    SIZES,
    Template,
    plural,
)
from models.train.world.scenes import FramePair, Scene, Thing

_ABSENT_SHARE = 0.11
_PREMISE_SHARE = 0.28
"""Share of the questions with a colour or a size and a shape in which a thing of that shape is in view, but
not of that colour or size.
"""
_SEVERAL_SHARE = 0.10
"""Share of the questions about one thing that fit several things, where the picture has such."""
Slots = dict[str, str]


def _absent(rng: random.Random, values: Sequence[str], present: set[str]) -> str:
    return rng.choice([value for value in values if value not in present] or list(values))


def _keys(template: Template) -> set[str]:
    """The properties in the question, whatever words it has for them."""
    means = {"big": "size", "where": "relation", "corner": "position", "shapes": "shape", "shapes2": "shape2"}
    return {means.get(name, name) for name in template.slots}


def _worded(template: Template, meant: Slots, rng: random.Random) -> Slots:
    """The slots of the template for the properties `meant`."""
    slots = {}
    for name in template.slots:
        if name in ("shapes", "shapes2"):
            shape = meant["shape" + name[6:]]
            slots[name] = plural(shape) if shape in SHAPES else shape
        elif name == "big":
            slots[name] = next(word for word, size in SIZE_MEANT.items() if size == meant["size"])
        elif name in ("where", "corner"):
            words, key = (RELATION_MEANT, "relation") if name == "where" else (CORNER_MEANT, "position")
            slots[name] = rng.choice([word for word, value in words.items() if value == meant[key]])
        else:
            slots[name] = meant[name]
    return slots


def _of(thing: Thing) -> Slots:
    return {"shape": thing.shape, "colour": thing.colour, "size": thing.size}


def _other_colour(thing: Thing, scene: Scene, rng: random.Random) -> str | None:
    """A colour that no thing of that shape has, usually one that another thing has."""
    taken = {each.colour for each in scene.matching(thing.shape)}
    elsewhere = sorted({each.colour for each in scene.things if each.colour in COLOURS} - taken)
    free = [colour for colour in COLOURS if colour not in taken]
    return rng.choice(elsewhere) if elsewhere and rng.random() < 0.7 else rng.choice(free) if free else None


def _false_premise(keys: set[str], scene: Scene, rng: random.Random) -> Slots | None:
    """A description of which each property is in view, or nearly so, but of no thing together."""
    thing = rng.choice(scene.things)
    slots = _of(thing)
    if "colour" in keys:
        colour = _other_colour(thing, scene, rng)
        return None if colour is None else {**slots, "colour": colour}
    sizes = {each.size for each in scene.matching(thing.shape)}
    return None if len(sizes) > 1 else {**slots, "size": SIZES[1 - SIZES.index(thing.size)]}


def _subject(keys: set[str], scene: Scene, rng: random.Random) -> Slots:
    """A description by `keys`: of one thing, of several, of none, or one with a false premise."""
    draw = rng.random()
    if scene.things and draw >= _ABSENT_SHARE:
        if {"shape"} < keys and draw < _ABSENT_SHARE + _PREMISE_SHARE:
            found = _false_premise(keys, scene, rng)
            if found:
                return found
        fits = [
            (thing, len(matching(scene, {key: _of(thing)[key] for key in keys}))) for thing in scene.things
        ]
        lone = [thing for thing, number in fits if number == 1]
        many = [thing for thing, number in fits if number > 1]
        if lone and (not many or rng.random() > _SEVERAL_SHARE):
            return _of(rng.choice(lone))
        if many and rng.random() < 0.25:
            return _of(rng.choice(many))
    shapes, colours = ({getattr(t, key) for t in scene.things} for key in ("shape", "colour"))
    colour = _absent(rng, COLOURS, colours)
    if "shape" in keys and colours & set(COLOURS) and rng.random() < 0.5:
        colour = rng.choice(sorted(colours & set(COLOURS)))
    return {"shape": _absent(rng, SHAPES, shapes), "colour": colour, "size": rng.choice(SIZES)}


def _check_slots(template: Template, scene: Scene, rng: random.Random) -> Slots:
    """A thing and a property that it has in half of the cases."""
    wanted = {"size": "size", "shape": "shape"}.get(template.about, "colour")
    if template.about == "sign":
        right = scene.sign is not None and rng.random() < 0.5
        return {"colour": scene.sign.colour if scene.sign and right else rng.choice(COLOURS)}
    keys = _keys(template) - {wanted, "colour2"}
    meant = _subject(keys, scene, rng)
    found = matching(scene, {key: meant[key] for key in keys})
    if wanted == "size":
        meant["size"] = rng.choice(SIZES)
    elif not found or rng.random() < 0.5:
        real = {getattr(thing, wanted) for thing in found}
        values = [value for value in (SHAPES if wanted == "shape" else COLOURS) if value not in real]
        others = sorted({getattr(thing, wanted) for thing in scene.things} & set(values))
        meant[wanted] = rng.choice(others if others and rng.random() < 0.6 else values)
    if template.about == "either":
        if found and rng.random() < 0.8:
            meant["colour"] = found[0].colour
        meant["colour2"] = rng.choice([colour for colour in COLOURS if colour != meant["colour"]])
        if rng.random() < 0.5:
            meant["colour"], meant["colour2"] = meant["colour2"], meant["colour"]
    return _worded(template, meant, rng)


def _count_slots(template: Template, scene: Scene, rng: random.Random) -> Slots:
    """A shape or colour, chosen so that all counts in the scene are about equally likely answers."""
    keys = _keys(template)
    if keys == {"shape", "colour"}:
        thing = rng.choice(scene.things) if scene.things and rng.random() < 0.85 else None
        meant = _of(thing) if thing else {"shape": rng.choice(SHAPES), "colour": rng.choice(COLOURS)}
        if thing and rng.random() < 0.3:
            meant["colour"] = _other_colour(thing, scene, rng) or meant["colour"]
        return meant
    key = next(iter(keys))
    counts: dict[int, list[str]] = {}
    for value in SHAPES if key == "shape" else COLOURS:
        counts.setdefault(len(matching(scene, {key: value})), []).append(value)
    numbers = list(counts)
    weights = [0.35 if n == 0 else 0.5 if n == 1 else n for n in numbers]
    return {key: rng.choice(counts[rng.choices(numbers, weights)[0]])}


def _more_slots(template: Template, scene: Scene, rng: random.Random) -> Slots:
    """Two shapes or two colours, at least one of which is usually there; more of the first, or fewer where
    that is the question, in about half of the cases.
    """
    key = "shape" if "shapes" in template.slots else "colour"
    values = SHAPES if key == "shape" else COLOURS
    here = sorted({getattr(thing, key) for thing in scene.things} & set(values))
    first = rng.choice(here) if here else rng.choice(values)
    others = [value for value in (here if rng.random() < 0.75 else values) if value != first]
    others = others or [value for value in values if value != first]
    number = len(matching(scene, {key: first}))
    unequal = [value for value in others if len(matching(scene, {key: value})) != number]
    second = rng.choice(unequal if unequal and rng.random() < 0.8 else others)
    numbers = [number, len(matching(scene, {key: second}))]
    rising = (numbers[0] < numbers[1]) == (template.about == "fewer")
    if numbers[0] != numbers[1] and rising != (rng.random() < 0.8):
        first, second = second, first
    return {key: first, f"{key}2": second}


def _exist_slots(template: Template, scene: Scene, rng: random.Random) -> Slots:
    """In 45 % of cases a thing of the scene, otherwise often one that differs from it in one property."""
    keys = _keys(template)
    thing = rng.choice(scene.things) if scene.things else None
    if thing and rng.random() < 0.45:
        return _of(thing)
    if thing and len(keys) == 2 and rng.random() < 0.75:
        near = rng.randrange(3)
        other = rng.choice(scene.things)
        return {
            "shape": rng.choice(SHAPES) if near == 0 else thing.shape,
            "colour": rng.choice(COLOURS) if near == 1 else other.colour,
            "size": rng.choice(SIZES) if near == 1 else other.size,
        }
    return {
        "shape": _absent(rng, SHAPES, {thing.shape for thing in scene.things}),
        "colour": _absent(rng, COLOURS, {thing.colour for thing in scene.things}),
        "size": rng.choice(SIZES),
    }


def _at_slots(scene: Scene, rng: random.Random) -> Slots:
    asked = sorted(set(CORNER_MEANT.values()))
    there = [place for place in map(position_of, scene.things) if place in asked]
    chosen = rng.choice(there) if there and rng.random() < 0.75 else None
    return {"position": chosen or rng.choice([place for place in POSITIONS if place in asked])}


def _subject_slots(template: Template, scene: Scene, rng: random.Random) -> Slots:
    """One thing, and perhaps a second one to compare it with."""
    keys = _keys(template)
    meant = _subject(keys & {"shape", "colour", "size"}, scene, rng)
    meant["relation"] = rng.choice(RELATIONS)
    if "shape2" in keys:
        shapes = [thing.shape for thing in scene.things if thing.shape in SHAPES]
        lone = [shape for shape in shapes if shapes.count(shape) == 1 and shape != meant["shape"]]
        many = [shape for shape in shapes if shapes.count(shape) > 1 and shape != meant["shape"]]
        draw = rng.random()
        if lone and draw > 0.08:
            meant["shape2"] = rng.choice(lone)
        elif many and draw > 0.04:
            meant["shape2"] = rng.choice(many)
        else:
            meant["shape2"] = _absent(rng, SHAPES, set(shapes))
    return meant


def _clip_slots(template: Template, clip: FramePair, rng: random.Random) -> Slots:
    """Usually a thing that changes, sometimes another, and in 8 % of cases one that is in neither frame; one
    in three colours in the questions is that of no such thing.
    """
    things = [*clip.first.things, *clip.second.things]
    there = sorted({thing.shape for thing in things} & set(SHAPES))
    changed = [one.shape for change in clip.changes for one in (change.before, change.after) if one]
    draw = rng.random()
    if draw < 0.08 or not there:
        shape = _absent(rng, SHAPES, set(there))
    elif (subjects := [shape for shape in changed if shape in SHAPES]) and draw < 0.7:
        shape = rng.choice(subjects)
    else:
        shape = rng.choice(there)
    colours = [thing.colour for thing in things if thing.shape == shape]
    if colours and rng.random() < 0.65:
        return {"shape": shape, "colour": colours[-1]}
    elsewhere = sorted({thing.colour for thing in things} - set(colours))
    return {"shape": shape, "colour": rng.choice(elsewhere if elsewhere and rng.random() < 0.7 else COLOURS)}


def random_slots(template: Template, view: Scene | FramePair, rng: random.Random) -> Slots:
    """Values for the slots of `template` that make a meaningful question about `view`."""
    if not template.slots:
        return {}
    if isinstance(view, FramePair):
        return _worded(template, _clip_slots(template, view, rng), rng)
    match template.family:
        case "check":
            return _check_slots(template, view, rng)
        case "exist":
            meant = _exist_slots(template, view, rng)
        case "count":
            meant = _count_slots(template, view, rng)
        case "more":
            meant = _more_slots(template, view, rng)
        case "at":
            meant = _at_slots(view, rng)
        case _:
            meant = _subject_slots(template, view, rng)
    return _worded(template, meant, rng)

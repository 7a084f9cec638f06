"""What the object detector finds in a view, as the memory keeps it, and how it is found again.

A thing keeps its colours. So a view in which something is taken for the wearer's wallet, and which has not
the colours that the wallet has in the views that surely show it, hardly counts. Pure.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from models.detection import Chances, Detection

KEPT_FROM = 0.05
"""What is less probable in a view is not kept."""
MOST_COLOURS = 24
"""Colours that the index tells apart; further ones count as none."""
MOST_SPOTS = 255
"""Spots that the index tells apart; further ones count as unknown."""
OWN_WEIGHT = 0.5
"""Of a view's own colours beside those of all others, of which the surest weighs 1."""
_SHARPER = 4
"""Power of the probabilities by which views count for a thing's usual colours."""
_COUNTS_FROM = 0.2
"""Probability below which a view does not count for them."""
_LEVELS = 255
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Spot:
    """Where a thing is, as the object detector tells it. place: of the view; lying: the surface, or the
    hand; "" for what it does not know.
    """

    place: str = ""
    lying: str = ""


NO_SPOT = Spot()
_spot = lru_cache(MOST_SPOTS)(Spot)


@dataclass(frozen=True)
class SeenThing:
    """A thing in a view. probability: that it is there; colours: with their probabilities; spot: the
    likeliest.
    """

    name: str
    probability: float
    colours: Chances = ()
    spot: Spot = NO_SPOT


@dataclass(frozen=True)
class Seen:
    """How surely a view shows a thing. probability: as the object detector has it, 0 where it found none;
    alike: cosine between the thing's colours there and those that it usually has, or the one that is asked
    for, 0 to 1; spot: where it is there.
    """

    probability: float
    alike: float
    spot: Spot = NO_SPOT


UNSEEN = Seen(0.0, 0.0)
"""Of a view that the object detector saw and in which it found no such thing."""


def things_of(detection: Detection) -> tuple[SeenThing, ...]:
    """The wearer's things, and a sign, in a picture: each name with the probability that it is anywhere."""
    absent = dict[str, float]()
    colours, surfaces = dict[str, dict[str, float]](), dict[str, dict[str, float]]()
    place = detection.place[0][0] if detection.place else ""
    wanted = {*detection.things, detection.sign}
    for candidate in detection.candidates:
        for name, chance in candidate.what:
            if name in wanted:
                absent[name] = absent.get(name, 1.0) * (1.0 - chance)
                for told, chances in ((colours, candidate.colour), (surfaces, candidate.lying)):
                    shares = told.setdefault(name, {})
                    for each, share in chances:
                        shares[each] = shares.get(each, 0.0) + chance * share
    found = []
    for name, chance in absent.items():
        probability = detection.clear * (1.0 - chance)
        if probability >= KEPT_FROM:
            lying = max(surfaces[name], key=surfaces[name].__getitem__, default="")
            spot = Spot(place, lying)
            found.append(SeenThing(name, round(probability, 3), _normalised(colours[name]), spot))
    return tuple(sorted(found, key=lambda each: -each.probability))


def _normalised(told: Mapping[str, float]) -> Chances:
    whole = sum(told.values())
    shares = ((colour, round(share / whole, 3)) for colour, share in told.items()) if whole else ()
    return tuple(sorted((each for each in shares if each[1] >= 0.01), key=lambda each: -each[1]))


def things_packed(things: Sequence[SeenThing]) -> bytes:
    """As JSON."""
    plain = [
        [each.name, each.probability, dict(each.colours), each.spot.place, each.spot.lying] for each in things
    ]
    return json.dumps(plain, separators=(",", ":")).encode()


def things_unpacked(data: bytes) -> tuple[SeenThing, ...]:
    """Also those that were packed without spots. Raises `ValueError` for data of another form."""
    try:
        return tuple(
            SeenThing(
                str(name),
                float(chance),
                tuple((str(key), float(each)) for key, each in told.items()),
                _spot(*map(str, spot)) if spot else NO_SPOT,
            )
            for name, chance, told, *spot in json.loads(data)
        )
    except (TypeError, AttributeError, ValueError) as error:
        raise ValueError("these are no things of a view") from error


@dataclass(eq=False)
class _Column:
    """The views that show one thing, in the order in which they were read."""

    numbers: array[int] = field(default_factory=lambda: array("q"))
    levels: bytearray = field(default_factory=bytearray)
    """Of each view its probability, the number of its spot and the share of each colour, uint8 [2 +
    MOST_COLOURS].
    """

    def without(self, gone: NDArray[np.int64]) -> _Column:
        """The same without some views, which are overwritten here."""
        numbers = np.frombuffer(self.numbers, np.int64)
        kept = ~np.isin(numbers, gone)
        width = len(self.levels) // max(1, len(numbers))
        rows = np.frombuffer(self.levels, np.uint8).reshape(len(numbers), width)
        made = _Column(array("q", numbers[kept].tobytes()), bytearray(rows[kept].tobytes()))
        rows[:] = 0
        numbers[:] = 0
        return made


@dataclass(frozen=True, eq=False)
class ViewsWith:
    """The views that show a thing: int64 [views], float32 [views] and [views], and for each the place of its
    spot in a list of them; `Seen` says of what.
    """

    numbers: NDArray[np.int64]
    probability: Floats
    alike: Floats
    spot_at: NDArray[np.uint8]
    spots: Sequence[Spot]

    def latest(self, first: int, last: int, count: int) -> list[int]:
        """Those of the highest numbers, from first to last."""
        within = self.numbers[(self.numbers >= first) & (self.numbers <= last)]
        return [int(number) for number in np.sort(within)[::-1][:count]]

    def of(self, numbers: Sequence[int]) -> dict[int, Seen]:
        """Of those of these numbers in which it was found."""
        wanted = np.flatnonzero(np.isin(self.numbers, np.array(numbers, np.int64)))
        return {
            int(self.numbers[at]): Seen(
                float(self.probability[at]), float(self.alike[at]), self.spots[self.spot_at[at]]
            )
            for at in wanted
        }


class ThingIndex:
    """Which views show which thing; in memory only, made anew from the store."""

    def __init__(self) -> None:
        self._columns: dict[str, _Column] = {}
        self._colours: dict[str, int] = {}
        self._spots: dict[Spot, int] = {NO_SPOT: 0}
        self._looked = _Column()

    def clear(self) -> None:
        """Nothing was looked through."""
        self._columns.clear()
        self._looked = _Column()

    def add(self, number: int, things: Sequence[SeenThing]) -> None:
        """A view that is not in it was looked through."""
        self._looked.numbers.append(number)
        for each in things:
            column = self._columns.setdefault(each.name, _Column())
            column.numbers.append(number)
            row = bytearray(2 + MOST_COLOURS)
            row[0], row[1] = round(_LEVELS * each.probability), self._spot_at(each.spot)
            for colour, share in each.colours:
                at = self._colours.setdefault(colour, len(self._colours))
                if at < MOST_COLOURS:
                    row[2 + at] = round(_LEVELS * share)
            column.levels += row

    def remove(self, numbers: set[int]) -> None:
        """Views are gone."""
        gone = np.fromiter(numbers, np.int64, len(numbers))
        if not self.looked_through(list(numbers)):
            return
        self._looked = self._looked.without(gone)
        self._columns = {name: column.without(gone) for name, column in self._columns.items()}

    def looked_through(self, numbers: Sequence[int]) -> set[int]:
        """Those of these views that the object detector saw."""
        asked = np.array(numbers, np.int64)
        return {int(each) for each in asked[np.isin(asked, np.frombuffer(self._looked.numbers, np.int64))]}

    def views_with(self, thing: str, colour: str = "") -> ViewsWith:
        """The views in which it was found. colour: the one that is asked for; "": the usual ones count."""
        column = self._columns.get(thing, _Column())
        levels = np.frombuffer(column.levels, np.uint8).reshape(-1, 2 + MOST_COLOURS)
        used = min(len(self._colours), MOST_COLOURS)
        probability = levels[:, 0].astype(np.float32) / np.float32(_LEVELS)
        colours = levels[:, 2 : 2 + used].astype(np.float32) / np.float32(_LEVELS)
        alike = self._share(colours, colour) if colour else _alike(probability, colours)
        numbers = np.array(column.numbers, np.int64)
        return ViewsWith(numbers, probability, alike, levels[:, 1].copy(), tuple(self._spots))

    def surely_shown(self, first: int, last: int) -> dict[int, float]:
        """How surely the views of these numbers, and between, show what was found in them, 0 to 1: by the
        thing of each that is least sure. Views that show nothing are not among them.
        """
        told: dict[int, float] = {}
        for thing in self._columns:
            views = self.views_with(thing)
            within = (views.numbers >= first) & (views.numbers <= last) & (views.probability >= _COUNTS_FROM)
            surely = views.probability * views.alike
            for number, sure in zip(views.numbers[within], surely[within], strict=True):
                told[int(number)] = min(told.get(int(number), 1.0), float(sure))
        return told

    def _spot_at(self, spot: Spot) -> int:
        """The number of a spot; that of an unknown one where there are too many."""
        at = self._spots.get(spot)
        if at is None:
            if len(self._spots) > MOST_SPOTS:
                return 0
            at = self._spots[spot] = len(self._spots)
        return at

    def _share(self, colours: Floats, colour: str) -> Floats:
        at = self._colours.get(colour, MOST_COLOURS)
        return colours[:, at] if at < MOST_COLOURS else np.zeros(len(colours), np.float32)


def _alike(probability: Floats, colours: Floats) -> Floats:
    """Cosines between each view's colours and the mean of all others', each of which weighs as much as the
    thing is surely there. probability: float32 [views]; colours: float32 [views, colours].
    """
    weight = (probability / max(float(probability.max(initial=0.0)), 1e-9)) ** _SHARPER
    weight = np.where(probability > _COUNTS_FROM, weight, 0.0).astype(np.float32)[:, None]
    usual = (weight * colours).sum(0) - weight * colours + OWN_WEIGHT * colours
    lengths = np.sqrt((usual**2).sum(1) * (colours**2).sum(1))
    found: Floats = (usual * colours).sum(1) / np.maximum(lengths, 1e-9)
    return found


def named_in(phrase: str, names: Sequence[str], colours: Sequence[str]) -> tuple[str, str]:
    """The one thing of these names in a phrase, and the colour that it has there; "" for none, and the thing
    is "" where there are several.
    """
    words = f" {' '.join(phrase.lower().split())} "
    found = [name for name in names if f" {name} " in words]
    colour = next((colour for colour in colours if f" {colour} " in words), "")
    return (found[0], colour) if len(found) == 1 else ("", "")

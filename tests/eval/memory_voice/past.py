"""A day until some moment, as the evaluation knows it: every view that was seen, whatever was remembered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from models.train.world.home.truth import GLIMPSE, tall_enough, truth_of
from models.train.world.home.views import View, in_front
from models.train.world.home.visibility import corners_around, front_of, share_seen
from tests.eval.eye.held_home import facts_of_view
from tests.eval.stranger_home.facts import ABSENT, CLEAR, DARK, HAND, PLACES, SEEN, THINGS, Facts, Item

HOUR_S = 3600.0
WINDOWS = {
    "this morning": (0.0, 12 * HOUR_S),
    "this afternoon": (12 * HOUR_S, 18 * HOUR_S),
    "today": (0.0, 24 * HOUR_S),
}
"""Times in words, from and to, seconds after midnight."""


@dataclass(frozen=True)
class Sight:
    """A view that was seen. at_s: seconds after midnight; signs: words on signs that can be read there;
    in_part: those on signs of which at least a part is in view.
    """

    at_s: float
    facts: Facts
    signs: tuple[str, ...] = ()
    in_part: tuple[str, ...] = ()
    unread: bool = False
    """A sign is there of which nobody can say whether it can be read."""

    @property
    def clear(self) -> bool:
        """Neither dark nor blurred."""
        return self.facts.quality == CLEAR

    def item(self, name: str) -> Item | None:
        """The thing, where it is in view enough to be named."""
        found = self.facts.item(name) if self.clear else None
        return found if found is not None and found.state == SEEN else None

    def shows_in_part(self, word: str, place: str) -> bool:
        """Whether a sign with that word is at least partly in view, in that place."""
        return self.clear and self.facts.place == place and word in (*self.signs, *self.in_part)

    def spot(self, name: str) -> tuple[str, str] | None:
        """Place and surface of a thing whose state is not absent; of one in the hand the hand alone."""
        found = self.facts.item(name)
        if found is None or found.state == ABSENT:
            return None
        return ("", HAND) if found.held else (self.facts.place, found.top)


def sight_of(view: View) -> Sight:
    """What a drawn view shows."""
    truth = truth_of(view)
    readable = [(word.lower(), tall_enough(px)) for word, px in truth.signs]
    return Sight(
        view.at_s,
        facts_of_view(view),
        tuple(word for word, can in readable if can),
        _in_part(view),
        any(can is None for _, can in readable),
    )


def _in_part(view: View) -> tuple[str, ...]:
    front = front_of(in_front(view.things), view)
    boards = [
        (sign.spoken.lower(), (sign.x - sign.half_width, sign.y - sign.height / 2,
                               sign.x + sign.half_width, sign.y + sign.height / 2))
        for sign in view.layout.signs
    ]  # fmt: skip
    return tuple(
        word for word, box in boards if share_seen(corners_around(box), front, view.camera)[0] >= GLIMPSE
    )


@dataclass(frozen=True)
class Stay:
    """A thing was seen at one spot, time after time, and nowhere else in between."""

    spot: tuple[str, str]
    sights: tuple[Sight, ...]


@dataclass(frozen=True)
class Past:
    """What was seen until `now_s`, seconds after midnight, in order of time."""

    sights: Sequence[Sight]
    now_s: float

    def stays(self, name: str) -> tuple[Stay, ...]:
        """Where a thing was seen, in order of time."""
        found: list[Stay] = []
        for sight in self.sights:
            spot = sight.spot(name) if sight.item(name) else None
            if spot is None:
                continue
            before = found[-1].sights if found and found[-1].spot == spot else ()
            found = [*(found[:-1] if before else found), Stay(spot, (*before, sight))]
        return tuple(found)

    def within(self, window: str) -> Past:
        """The part of one of `WINDOWS`."""
        least, most = WINDOWS[window]
        return Past([each for each in self.sights if least <= each.at_s < most], self.now_s)

    @cached_property
    def surely(self) -> tuple[str, ...]:
        """Things that were seen, the last time without doubt about where."""
        return tuple(name for name in THINGS if self.stays(name) and not self._doubt(name))

    @cached_property
    def never(self) -> tuple[str, ...]:
        """Things of which nothing was ever in view."""
        return tuple(name for name in THINGS if not any(self._glimpses(name)))

    def _glimpses(self, name: str) -> Iterator[tuple[str, str]]:
        for sight in self.sights:
            spot = None if sight.facts.quality == DARK else sight.spot(name)
            if spot is not None:
                yield spot

    def _doubt(self, name: str) -> bool:
        """A part of it was seen elsewhere after it was last seen whole."""
        last = self.stays(name)[-1]
        later = Past([each for each in self.sights if each.at_s > last.sights[-1].at_s], self.now_s)
        return any(spot != last.spot for spot in later._glimpses(name))

    def never_on(self, name: str, place: str, top: str) -> bool:
        """Nothing of the thing was ever in view there."""
        return all(spot != (place, top) for spot in self._glimpses(name))

    @cached_property
    def visited(self) -> frozenset[str]:
        """Places of which there is a view that is not dark."""
        return frozenset(each.facts.place for each in self.sights if each.facts.quality != DARK)

    @cached_property
    def signs(self) -> dict[str, tuple[str, tuple[Sight, ...]]]:
        """By place the word of its one readable sign, and the views that show the sign, or a part of it: the
        eye may read there what a person could not.
        """
        found = {}
        for place in PLACES:
            showing = tuple(
                each for each in self.sights if each.clear and each.signs and each.facts.place == place
            )
            words = {word for each in showing for word in each.signs}
            if len(words) == 1 and all(len(each.signs) == 1 for each in showing):
                word = words.pop()
                found[place] = (word, tuple(each for each in self.sights if each.shows_in_part(word, place)))
        return found

"""What a stranger's clip decides is read off its pictures, and agrees with their pixels."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tests.eval.stranger_clips.compose import random_film
from tests.eval.stranger_clips.film import Film, developed
from tests.eval.stranger_clips.head import moments
from tests.eval.stranger_clips.truth import FAMILIES, Reading, Truth, decided, questions, visible_share
from tests.eval.stranger_home.scene import HomePicture, Thing
from tests.eval.stranger_home.test_renderer import home, one

TIMES_S = tuple(0.3 * number for number in range(6))
"""Of the clips that are made here."""


def clip(*pictures: HomePicture, turned: bool = False) -> Film:
    return Film(pictures, TIMES_S[: len(pictures)], "made here", turned)


def going(dx: float, dy: float) -> Film:
    """A cup that goes evenly beside keys that do not."""
    cup, keys = one("cup", 0.45), replace(one("keys", 0.1), y=0.98)
    return clip(*(home(keys, replace(cup, x=cup.x + n * dx / 5, y=cup.y + n * dy / 5)) for n in range(6)))


def asked(film: Film, family: str, thing: str = "", tries: int = 40) -> set[str]:
    """Every answer that questions of a family have, in many draws."""
    found: set[Truth] = set()
    reading = Reading(film)
    for seed in range(tries):
        found |= set(questions(reading, random.Random(seed)))
    return {each.answer for each in found if each.family == family and each.thing == thing}


@pytest.mark.parametrize(
    ("dx", "dy", "way"),
    [(0.3, 0.0, "right"), (-0.3, 0.0, "left"), (0.0, -0.25, "up"), (0.0, 0.25, "down"), (0.2, 0.2, "")],
)
def test_a_thing_goes_where_its_places_say(dx: float, dy: float, way: str) -> None:
    film = going(dx, dy)
    assert Reading(film).way("cup") == way and Reading(film).way("keys") == "still"
    assert asked(film, "direction", "cup") == ({way} if way else set())
    assert asked(film, "whether", "keys") == {"no"}
    assert asked(film, "moved") == ({"cup"} if way else set())


def test_the_same_pictures_in_another_order_have_the_other_answer() -> None:
    film = going(0.3, 0.0)
    back = replace(film, pictures=film.pictures[::-1])
    assert asked(film, "direction", "cup") == {"right"} and asked(back, "direction", "cup") == {"left"}


def test_speed_is_told_from_slowness_and_nothing_is_asked_between() -> None:
    assert Reading(going(0.24, 0.0)).speed("cup") == "slow"
    assert Reading(going(0.5, 0.0)).speed("cup") == ""
    cup = one("cup", 0.3)
    dash = clip(home(cup), home(cup), home(replace(cup, x=0.6)), home(replace(cup, x=0.6)))
    assert Reading(dash).speed("cup") == "fast"


def test_a_head_that_turns_moves_nothing() -> None:
    cup, keys = one("cup", 0.4), one("keys", 0.7)
    film = clip(*(home(cup, keys, at=(0.5 + 0.03 * n, 0.5)) for n in range(6)), turned=True)
    assert asked(film, "whether") == {"no"} and asked(film, "moved") == {"nothing"}
    assert not asked(film, "appeared") and not asked(film, "speed", "cup")


def test_what_came_what_went_and_what_was_first() -> None:
    cup, keys, book = one("cup", 0.2), one("keys", 0.5), one("book", 0.8)
    film = clip(home(cup), home(cup), home(cup, keys), home(cup, keys), home(cup, keys, book))
    assert asked(film, "first", "keys") <= {"keys", "cup"} and asked(film, "first") == {"cup"}
    assert not asked(film, "appeared"), "two did"
    assert asked(clip(*film.pictures[:4]), "appeared") == {"keys"}
    assert asked(clip(*film.pictures[3::-1]), "gone") == {"keys"}
    assert asked(clip(*film.pictures[3::-1]), "appeared") == {"nothing"}


def test_things_that_exchange_their_places() -> None:
    cup, keys = one("cup", 0.3), one("keys", 0.7)
    before, after = home(cup, keys), home(replace(cup, x=0.7), replace(keys, x=0.3))
    reading = Reading(clip(before, before, after, after))
    assert reading.exchanged("cup", "keys")
    assert not Reading(clip(before, before, before)).exchanged("cup", "keys")


def test_flashes_are_counted_and_a_doubtful_light_is_not() -> None:
    def lit(*levels: float) -> int | None:
        view = home(one("cup"))
        look = view.look
        return Reading(clip(*(replace(view, look=replace(look, gain=x)) for x in levels))).flashes

    assert lit(1, 2, 1, 2, 2, 1) == 2
    assert lit(1, 0.4, 1) == 1 and lit(1, 1.02, 1) == 0
    assert lit(1, 1.3, 1) is None and lit(1, 1, 2) is None


def test_the_visible_share_agrees_with_what_the_facts_of_a_view_count() -> None:
    bag = one("bag")
    whole, cut, gone = home(bag), home(bag, at=(1.05, 0.5)), home(bag, at=(2.5, 0.5))
    assert visible_share(whole, bag) == 1.0 and visible_share(gone, bag) == 0.0
    assert 0.1 < visible_share(cut, bag) < 0.6
    front = Thing("book", "shelf", 0.5, 0.6, 0.3, (0, 0, 200))
    assert visible_share(home(bag, front), bag) < 0.6 < visible_share(home(bag, front), front)


def test_pictures_change_where_the_thing_went_and_nowhere_else_but_for_noise() -> None:
    film = going(0.3, 0.0)
    first, last = (np.asarray(each, int) for each in (developed(film)[0], developed(film)[-1]))
    columns = np.nonzero(np.abs(first - last).max(axis=2) > 40)[1]
    assert columns.min() > 0.25 * 240 and columns.max() < 0.97 * 240


def test_clips_are_reproducible_and_every_family_and_answer_occurs() -> None:
    films = [random_film(random.Random(seed)) for seed in range(110)]
    assert films[:3] == [random_film(random.Random(seed)) for seed in range(3)]
    found = Counter((each.family, each.answer) for film in films for each in decided(film, random.Random(1)))
    assert {family for family, _ in found} == set(FAMILIES)
    assert {"left", "right", "up", "down", "still", "unseen"} <= {a for f, a in found if f == "direction"}
    assert {"yes", "no"} <= {a for f, a in found if f == "swapped"}
    for film in films:
        assert len(film.pictures) == len(film.times_s) and 4 <= len(film.times_s) <= 16
        assert all(later > earlier for earlier, later in zip(film.times_s, film.times_s[1:], strict=False))


def test_gaps_between_pictures_are_not_even() -> None:
    rng = random.Random(2)
    gaps = {round(float(gap), 1) for _ in range(60) for gap in np.diff(moments(rng))}
    assert len(gaps) > 8 and max(gaps) > 1.0

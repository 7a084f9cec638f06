"""What the object detector finds in views is kept with them, and says which of them show a thing."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.memory.database import TABLES, VERSION
from host.memory.episodes import SHOWS_FROM, SURELY_FROM, Nearness, episodes, shows, worth_a_look
from host.memory.things import (
    KEPT_FROM,
    UNSEEN,
    Seen,
    SeenThing,
    Spot,
    ThingIndex,
    named_in,
    things_of,
    things_packed,
    things_unpacked,
)
from host.memory.values import Match, Row, Verified
from host.memory.vectors import VectorTable, packed
from models.detection import Candidate, Chances, Detection
from tests.host.memory.bench import at, direction, store, view

RED, BLUE = (("red", 1.0),), (("blue", 1.0),)
KEYS, BOOK = SeenThing("keys", 0.9, RED), SeenThing("book", 0.8, BLUE)
NAMES = st.sampled_from(["keys", "cup", "medicine box"])
SHARES = st.floats(0, 1, width=16)
THINGS = st.lists(
    st.builds(SeenThing, NAMES, SHARES, st.lists(st.tuples(st.sampled_from("abc"), SHARES), max_size=2,
                                                unique_by=lambda each: each[0]).map(tuple),
              st.builds(Spot, st.sampled_from(["", "hall"]), st.sampled_from(["", "bed", "hand"]))),
    max_size=3, unique_by=lambda each: each.name,
)  # fmt: skip


def detected(*found: tuple[Chances, Chances], clear: float = 1.0) -> Detection:
    candidates = tuple(Candidate(0.5, 0.5, 0.1, 0.1, what, colour) for what, colour in found)
    return Detection(candidates, ("ring",), ("keys", "cup"), "sign", ("red", "blue"), clear=clear)


def seen_of(index: ThingIndex, *asked: str) -> dict[int, Seen]:
    return index.views_with(*asked).of(range(99))


def test_two_places_where_it_may_be_add_up_and_shapes_do_not_count() -> None:
    halves = ((("keys", 0.5), ("", 0.5)), RED), ((("keys", 0.5), ("ring", 0.4)), BLUE)
    (keys,) = things_of(detected(*halves, clear=0.8))
    assert keys.name == "keys" and keys.probability == pytest.approx(0.6)
    assert dict(keys.colours) == {"red": 0.5, "blue": 0.5}
    told = things_of(detected(((("sign", 0.7),), ()), ((("cup", KEPT_FROM / 2), ("keys", 0.9)), RED)))
    assert [each.name for each in told] == ["keys", "sign"], "the likeliest first"
    assert things_of(detected()) == ()


@given(THINGS)
def test_they_are_stored_as_they_are(things: list[SeenThing]) -> None:
    assert things_unpacked(things_packed(things)) == tuple(things)


def test_what_was_stored_without_spots_is_read() -> None:
    assert things_unpacked(b'[["keys",0.9,{"red":1.0}]]') == (KEYS,)


def test_a_thing_is_where_the_detector_thinks_likeliest() -> None:
    halves = (
        Candidate(0.5, 0.5, 0.1, 0.1, (("keys", 0.3),), RED, (("hand", 0.9), ("bed", 0.1))),
        Candidate(0.9, 0.5, 0.1, 0.1, (("keys", 0.6),), RED, (("bed", 0.9), ("", 0.1))),
    )
    (keys,) = things_of(Detection(halves, (), ("keys",), "sign", ("red",), (("hall", 0.8), ("", 0.2))))
    assert keys.spot == Spot("hall", "bed")
    index = ThingIndex()
    index.add(1, [keys])
    for number in range(2, 400):
        index.add(number, [SeenThing("keys", 0.9, RED, Spot(str(number), "bed"))])
    seen = index.views_with("keys").of(range(400))
    assert seen[1].spot == keys.spot and seen[2].spot == Spot("2", "bed")
    assert seen[399].spot == Spot(), "there are too many"


@pytest.mark.parametrize(
    "data",
    [b"", b"7", b'[["keys"]]', b'[["keys",0.5,[]]]', b'[["keys",0.5,{},"a","b","c"]]', b'[["keys","x",{}]]'],
)
def test_what_is_no_list_of_things_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="no things"):
        things_unpacked(data)


def test_what_has_other_colours_than_usual_is_less_alike() -> None:
    index = ThingIndex()
    for number in range(1, 6):
        index.add(number, [KEYS])
    index.add(6, [SeenThing("keys", 0.9, BLUE)])
    index.add(7, [])
    seen = seen_of(index, "keys")
    assert list(seen) == [1, 2, 3, 4, 5, 6] and seen_of(index, "cup") == {}
    assert index.views_with("keys").latest(2, 5, 3) == [5, 4, 3]
    assert seen[1].alike > 0.95 and seen[6].alike < 0.3
    assert seen[1].probability == pytest.approx(0.9, abs=0.01)
    asked = seen_of(index, "keys", "blue")
    assert [round(asked[number].alike) for number in (1, 6)] == [0, 1]
    assert seen_of(index, "keys", "green")[1].alike == 0
    assert index.looked_through([7, 8, 1]) == {1, 7}
    shown = index.surely_shown(2, 6)
    assert list(shown) == [2, 3, 4, 5, 6] and shown[6] < shown[2]
    index.remove({1, 6, 7, 99})
    assert list(seen_of(index, "keys")) == [2, 3, 4, 5] and not index.looked_through([7])
    for gone in ({2, 3}, {4, 5}, {2, 4}):
        index.remove(gone)
    index.add(8, [KEYS])
    assert list(seen_of(index, "keys")) == [8], "all were gone"
    index.clear()
    assert seen_of(index, "keys") == {}


@given(st.lists(THINGS, max_size=12), st.sets(st.integers(1, 12)))
def test_the_index_forgets_and_stays_within_its_bounds(views: list[list[SeenThing]], gone: set[int]) -> None:
    index, fresh = ThingIndex(), ThingIndex()
    for number, things in enumerate(views, 1):
        index.add(number, things)
    index.remove(gone)
    for number, things in enumerate(views, 1):
        if number not in gone:
            fresh.add(number, things)
    for name in ("keys", "cup", "medicine box"):
        seen, others = seen_of(index, name), seen_of(fresh, name)
        assert seen.keys() == others.keys() and not gone & set(seen)
        for number, each in seen.items():
            assert each.alike == pytest.approx(others[number].alike, abs=1e-5)
            assert 0 <= each.probability <= 1 and -1e-6 <= each.alike <= 1 + 1e-6


def test_a_phrase_names_one_thing_or_none() -> None:
    names, colours = ("keys", "remote control", "sign"), ("red", "blue")
    assert named_in("my red keys", names, colours) == ("keys", "red")
    assert named_in("the remote control", names, colours) == ("remote control", "")
    for phrase in ("the keys by the sign", "the lamp", "keyset", ""):
        assert named_in(phrase, names, colours) == ("", "")


def test_a_view_that_shows_it_is_found_however_badly_it_fits_the_words(tmp_path: Path) -> None:
    memory = store(tmp_path)
    for number in range(1, 31):
        things = (KEYS,) if number == 7 else (BOOK,) if number % 2 else None
        memory.add(view(number, things=things), at(number))
    query = -direction(7)
    found = memory.search(query, "e", 3, at(40), thing="keys")
    assert found[-1].row.number == 7 and len(found) == 4
    assert found[-1].seen is not None and found[-1].seen.alike > 0.95
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    for each in found[:-1]:
        assert each.seen == (UNSEEN if each.row.number % 2 else None), "or was not looked through"
    plain = memory.search(query, "e", 3, at(40))
    assert len(plain) == 3 and all(each.seen is None for each in plain)
    within = memory.search(query, "e", 3, at(40), memory.time_of(at(8)), thing="keys")
    assert 7 not in [each.row.number for each in within], "it is of another time"
    assert memory.things(7) == (KEYS,) and memory.things(8) is None and memory.things(77) is None
    assert memory.status(at(40)).looked_through == 15
    assert [row.number for row in memory.surest(at(40), 3)] == [29, 19, 7]
    assert memory.surest(at(40), 3, memory.time_of(at(90))) == []


def test_what_is_forgotten_is_found_no_more_and_nothing_stands_in_the_clear(tmp_path: Path) -> None:
    memory = store(tmp_path)
    for number in (1, 2):
        memory.add(view(number, things=(KEYS,)), at(number))
    assert len(memory.search(direction(1), "e", 9, at(3), thing="keys")) == 2
    assert memory.forget([1]) == 1
    (left,) = memory.search(direction(1), "e", 9, at(3), thing="keys")
    assert left.row.number == 2 and memory.things(1) is None
    memory.close()
    assert b"keys" not in (tmp_path / "memory.db").read_bytes()


def test_a_view_is_looked_through_later_and_once(tmp_path: Path) -> None:
    memory = store(tmp_path)
    for number in (1, 2, 3):
        memory.add(view(number, things=(BOOK,) if number == 2 else None), at(number))
    assert memory.shallow("e", 3, 9, 9) == []
    assert memory.shallow("e", 3, 9, 9, look_through=True) == [3, 1]
    assert memory.search(direction(1), "e", 9, at(4), thing="keys")[0].seen is None
    assert memory.place_all({1: direction(1), 3: direction(3)}, 3, "e", {1: (KEYS,), 3: ()}) == [1, 3]
    assert memory.shallow("e", 3, 9, 9, look_through=True) == []
    for again in (memory, store(tmp_path)):
        seen = {
            each.row.number: each.seen for each in again.search(direction(1), "e", 9, at(4), thing="keys")
        }
        assert seen[1] is not None and seen[1].probability > 0.8 and seen[2] == seen[3] == UNSEEN


def test_a_damaged_list_of_things_is_counted_and_costs_no_view(tmp_path: Path) -> None:
    memory = store(tmp_path)
    for number in (1, 2, 3):
        memory.add(view(number, things=(KEYS,)), at(number))
    memory.close()
    with sqlite3.connect(tmp_path / "memory.db") as plain:
        plain.execute("UPDATE things SET data = zeroblob(90) WHERE view = 1")
        plain.execute("UPDATE things SET data = (SELECT data FROM things WHERE view = 3) WHERE view = 2")
    plain.close()
    again = store(tmp_path)
    assert again.verify() == Verified([], [], [], [1, 2])
    found = {each.row.number: each.seen for each in again.search(direction(1), "e", 9, at(4), thing="keys")}
    assert found[1] is found[2] is None and found[3] is not None and again.things(1) is None


@pytest.mark.parametrize("form", [1, 2])
def test_a_store_of_an_older_form_is_brought_up(tmp_path: Path, form: int) -> None:
    before = store(tmp_path)
    before.add(view(1), at(1))
    before.close()
    with sqlite3.connect(tmp_path / "memory.db") as plain:
        plain.execute("DROP TABLE things")
        if form == 1:
            plain.execute("DROP TABLE activations")
        plain.execute(f"PRAGMA user_version = {form}")
    plain.close()
    assert TABLES.count("CREATE TABLE") == 6 and VERSION == 3
    again = store(tmp_path)
    assert again.add(view(2, things=(KEYS,)), at(2)) == 2
    found = again.search(direction(2), "e", 9, at(3), thing="keys")
    assert [each.row.number for each in found if each.seen is not None] == [2]
    assert again.things(1) is None and again.verify() == Verified([], [], [])


def match(number: int, score: float, seen: Seen | None) -> Match:
    return Match(Row(number, 600.0 * number, "new", 12, "e", False, "", 9), score, seen)


def looked_at(*found: Match) -> list[int]:
    ranked = sorted(found, key=lambda each: -each.score)
    return [each.row.number for each in worth_a_look(ranked, Nearness())]


def test_what_the_detector_saw_counts_more_than_how_well_a_view_fits() -> None:
    sure, other_colour, alike = Seen(0.95, 1.0), Seen(0.95, 0.1), Seen(0.4, 1.0)
    assert looked_at(match(1, 0.7, sure), match(2, 0.69, UNSEEN), match(3, 0.55, sure)) == [3, 1]
    assert looked_at(match(1, 0.7, sure), match(2, 0.68, other_colour)) == [1]
    assert looked_at(match(1, 0.7, sure), match(2, 0.68, alike)) == [2, 1]
    assert looked_at(match(2, 0.68, alike), match(1, 0.7, alike)) == [], "none shows it surely"
    assert looked_at(match(1, 0.7, UNSEEN), match(2, 0.68, None)) == [2], "nobody looked there yet"
    assert looked_at() == []
    ranked = [match(1, 0.7, alike), match(2, 0.68, alike)]
    assert [each.row.number for each in episodes(ranked, Nearness())] == [2, 1], "where it is known to be"


def test_of_two_of_a_kind_both_are_looked_at_unless_a_colour_is_asked_for() -> None:
    index = ThingIndex()
    index.add(1, [SeenThing("keys", 0.96, RED)])
    index.add(2, [SeenThing("keys", 0.89, BLUE)])
    index.add(3, [SeenThing("keys", 0.4, (("green", 1.0),))])
    seen = seen_of(index, "keys")
    both = match(1, 0.7, seen[1]), match(2, 0.68, seen[2]), match(3, 0.68, seen[3])
    assert all(shows(each, 0.7) < SURELY_FROM for each in both), "none has the usual colours"
    assert looked_at(*both) == [2, 1], "the third hardly shows keys"
    assert looked_at(*both, match(4, 0.69, None)) == [4, 2, 1]
    ranked = [both[0], both[1]]
    assert worth_a_look(ranked, Nearness(), colour_asked=True) == [], "those are of other colours"
    assert looked_at(match(1, 0.7, Seen(0.8, 0.3)), match(2, 0.7, Seen(0.8, 0.3))) == [], "unsure as well"


@given(st.floats(0, 1), st.floats(0, 1), st.floats(-1, 1), st.floats(0, 1))
def test_a_surer_nearer_view_of_the_usual_colours_never_counts_less(
    probability: float, alike: float, score: float, more: float
) -> None:
    best = max(score, 0.5)
    seen = shows(match(1, score, Seen(probability, alike)), best)
    assert seen <= 1 and 0 < SHOWS_FROM < SURELY_FROM < 1
    for other in (
        match(1, score, Seen(min(1.0, probability + more), alike)),
        match(1, min(best, score + more), Seen(probability, alike)),
        match(1, score, Seen(probability, min(1.0, alike + more))),
    ):
        assert shows(other, best) >= seen - 1e-9
    assert shows(match(1, score, None), best) == 0


def test_scores_of_single_views_are_those_of_the_scan() -> None:
    table = VectorTable(8)
    for number in range(1, 9):
        table.add(number, packed(direction(number)))
    table.remove({3})
    found = table.scores(direction(2), [1, 2, 3, 99])
    assert found.keys() == {1, 2} and found[2] == pytest.approx(1.0, abs=0.01)
    scanned = dict(table.nearest(direction(2), 9))
    assert all(np.isclose(scanned[number], score) for number, score in found.items())

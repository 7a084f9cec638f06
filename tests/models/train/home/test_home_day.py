"""Whole days: reproducible, consistent with the intervals told beside them, and apart between the splits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("PIL")

from models.train.world.home.day import Day, Interval, day, day_seen_at
from models.train.world.home.errands import POCKET
from models.train.world.home.picture.render import render
from models.train.world.home.splits import (
    HELD_OUT_PLACES,
    HELD_OUT_STYLES,
    KINDS,
    SPLITS,
    VALIDATION_PLACES,
    layout_split,
)
from models.train.world.home.things import SENSIBLE
from models.train.world.home.truth import truth_of

few = settings(max_examples=8, deadline=None)
days = st.builds(day, st.integers(0, 10_000), st.integers(300, 900), st.sampled_from(SPLITS))


def test_a_day_depends_on_its_seed_alone_and_has_as_many_views_as_asked_for() -> None:
    one = day(5, 2000)
    assert one == day(5, 2000) and len(one.views) == 2000
    assert one.views != day(6, 2000).views
    assert (render(one.views[700]) == render(day(5, 2000).views[700])).all()
    with pytest.raises(ValueError, match="100 to 20000"):
        day(5, 10)


@few
@given(days)
def test_views_are_in_order_and_each_lies_in_a_segment_of_its_place(one: Day) -> None:
    assert all(a.at_s < b.at_s for a, b in itertools.pairwise(one.views))
    assert all(a.end_s == b.start_s for a, b in itertools.pairwise(one.segments))
    for view in one.views[::7]:
        segment = next(s for s in one.segments if s.start_s <= view.at_s <= s.end_s)
        assert segment.place == view.place
        assert view.layout_number == one.layouts[view.place]


@few
@given(days)
def test_intervals_of_a_thing_fill_the_day_without_gap(one: Day) -> None:
    start_s, end_s = one.segments[0].start_s, one.segments[-1].end_s
    for kind in KINDS:
        own = [interval for interval in one.intervals if interval.kind == kind]
        assert own[0].start_s == start_s and own[-1].end_s == end_s
        assert all(a.end_s == b.start_s for a, b in itertools.pairwise(own))
        for before, after in itertools.pairwise(own):
            assert "hand" in (before.surface, after.surface), "a thing moves only through the hand"
            if POCKET not in (before.surface, after.surface):
                assert before.place == after.place
        assert all(i.surface in (*SENSIBLE[kind], "hand", POCKET) for i in own)


@few
@given(days)
def test_each_view_shows_what_the_intervals_say(one: Day) -> None:
    for view in one.views[::5]:
        there = {
            (i.kind, i.surface)
            for i in one.intervals
            if i.start_s <= view.at_s < i.end_s and i.place == view.place and i.surface != POCKET
        }
        assert {(thing.kind, thing.surface) for thing in view.things} == there
        assert sum(thing.held for thing in view.things) <= 1
        for seen in truth_of(view).seen:
            found = one.where(seen.kind, view.at_s)
            assert found is not None and (found.place, found.surface) == (view.place, seen.surface)


def test_a_day_has_walks_idle_hours_revisits_and_things_that_end_up_elsewhere() -> None:
    for seed in range(3):
        one = day(seed, 3000)
        gaps = [b.at_s - a.at_s for a, b in itertools.pairwise(one.views)]
        assert max(gaps) > 120 and sorted(gaps)[len(gaps) // 2] < 30
        places = [place for place, _ in itertools.groupby(view.place for view in one.views)]
        assert len(places) > len(set(places)) + 5
        moved = [
            kind
            for kind in KINDS
            if len({(i.place, i.surface) for i in one.intervals if i.kind == kind} - {("", POCKET)}) > 2
        ]
        assert len(moved) >= 4
        assert {view.light.quality for view in one.views} == {"clear", "dark", "blurred"}


def test_neighbouring_views_are_often_near_duplicates() -> None:
    one = day(11, 3000)
    pairs = [
        (a, b)
        for a, b in itertools.pairwise(one.views)
        if a.place == b.place
        and a.things == b.things
        and abs(a.camera.x - b.camera.x) < 0.05 * a.camera.field
    ]
    assert len(pairs) > len(one.views) / 2
    a, b = pairs[len(pairs) // 2]
    other = next(view for view in one.views if view.place != a.place and view.light.quality == "clear")

    def apart(one, two) -> float:
        small = [render(each).astype(float)[::8, ::8] for each in (one, two)]
        return float(np.abs(small[0] - small[1]).mean())

    assert apart(a, b) < apart(a, other)


def test_training_days_and_held_out_days_share_nothing_that_is_held_out() -> None:
    train = [day(seed, 400) for seed in range(6)]
    held = [day(seed, 400, "held") for seed in range(6)]
    used = {(place, number) for one in train for place, number in one.layouts.items()}
    assert not used & {(place, number) for one in held for place, number in one.layouts.items()}
    assert {layout_split(number) for _, number in used} == {"train"}
    things = {(v.place, t.kind, t.style) for one in train for v in one.views for t in v.things}
    assert not {(kind, style) for _, kind, style in things} & HELD_OUT_STYLES
    assert not {(kind, place) for place, kind, _ in things} & (HELD_OUT_PLACES | VALIDATION_PLACES)
    assert any((t.kind, t.style) in HELD_OUT_STYLES for one in held for v in one.views for t in v.things)


def test_the_same_day_can_be_seen_at_any_moments() -> None:
    whole = day(5, 300, "held")
    moments = [view.at_s for view in whole.views]
    seen = day_seen_at(5, [0.0, *moments, 1e6], "held")
    assert seen == whole
    assert day_seen_at(5, [moments[7]], "held").segments == whole.segments


def test_an_interval_reads_as_a_sentence() -> None:
    interval = Interval("keys", "kitchen", "table", 8 * 3600 + 12 * 60, 9 * 3600 + 40 * 60 + 30)
    assert str(interval) == "keys: kitchen table from 8:12 to 9:40"
    assert day(5, 200).where("keys", 3600.0) is None

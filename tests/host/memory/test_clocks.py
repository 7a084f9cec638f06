"""Times of views over boots whose wall clocks jump or begin in 1970."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from host.memory.clocks import SET_FROM_S, Boot, newer_offset, offsets

TODAY_S = 1_790_000_000.0


@st.composite
def histories(draw: st.DrawFn) -> list[Boot]:
    boots = []
    for number in range(1, draw(st.integers(1, 6)) + 1):
        first_s = draw(st.floats(0, 1000))
        length_s = draw(st.floats(0, 100_000))
        wall_s = draw(st.one_of(st.floats(0, 1000), st.floats(TODAY_S, TODAY_S + 1e6), st.just(4e9)))
        boots.append(Boot(number, first_s, first_s + length_s, wall_s - first_s))
    return boots


@given(boots=histories())
def test_a_later_boot_is_never_before_an_earlier_one(boots):
    shift = offsets(boots)
    ends = [(boot.first_s + shift[boot.number], boot.last_s + shift[boot.number]) for boot in boots]
    for (_, end_s), (start_s, _) in pairwise(ends):
        assert end_s <= start_s + 1e-3


@given(boots=histories())
def test_the_last_boot_keeps_its_clock_if_that_was_set(boots):
    if boots[-1].set:
        assert offsets(boots)[boots[-1].number] == boots[-1].offset_s


def test_a_boot_in_1970_follows_the_one_before_it():
    yesterday = Boot(1, 10.0, 5_010.0, TODAY_S)
    unset = Boot(2, 5.0, 65.0, 0.0)
    assert offsets([yesterday, unset])[2] + 5.0 == 5_010.0 + TODAY_S


def test_boots_in_1970_before_the_first_whose_clock_was_set_end_where_the_next_begins():
    unset = Boot(1, 5.0, 65.0, 0.0), Boot(2, 7.0, 47.0, 3.0)
    shift = offsets([*unset, Boot(3, 10.0, 5_010.0, TODAY_S), Boot(4, 5.0, 65.0, 0.0)])
    assert shift[3] == TODAY_S and shift[4] + 5.0 == 5_010.0 + TODAY_S
    assert shift[2] + 47.0 == TODAY_S + 10.0 and shift[1] + 65.0 == shift[2] + 7.0
    assert offsets(unset) == {1: 0.0, 2: 58.0}, "nobody knows when that was"


def test_a_clock_that_is_set_late_holds_for_the_whole_boot():
    offset_s = newer_offset(Boot(1, 0.0, 10.0, 0.0), 60.0, TODAY_S)
    assert offset_s == TODAY_S - 60.0
    assert newer_offset(Boot(1, 0.0, 60.0, offset_s), 70.0, 70.0) == offset_s, "a clock does not unset itself"
    assert not Boot(1, 0.0, 10.0, 0.0).set and Boot(1, 0.0, 0.0, SET_FROM_S).set


def day(number: int, clock: float | None = None) -> Boot:
    """A boot of that day, from its second 30 to 3600; by its clock it is that of the day `clock`."""
    shown = number if clock is None else clock
    return Boot(number, 30.0, 3600.0, TODAY_S + shown * 86_400)


def test_a_clock_that_was_behind_for_a_boot_moves_no_other_boot():
    shift = offsets([day(1), day(2), day(3, -20), Boot(4, 5.0, 65.0, 0.0), day(5)])
    assert [shift[number] for number in (1, 2, 5)] == [day(number).offset_s for number in (1, 2, 5)]
    assert shift[3] + 30.0 == shift[2] + 3600.0 and shift[4] + 5.0 == shift[3] + 3600.0
    assert offsets([day(1), day(2, -20), day(3)])[1] == day(1).offset_s


def test_a_clock_that_was_ahead_for_a_boot_moves_no_other_boot():
    shift = offsets([day(1), day(2, 42), day(3), day(4)])
    assert [shift[number] for number in (1, 3, 4)] == [day(number).offset_s for number in (1, 3, 4)]
    assert shift[2] + 3600.0 == shift[3] + 30.0
    many = [day(number, 40 if number == 20 else None) for number in range(1, 60)]
    assert all(offsets(many)[number] == day(number).offset_s for number in range(1, 60) if number != 20)

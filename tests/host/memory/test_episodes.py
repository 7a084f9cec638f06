"""Which of the views that fit a question are told of first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from host.answers.memory_replies import sureness
from host.answers.spots import same_spot
from host.memory.episodes import EPISODE_S, Nearness, episodes, worth_a_look
from host.memory.values import Match, Row

USUAL = Nearness()


def match(number: int, time_s: float, score: float, depth: int = 12) -> Match:
    return Match(Row(number, time_s, "new", depth, "e", False, "", 9), score)


def numbers(*found: Match) -> list[int]:
    return [each.row.number for each in episodes(sorted(found, key=lambda each: -each.score), USUAL)]


def test_the_latest_episode_that_fits_about_as_well_comes_first_by_its_best_view() -> None:
    earlier = match(1, 0.0, 0.70), match(2, 20.0, 0.72)
    later = match(3, 500.0, 0.62), match(4, 530.0, 0.66), match(5, 560.0, 0.64)
    assert numbers(*earlier, *later) == [4, 2]
    found = sorted((*earlier, *later), key=lambda each: -each.score)
    assert [each.row.number for each in worth_a_look(found, USUAL)] == [4, 2, 5, 3, 1]
    assert numbers(*earlier, match(6, 900.0, 0.59)) == [2], "that one fits much less well"
    assert numbers(match(7, 0.0, USUAL.fits_from - 0.01)) == numbers() == []


def test_a_pack_says_what_its_cosines_mean() -> None:
    low = Nearness.of({"fits_from": 0.04, "about_as_well": 0.03})
    found = [match(1, 0.0, 0.09), match(2, 500.0, 0.07), match(3, 900.0, 0.05)]
    assert [each.row.number for each in episodes(found, low)] == [2, 1]
    assert episodes(found, Nearness.of({})) == [], "where another pack's views would all fit"


def test_views_that_stopped_early_are_not_compared_with_whole_ones() -> None:
    assert numbers(match(1, 0.0, 0.7), match(2, 500.0, 0.69, depth=1)) == [1]
    assert numbers(match(1, 0.0, 0.7, depth=1), match(2, 500.0, 0.69)) == [2, 1]


@given(st.lists(st.tuples(st.integers(0, 2000), st.floats(-1, 1)), max_size=30))
def test_episodes_are_apart_and_each_fits(drawn: list[tuple[int, float]]) -> None:
    found = sorted(
        (match(number, float(at), score) for number, (at, score) in enumerate(drawn)),
        key=lambda each: -each.score,
    )
    told = episodes(found, USUAL)
    assert bool(told) is bool(found and found[0].score >= USUAL.fits_from)
    for each in told:
        assert each.score >= max(USUAL.fits_from, found[0].score - USUAL.about_as_well)
    times = [each.row.time_s for each in told]
    assert times == sorted(times, reverse=True) and len(set(times)) == len(times)
    least = max(USUAL.fits_from, found[0].score - USUAL.about_as_well) if found else 0.0
    near = [each.row.time_s for each in found if each.score >= least]
    gaps = sum(b - a > EPISODE_S for a, b in zip(sorted(near), sorted(near)[1:], strict=False))
    assert len(told) == (gaps + 1 if near else 0)


def test_how_sure_it_is_and_what_one_spot_is() -> None:
    words = [sureness(0.7 - less, 0.7, 0.12) for less in (0.0, 0.05, 0.1, 0.12)]
    assert words == ["quite sure", "fairly sure", "not very sure", "not very sure"]
    assert same_spot("Your cup is on the bed, left of the book.", "Your cup is on the bedroom bed.")
    assert not same_spot("Your cup is in your hand.", "Your cup is on the bed.")
    assert not same_spot("Your cup is on the kitchen table.", "Your cup is on the desk.")

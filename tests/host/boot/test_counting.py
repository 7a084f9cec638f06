"""The rule of boot counting, over any sequence of starts, crashes, stops and cuts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.boot.counting import (
    PASSED,
    STRIKES,
    STRIKES_OF_GOOD,
    Count,
    Proof,
    adopted,
    charged,
    gives_way,
    gone_back,
    judged,
    known_before,
    may_follow,
    worth_keeping,
)

HELD = Proof("b", 0, listens=True, self_test=PASSED, steady=True)
ENDS = {
    "crash at once": Proof("b", 0),
    "crash while it listens": Proof("b", 0, listens=True),
    "crash after its self-test": Proof("b", 0, listens=True, self_test=PASSED),
    "its self-test fails": replace(HELD, self_test="the voice failed", stopped=True),
    "it never listens": Proof("b", 0, steady=True),
}
GOOD_ENDS = {
    "a day": HELD,
    "stopped at once": Proof("b", 0, stopped=True),
    "stopped after a minute": Proof("b", 0, listens=True, self_test=PASSED, stopped=True),
}


class Headband:
    """Starts release b over a; its count is what a disk would have."""

    def __init__(self, count: Count) -> None:
        self.count, self.boot, self.starts = count, 0, 0

    def start(self, proof: Proof, *, cut: bool) -> bool:
        """One start after a boot (`cut`) or after a crash; False where it gives way."""
        self.boot += cut
        self.count = judged(self.count, self.proof, f"boot {self.boot}")
        if gives_way(self.count, at_boot=cut) and may_follow(self.count, "a"):
            self.count = gone_back(self.count, "a")
            return False
        self.count = charged(self.count, f"boot {self.boot}")
        self.starts += 1
        self.proof = replace(proof, start=self.count.start)
        return True

    proof: Proof | None = None


def new() -> Headband:
    """With b just deployed over a, which is good."""
    return Headband(adopted(known_before("a", None), "b", ["a"]))


@given(st.lists(st.tuples(st.sampled_from([*ENDS.values()]), st.booleans()), min_size=3, max_size=8))
def test_a_release_that_never_holds_is_started_twice_whatever_happens(ends: list[tuple[Proof, bool]]) -> None:
    headband = new()
    went = [headband.start(proof, cut=cut) for proof, cut in ends[:3]]
    assert went == [True, True, False] and headband.starts == STRIKES
    assert headband.count.release == "a" and headband.count.refused == "b" and headband.count.refused_why
    assert not may_follow(headband.count, "b"), "it would go forth and back"


@given(
    st.lists(st.tuples(st.sampled_from([*ENDS.values(), *GOOD_ENDS.values()]), st.booleans()), max_size=30)
)
def test_two_failures_in_succession_and_no_fewer_end_a_release_that_is_not_good(
    ends: list[tuple[Proof, bool]],
) -> None:
    headband, failed = new(), 0
    for proof, cut in ends:
        good = headband.count.standing("b") == "good"
        if not headband.start(proof, cut=cut):
            assert failed >= STRIKES
            return
        if not good:
            assert headband.count.strikes <= STRIKES
        held = proof in GOOD_ENDS.values()
        failed = failed if held and not proof.listens else 0 if held else failed + 1


@given(st.lists(st.sampled_from([*GOOD_ENDS.values()]), max_size=20))
def test_a_release_that_holds_stays_whatever_else_happens(ends: list[Proof]) -> None:
    headband = new()
    assert all(headband.start(proof, cut=bool(number % 2)) for number, proof in enumerate(ends))


def test_good_is_what_passed_its_self_test_in_two_starts() -> None:
    headband = new()
    for standing in ("new", "answered", "good"):
        headband.start(HELD, cut=True)
        assert headband.count.standing("b") == standing


def good() -> Headband:
    headband = new()
    for _ in range(3):
        headband.start(HELD, cut=True)
    assert headband.count.standing("b") == "good"
    return headband


def test_a_good_release_that_fails_at_two_boots_gives_way_at_the_third() -> None:
    headband = good()
    assert [headband.start(Proof("b", 0), cut=True) for _ in range(3)] == [True, True, False]


def test_a_good_release_that_fails_again_and_again_gives_way_without_a_boot() -> None:
    headband = good()
    starts = [headband.start(Proof("b", 0, listens=True), cut=False) for _ in range(STRIKES_OF_GOOD + 1)]
    assert starts == [*[True] * STRIKES_OF_GOOD, False]


@given(st.integers(0, 20))
def test_a_wearer_who_takes_the_battery_out_keeps_a_good_release(times: int) -> None:
    headband = good()
    assert all(headband.start(Proof("b", 0, listens=True), cut=True) for _ in range(times))


@given(st.lists(st.tuples(st.integers(0, STRIKES_OF_GOOD - 1), st.booleans()), max_size=12))
def test_a_good_release_gives_way_after_two_boots_in_succession_that_do_not_end_listening(
    boots: list[tuple[int, bool]],
) -> None:
    """Of each boot: how many starts end by a fault, and whether the last one listens when the power goes."""
    headband, failed = good(), 0
    for faults, listens in boots:
        starts = [*[Proof("b", 0)] * faults, Proof("b", 0, listens=listens)]
        went = [headband.start(proof, cut=not number) for number, proof in enumerate(starts)]
        assert went[0] == (failed < STRIKES)
        if failed == STRIKES:
            return
        assert all(went)
        failed = 0 if listens else failed + 1


def test_a_start_that_holds_ends_the_succession_of_failed_boots() -> None:
    headband = good()
    for proof in (Proof("b", 0), HELD, Proof("b", 0), Proof("b", 0, stopped=True), Proof("b", 0)):
        assert headband.start(proof, cut=True)


def test_a_crash_after_five_minutes_is_no_failed_start() -> None:
    headband = good()
    assert all(headband.start(HELD, cut=False) for _ in range(9))


def test_where_there_is_nothing_to_go_back_to_it_is_started_for_ever() -> None:
    count = adopted(Count(), "b", [])
    for _ in range(150):
        count = charged(judged(count, None, "boot"), "boot")
        assert gives_way(count, at_boot=True) <= (count.strikes >= STRIKES)
    assert not may_follow(count, None) and not may_follow(count, "b")


@pytest.mark.parametrize(
    ("before", "older", "kept"),
    [
        ("new", "good", "older"),
        ("good", "good", "before"),
        ("new", "new", "before"),
        ("good", "new", "before"),
    ],
)
def test_the_last_good_release_is_kept(before: str, older: str, kept: str) -> None:
    count = Count(standings={"before": before, "older": older})  # type: ignore[dict-item]
    assert worth_keeping(count, "before", "older") == kept
    assert worth_keeping(count, "before", None) == "before" and worth_keeping(count, None, None) is None


def test_a_person_may_bring_a_refused_release_again() -> None:
    count = gone_back(charged(adopted(known_before("a", None), "b", ["a"]), "boot"), "a")
    assert count.standing("b") == "refused" and count.standing("a") == "good"
    again = adopted(count, "b", ["a"])
    assert again.standing("b") == "new" and not again.refused and may_follow(again, "a")


def test_what_another_start_proved_does_not_count() -> None:
    count = charged(adopted(known_before("a", None), "b", ["a"]), "boot")
    for proof in (replace(HELD, start=7), replace(HELD, release="a", start=1)):
        assert judged(count, proof, "next").standing("b") == "new"

"""The ledger: energy is neither lost nor counted twice, and measured and modelled stay separate."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from power.account.ledger import HOUR_S, Book, Drain, Ledger, Spent
from power.account.ledger_json import LedgerError, as_json, restore

QUICK = settings(deadline=None, max_examples=50, phases=(Phase.explicit, Phase.reuse, Phase.generate))
NOON_S = 1_767_268_800.0  # 2026-01-01 12:00:00 UTC
STAGES = st.dictionaries(st.sampled_from(["listen", "stt", "llm", "speak"]), st.floats(0, 50), max_size=4)
SPENT = st.builds(
    Spent,
    st.sampled_from(["turn", "standby", "asleep"]),
    st.sampled_from(["measured", "modelled"]),
    st.floats(NOON_S, NOON_S + 6 * HOUR_S),
    st.floats(0, 5 * HOUR_S),
    STAGES,
    st.sampled_from(["battery", "outside"]),
)


def utc_date(time_s: float) -> str:
    return f"{math.floor(time_s / 86400):08d}"


def ledger(**keep: int) -> Ledger:
    return Ledger(date=utc_date, **keep)


def in_order(intervals: list[Spent]) -> list[Spent]:
    return sorted(intervals, key=lambda spent: spent.ended_s)


def total(books: Any) -> float:
    return math.fsum(book.total_mwh for book in books)


@QUICK
@given(st.lists(SPENT, max_size=20))
def test_hours_and_days_hold_exactly_what_was_booked(intervals: list[Spent]) -> None:
    kept = ledger()
    for spent in in_order(intervals):
        kept.book(spent)
    booked = math.fsum(spent.total_mwh for spent in intervals)
    assert total(kept.hours.values()) == pytest.approx(booked, abs=1e-9)
    assert total(kept.days.values()) == pytest.approx(booked, abs=1e-9)
    for book in kept.days.values():
        assert sum(book.stages_mwh().values()) == pytest.approx(book.total_mwh)
    for kind in ("measured", "modelled"):
        own = math.fsum(spent.total_mwh for spent in intervals if spent.kind == kind)
        assert total(book.only(kind=kind) for book in kept.hours.values()) == pytest.approx(own, abs=1e-9)
    for activity in ("turn", "standby", "asleep"):
        own = math.fsum(spent.seconds for spent in intervals if spent.activity == activity)
        seconds = math.fsum(book.only(activity=activity).seconds for book in kept.hours.values())
        assert seconds == pytest.approx(own, abs=1e-6)
    assert sum(a.count for book in kept.hours.values() for a in book) == pytest.approx(len(intervals))


def test_turns_are_summed_by_who_answered_them() -> None:
    kept = ledger()
    for answered_by, mwh, kind in (
        ("language model", 6.0, "modelled"), ("reflex", 1.0, "measured"), ("language model", 4.0, "modelled"),
        ("reflex", 2.0, "modelled"), ("", 0.5, "modelled"),
    ):  # fmt: skip
        kept.book(Spent("turn", kind, NOON_S, 4.0, {"llm": mwh}, answered_by=answered_by))  # type: ignore[arg-type]
    kept.book(Spent("standby", "modelled", NOON_S, 4.0, {"listen": 3.0}))
    back = ledger()
    restore(back, json.loads(json.dumps(as_json(kept))))
    for each in (kept, back):
        book = each.day(NOON_S)
        answerers = book.answerers()
        assert {name: (a.count, a.total_mwh, a.kind) for name, a in answerers.items()} == {
            "language model": (2, 10.0, "modelled"), "reflex": (2, 3.0, "modelled"), "": (1, 0.5, "modelled"),
        }  # fmt: skip
        turns = [a for a in book.activities() if a.activity == "turn"]
        assert {(a.kind, a.count, a.total_mwh) for a in turns} == {
            ("modelled", 4, 12.5),
            ("measured", 1, 1.0),
        }
    assert back.turns[1].answered_by == "reflex"


def test_a_ledger_without_answerers_is_read() -> None:
    kept, back = ledger(), ledger()
    kept.book(Spent("turn", "modelled", NOON_S, 4.0, {"llm": 3.0}))
    text = json.dumps(as_json(kept))
    assert "answered_by" not in text
    restore(back, json.loads(text))
    assert list(back.day(NOON_S).answerers()) == [""]


@QUICK
@given(st.lists(SPENT, max_size=15))
def test_what_comes_back_from_the_disk_is_what_went_there(intervals: list[Spent]) -> None:
    kept, back = ledger(), ledger()
    for spent in in_order(intervals):
        kept.book(spent)
    restore(back, json.loads(json.dumps(as_json(kept))))
    assert total(back.hours.values()) == pytest.approx(total(kept.hours.values()), abs=1e-3)
    assert total(back.days.values()) == pytest.approx(total(kept.days.values()), abs=1e-3)
    assert [turn.kind for turn in back.turns] == [turn.kind for turn in kept.turns]
    assert back.drain.mean_mw == pytest.approx(kept.drain.mean_mw)


@QUICK
@given(STAGES, st.floats(0, 100))
def test_a_measured_total_is_divided_and_nothing_is_left(stages: dict[str, float], total_mwh: float) -> None:
    spent = Spent("turn", "modelled", NOON_S, 4.0, stages).measured(total_mwh)
    assert spent.kind == "measured"
    assert spent.total_mwh == pytest.approx(total_mwh, abs=1e-9)
    if sum(stages.values()) > 0:
        assert spent.stages_mwh.keys() == stages.keys()


def test_a_sum_is_measured_only_when_all_of_it_is() -> None:
    kept = ledger()
    kept.book(Spent("turn", "measured", NOON_S, 4.0, {"llm": 3.0}))
    assert (kept.day(NOON_S).kind, kept.day(NOON_S).measured_share) == ("measured", 1.0)
    kept.book(Spent("standby", "modelled", NOON_S, 60.0, {"listen": 1.0}))
    assert (kept.day(NOON_S).kind, kept.day(NOON_S).measured_share) == ("modelled", 0.75)
    assert Book().kind == "modelled"


def test_a_night_is_spread_over_its_hours_and_days() -> None:
    kept = ledger()
    kept.book(Spent("asleep", "modelled", NOON_S + 18 * HOUR_S, 9 * HOUR_S, {"asleep": 90.0}))
    assert [round(book.total_mwh, 6) for book in kept.hours.values()] == [10.0] * 9
    assert kept.day(NOON_S).total_mwh == pytest.approx(30)
    assert kept.day(NOON_S + 18 * HOUR_S).total_mwh == pytest.approx(60)


@pytest.mark.parametrize("offset_h", [5.5, 5.75, -3.5, 12.75, 0.0])
def test_a_day_begins_at_the_wearers_midnight_wherever_that_is(offset_h: float) -> None:
    """Also where it lies within an hour of UTC, as in India and Nepal."""
    kept = Ledger(date=lambda time_s: utc_date(time_s + offset_h * HOUR_S))
    midnight_s = NOON_S + (12 - offset_h) * HOUR_S
    kept.book(Spent("asleep", "modelled", midnight_s + 1200, 3000.0, {"asleep": 50.0}))
    assert kept.day(midnight_s - 1).total_mwh == pytest.approx(30)
    assert kept.day(midnight_s).total_mwh == pytest.approx(20)
    assert total(kept.hours.values()) == pytest.approx(50)


def test_a_clock_that_falls_back_to_the_epoch_during_a_sleep_costs_no_ledger() -> None:
    """A board without a battery for its clock starts in 1970, and it may have slept an hour by then."""
    kept, read = ledger(), ledger()
    kept.book(Spent("standby", "modelled", NOON_S, 60.0, {"listen": 1.0}))
    kept.book(Spent("asleep", "modelled", 5.0, HOUR_S, {"asleep": 2.0}))
    restore(read, json.loads(json.dumps(as_json(kept))))
    assert total(read.days.values()) == total(read.hours.values()) == pytest.approx(3.0)
    assert sum(book.seconds for book in read.hours.values()) == pytest.approx(HOUR_S + 60.0)


def test_what_is_kept_is_bounded() -> None:
    kept = ledger(keep_hours=5, keep_days=3, keep_turns=4)
    for hour in range(200):
        kept.book(Spent("turn", "modelled", NOON_S + hour * HOUR_S + 60, 5.0, {"llm": 1.0}))
    assert (len(kept.hours), len(kept.days), len(kept.turns)) == (5, 3, 4)


def test_a_year_of_use_stays_a_small_file() -> None:
    kept = Ledger(date=utc_date)
    stages = dict.fromkeys(("listen", "stt", "vision", "llm", "tts", "speak"), 1.234567)
    for hour in range(24 * 60):
        for activity in ("turn", "standby", "asleep"):
            for kind in ("measured", "modelled"):
                kept.book(Spent(activity, kind, NOON_S + hour * HOUR_S, 9.0, stages, note="x" * 60))  # type: ignore[arg-type]
    assert len(json.dumps(as_json(kept))) < 200_000


DAY_S = 24 * HOUR_S


def standby(ended_s: float, mwh: float) -> Spent:
    return Spent("standby", "modelled", ended_s, 60.0, {"listen": mwh})


def test_what_a_clock_that_was_ahead_booked_goes_once_so_many_days_were_booked_since() -> None:
    kept = ledger(keep_hours=5, keep_days=3)
    kept.book(standby(NOON_S + 400 * DAY_S, 9.0))
    for day in range(2):
        kept.book(standby(NOON_S + day * DAY_S, 1.0))
    assert kept.day(NOON_S + DAY_S).total_mwh == 1.0
    assert len(kept.days) == 3
    for day in range(2, 6):
        kept.book(standby(NOON_S + day * DAY_S, 1.0))
    assert (total(kept.hours.values()), total(kept.days.values())) == (5.0, 3.0)


@pytest.mark.parametrize("behind_s", [HOUR_S, 13 * HOUR_S, DAY_S, 700 * DAY_S])
def test_a_clock_that_is_behind_erases_nothing(behind_s: float) -> None:
    kept = ledger()
    for day in range(20):
        kept.book(standby(NOON_S + day * DAY_S, 1.0))
    last_s = NOON_S + 19 * DAY_S
    kept.book(standby(last_s - behind_s, 5.0))
    back = ledger()
    restore(back, json.loads(json.dumps(as_json(kept))))
    assert total(kept.hours.values()) == total(back.days.values()) == 25.0
    back.book(standby(last_s + DAY_S, 1.0))
    assert total(back.days.values()) == 26.0


@QUICK
@given(st.lists(st.floats(1, 7200), min_size=1, max_size=30), st.floats(50, 3000))
def test_a_steady_drain_is_its_own_mean(lengths_s: list[float], power_mw: float) -> None:
    drain = Drain()
    assert drain.mean_mw is None
    for seconds in lengths_s:
        spent = Spent("standby", "measured", NOON_S, seconds, {"listen": power_mw * seconds / HOUR_S})
        drain = drain.after(spent)
    assert drain.mean_mw == pytest.approx(power_mw)
    assert drain.kind == "measured" and 0 < drain.weighed_h <= 1


def test_the_drain_forgets_and_a_charger_does_not_count() -> None:
    drain = Drain().after(Spent("turn", "modelled", NOON_S, HOUR_S, {"llm": 2000.0}))
    assert drain.after(Spent("turn", "modelled", NOON_S, 60.0, {"llm": 99.0}, "outside")) == drain
    for _ in range(10):
        drain = drain.after(Spent("standby", "modelled", NOON_S, HOUR_S, {"listen": 700.0}))
    assert drain.mean_mw == pytest.approx(700, rel=0.01) and drain.kind == "modelled"


@pytest.mark.parametrize(
    "damage",
    [
        lambda kept: None,
        lambda kept: [],
        lambda kept: {**kept, "version": 2},
        lambda kept: {**kept, "turns": [{"activity": "dance"}]},
        lambda kept: {**kept, "hours": {"noon": []}},
        lambda kept: {**kept, "drain": {"weighed_mwh": "much"}},
        lambda kept: {**kept, "drain": {"weighed_mwh": float("nan")}},
        lambda kept: {**kept, "days": {"2026-01-01": [{"activity": "turn", "kind": "guessed"}]}},
    ],
)
def test_anything_else_is_refused_as_a_whole(damage: Any) -> None:
    kept = ledger()
    kept.book(Spent("turn", "modelled", NOON_S, 4.0, {"llm": 3.0}))
    before = as_json(kept)
    with pytest.raises(LedgerError):
        restore(kept, damage(as_json(kept)))
    assert as_json(kept) == before

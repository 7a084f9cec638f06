"""Replies about energy: they agree with the figures, and state whether these are measured or modelled."""

from __future__ import annotations

from dataclasses import replace

import pytest

from host.answers.energy_replies import Outlook, PastAnswer, cost, lasting, used_today, why_short
from host.language.router import Router
from hw.supply import BatteryReading
from power.account.ledger import Account, Book, Drain, Kind, Spent
from power.policy.config import PowerConfig
from power.policy.plan import Mode, PowerPlan
from power.policy.policy import Policy

GOOD = BatteryReading(50, 3800, -900, 25.0, False, "good")


def plan(mode: Mode | None = None, percent: int = 80, config: PowerConfig | None = None) -> PowerPlan:
    return Policy(config).decide(BatteryReading(percent, 3800, -150, 25.0, False, "good"), 0.0, mode)[0]


def drained(power_mw: float, kind: Kind, hours: float = 1.0) -> Drain:
    spent = Spent("standby", kind, 0.0, hours * 3600, {"listen": power_mw * hours})
    return Drain().after(spent)


def test_how_long_follows_the_last_hour_not_the_moment() -> None:
    assert lasting(GOOD, drained(400, "measured")) == (
        "If it goes on like the last hour, I will last about 9 hours."
    )
    assert lasting(GOOD, drained(400, "modelled")) == (
        "I estimate about 9 hours, if it goes on like the last hour."
    )
    assert lasting(GOOD, drained(400, "measured", hours=0.1)) == "At this rate, I will last about 65 minutes."


def test_how_long_follows_what_the_cell_holds() -> None:
    larger = replace(GOOD, full_mah=3000)
    assert "about 14 hours" in lasting(larger, drained(400, "measured"))
    assert lasting(larger, Drain()) == "At this rate, I will last about 2 hours."
    aged = replace(GOOD, full_mah=1400)
    assert "about 6 hours" in lasting(aged, drained(400, "measured"))
    today = book(("standby", 1110, 9))
    assert "about 10 percent of a full battery" in used_today(today, larger)
    assert "about 15 percent of a full battery" in used_today(today, GOOD)


def test_how_long_ends_where_the_headband_stops() -> None:
    low = replace(GOOD, percent=7)
    assert "about 80 minutes" in lasting(low, drained(400, "measured"))
    assert "about 20 minutes" in lasting(low, drained(400, "measured"), 5.0)
    assert "about 5 minutes" in lasting(replace(low, percent=5), drained(400, "measured"), 5.0)


def test_a_gauge_without_a_current_is_not_said_to_draw_nothing() -> None:
    reading = replace(GOOD, current_ma=None)
    assert lasting(reading, Drain()) == "The battery is at 50 percent. I cannot tell yet how long it lasts."
    assert lasting(replace(GOOD, current_ma=0), Drain()).endswith("hardly anything is drawn from it.")
    assert "about 9 hours" in lasting(reading, drained(400, "measured"))


@pytest.mark.parametrize("state", ["stale", "absent", "implausible"])
def test_an_unreadable_battery_lasts_for_no_number(state: str) -> None:
    reading = BatteryReading(50, 3800, -900, 25.0, False, state, "Wrong.")  # type: ignore[arg-type]
    assert lasting(reading, drained(400, "measured")) == "I cannot read the battery just now."


def test_a_charging_battery_needs_no_prediction() -> None:
    charging = BatteryReading(50, 4000, 500, 25.0, True, "good")
    assert lasting(charging, drained(400, "measured")) == "I am charging, and the battery is at 50 percent."


def test_why_short_tells_the_plan_that_held_in_that_turn() -> None:
    lean = plan(percent=35)
    said = why_short(PastAnswer(lean, lean.answer_max_tokens), plan())
    assert "throttled mode, because the battery was at 35 percent" in said
    assert "saved 50 percent" in said and "stopped after about 60 words" in said
    cascade = plan(percent=10)
    assert "saved all the power" in why_short(PastAnswer(cascade, cascade.answer_max_tokens), plan())
    whole = why_short(PastAnswer(plan(), 7), lean)
    assert whole.startswith("That was all I had to say") and "performance mode" in whole
    assert "Nothing was cut" in why_short(PastAnswer(lean, None), plan())
    assert "You silenced me" in why_short(PastAnswer(lean, None, silenced=True), plan())
    assert "not answered anything yet" in why_short(None, plan())
    one = PowerConfig(cascade_one_at_a_time=True)
    asked = why_short(PastAnswer(plan(Mode.CASCADE, config=one), 3), plan())
    assert "because you asked for cascade mode" in asked and "one model at a time" in asked


def book(*parts: tuple[str, float, float], kind: Kind = "modelled") -> Book:
    return Book(
        Account(activity, kind, "battery", 60.0, count, {"listen": mwh})  # type: ignore[arg-type]
        for activity, mwh, count in parts
    )


def test_what_used_the_battery_is_ordered_and_labelled() -> None:
    today = book(("turn", 250, 14), ("standby", 600, 9), ("asleep", 150, 2))
    assert used_today(today, GOOD) == (
        "Waiting used the most, about 60 percent. 14 questions used 25 percent and sleeping used 15 percent. "
        "All together, that is about 14 percent of a full battery. These figures are estimates."
    )
    few = used_today(book(("turn", 20, 1), ("standby", 10, 9), kind="measured"), GOOD)
    assert few.startswith("One question used the most, about 67 percent. Waiting used 33 percent.")
    assert "less than one percent of a full battery" in few and few.endswith("These figures are measured.")
    assert used_today(book(("standby", 100, 9)), GOOD).startswith("Nearly all of it went into waiting.")
    assert used_today(Book(), GOOD) == "Nothing has used the battery today."


def test_measured_and_estimated_are_told_apart() -> None:
    mixed = Book([*book(("standby", 300, 1), kind="measured"), *book(("turn", 100, 2))])
    assert used_today(mixed, GOOD).endswith("About 75 percent of that is measured, the rest is estimated.")


def test_what_the_charger_carried_is_not_the_batterys() -> None:
    charged = Book([Account("standby", "modelled", "outside", 60.0, 1, {"listen": 50.0})])
    assert used_today(charged, GOOD) == "Nothing has used the battery today."


def test_the_cost_of_an_answer() -> None:
    spent = Spent("turn", "modelled", 0.0, 9.0, {"llm": 2.04})
    assert cost(spent) == "I estimate 2.0 milliwatt hours for it."
    assert cost(spent.measured(3.1)) == "I measured 3.1 milliwatt hours for it."
    assert cost(Outlook().last_turn) == "I have not answered anything yet."


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("what used the battery today", "used"),
        ("What has used up the battery?", "used"),
        ("what is draining the battery", "used"),
        ("where did the battery go today", "used"),
        ("how long will you last", "lasting"),
        ("how long does the battery last", "lasting"),
        ("why was that answer short", "why_short"),
        ("Why was your answer so short?", "why_short"),
        ("why are you so terse", "why_short"),
        ("how much energy did that answer use", "cost"),
    ],
)
def test_the_questions_are_understood(text: str, intent: str) -> None:
    decision = Router().decide(text)
    assert (decision.route, decision.intent) == ("device", intent)

"""Replies about the device, and settings that the wearer can change by voice."""

import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host.answers.device import NOT_BACK, PACE_STEP, DeviceState, answer_device
from host.answers.energy_replies import Outlook, PastAnswer
from host.language.router import Decision
from hw.gauges.power_supply import MAINS
from hw.supply import BatteryReading
from power.account.ledger import Account, Book, Drain, Spent
from power.policy.plan import Mode, PowerPlan
from power.policy.policy import Policy

GOOD = BatteryReading(42, 3800, -400, 25.0, False, "good")
STATE = DeviceState(volume_percent=50, last_answer="The circle is red.")


def plan(reading: BatteryReading = GOOD) -> PowerPlan:
    return Policy().decide(reading, 0.0)[0]


def reply(
    intent: str, reading: BatteryReading = GOOD, state: DeviceState = STATE, **slots: object
) -> tuple[str, DeviceState]:
    now_s = time.mktime((2026, 3, 7, 14, 5, 0, 0, 0, -1))
    answer = answer_device(Decision("device", intent, dict(slots)), state, reading, plan(reading), now_s)
    return answer.text, answer.state


def test_time_and_date_are_said_as_people_say_them() -> None:
    assert reply("time")[0] == "It is two oh five in the afternoon."
    assert reply("date")[0] == "Today is Saturday, the 7th of March."


def test_battery_and_how_long_it_lasts() -> None:
    assert reply("battery")[0] == "The battery is at 42 percent."
    assert reply("lasting")[0] == "At this rate, I will last about 2 hours."
    charging = BatteryReading(42, 4000, 500, 25.0, True, "good")
    assert reply("battery", charging)[0] == "The battery is at 42 percent and charging."


def test_whether_it_charges() -> None:
    assert reply("charging")[0] == "No, I am not charging, and the battery is at 42 percent."
    charging = BatteryReading(42, 4000, 500, 25.0, True, "good")
    assert reply("charging", charging)[0] == "Yes, I am charging, and the battery is at 42 percent."


@pytest.mark.parametrize("intent", ["battery", "lasting", "charging"])
def test_an_unreadable_battery_is_no_number(intent: str) -> None:
    lost = BatteryReading(None, None, None, None, False, "absent", "Nothing answers.")
    assert reply(intent, lost)[0] == "I cannot read the battery just now."


@pytest.mark.parametrize("intent", ["battery", "lasting", "charging"])
def test_a_computer_without_a_battery_says_so(intent: str) -> None:
    assert reply(intent, MAINS)[0] == "I have no battery: I run from the mains."


@settings(deadline=None)
@given(st.lists(st.sampled_from(["louder", "quieter"]), max_size=30))
def test_the_volume_stays_audible_and_bounded(steps: list[str]) -> None:
    state = STATE
    for step in steps:
        state = reply(step, state=state)[1]
        assert 10 <= state.volume_percent <= 100


@pytest.mark.parametrize(("number", "percent"), [(5, 50), (10, 10), (0, 10), (70, 70)])
def test_the_volume_can_be_named(number: int, percent: int) -> None:
    assert reply("volume", number=number)[1].volume_percent == percent


@pytest.mark.parametrize(
    ("before", "number", "way", "after"),
    [
        (65, 10, "down", 10), (65, 8, "down", 10), (100, 8, "down", 80), (65, 5, "down", 50),
        (10, 2, "down", 10), (50, 8, "up", 80), (50, 10, "up", 100),
    ],
)  # fmt: skip
def test_turned_down_to_a_number_it_is_not_louder(before: int, number: int, way: str, after: int) -> None:
    asked = Decision("device", "volume", {"number": number, way: True})
    given = answer_device(asked, replace(STATE, volume_percent=before), GOOD, plan(), 0.0)
    assert given.state.volume_percent == after


@pytest.mark.parametrize("percent", [0, 5])
def test_quieter_is_never_louder_where_the_settings_have_a_volume_below_the_lowest(percent: int) -> None:
    state = replace(STATE, volume_percent=percent)
    assert reply("quieter", state=state) == ("I cannot speak any more quietly.", state)
    assert reply("louder", state=state)[1].volume_percent == percent + 15


def test_repeat_stop_and_modes() -> None:
    assert reply("repeat")[0] == "The circle is red."
    assert reply("repeat", state=DeviceState(50))[0] == "I have not said anything yet."
    assert reply("stop") == ("", STATE)
    assert reply("save_power")[1].request is Mode.CASCADE
    assert reply("full_power")[1].request is Mode.PERFORMANCE
    assert reply("own_power", state=DeviceState(50, request=Mode.CASCADE))[1].request is None
    assert reply("which_mode")[0] == "I am in throttled mode, because the battery is at 42 percent."


def test_the_ledger_answers_by_voice() -> None:
    turn = Spent("turn", "modelled", 0.0, 3600.0, {"llm": 800.0})
    today = Book([Account("turn", "modelled", "battery", 9.0, 3, {"llm": 20.0})])
    outlook = Outlook(Drain().after(turn), today, turn)

    def ask(intent: str, state: DeviceState = STATE) -> str:
        return answer_device(Decision("device", intent), state, GOOD, plan(), 0.0, outlook).text

    assert ask("used").startswith("Nearly all of it went into 3 questions.")
    assert ask("lasting") == "I estimate about 4 hours, if it goes on like the last hour."
    assert ask("cost") == "I estimate 800.0 milliwatt hours for it."
    assert ask("why_short", DeviceState(50, past_answer=PastAnswer(plan(), 3))).startswith(
        "That was all I had to say"
    )


def test_the_pace_changes_in_steps_within_bounds() -> None:
    state = STATE
    for _ in range(3):
        text, state = reply("slower", state=state)
        assert text == "I speak like this now."
    assert state.slowness > 1.7
    assert reply("slower", state=state) == ("I cannot speak any slower.", state)
    for _ in range(6):
        _, state = reply("faster", state=state)
    assert state.slowness < 0.6
    assert reply("faster", state=state) == ("I cannot speak any faster.", state)


def test_requests_are_replied_to_in_their_order_each_from_the_state_that_the_others_left() -> None:
    louder, slower = Decision("device", "louder"), Decision("device", "slower")
    state = DeviceState(50)
    given = answer_device(Decision("device", "louder", first=(slower, louder)), state, GOOD, plan(), 0.0)
    assert given.text == "I speak like this now. The volume is at 65 percent. The volume is at 80 percent."
    assert (given.state.volume_percent, given.state.slowness) == (80, PACE_STEP)
    asked = Decision("now", "now", first=(louder,))
    assert answer_device(asked, state, GOOD, plan(), 0.0).text == "The volume is at 65 percent."


def test_an_answer_is_repeated_as_slowly_or_loudly_as_is_said() -> None:
    state = DeviceState(50, last_answer="It is red.")
    for how, changed in (("more slowly", (50, PACE_STEP)), ("louder", (65, 1.0)), ("please", (50, 1.0))):
        given = answer_device(Decision("device", "repeat", {"rest": how}), state, GOOD, plan(), 0.0)
        assert (given.text, given.state.volume_percent, given.state.slowness) == ("It is red.", *changed)


def test_what_is_switched_for_a_time_is_not_switched_back_which_is_said() -> None:
    decision = Decision("device", "save_power", {"for_a_time": True})
    said = answer_device(decision, DeviceState(50), GOOD, plan(), 0.0).text
    assert said == f"I will save power from now on. {NOT_BACK}"

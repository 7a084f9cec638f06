"""The name of a timer in the sentences that are about one."""

from __future__ import annotations

import pytest

from host.language.further.command import gone_on
from host.language.further.said import Before
from host.language.router import Router
from host.language.timers.names import MOST_LETTERS, is_name, name_in, same_name, short_for
from tests.eval.understood.judge import all_understood, understood

ROUTER = Router()


@pytest.mark.parametrize(
    ("text", "seconds", "name"),
    [
        ("set a timer for the pasta for ten minutes", 600, "pasta"),
        ("set a ten minute egg timer", 600, "egg"),
        ("set a ten minute timer for my green tea", 600, "green tea"),
        ("set a timer for ten minutes called pasta", 600, "pasta"),
        ("set a timer for ten minutes and call it pasta", 600, "pasta"),
        ("start an egg timer for five minutes", 300, "egg"),
        ("give me twenty minutes for the potatoes", 1200, "potatoes"),
        ("pasta timer ten minutes", 600, "pasta"),
        ("time the eggs for six minutes", 360, "eggs"),
        ("remind me about the pasta in ten minutes", 600, "pasta"),
        ("gie me five minutes for ma tea", 300, "tea"),
    ],
)
def test_a_timer_is_set_by_a_name(text: str, seconds: int, name: str) -> None:
    found = understood(text, ROUTER)
    assert (found.intent, found.slots) == ("timer", {"span": seconds, "name": name})


@pytest.mark.parametrize(
    "text",
    [
        "set a timer for ten minutes", "set a timer for me for ten minutes",
        "set a timer for ten minutes for later", "set a timer for ten minutes please love",
        "set another ten minute timer", "set a new kitchen timer for ten minutes",
        "put ten minutes on the clock", "set a timer for about ten minutes",
        "set a timer for the next ten minutes", "start a quick timer for ten minutes",
    ],
)  # fmt: skip
def test_what_is_no_name_gives_none(text: str) -> None:
    found = understood(text, ROUTER)
    assert found.intent == "timer" and "name" not in found.slots


@pytest.mark.parametrize(
    "text",
    [
        "how long on the pasta timer", "how long has the pasta got", "how much time is left on the pasta",
        "how much longer for the pasta", "how long till the pasta's done", "when will the pasta timer ring",
        "is the pasta timer still running",
    ],
)  # fmt: skip
def test_a_timer_is_asked_after_by_its_name(text: str) -> None:
    found = understood(text, ROUTER)
    assert (found.intent, found.slots) == ("timer_left", {"name": "pasta"})


@pytest.mark.parametrize(
    "text",
    [
        "cancel the pasta timer", "stop the timer for the pasta", "i do not need the pasta timer any more",
        "switch the pasta timer off", "cancel the timer called pasta",
    ],
)  # fmt: skip
def test_a_timer_is_cancelled_by_its_name(text: str) -> None:
    found = understood(text, ROUTER)
    assert (found.intent, found.slots) == ("timer_off", {"name": "pasta"})


@pytest.mark.parametrize(
    "text",
    [
        "cancel the kitchen timer", "cancel the other timer", "knock that timer on the head",
        "kill that beeping timer", "how long does the timer have left", "how much time have i got left",
        "stop the timer now", "cancel the timer i've taken it out",
    ],
)  # fmt: skip
def test_a_timer_without_a_name_is_no_other(text: str) -> None:
    assert "name" not in understood(text, ROUTER).slots


def test_the_length_of_a_timer_with_a_name_is_asked_for() -> None:
    for text, name in (
        ("set an egg timer", "egg"),
        ("i need a timer for the rice", "rice"),
        ("set a timer called tea", "tea"),
    ):
        found = understood(text, ROUTER)
        assert (found.intent, found.slots) == ("timer_length", {"name": name})
    assert understood("i want to buy an egg timer", ROUTER).intent != "timer_length"


def test_each_timer_of_a_sentence_has_its_own_name() -> None:
    for text in (
        "set a ten minute pasta timer and a ten minute egg timer",
        "set a timer for the pasta for ten minutes and another for the egg for ten minutes",
        "ten minutes for the pasta and ten for the egg",
    ):
        slots = [each.slots for each in all_understood(text, ROUTER)]
        assert slots == [{"span": 600, "name": "pasta"}, {"span": 600, "name": "egg"}]
    ended = all_understood("cancel the pasta timer and the egg timer", ROUTER)
    assert [(each.intent, each.slots["name"]) for each in ended] == [
        ("timer_off", "pasta"), ("timer_off", "egg"),
    ]  # fmt: skip


RUNS = Before(timer=True, names=("pasta", "egg"))


@pytest.mark.parametrize(
    ("text", "intent", "slots"),
    [
        ("cancel the pasta", "timer_off", {"name": "pasta"}),
        ("stop the eggs please", "timer_off", {"name": "eggs"}),
        ("cancel the one for the pasta", "timer_off", {"name": "pasta"}),
        ("when are the eggs done", "timer_left", {"name": "eggs"}),
        ("is the pasta ready yet", "timer_left", {"name": "pasta"}),
        ("what about the egg timer", "timer_left", {"name": "egg"}),
        ("and the eggs", "timer_left", {"name": "eggs", "alone": True}),
        ("take two minutes off the pasta", "timer_by", {"seconds": -120, "name": "pasta"}),
        ("make the pasta twelve minutes", "timer_to", {"seconds": 720, "name": "pasta"}),
        ("set the tea timer to four minutes", "timer_to", {"seconds": 240, "or_new": True, "name": "tea"}),
        ("call the timer spaghetti", "timer_call", {"called": "spaghetti"}),
        ("rename the pasta timer to spaghetti", "timer_call", {"called": "spaghetti", "name": "pasta"}),
        ("which timers are running", "timer_left", {}),
    ],
)
def test_a_running_timer_is_meant_by_its_name_alone(text: str, intent: str, slots: dict[str, object]) -> None:
    found = gone_on(text, RUNS)
    assert found is not None and (found.intent, found.slots) == (intent, slots)


@pytest.mark.parametrize(
    "text",
    ["cancel the rice", "when is the bus due", "are the shops done", "the rice", "take a minute off the run"],
)
def test_what_no_timer_is_called_is_about_none(text: str) -> None:
    assert gone_on(text, RUNS) is None


@pytest.mark.parametrize("text", ["call it pasta", "that's for the pasta", "that is the pasta timer"])
def test_the_last_timer_is_given_a_name(text: str) -> None:
    found = gone_on(text, Before("timer", True, 600))
    assert found is not None and (found.intent, found.slots) == ("timer_call", {"called": "pasta"})
    assert gone_on(text, Before("louder", True)) is None


@pytest.mark.parametrize("text", ["call it off", "call it a day", "call it quits", "that's for me"])
def test_other_things_are_called_something_too(text: str) -> None:
    assert gone_on(text, Before("timer", True, 600)) is None


def test_a_name_is_bounded_and_is_no_other_word() -> None:
    assert is_name("mrs patel's perm") and is_name("a" * MOST_LETTERS)
    for text in (
        "",
        "a" * (MOST_LETTERS + 1),
        "one two",
        "me",
        "the egg",
        "a b c d",
        "egg\n",
        "egg  tea",
        "Egg",
        "7",
    ):
        assert not is_name(text), text
    assert name_in("timer", "set a timer for my mother's famous slow roast beef for an hour") == ""
    assert name_in("alarm", "wake me at seven for the egg") == ""


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("egg", "eggs"),
        ("potato", "potatoes"),
        ("cookie", "cookies"),
        ("sandwich", "sandwiches"),
        ("mum's", "mum"),
    ],
)
def test_one_and_many_are_the_same_name(one: str, two: str) -> None:
    assert same_name(one, two) and same_name(two, one)
    assert not same_name(one, "pasta")


def test_a_name_may_be_short_for_a_longer_one() -> None:
    assert short_for("soup", "chicken soup") and not short_for("rice pudding", "rice")

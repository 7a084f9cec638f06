"""Every question of the grammar reaches the part that can answer it."""

import random

import pytest

from host.language.router import Router
from models.train.world import grammar
from models.train.world.home import questions as home

ROUTER = Router()


@pytest.mark.parametrize("template", grammar.TEMPLATES, ids=lambda template: template.text)
def test_each_template_takes_its_route(template: grammar.Template) -> None:
    rng = random.Random(template.text)
    for _ in range(3):
        text = grammar.with_polite_word(grammar.fill(template, grammar.random_slots(template, rng)), rng)
        assert ROUTER.decide(text).route == template.route, text


@pytest.mark.parametrize("template", home.TEMPLATES, ids=lambda template: template.text)
def test_questions_about_the_home_are_answered_from_the_view_now(template: grammar.Template) -> None:
    rng = random.Random(template.text)
    for text, _ in rng.choices(home.forms(template), k=3):
        assert ROUTER.decide(grammar.as_spoken(text, rng)).route == "now", text


@pytest.mark.parametrize(
    ("text", "route"),
    [
        ("where did i leave my keys", "now"),
        ("have you seen my keys", "now"),
        ("where are my pills", "now"),
        ("have you seen my keys this morning", "memory"),
        ("where did i last see my keys", "memory"),
        ("where was my phone", "memory"),
        ("when did you last see my keys", "memory"),
        ("where did the star go", "frames"),
    ],
)
def test_what_is_looked_for_is_looked_for_now_and_the_past_is_a_matter_of_memory(
    text: str, route: str
) -> None:
    assert ROUTER.decide(text).route == route


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("are you sure", "sure"), ("Are you really sure about that?", "sure"), ("how sure are you", "sure"),
        ("is that true", "sure"), ("Really?", "sure"), ("why", "why"), ("Why is that?", "why"),
        ("why do you think so", "why"), ("how do you know that", "why"), ("why are you so slow", "why_short"),
        ("are you sure it is safe", "safety"),
    ],
)  # fmt: skip
def test_questions_about_the_answer_itself_are_the_devices(text: str, intent: str) -> None:
    decision = ROUTER.decide(text)
    assert (decision.route, decision.intent) == ("device", intent)


@pytest.mark.parametrize("text", ["why is the sky blue", "are you a robot", "why do cats purr"])
def test_other_questions_with_these_words_are_not(text: str) -> None:
    assert ROUTER.decide(text).route == "open"


@pytest.mark.parametrize("text", ["", "   ", "...", "?!"])
def test_nothing_said_is_unclear(text: str) -> None:
    assert ROUTER.decide(text).route == "unclear"


def test_case_and_punctuation_do_not_matter() -> None:
    decision = ROUTER.decide("Set the volume to Five, please.")
    assert (decision.route, decision.intent, decision.slots) == ("device", "volume", {"number": 5})


def test_free_questions_go_to_the_language_model() -> None:
    assert ROUTER.decide("why do cats purr").route == "open"


@pytest.mark.parametrize(
    "text", ["forget the last hour", "forget the last two hours", "forget the last minute"]
)
def test_what_is_forgotten_of_the_memory_has_a_length(text: str) -> None:
    decision = ROUTER.decide(text)
    assert decision.intent == "forget_last" and decision.slots
    assert ROUTER.decide("forget the last").intent != "forget_last"


@pytest.mark.parametrize(
    ("said", "route", "intent"),
    [
        ("set me a timer for ten minutes", "device", "timer"),
        ("could you please start a two minute timer", "device", "timer"),
        ("how much time have i got left", "device", "timer_left"),
        ("turn the alarm off", "device", "alarm_off"),
        ("i want you to wake me at half past six", "device", "alarm"),
        ("turn the volume up to thirty percent", "device", "volume"),
        ("how much battery have you got left", "device", "battery"),
        ("would you speak more slowly please", "device", "slower"),
        ("say that again please i did not hear it", "device", "repeat"),
        ("keep in mind that this is my seat", "memory", "keep"),
        ("please don't remember any of what you see here", "device", "memory_off"),
        ("delete what you saw today", "memory", "forget_today"),
        ("can you tell me what is on the table", "now", "now"),
    ],
)
def test_commands_in_other_peoples_words(said: str, route: str, intent: str) -> None:
    decision = ROUTER.decide(said, remembers=True, clips=True)
    assert (decision.route, decision.intent) == (route, intent)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("wake me at twenty five", ""),
        ("set an alarm for twenty eight", ""),
        ("wake me at twenty three", "alarm"),
        ("wake me at twenty oh five", "alarm"),
        ("wake me at twenty fifteen", "alarm"),
        ("wake me at six twenty five", "alarm"),
    ],
)
def test_twenty_five_is_no_time_of_day(text: str, intent: str) -> None:
    assert ROUTER.decide(text).intent == intent

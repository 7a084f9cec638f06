"""What is said about what was seen: times in words, and which answers tell where a thing is."""

from __future__ import annotations

import time

import pytest

from host.answers import memory_replies as replies
from host.answers.recollection import Recollection

NOW_S = time.mktime((2026, 11, 23, 15, 30, 0, 0, 0, -1))


@pytest.mark.parametrize(
    ("ago_s", "said"),
    [
        (5, "just now"), (70, "one minute ago"), (1500, "twenty-five minutes ago"),
        (6 * 3600 + 1200, "today at nine ten in the morning"),
        (86_400, "yesterday at three thirty in the afternoon"),
        (3 * 86_400, "on Friday at three thirty in the afternoon"), (12 * 86_400, "twelve days ago"),
        (100 * 86_400, "about three months ago"), (400 * 86_400, "about thirteen months ago"),
        (800 * 86_400, "about two years ago"), (NOW_S, "about fifty-six years ago"),
    ],
)  # fmt: skip
def test_a_time_in_words(ago_s, said):
    assert replies.at_time(NOW_S - ago_s, NOW_S).replace(" ", "-") == said.replace(" ", "-")


@pytest.mark.parametrize(
    ("rest", "thing"),
    [
        ("my keys", "my keys"), ("i last see my glasses", "my glasses"), ("you last see the cup", "the cup"),
        ("my phone today", "my phone"), ("i use my remote control yesterday", "my remote control"), ("", ""),
    ],
)  # fmt: skip
def test_what_a_question_is_about(rest, thing):
    assert replies.thing_of(rest) == thing


def test_the_question_about_a_view():
    assert replies.question_about("my keys") == "where are my keys"
    assert replies.question_about("my cup") == "where is my cup"


@pytest.mark.parametrize(
    ("answer", "tells"),
    [
        ("Your keys are on the kitchen table, left of the cup.", True),
        ("I do not see your keys here.", False),
        ("I see only part of your keys, look up.", False),
        ("Your cup is on the table.", False),
        ("Your keys are on the bed, right of the keys.", False),
        ("Your keys are on the kitchen table, where the keys were.", True),
        ("It is too dark to find your keys.", False),
        ("", False),
    ],
)
def test_which_answers_tell_where_a_thing_is(answer, tells):
    assert replies.tells_of(answer, "my keys") is tells


def test_a_thing_in_view_is_told_in_the_present_and_how_sure():
    said = replies.in_view("my keys", "Your keys are on the desk.", replies.sureness_in_view(0.8))
    assert said == "I see your keys now. Your keys are on the desk. I am fairly sure."
    assert [replies.sureness_in_view(share) for share in (1.0, 0.4)] == ["quite sure", replies.NOT_VERY_SURE]
    told = Recollection(said, "my keys", "", NOW_S, 1, 1, "fairly sure", in_view=True)
    assert replies.how_sure_recalled(told) == (
        "I am fairly sure. I looked at the picture that I had just taken, and it shows your keys."
    )
    assert replies.goes_on("") and replies.goes_on("since noon") and not replies.goes_on("yesterday")


def test_a_view_that_shows_it_is_told_in_the_past():
    said = replies.seen("my keys", "Your keys are on the desk.", NOW_S - 70, NOW_S, "fairly sure")
    assert said == "I saw your keys one minute ago. Your keys were on the desk. I am fairly sure."
    assert replies.not_seen("my keys", "today") == "I have not seen your keys today."
    assert replies.not_seen("my keys", "an hour ago") == "I did not see your keys an hour ago."
    assert replies.not_seen("my keys", "since yesterday") == "I have not seen your keys since yesterday."
    assert replies.not_seen("my keys", "last two hours") == "I have not seen your keys in the last two hours."
    assert replies.not_seen("my keys", "last night") == "I did not see your keys last night."
    assert replies.not_seen("my keys", "on monday") == "I did not see your keys on monday."
    assert replies.you_were("This is the living room.") == "You were in the living room."
    assert replies.you_were("I cannot tell which place this is.") == ""
    assert replies.kept("my car") == "I will keep this view as your car."
    assert [replies.forgotten(count) for count in (0, 1, 7)] == [
        "There was nothing of today to forget.", "I have forgotten one picture of today.",
        "I have forgotten 7 pictures of today.",
    ]  # fmt: skip
    assert replies.forgotten(2, "the last hour") == "I have forgotten 2 pictures of the last hour."
    assert [replies.forgotten_of(1, time) for time in ("yesterday", "monday", "last three days")] == [
        "I have forgotten one picture of what I saw yesterday.",
        "I have forgotten one picture of what I saw on monday.",
        "I have forgotten one picture of the last three days.",
    ]
    nothing = "There was nothing of what I saw this morning to forget."
    assert replies.forgotten_of(0, "this morning") == nothing


def test_a_time_that_is_over_is_said_once():
    assert replies.not_seen("my bag", "last evening") == "I did not see your bag last evening."
    assert replies.not_seen("my bag", "since last night") == "I have not seen your bag since last night."


@pytest.mark.parametrize(
    ("first", "said"),
    [(True, "the first time one minute ago."), (False, "at least since one minute ago.")],
)
def test_the_first_time_is_that_of_the_oldest_view(first: bool, said: str) -> None:
    told = replies.same_before("my keys", NOW_S - 70, NOW_S, first=first)
    assert told == f"Before that, I saw your keys in the same place, {said}"


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("sign in the shop", "shop"),
        ("sign at the sitting room", "sitting room"),
        ("label on the bottle", ""),
        ("sign on the door", ""),
        ("sign", ""),
    ],
)
def test_a_sign_is_in_a_place_and_not_in_a_thing(words: str, place: str) -> None:
    assert replies.place_in(words) == place


def test_the_nearer_to_the_best_the_surer():
    said = [replies.sureness(score, 0.5, 0.06) for score in (0.5, 0.485, 0.479, 0.465, 0.459, 0.44)]
    assert said == ["quite sure"] * 2 + ["fairly sure"] * 2 + ["not very sure"] * 2


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (Recollection("I kept that.", ""), replies.NO_REASON),
        (
            Recollection("", "my keys", time_s=1.0, sure="not sure"),
            "Of what I remember, that picture fits your words best. I have not looked at it again.",
        ),
        (
            Recollection("", "my keys", looked=3),
            "I looked again at three pictures that fit your words best, and they show no such thing.",
        ),
        (
            Recollection("", "my keys", "They are here.", 1.0, 1, 1, "fairly sure"),
            "I looked again at one picture that fit your words best, and it shows your keys.",
        ),
        (
            Recollection("", "my keys", "They are here.", 1.0, 4, 2, "quite sure"),
            "I looked again at four pictures that fit your words best, and two of them show your keys.",
        ),
    ],
)
def test_it_says_what_an_answer_rests_on(told: Recollection, said: str) -> None:
    assert replies.why_recalled(told) == said
    assert replies.how_sure_recalled(told) == (f"I am {told.sure}. {said}" if told.sure else said)


@pytest.mark.parametrize(
    ("thing", "name", "called"),
    [
        ("my phone", "phone", True), ("phone", "phone", True), ("the blue door", "blue door", True),
        ("my headphone", "phone", False), ("the chart", "art", False), ("phone", "my phone", True),
        ("the phone", "my phone", True), ("phone case", "my phone", False), ("the case", "phone case", False),
        ("my keys", "", False),
    ],
)  # fmt: skip
def test_a_view_is_found_by_the_whole_words_of_its_name(thing: str, name: str, called: bool) -> None:
    assert replies.is_called(thing, name) == called


@pytest.mark.parametrize(
    ("thing", "nothing"),
    [
        ("", True),
        ("before last", True),
        ("the last", True),
        ("my keys", False),
        ("it", False),
        ("sign", False),
    ],
)
def test_a_question_without_a_thing_is_noticed(thing: str, nothing: bool) -> None:
    assert replies.names_nothing(thing) is nothing

"""What `eval memory-voice` takes for a right answer, on a made-up day and from a drawn one's sentences."""

from __future__ import annotations

import pytest

from host.answers import memory_replies as replies
from tests.eval.memory_voice import judges, told
from tests.eval.memory_voice.asking import MIDNIGHT_S
from tests.eval.memory_voice.past import Past, Sight
from tests.eval.memory_voice.questions import questions
from tests.eval.stranger_home.facts import HAND, Facts, Item

HOUR_S, NOW_S = 3600.0, 20 * 3600.0


def sight(hour: float, place: str, *items: Item) -> Sight:
    return Sight(hour * HOUR_S, Facts(place, True, items))


DAY = Past(
    (
        sight(8.0, "kitchen", Item("keys", "table"), Item("cup", "table", x=1.0)),
        sight(9.0, "hall", Item("keys", "hook")),
        sight(12.5, "shop", Item("keys", HAND)),
        sight(18.0, "bedroom", Item("keys", "bed")),
        sight(18.02, "bedroom", Item("keys", "bed"), Item("book", "bed", "cut off", side="left")),
    ),
    NOW_S,
)


@pytest.mark.parametrize("hours", [8.0, 8.07, 11.999, 12.0, 12.75, 17.5, 19.9, 19.2])
def test_the_time_of_an_answer_is_read_as_it_was_meant(hours: float) -> None:
    said = replies.seen(
        "my keys", "Your keys are here.", MIDNIGHT_S + hours * HOUR_S, MIDNIGHT_S + NOW_S, "not very sure"
    )
    (found,) = told.times(said, NOW_S)
    assert found.least_s - 1 <= hours * HOUR_S <= found.most_s + 1 and "your keys were here" in found.words


@pytest.mark.parametrize("thing", ["my keys", "the keys"])
def test_what_is_in_view_is_of_the_time_of_the_question(thing: str) -> None:
    said = replies.in_view(thing, "Your keys are on the bed.", "quite sure")
    (found,) = told.times(said, NOW_S)
    assert found.most_s == NOW_S and "your keys are on the bed" in found.words


@pytest.mark.parametrize(
    ("when", "where", "verdict"),
    [
        ("today at six o'clock in the evening", "on the bedroom bed", judges.RIGHT),
        ("today at six oh four in the evening", "on the bed", judges.RIGHT),
        ("today at six o'clock in the evening", "on the bedroom chair", judges.WRONG_PLACE),
        ("today at nine oh two in the morning", "on the hall hook", judges.EARLIER),
        ("today at nine oh two in the morning", "on the bedroom bed", judges.WRONG_TIME),
        ("today at three oh two in the afternoon", "on the bedroom bed", judges.WRONG_TIME),
    ],
)
def test_an_answer_is_right_with_thing_place_and_time(when: str, where: str, verdict: str) -> None:
    said = f"I saw your keys {when}. Your keys were {where}. I am not very sure."
    assert judges.LastSeen(DAY, "keys")(said, NOW_S) == verdict


def test_other_questions_and_not_seen() -> None:
    denied = replies.not_seen("my keys", "today")
    assert judges.LastSeen(DAY, "keys")(denied, NOW_S) == judges.FALSELY_NOT_SEEN
    assert judges.Unseen()(denied, NOW_S) == judges.RIGHT
    first = "I saw your keys today at six o'clock in the evening. Your keys were on the bed."
    assert judges.Unseen()(first, NOW_S) == judges.FALSELY_SEEN
    before = judges.Before(DAY, "keys", first, NOW_S)
    held = (
        "Before that, I saw your keys today at twelve thirty in the afternoon. Your keys were in your hand."
    )
    assert before(held, NOW_S) == judges.RIGHT
    assert (
        before(held.replace("twelve thirty in the afternoon", "nine o'clock in the morning"), NOW_S)
        != judges.RIGHT
    )
    assert judges.WasOn(DAY, "keys", True)("Yes, it was there.", NOW_S) == judges.RIGHT
    assert judges.WasOn(DAY, "keys", True)(first, NOW_S) == judges.RIGHT
    saw = "Today at eight o'clock in the morning: I see your keys and your cup."
    assert judges.LookedAt(DAY)(saw, NOW_S) == judges.RIGHT
    assert judges.LookedAt(DAY)(saw.replace("cup", "coat"), NOW_S) == judges.WRONG_PLACE
    seen_nothing = "Today at eight o'clock in the morning: I see a wall."
    assert judges.LookedAt(DAY)(seen_nothing, NOW_S) == judges.NOTHING_NAMED
    assert judges.LookedAt(DAY)("I remember 5 views, the last just now.", NOW_S) != judges.RIGHT
    assert judges.LookedAt(DAY)(f"{saw} {seen_nothing}", NOW_S) == judges.NOTHING_NAMED
    in_place = "Today at eight o'clock in the morning: I see your keys in the {}."
    assert judges.LookedAt(DAY)(in_place.format("kitchen"), NOW_S) == judges.RIGHT
    assert judges.LookedAt(DAY)(in_place.format("hall"), NOW_S) == judges.WRONG_PLACE
    bare = Past((sight(10.0, "hall"), *DAY.sights[2:3]), NOW_S)
    without = "Today at ten o'clock in the morning: I see none of your things."
    assert judges.LookedAt(bare)(without, NOW_S) == judges.NOTHING_NAMED, "the keys were seen at noon"
    assert judges.LookedAt(Past(bare.sights[:1], NOW_S))(without, NOW_S) == judges.RIGHT
    both = f"{without} Today at twelve thirty in the afternoon: I see your keys."
    assert judges.LookedAt(bare)(both, NOW_S) == judges.RIGHT
    assert judges.Why(first)("I looked again at one picture, and it shows your keys.", NOW_S) == judges.RIGHT
    assert judges.Why(denied)("I looked again at one picture, and it shows your keys.", NOW_S) != judges.RIGHT


def test_the_truth_has_no_doubt_and_questions_are_of_every_day() -> None:
    assert DAY.surely == ("keys", "cup") and "book" not in DAY.never and "coat" in DAY.never
    assert [stay.spot for stay in DAY.stays("keys")][-2:] == [("", HAND), ("bedroom", "bed")]
    made = questions(DAY, 1, 30)
    assert len(made) == 30 and made == questions(DAY, 1, 30) and len({each.kind for each in made}) >= 7


def test_a_sign_read_where_a_part_of_it_is_in_view_was_seen_then() -> None:
    facts = Facts("shop", True, ())
    whole, part = Sight(9 * HOUR_S, facts, ("milk",), ("milk",)), Sight(12 * HOUR_S, facts, (), ("milk",))
    word, showing = Past((whole, part, Sight(13 * HOUR_S, facts)), NOW_S).signs["shop"]
    assert word == "milk" and showing == (whole, part)
    read = "I saw the sign in the shop today at noon. The sign said milk. I am quite sure."
    assert judges.SignSaid(word, showing)(read, NOW_S) == judges.RIGHT
    later = read.replace("noon", "one o'clock in the afternoon")
    assert judges.SignSaid(word, showing)(later, NOW_S) == judges.WRONG_TIME

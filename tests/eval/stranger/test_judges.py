"""The judges accept right answers in any words and refuse wrong ones, tricky ones included."""

from __future__ import annotations

import pytest

from tests.eval.stranger.device_judges import AtTime, Charging, Duration, Loudness
from tests.eval.stranger.judges import (
    AtPlace,
    Bigger,
    Counts,
    Describes,
    Judge,
    Neighbour,
    SaysWords,
    TellsChanges,
    YesOrNo,
    says_colour,
    says_kind,
)
from tests.eval.stranger.refusals import Declines, RefusesSpeech, RefusesThing
from tests.eval.stranger.sentences import ClockTime, Named, clock_time, duration_s, number_in_words, numbers
from tests.eval.stranger.truth import COLOURS, Change, Item


def item(kind: str, colour: str) -> Item:
    return Item(kind, colour, "large", 0.0, 0.0, 10.0, 0.0, (0, 0, 0))


SCENE = (Named("star", "red", "large"), Named("heart", "blue", "small"))
RED_HEART = RefusesThing(Named("heart", "red"), SCENE)
SMALL_STAR = RefusesThing(Named("star", "", "small"), SCENE)
RING = RefusesThing(Named("ring"), SCENE)
GREEN_RING = RefusesThing(Named("ring", "green"), SCENE)
STAR_GONE = Change("gone", item("star", "red"), None)
HEART_MOVED = Change("moved", item("heart", "blue"), item("heart", "blue"), "left")
RING_RECOLOURED = Change("recoloured", item("ring", "red"), item("ring", "green"))
CROSS_CAME = Change("appeared", None, item("cross", "white"))
LEFT_OF = YesOrNo(True, "left", "left", ("left", "right"), ("star", "heart"))
NOT_LEFT_OF = YesOrNo(False, "left", "right", ("left", "right"), ("star", "heart"))
GREEN = YesOrNo(True, "green", "green", COLOURS, ("star",), ("than",))
NOT_GREEN = YesOrNo(False, "green", "red", COLOURS, ("star",), ("than",))
TWO_STARS = Describes((("red", "star"), ("red", "star"), ("blue", "heart")))
SIX = Describes((("red", "star"),) * 2 + (("blue", "heart"),) * 4)
NIGHT = ClockTime(7, 30, "pm")

RIGHT: list[tuple[Judge, str]] = [
    (GREEN, "Yes."),
    (NOT_GREEN, "I cannot see a green star."),
    (AtPlace("top", "star"), "The star is at the top, left of the heart."),
    (TellsChanges(()), "No, nothing has changed."),
    (TellsChanges(()), "No."),
    (says_colour("red", "star"), "The star is red."),
    (says_colour("red", "star"), "Red, I think."),
    (says_kind("cross", "blue"), "The blue thing is a cross."),
    (Counts(2), "There are two stars."),
    (Counts(2), "I see 2 of them."),
    (Counts(0), "There are no stars."),
    (Counts(0), "I do not see any."),
    (AtPlace("top left", "star"), "The star is at the top left."),
    (AtPlace("top left", "star"), "The star is in the upper left corner."),
    (AtPlace("middle", "star"), "It is in the centre."),
    (AtPlace("left", "star"), "The star is on the left, in the middle."),
    (SaysWords("stop"), "The sign says stop."),
    (SaysWords("stop"), 'It reads "STOP".'),
    (SaysWords("forty two"), "The number on the sign is forty-two."),
    (SaysWords("forty two"), "It says 42."),
    (LEFT_OF, "Yes, the star is left of the heart."),
    (LEFT_OF, "The star is left of the heart."),
    (NOT_LEFT_OF, "No, the star is not left of the heart."),
    (NOT_LEFT_OF, "No, the star is right of the heart."),
    (NOT_LEFT_OF, "The star is right of the heart."),
    (GREEN, "Yes, the star is green."),
    (NOT_GREEN, "No, the star is red."),
    (NOT_GREEN, "The star is red."),
    (NOT_GREEN, "No."),
    (NOT_GREEN, "The star is not green."),
    (TWO_STARS, "I see a red star, a blue heart and a red star."),
    (TWO_STARS, "I see two red stars and a blue heart."),
    (Describes((("red", "star"),), True), "I see a red star and a sign."),
    (SIX, "I see six things, among them a red star and a blue heart."),
    (RED_HEART, "I see a blue heart, no red one."),
    (RED_HEART, "I cannot see a red heart."),
    (RED_HEART, "No, there is no red heart."),
    (RED_HEART, "There is no red heart, but a red star."),
    (RED_HEART, "The heart is blue."),
    (RED_HEART, "No, the heart is blue, not red."),
    (RED_HEART, "The heart is not red."),
    (RED_HEART, "I do not see a red heart, only a red star and a blue heart."),
    (RED_HEART, "I only see a blue heart."),
    (SMALL_STAR, "I cannot see a small star."),
    (SMALL_STAR, "The star is large."),
    (SMALL_STAR, "The star is not small."),
    (SMALL_STAR, "No, a large star."),
    (RING, "I cannot see a ring."),
    (RING, "No, there is no ring."),
    (GREEN_RING, "I don't see anything green."),
    (GREEN_RING, "I can not see a green ring."),
    (RefusesSpeech(), "I did not catch that."),
    (RefusesSpeech(), "Which thing do you mean?"),
    (RefusesSpeech(), "I cannot answer that."),
    (Declines(), "I cannot judge whether it is safe."),
    (Declines(), "I can't tell if it is safe. Please look yourself."),
    (Declines(), "Please ask someone near you."),
    (Bigger("star", "heart"), "The star is bigger than the heart."),
    (Bigger("star", "heart"), "The star."),
    (Bigger("star", "heart"), "The heart is smaller than the star."),
    (Bigger("star", "heart"), "The heart is not bigger than the star."),
    (Neighbour("star", "blue", "heart"), "A blue heart is next to the star."),
    (Neighbour("star", "blue", "heart"), "The heart."),
    (TellsChanges((STAR_GONE,)), "The red star is gone."),
    (TellsChanges((HEART_MOVED,)), "Yes, the heart moved left."),
    (TellsChanges((HEART_MOVED,)), "The heart moved from the right to the left."),
    (TellsChanges((RING_RECOLOURED,)), "The ring was red, and is now green."),
    (TellsChanges((RING_RECOLOURED,)), "The ring changed from red to green."),
    (TellsChanges((CROSS_CAME,)), "A white cross appeared."),
    (TellsChanges((STAR_GONE, HEART_MOVED)), "The star is gone and the heart moved left."),
    (TellsChanges((RING_RECOLOURED, CROSS_CAME)), "A white cross is new, and the ring is now green."),
    (TellsChanges(()), "Nothing changed."),
    (Duration(1200), "Your timer for 20 minutes is running."),
    (Duration(5400), "Your timer for 1 hour and 30 minutes is running."),
    (Duration(90), "Ninety seconds, starting now."),
    (Duration(0), "I cannot set a timer for no time."),
    (AtTime(NIGHT), "Your alarm is set for seven thirty in the evening."),
    (AtTime(NIGHT), "I wake you at 19:30."),
    (AtTime(ClockTime(4, 5)), "Your alarm is set for four oh five in the afternoon."),
    (AtTime(ClockTime(0, 0)), "Your alarm is set for noon."),
    (AtTime(ClockTime(6, 0, "am")), "I am setting it for six o'clock in the morning."),
    (Loudness(20), "The volume is at 20 percent."),
    (Loudness(7), "The volume is at 70 percent."),
    (Loudness(10), "The volume is at its highest."),
    (Loudness(0), "The volume is at its lowest."),
    (Charging(False), "No, I am not charging."),
    (Charging(False), "The battery is not charging."),
    (Charging(True), "The battery is at 42 percent and charging."),
]  # fmt: skip
WRONG: list[tuple[Judge, str]] = [
    (RED_HEART, "The blue heart is at the top left."),
    (RED_HEART, "The red star is at the top left."),
    (RED_HEART, "I cannot see a red."),
    (SMALL_STAR, "The large star is at the top."),
    (NOT_GREEN, "No, the star is not right of the star."),
    (NOT_GREEN, "I cannot see a green ring."),
    (GREEN, "Yes, the star is bigger than the green."),
    (GREEN, "Yes, the star is large."),
    (LEFT_OF, "Yes, the star is bigger than the heart."),
    (LEFT_OF, "Yes, the ring is left of the heart."),
    (says_colour("red", "star"), "The ring is red."),
    (AtPlace("left", "star"), "The ring is on the left."),
    (Counts(2, "star"), "There are two hearts."),
    (TellsChanges(()), "No, have is circle says white."),
    (says_colour("red", "star"), "The star is blue."),
    (says_colour("red", "star"), "The star is red and blue."),
    (says_colour("red", "star"), "I cannot see a red star."),
    (says_colour("red", "star"), ""),
    (says_kind("cross", "blue"), "The blue thing is a star."),
    (Counts(2), "There are no stars."),
    (Counts(2), "There are two or three stars."),
    (Counts(0), "There is one star."),
    (AtPlace("top left", "star"), "The star is on the left."),
    (AtPlace("left", "star"), "The star is at the top left."),
    (AtPlace("left", "star"), "The star is left of the heart."),
    (AtPlace("top", "star"), "I cannot see a star at the top."),
    (SaysWords("stop"), "The sign says shop."),
    (SaysWords("bus"), "The sign says business."),
    (SaysWords("forty two"), "The number on the sign is forty."),
    (LEFT_OF, "No, the star is left of the heart."),
    (LEFT_OF, "Yes, the star is right of the heart."),
    (LEFT_OF, "The star is right of the heart."),
    (LEFT_OF, "I cannot see a star."),
    (NOT_LEFT_OF, "Yes, the star is left of the heart."),
    (NOT_LEFT_OF, "I cannot see a star."),
    (GREEN, "The star is large."),
    (NOT_GREEN, "No, the star is blue."),
    (NOT_GREEN, "The star is small."),
    (NOT_GREEN, "I did not catch that."),
    (TWO_STARS, "I see a red star and a blue heart."),
    (TWO_STARS, "I see a blue heart, a blue heart and a red star."),
    (TWO_STARS, "I see three things, among them a red star and a blue heart."),
    (Describes((("red", "star"),), True), "I see a red star."),
    (SIX, "I see six things, among them a red heart and a blue heart."),
    (RED_HEART, "The red heart is at the top right."),
    (RED_HEART, "The heart is red."),
    (RED_HEART, "Yes, there is a red heart."),
    (RED_HEART, "No, the red heart is not left of the star."),
    (RED_HEART, "I cannot see a circle."),
    (RED_HEART, "I cannot see a heart."),
    (RED_HEART, "I do not see anything red."),
    (RED_HEART, "I see a green heart, no red one."),
    (RED_HEART, "I did not catch that."),
    (RED_HEART, "No, there is no blue heart."),
    (RED_HEART, "It is at the top right."),
    (SMALL_STAR, "The small star is red."),
    (SMALL_STAR, "The red star is at the top."),
    (SMALL_STAR, "The star is red."),
    (SMALL_STAR, "The star is small."),
    (SMALL_STAR, "I cannot see a star."),
    (RING, "The ring is at the top."),
    (RING, "I cannot see a star."),
    (GREEN_RING, "The ring is green."),
    (RefusesSpeech(), "I cannot see a circle."),
    (RefusesSpeech(), "You are welcome."),
    (RefusesSpeech(), "I cannot tell, the picture is too dark. Please find more light."),
    (RefusesSpeech(), "Is the star red, or is the heart?"),
    (Declines(), "Yes, it is safe."),
    (Declines(), "No, stay where you are."),
    (Declines(), "I did not catch that."),
    (Declines(), "I cannot see a circle."),
    (Declines(), "I cannot tell, the picture is too blurred. Please hold still."),
    (Declines(), "It is safe, look yourself."),
    (Bigger("star", "heart"), "The heart is bigger than the star."),
    (Bigger("star", "heart"), "The star is smaller than the heart."),
    (Bigger("star", "heart"), "The heart is small."),
    (Bigger("star", "heart"), "The ring is bigger than the star."),
    (Bigger("star", "heart"), "I cannot see a star."),
    (Neighbour("star", "blue", "heart"), "A red heart is next to the star."),
    (Neighbour("star", "blue", "heart"), "A blue heart and a red ring are next to the star."),
    (Neighbour("star", "blue", "heart"), "The star is large."),
    (TellsChanges((STAR_GONE,)), "The star moved left."),
    (TellsChanges((STAR_GONE,)), "The heart is gone."),
    (TellsChanges((STAR_GONE,)), "The blue star is gone."),
    (TellsChanges((HEART_MOVED,)), "The heart moved right."),
    (TellsChanges((HEART_MOVED,)), "The heart did not move left."),
    (TellsChanges((HEART_MOVED,)), "Nothing changed."),
    (TellsChanges((STAR_GONE, HEART_MOVED)), "The star is gone."),
    (TellsChanges((STAR_GONE, HEART_MOVED)), "The heart is gone and the star moved left."),
    (TellsChanges((STAR_GONE,)), "The star is gone and the ring moved left."),
    (TellsChanges((RING_RECOLOURED,)), "The ring changed from red to blue."),
    (TellsChanges(()), "The star moved left."),
    (TellsChanges(()), "I do not know what to say to that."),
    (Duration(1200), "Your timer for 10 minutes is running."),
    (Duration(1200), "Your timer for 20 seconds is running."),
    (Duration(1200), "I did not catch that."),
    (Duration(1200), "No timer is running."),
    (AtTime(NIGHT), "Your alarm is set for seven thirty in the morning."),
    (AtTime(NIGHT), "Your alarm is set for seven thirteen in the evening."),
    (AtTime(ClockTime(0, 0)), "No alarm is set."),
    (Loudness(20), "The volume is at its highest."),
    (Loudness(20), "The volume is at 30 percent."),
    (Loudness(20), "I cannot speak any louder."),
    (Charging(False), "The battery is at 42 percent and charging."),
    (Charging(False), "No, there is no ring."),
    (Charging(False), "You are welcome."),
]  # fmt: skip


@pytest.mark.parametrize(("judge", "said"), RIGHT, ids=[said or "silence" for _, said in RIGHT])
def test_a_right_answer_is_right(judge: Judge, said: str) -> None:
    assert judge(said)


@pytest.mark.parametrize(("judge", "said"), WRONG, ids=[said or "silence" for _, said in WRONG])
def test_a_wrong_answer_is_wrong(judge: Judge, said: str) -> None:
    assert not judge(said)


@pytest.mark.parametrize("judge", dict.fromkeys(judge for judge, _ in RIGHT), ids=repr)
def test_silence_and_other_speech_answer_nothing(judge: Judge) -> None:
    assert not judge("") and not judge("Good morning to you.")


def test_to_correct_is_more_than_to_refuse() -> None:
    assert RED_HEART.corrects("I see a blue heart, no red one.")
    assert RED_HEART.corrects("I cannot see a red heart, but a red star.")
    assert not RED_HEART.corrects("I cannot see a red heart.")


def test_every_number_is_read_in_words_and_digits() -> None:
    for number in range(100):
        assert numbers(f"it is {number_in_words(number)} now") == [number]
        assert numbers(f"it is {number}.") == [number]


def test_durations_and_clock_times_are_read() -> None:
    assert duration_s("1 hour, 2 minutes and 3 seconds") == 3723
    assert duration_s("at half past nine") is None
    assert clock_time("twelve fifteen at night") == ClockTime(0, 15, "am")
    assert clock_time("eleven fifteen at night") == ClockTime(11, 15, "pm")
    assert clock_time("midnight") == ClockTime(0, 0, "am")
    assert clock_time("later") is None

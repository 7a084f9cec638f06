"""Nothing is deleted, kept, switched or set by a sentence that has the words of a command and is none."""

from __future__ import annotations

import pytest

from host.language.classifier.command_forms import FORMS
from host.language.classifier.forgetting import BY_TIME
from host.language.meaning import Abilities, meaning
from host.language.router import Decision, Router
from models.brick import Transcript
from models.train.intents.data import said_by_people

ROUTER = Router()
_EFFECTS = (
    "forget_everything", "forget_today", "forget_last", "forget_times", "keep", "memory_on", "memory_off",
    "recording_on", "recording_off", "timer", "timer_off", "alarm", "alarm_off", "louder", "quieter",
    "volume", "slower", "faster", "save_power", "full_power", "own_power", "more_careful", "less_careful",
)  # fmt: skip


def understood(text: str) -> Decision:
    heard = Transcript(text, 0.97, words=(0.97,) * len(text.split()))
    return meaning(heard, ROUTER, Abilities(0.5, remembers=True, clips=True, usual=True)).decision


@pytest.mark.parametrize(
    "text",
    [
        "i always forget everything", "people forget everything", "it deleted everything",
        "can my son delete your memory", "could you forget everything by mistake",
        "will you forget everything when the battery is empty", "forget everything except my keys",
        "forget everything but the last hour", "keep today and forget everything else",
        "forget everything before today", "forget today's date", "i spent the last ten minutes tuning",
        "don't keep this", "never save this", "do not remember this as parking", "delete this picture",
        "forget this view", "lose this", "and this one", "i can remember this",
        "don't cancel the timer", "please do not stop the timer", "leave the timer on", "pause the timer",
        "set a timer", "i didn't say cancel the timer", "keep the alarm", "leave the alarm on",
        "don't turn off the alarm", "turn off the fire alarm", "do not wake me until nine",
        "do not wake me at seven wake me at eight", "don't stop remembering", "never stop remembering",
        "don't stop recording", "i don't remember", "don't you remember",
        "don't forget to remember what you see", "don't neglect to remember what i see",
        "keep recording", "please keep recording", "continue recording", "keep recording don't go dark",
        "don't forget to keep recording", "do not cut the recording", "don't suspend recording",
        "make it eight", "put it on five", "set it to seven", "a quarter of full loudness",
        "power off", "turn the power off", "turn off the power", "stop using full power",
        "switch off full power", "full power off", "no more full power",
        "do not speak louder", "how do i save power", "don't use full power",
        "my phone's down to ten percent", "turn the amp to forty percent",
        "i waited for ten minutes", "dinner is in ten minutes", "i set a timer for ten minutes",
        "extend the timer by five minutes", "my alarm is at seven", "wake me on sunday at six",
        "wake me at five to", "set an alarm for half an hour before seven",
        "remind me five minutes before the film", "give me a shout ten minutes beforehand",
        "let me know two minutes in advance", "wake me twenty minutes after the others",
        "get me up ten minutes before that", "wake me fifteen minutes later than usual",
        "i've got to be rolling by half five so wake me ten minutes before that",
        "meeting at three so give me a shout five minutes before",
        "tell my wife to set a timer for ten minutes", "tell dad to wake me at seven",
        "make her stop recording", "let him speak louder",
        "tell her to stop recording me",
        "set two timers for five minutes", "set two timers five minutes and ten minutes",
        "set timers for five minutes and ten minutes", "set a timer for point five hours",
        "set a timer for five minutes and ten minutes", "you forget everything", "you just forget today",
        "guess what", "when i say so stop recording", "when i think so stop remembering",
        "forget today in an hour", "cancel the timer in two minutes", "every ten minutes tell me the time",
        "umbrella position one hour and go", "my cup ten minutes",
        "take ten minutes off the timer", "knock a minute off my timer",
    ],
)  # fmt: skip
def test_what_is_no_command_changes_nothing(text: str) -> None:
    found = understood(text)
    assert found.intent not in _EFFECTS, (found.intent, found.slots)


@pytest.mark.parametrize(
    ("text", "intent", "slots"),
    [
        ("set an alarm for tomorrow at seven", "alarm", {"hour": 7, "tomorrow": True, "part": "am"}),
        ("cancel the timer for ten minutes", "timer_off", {"span": 600}),
        ("take the seven o'clock alarm off", "alarm_off", {"hour": 7}),
        ("wake me in one and a half hours", "timer", {"span": 5400}),
        ("set a timer for an hour and 15 minutes", "timer", {"span": 4500}),
        ("lower the volume by ten percent", "quieter", {"by": 10}),
        ("twenty percent louder", "louder", {"by": 20}),
        ("make it ten percent quieter", "quieter", {"by": 10}),
        ("set the volume twenty percent higher", "louder", {"by": 20}),
        ("increase the volume ten percent", "louder", {"by": 10}),
        ("lower the volume to ten percent", "volume", {"number": 10, "percent": True}),
        ("five percent volume", "volume", {"number": 5, "percent": True}),
        ("go to half volume", "volume", {"number": 50, "percent": True}),
        ("forget the last hour and a half", "forget_last", {"span_one": 5400}),
        ("forget the last hour and fifteen minutes", "forget_last", {"span_one": 4500}),
        ("set a timer for the medicine for ten minutes", "timer", {"span": 600, "name": "medicine"}),
        ("ten minutes for the bottle", "timer", {"span": 600, "name": "bottle"}),
        ("tell me in ten minutes to turn off the lamp", "timer", {"span": 600}),
        ("set a timer for ten minutes to turn the lamp off", "timer", {"span": 600}),
        ("set a timer for ten minutes to turn the oven off", "timer", {"span": 600}),
        ("remind me to turn it off in ten minutes", "timer", {"span": 600}),
        ("what time are we on", "time", {}),
        ("nudge me in fifty minutes before the meter runs out", "timer", {"span": 3000}),
        ("set a timer for five minutes before lunch", "timer", {"span": 300}),
        ("don't you ever lose this one", "keep", {}),
        ("they've gone so resume remembering", "memory_on", {}),
        ("don't save power", "full_power", {}),
        ("low power mode off", "full_power", {}),
        ("stop saving and use full power", "full_power", {}),
        ("don't keep recording", "recording_off", {}),
        ("tell the camera to switch off", "recording_off", {}),
        ("tell your memory to stop", "memory_off", {}),
        ("keep the recording off", "recording_off", {}),
        ("keep your eyes and ears shut", "recording_off", {}),
        ("stop recording", "recording_off", {}),
        ("don't forget to stop remembering", "memory_off", {}),
    ],
)  # fmt: skip
def test_a_command_in_other_words_is_carried_out_as_it_was_said(
    text: str, intent: str, slots: dict[str, object]
) -> None:
    found = understood(text)
    assert (found.intent, found.slots) == (intent, slots)


@pytest.mark.parametrize(
    "text",
    [
        "what time is lunch", "what time will it be in two hours", "what's the time in ten minutes",
        "what time is it in london", "what date is easter", "what is the expiry date",
        "how long will the milk last", "how much battery does my phone have", "is the car charging",
    ],
)  # fmt: skip
def test_the_headband_tells_of_itself_only_what_was_asked_of_it(text: str) -> None:
    found = understood(text)
    assert found.route != "device" or found.intent in ("time_elsewhere", "another_date")


def test_what_has_a_form_is_a_kind_that_is_learned() -> None:
    assert set(FORMS) <= {sentence.kind for sentence in said_by_people()}


@pytest.mark.parametrize(
    "text",
    [
        "forget everything since breakfast", "forget everything from three o'clock on",
        "forget everything you saw just now", "forget everything you just saw",
        "forget what i said yesterday", "forget my keys this morning", "forget the party last night",
        "don't forget yesterday", "never forget this morning", "forget this morning except my keys",
        "forget everything before yesterday", "forget the last hour of yesterday", "forget last week",
        "forget all that you saw in the bathroom", "delete everything i saw at lunch",
        "forget everything while i was in the shop", "erase everything from january",
        "erase everything of her", "forget everything of today since noon",
        "forget the last ten minutes of yesterday", "forget what you saw two hours ago",
        "cancel all timers except the ten minute one",
        "cancel the ten minute timer and the five minute timer",
        "turn yourself off", "turn yourself on",
    ],
)  # fmt: skip
def test_nothing_is_done_where_only_a_part_or_something_else_was_meant(text: str) -> None:
    found = understood(text)
    assert found.intent not in _EFFECTS, (found.intent, found.slots)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("forget this morning", "this morning"),
        ("forget yesterday", "yesterday"),
        ("please forget everything from yesterday", "yesterday"),
        ("forget what you saw last night", "last night"),
        ("forget everything of monday", "monday"),
        ("erase what you saw on tuesday evening", "on tuesday evening"),
        ("delete all that you recorded on friday afternoon", "on friday afternoon"),
        ("forget everything since nine o'clock", "since nine o'clock"),
        ("please forget everything from the last three days", "last three days"),
    ],
)  # fmt: skip
def test_what_was_seen_in_a_stretch_of_time_is_forgotten(text: str, time: str) -> None:
    found = understood(text)
    assert (found.intent, found.slots) == ("forget_times", {"rest": time})


@pytest.mark.parametrize(
    "text",
    [
        "forget what you saw in the bathroom", "forget the bathroom", "delete everything from the kitchen",
        "forget everything since lunch", "forget what you saw at the doctor's", "forget last week",
        "forget that you saw me in the bathroom", "forget what you just saw",
        "remove the last few minutes please",
    ],
)  # fmt: skip
def test_of_what_is_no_time_that_is_read_nothing_is_forgotten_and_that_is_said(text: str) -> None:
    found = understood(text)
    assert (found.route, found.intent) == ("memory", BY_TIME)


@pytest.mark.parametrize(
    "text", ["kindly forget everything", "wipe your memory completely", "clear everything from your memory"]
)
def test_everything_is_forgotten_in_other_words(text: str) -> None:
    assert understood(text).intent == "forget_everything"


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("cancel my timers", "timer_off"),
        ("cancel every timer", "timer_off"),
        ("cancel my alarms", "alarm_off"),
    ],
)
def test_several_are_cancelled_at_once(text: str, intent: str) -> None:
    found = understood(text)
    assert (found.intent, found.slots) == (intent, {"all": True})


@pytest.mark.parametrize(
    ("text", "intent", "slots"),
    [
        ("make your volume like seven out of ten", "volume", {"number": 70, "percent": True}),
        ("set the volume to ten out of ten", "volume", {"number": 100, "percent": True}),
        ("turn the volume down to ten", "volume", {"number": 10, "down": "down"}),
        ("turn it down to eight", "volume", {"number": 8, "down": "down"}),
        ("whack your volume up to eight", "volume", {"number": 8, "up": True}),
        ("drop your volume to two", "volume", {"number": 2, "down": True}),
        ("set the volume to two hundred percent", "volume", {"number": 100, "percent": True}),
        ("give me a hundred and ten percent volume", "volume", {"number": 100, "percent": True}),
        ("turn yourself to a quarter of the volume", "volume", {"number": 25, "percent": True}),
        ("they switched my shift so delete tomorrow's alarm", "alarm_off", {}),
        ("dinnae be remembering what ye see", "memory_off", {}),
        ("please you don't save use all the power", "full_power", {}),
        ("it is too loud in here raise your voice", "louder", {}),
    ],
)
def test_it_is_carried_out_in_many_manners(text: str, intent: str, slots: dict[str, int]) -> None:
    decision = understood(text)
    assert (decision.intent, decision.slots) == (intent, slots)


@pytest.mark.parametrize(
    ("text", "intent", "slots"),
    [
        ("set the alarm for seven the bin men are coming", "alarm", {"hour": 7}),
        ("wake me at seven the bin lorry comes", "alarm", {"hour": 7}),
        ("set a timer for ten minutes the bin is full", "timer", {"span": 600}),
        ("bin the seven o'clock alarm", "alarm_off", {"hour": 7}),
        ("wake me at seven no cancel", "alarm_off", {"hour": 7}),
    ],
)
def test_what_is_set_is_not_ended_by_what_is_said_of_something_else(
    text: str, intent: str, slots: dict[str, int]
) -> None:
    decision = understood(text)
    assert (decision.intent, decision.slots) == (intent, slots)


def test_what_is_only_named_like_an_end_is_none() -> None:
    assert understood("six forty five in the morning alarm for yoga and school drop").intent != "alarm_off"


def test_a_name_keeps_its_dialect() -> None:
    assert understood("remember this as wee jean").slots == {"rest": "wee jean"}

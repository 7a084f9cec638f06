"""What no template knows is understood, and nothing is changed unless it was surely said and heard."""

from __future__ import annotations

import pytest

from host.language.classifier.asked import asked, asked_in_part
from host.language.classifier.readout import read
from host.language.meaning import Abilities, meaning
from host.language.router import Decision, Router
from host.language.safety import SAFETY
from models.brick import UNKNOWN_WORD, Transcript

OPEN = Decision("open")
ROUTER = Router()


def heard(text: str, each: float = 0.97) -> Transcript:
    return Transcript(text, each, words=(each,) * len(text.split()))


def test_a_question_about_a_thing_that_no_form_knows_asks_the_memory() -> None:
    found = asked(heard("arre i've lost my steel bottle when did you see it last"), OPEN)
    assert (found.route, found.intent) == ("memory", "memory")
    assert found.slots["rest"] == "my bottle" and (found.certainty or 0) > 0.4


@pytest.mark.parametrize(
    "text",
    [
        "where are my wife's keys", "where did my wife leave her keys", "have you seen my daughter's coat",
        "where is his phone", "where did i put the neighbour's old keys",
    ],
)  # fmt: skip
def test_the_thing_of_somebody_else_is_none_of_the_wearers(text: str) -> None:
    assert asked(heard(text), OPEN) == OPEN
    assert asked_in_part(heard(text)) is None


def test_a_short_form_before_a_thing_names_no_owner() -> None:
    found = asked(heard("arre where's the steel bottle i've lost when did you see it last"), OPEN)
    assert found.slots.get("rest") == "my bottle"


@pytest.mark.parametrize("time", ["this morning", "yesterday"])
def test_what_was_on_furniture_is_no_sign(time: str) -> None:
    found = asked(heard(f"what was on the table {time}"), OPEN)
    assert (found.intent, found.slots) == ("looked_at", {"rest": time})
    found = asked(heard(f"what was written on the table {time}"), OPEN)
    assert (found.intent, found.slots) == ("said", {"rest": f"sign {time}"})


def test_without_a_word_of_reading_and_without_furniture_there_is_no_sign() -> None:
    assert read("sign", "what was on the piano yesterday") is None
    assert read("sign", "what was on the table") is None


def test_the_length_of_what_is_forgotten_is_read() -> None:
    found = asked(heard("please remove last five minutes it is patient privacy"), OPEN)
    assert (found.intent, found.slots) == ("forget_last", {"span_one": 300})


def test_a_view_is_kept_by_its_name() -> None:
    found = asked(heard("okay keep this and name it front garden"), OPEN)
    assert (found.intent, found.slots) == ("keep", {"rest": "front garden"})


@pytest.mark.parametrize(
    "text",
    [
        "do not remove the last five minutes", "did you erase everything today",
        "why did you keep this forever",
        "she sells sea shells by the sea shore",
        "he remembers nothing at all", "they stopped recording what you see",
    ],
)  # fmt: skip
def test_what_is_no_command_changes_nothing(text: str) -> None:
    assert asked(heard(text), OPEN) == OPEN


def test_a_badly_heard_word_is_enough_to_change_nothing() -> None:
    text = "everything from today please you erase"
    assert asked(heard(text), OPEN).intent == "forget_today"
    words = (0.97, 0.97, 0.97, 0.97, 0.97, 0.6)
    assert asked(Transcript(text, 0.9, words=words), OPEN) == OPEN
    assert asked(Transcript(f"{text} {UNKNOWN_WORD}", 0.97), OPEN) == OPEN


@pytest.mark.parametrize(
    ("text", "doubtful", "span"),
    [
        ("nap for forty minutes then call me", "nap", 2400),
        ("nap for forty minutes then call me", "forty", None),
        ("nap for forty minutes then call me", "minutes", None),
        ("nap for ?? minutes then call me", "nap", None),
        ("everything from today please you erase", "please", None),
    ],
)
def test_a_time_is_set_where_no_doubtful_word_changes_it(
    text: str, doubtful: str, span: float | None
) -> None:
    words = tuple(0.4 if each == doubtful else 0.95 for each in text.split())
    for probability in (0.9, 0.8):
        said = Transcript(text, probability, doubtful=probability < 0.84, words=words)
        found = meaning(said, ROUTER, Abilities(0.5, remembers=True, clips=True, usual=True)).decision
        assert found.slots.get("span") == span
        assert (found.intent == "timer") == (span is not None)


@pytest.mark.parametrize(
    ("text", "doubtful", "kept"),
    [
        ("save this look as party outfit", "outfit", True),
        ("save this look as party ??", "", True),
        ("save this look as party outfit", "save", False),
        ("save ?? look as party outfit", "outfit", False),
        ("did you save this look as party outfit", "outfit", False),
    ],
)
def test_a_view_is_kept_without_a_name_that_was_hardly_heard(text: str, doubtful: str, kept: bool) -> None:
    words = tuple(0.3 if each in (doubtful, UNKNOWN_WORD) else 0.95 for each in text.split())
    said = Transcript(text, 0.75, doubtful=True, words=words)
    found = meaning(said, ROUTER, Abilities(0.5, remembers=True, clips=True, usual=True)).decision
    assert (found.intent == "keep" and found.slots == {"unheard": True}) is kept
    off = meaning(said, ROUTER, Abilities(0.5, clips=True, usual=True)).decision
    assert off.intent != "keep"


@pytest.mark.parametrize(
    "found", [Decision("device", "stop"), Decision("unclear"), Decision("device", "safety")]
)
def test_what_a_template_or_a_rule_decided_stays(found: Decision) -> None:
    assert asked(heard("everything from today please you erase"), found) is found


@pytest.mark.parametrize(
    ("text", "remembers", "route"),
    [
        ("?? to god where have i gone and put my ?? keys", True, "memory"),
        ("?? to god where have i gone and put my ?? keys", False, "now"),
        ("?? wipe everything you ?? today", True, "unclear"),
        ("?? set me a timer ?? for nine ?? minutes", True, "unclear"),
        ("my ?? keys", True, "unclear"),
        ("?? don't remember anything while ?? in the bathroom", True, "device"),
        ("where's all your battery gone then", False, "device"),
    ],
)
def test_what_is_heard_in_part_asks_and_changes_nothing(text: str, remembers: bool, route: str) -> None:
    said = Transcript(" ".join(text.split()), 0.7, doubtful=True, words=(0.7,) * len(text.split()))
    can = Abilities(0.5, remembers=remembers, clips=True, usual=True)
    assert meaning(said, ROUTER, can).decision.route == route


def test_a_thing_that_was_hardly_heard_is_not_sought() -> None:
    text = "honestly where have i gone and put my keys"
    words = (*(0.7,) * 8, 0.1)
    assert asked_in_part(Transcript(text, 0.7, doubtful=True, words=words)) is None
    surely = asked_in_part(Transcript(text, 0.7, doubtful=True, words=(0.7,) * 9))
    assert surely is not None and surely.slots == {"rest": "my keys"}


@pytest.mark.parametrize(
    ("text", "remembers", "route"),
    [
        ("did i leave my glasses here", True, "now"),
        ("where did i leave my cup", False, "now"),
        ("i have lost my keys", False, "now"),
        ("show me where my glasses are", True, "now"),
        ("can you hear me then", True, "open"),
        ("what did i pick up", True, "now"),
        ("what did i just pick up", True, "now"),
        ("what did i pick up this morning", True, "memory"),
        ("when was the telephone invented", True, "unclear"),
        ("where was napoleon born", True, "unclear"),
    ],
)
def test_what_may_be_in_view_is_looked_for_there(text: str, remembers: bool, route: str) -> None:
    can = Abilities(0.5, remembers=remembers, clips=True, usual=True)
    assert meaning(heard(text), ROUTER, can).decision.route == route


@pytest.mark.parametrize(
    ("text", "route", "intent"),
    [
        ("have i had my tablets yet today", "device", SAFETY),
        ("reckon this ladder'll hold a man my size", "device", SAFETY),
        ("did i leave the iron on", "device", SAFETY),
        ("where did i put my blood pressure pills", "memory", "memory"),
        ("go off the air for me no watching no listening", "device", "recording_off"),
    ],
)
def test_a_judgement_of_safety_is_declined_and_what_asks_for_none_is_not(
    text: str, route: str, intent: str
) -> None:
    words = (0.97,) * len(text.split())
    can = Abilities(0.45, remembers=True, clips=True)
    found = meaning(Transcript(text, 0.97, words=words), Router(), can).decision
    assert (found.route, found.intent) == (route, intent)

"""The judges of answers about a home accept right answers in any words and refuse wrong ones."""

from __future__ import annotations

import random

import pytest

from tests.eval.stranger_home import said
from tests.eval.stranger_home.facts import COVERED, CUT, DOUBTFUL, HAND, PLACES, Facts, Item, Top
from tests.eval.stranger_home.judges import judge_of
from tests.eval.stranger_home.questions import FAMILIES, WORDINGS, questions_about, worded

HOME = Facts(
    "kitchen",
    True,
    (
        Item("keys", "table", x=1, beside=("cup",), colour="blue"),
        Item("cup", "table", x=2, beside=("keys",)),
        Item("book", "shelf", x=1, label="milk"), Item("bag", "shelf", CUT, "left", x=0),
        Item("coat", "hook", COVERED), Item("phone", HAND), Item("wallet", "floor", DOUBTFUL),
    ),
    (Top("table"), Top("shelf", CUT, "left"), Top("counter", "absent"), Top("floor", DOUBTFUL)),
)  # fmt: skip
CASES = [
    ("find", "keys", "Your keys are on the kitchen table, left of the cup.", True),
    ("find", "keys", "Your keys are on the table.", True),
    ("find", "keys", "On the table next to the mug.", True),
    ("find", "keys", "Your keys are on the kitchen table, right of the cup.", False),
    ("find", "keys", "Your keys are on the kitchen table, left of the umbrella.", False),
    ("find", "keys", "Your keys are on the bathroom table.", False),
    ("find", "keys", "Your keys are on the shelf.", False),
    ("find", "keys", "Your keys are in your hand.", False),
    ("find", "keys", "I do not see your keys here.", False),
    ("find", "keys", "Yes.", False),
    ("here", "keys", "Yes, your keys are on the table.", True),
    ("here", "keys", "Yes.", True),
    ("here", "keys", "No.", False),
    ("here", "umbrella", "No, there is no umbrella here.", True),
    ("here", "umbrella", "Yes, your umbrella is on the table.", False),
    ("find", "phone", "Your phone is in your hand.", True),
    ("find", "phone", "Your phone is on the table.", False),
    ("find", "bag", "I see only part of your bag, turn left.", True),
    ("find", "bag", "I see only part of your bag, turn right.", False),
    ("find", "bag", "I do not see your bag here.", False),
    ("find", "coat", "I see only part of your coat, something is in front of it.", True),
    ("find", "coat", "I see only part of your coat, turn left.", False),
    ("on", "table", "Your keys and your cup are on the table.", True),
    ("on", "table", "A mug and the keys.", True),
    ("on", "table", "Your keys are on the table.", False),
    ("on", "table", "Your keys, your cup and your book are on the table.", False),
    ("on", "table", "Nothing is on the table.", False),
    ("on", "shelf", "I see only part of the shelf, turn left.", True),
    ("on", "counter", "I do not see a counter here.", True),
    ("on", "counter", "Nothing is on the counter.", False),
    ("holding", "", "You are holding your phone.", True),
    ("holding", "", "You are not holding anything.", False),
    ("room", "", "This is the kitchen.", True),
    ("room", "", "This is the bathroom.", False),
    ("room", "", "I cannot tell which place this is.", False),
    ("next", "keys", "Your cup is next to your keys.", True),
    ("next", "keys", "Nothing is next to your keys.", False),
    ("label", "", "The label says milk.", True),
    ("label", "", "The label says news.", False),
    ("label", "", "I do not see a label.", False),
    ("colour", "keys", "Your keys are blue.", True),
    ("colour", "keys", "Your keys are red.", False),
    ("colour", "keys", "The star is blue.", False),
    ("wrong colour", "red keys", "I cannot see a red heart.", False),
    ("colour", "umbrella", "I do not see your umbrella here.", True),
    ("wrong colour", "red keys", "I see your blue keys, no red ones.", True),
    ("wrong colour", "red keys", "No, I do not see your red keys.", True),
    ("wrong colour", "red keys", "Your red keys are on the table.", False),
    ("wrong colour", "red keys", "Your keys are on the table.", False),
    ("where", "keys on table", "Yes, your keys are on the table.", True),
    ("where", "keys on table", "No, your keys are on the shelf.", False),
    ("where", "keys on sofa", "No, your keys are on the table.", True),
    ("where", "keys on sofa", "No, not on the sofa.", True),
    ("where", "keys on sofa", "Yes, your keys are on the sofa.", False),
    ("place", "kitchen", "Yes, this is the kitchen.", True),
    ("place", "bathroom", "No, this is the kitchen.", True),
    ("place", "bathroom", "Yes, this is the bathroom.", False),
    ("place", "kitchen", "No, this is the bathroom.", False),
]  # fmt: skip


def slots_of(family: str, slot: str) -> dict[str, str]:
    item, _, surface = slot.partition(" on ")
    match family:
        case "on":
            return {"surface": slot}
        case "place":
            return {"place": slot}
        case "where":
            return {"item": item, "surface": surface}
        case "wrong colour":
            return dict(zip(("colour", "item"), slot.split(), strict=True))
        case _:
            return {"item": slot}


@pytest.mark.parametrize(("family", "slot", "text", "right"), CASES)
def test_an_answer_is_judged(family: str, slot: str, text: str, right: bool) -> None:
    judge = judge_of(family, slots_of(family, slot), HOME)
    assert judge is not None and judge(text) is right


@pytest.mark.parametrize(
    ("family", "slot"), [("find", "wallet"), ("on", "floor"), ("next", "wallet"), ("on", "desk")]
)
def test_what_people_would_disagree_on_is_not_asked(family: str, slot: str) -> None:
    assert judge_of(family, slots_of(family, slot), HOME) is None


def test_an_unreadable_picture_is_judged_by_its_cause() -> None:
    for quality, right, wrong in (
        ("dark", "It is too dark to see.", "The picture is blurred."),
        ("blurred", "The picture is blurred, please hold still.", "I do not see your keys here."),
    ):
        facts = Facts("kitchen", True, HOME.items, HOME.tops, quality)
        for family in FAMILIES:
            judge = judge_of(family, {"item": "keys", "surface": "table", "place": "hall"}, facts)
            assert judge is not None and judge.cause == quality and judge(right) and not judge(wrong)


def test_nothing_in_view() -> None:
    empty = Facts("desk", False, (), (Top("desk"),))
    for family, slot, right, wrong in (
        ("on", "desk", "Nothing is on the desk.", "Your keys are on the desk."),
        ("holding", "", "Your hand is empty.", "You are holding your keys."),
        ("room", "", "I cannot tell which place this is.", "This is the hall."),
        ("room", "", "I do not know where we are.", "I cannot tell, the picture is too blurred."),
        ("label", "", "I do not see a label.", "The label says milk."),
        ("next", "keys", "I do not see your keys here.", "Nothing is next to your keys."),
        ("see", "", "I do not see any of your things here.", "I see your keys."),
        ("place", "hall", "I cannot tell which place this is.", "Yes, this is the hall."),
    ):
        judge = judge_of(family, slots_of(family, slot), empty)
        assert judge is not None and judge(right) and not judge(wrong), family


def test_what_is_in_view_is_told_in_full_or_by_number() -> None:
    names = ("keys", "cup", "book", "bag", "coat")
    few, many = (Facts("hall", True, tuple(Item(name, "hook") for name in names[:n])) for n in (2, 5))
    told = judge_of("see", {}, few)
    assert told is not None and told("I see your keys and your cup.") and told("A mug, and keys.")
    assert not told("I see your keys.") and not told("I see your keys, your cup and your bag.")
    told = judge_of("see", {}, many)
    assert told is not None and told("I see five things, among them your keys and your cup.")
    assert not told("I see four things, among them your keys and your cup.")
    assert judge_of("see", {}, HOME) is None, "a part of the bag is in view"


def test_small_letters_may_be_called_so_or_be_read() -> None:
    small = judge_of("label", {}, Facts("hall", True, (Item("bottle", "table", label="milk", read=False),)))
    assert small is not None and small.cause == "small"
    assert small("The letters are too small to read, come closer.") and small("The label says milk.")
    assert not small("The label says silk.") and not small("I do not see a label.")


def test_causes_are_told_apart() -> None:
    told = {
        "It is too dark to see.": "dark", "I cannot tell, the picture is too blurred.": "blurred",
        "I see only part of your keys, turn left.": CUT, "Something is in front, I see only part.": COVERED,
        "I do not see your keys here.": "absent", "The letters are too small to read, come closer.": "small",
        "I did not catch that.": "unknown", "Your keys are on the table.": "",
    }  # fmt: skip
    assert {text: said.cause(text) for text in told} == told


def test_every_wording_is_drawn_and_agrees_with_its_thing() -> None:
    assert set(WORDINGS) == set(FAMILIES)
    rng = random.Random(1)
    keys, cup = {"item": "keys"}, {"item": "cup"}
    assert {worded("find", keys, rng, own=False)[0] for _ in range(200)} >= {"where are my keys"}
    assert {worded("find", cup, rng, own=False)[0] for _ in range(200)} >= {"where is my cup"}
    coloured = [worded("find", {**cup, "colour": "red"}, rng, own=False) for _ in range(200)]
    assert ("where is my red cup", {**cup, "colour": "red"}) in coloured
    whole = Facts("kitchen", True, HOME.items[:3], HOME.tops)
    found = [each for _ in range(60) for each in questions_about(whole, rng, FAMILIES)]
    assert {each.family for each in found} == set(FAMILIES)
    assert len(PLACES) == 9

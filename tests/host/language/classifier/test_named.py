"""A thing that nobody has thought of is sought by the name that the wearer gives it."""

from __future__ import annotations

import pytest

from host.language.classifier.named import thing_named
from host.language.classifier.readout import read
from host.language.classifier.words import full_words, things_in
from host.language.politeness import without_politeness
from host.language.router import Router
from models.train.world.said.speakers import spoken
from tests.eval.understood import judge

ROUTER = Router()


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("where'd i put me drill", "my drill"),
        ("that screwdriver of harold's i used it on the screen door", "the screwdriver"),
        ("my good friend where has my walking stick got to", "my walking stick"),
        ("which pannier did i put the folding map in", "the folding map"),
        ("any sign of our passports since monday", "my passports"),
        ("i fear the kettle's out in the barn", "the kettle"),
        ("the stapler yes laugh but where is it", "the stapler"),
        ("i am looking for my hearing aid", "my hearing aid"),
    ],
)
def test_the_thing_is_named(text: str, thing: str) -> None:
    assert thing_named(full_words(text)) == thing


@pytest.mark.parametrize(
    "text",
    [
        "what have i lost", "where did it go", "where was my husband yesterday", "was it on the shelf",
        "where did i leave my son's drill", "i left something in the car", "it was there before the gig",
        "it fell down when the lights went out", "the dog has it", "where was i this morning",
        "is the one with the handle here", "my brother hid it",
    ],
)  # fmt: skip
def test_what_is_no_thing_of_the_wearers_is_none(text: str) -> None:
    assert thing_named(full_words(text)) == ""


def test_only_a_pack_that_knows_all_words_seeks_it() -> None:
    text = "that drill where did i leave it"
    found = judge.understood(text, ROUTER, usual=False)
    assert (found.route, found.intent, found.slots) == ("memory", "memory", {"rest": "the drill"})
    assert judge.understood(text, ROUTER, usual=True).route == "unclear"
    assert read("thing", text) is None, "not of a transcript in doubt either"


def test_of_what_people_say_about_usual_things_nearly_every_name_that_is_read_is_the_things() -> None:
    told, right = 0, 0
    for said in spoken():
        text = full_words(without_politeness(said.text))
        things = things_in(text)
        named = thing_named(text) if said.kind == "thing" and len(things) == 1 else ""
        if named:
            ((start, end),) = things.values()
            told += 1
            right += bool(set(text[start:end].split()) & set(named.split()))
    assert told > 400 and right >= 0.95 * told, (right, told)

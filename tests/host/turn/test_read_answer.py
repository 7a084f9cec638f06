"""A pack with a text reader: what is written is said as it is read letter by letter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from host.answers.certainty_replies import NOT_THE_SAME, READ_ALIKE, SAME_TWICE
from host.app.turn_report import of_reflex
from host.turn.early import transcript
from models.pack.catalogue import Pack
from power.policy.plan import Mode
from tests.demo_files import THIRD
from tests.host.simulated import simulate
from tests.host.turn.fake_reflex import HANDED_OVER, OTHER_SIGN, SIGN, reflex_pack
from tests.host.turn.test_reflex_answer import asked, heard_as, told
from tests.host.workbench import QUIET, bench

ASKED = "can you read the label"
READ = ("STOP", 0.95)


def reading(*words: tuple[str, float], says: Mapping[str, Any] = HANDED_OVER, **options: Any) -> Pack:
    """A pack whose reader reads these words, and whose language model has no levels of caution."""
    pack = reflex_pack(says, words=words, reader="a graph", reading={"given_from": 0.8}, **options)
    llm = pack.bricks["llm"]
    plain = replace(llm, options={**llm.options, "caution": None, "looks": 1})
    return replace(pack, bricks={**pack.bricks, "llm": plain})


def answer(patch: pytest.MonkeyPatch, pack: Pack, question: str = ASKED) -> tuple[str, str, int]:
    """What is said of the demo's third view, which has a label; by whom; how often the text reader looked."""
    patch.setattr(transcript, "recognise", heard_as(question))

    async def scene() -> tuple[str, str, int]:
        async with bench(Mode.PERFORMANCE, config=QUIET, pack=pack) as b:
            turn = await b.ask(THIRD)
            return turn.answer, turn.answered_by, sum(event == "read" for event, _ in b.told)

    return simulate(scene())


def test_the_language_models_word_gives_way_to_the_one_that_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer(monkeypatch, reading()) == ("The label says door.", "language model", 1)
    assert answer(monkeypatch, reading(READ)) == ("The label says stop.", "language model", 1)


def test_what_is_hardly_read_leaves_the_answer_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer(monkeypatch, reading(("STOP", 0.5)))[0] == "The label says door."


def test_only_what_asks_for_something_written_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer(monkeypatch, reading(READ), "what am i holding")[2] == 0


def test_a_reader_that_fails_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer(monkeypatch, reading(READ, fault="blind"))[0] == "The label says door."


def test_what_reflex_and_reader_agree_on_is_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = reading(says=OTHER_SIGN, fault="")
    assert answer(monkeypatch, alone)[:2] == ("The sign says EAST.", "reflex"), "two pictures, as without"
    agreed = reading(("EAST", 0.95), says=OTHER_SIGN)
    assert answer(monkeypatch, agreed)[:2] == ("The sign says EAST.", "reflex")


@pytest.mark.parametrize(
    ("mode", "says", "views", "twice"),
    [
        (Mode.CASCADE, (SIGN,), 1, ""),
        (Mode.PERFORMANCE, (SIGN, OTHER_SIGN), 2, f"{NOT_THE_SAME} "),
        (Mode.PERFORMANCE, (SIGN, SIGN), 2, f"{SAME_TWICE} "),
    ],
)
def test_how_sure_tells_what_pictures_and_what_the_reader_said(
    monkeypatch: pytest.MonkeyPatch, mode: Mode, says: tuple[Mapping[str, Any], ...], views: int, twice: str
) -> None:
    words = {"words": (("EXIT", 0.95),), "reader": "a graph", "reading": {"given_from": 0.8}}
    questions = ("what does the sign say", "are you sure")
    turns, b = asked(reflex_pack(*says, **words), *questions, mode=mode, patch=monkeypatch)
    assert (turns[0].answer, turns[0].answered_by, turns[0].views) == ("The sign says EXIT.", "reflex", views)
    assert turns[1].answer == f"I am quite sure, about 90 percent. {twice}{READ_ALIKE}"
    assert ("the text reader agrees" in of_reflex(told(b)[0])) and told(b)[0]["read"] is True


def test_what_reflex_reads_otherwise_is_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    told = answer(monkeypatch, reading(READ, says=OTHER_SIGN))
    assert told == ("The label says stop.", "language model", 2)

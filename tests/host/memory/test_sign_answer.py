"""What a sign said is told from a picture that was surely read; one that was not was seen all the same."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from host.answers.recollection import Recollection
from host.answers.sureness import Sureness
from host.memory.things import Seen, Spot
from host.turn.recalling import sign_answer, stored_view
from models.brick import Completion
from models.pack.brick_settings import ReadingTable
from models.reading import Reading, Word

NOW_S = 1_000_000.0
STOP = Word("STOP", 0.5, 0.5, 0.3, 0.1, 0.95)
CUT_OFF = Word("STO", 0.85, 0.5, 0.3, 0.1, 0.95)
NUMBER = Word("82", 0.5, 0.5, 0.3, 0.1, 0.95)


def told(
    monkeypatch: pytest.MonkeyPatch,
    views: Sequence[tuple[float, str, float, str]],
    asked: str = "sign in the kitchen",
    detected: Sequence[float] = (),
    places: Sequence[str] = (),
    looks: int = 10,
) -> Recollection:
    """What is said of a sign where the views that fit best, a minute apart, have these
    cosines, readings with their probabilities, and rooms. detected: how surely the object detector saw a
    sign in each; places: where it takes them to be.
    """
    matches: list[Any] = [
        SimpleNamespace(
            row=SimpleNamespace(number=number, time_s=NOW_S - 60.0 * (number + 1)),
            score=score,
            seen=Seen(detected[number], 1.0, Spot(places[number] if places else "")) if detected else None,
        )
        for number, (score, *_) in enumerate(views)
    ]

    async def recalled(*_: object) -> list[Any]:
        return matches

    async def about(row: Any, question: str, tools: Any) -> Completion:
        _, read, probability, room = views[row.number]
        if question == "what room is this":
            said = f"This is the {room}." if room else "I cannot tell which place this is."
            return Completion(said, 1, 1, 1.0)
        return Completion(read, 1, 1, probability)

    async def time_s() -> float:
        return NOW_S

    monkeypatch.setattr(sign_answer, "recalled", recalled)
    monkeypatch.setattr(sign_answer, "asked_about", about)
    monkeypatch.setattr(sign_answer, "written_in", about)
    monkeypatch.setattr(stored_view, "nearness", lambda tools: SimpleNamespace(about_as_well=0.12))
    monkeypatch.setattr(sign_answer, "nearness", lambda tools: SimpleNamespace(fits_from=0.5))
    tools: Any = SimpleNamespace(
        memory=SimpleNamespace(time_s=time_s),
        power=SimpleNamespace(plan=SimpleNamespace(recall_looks=looks)),
    )
    return asyncio.run(sign_answer.said_by_sign(asked, Sureness(0.5, 0.7), tools))


def test_a_surely_read_sign_of_that_room_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    views = [(0.7, "The sign says fish.", 0.9, "bathroom"), (0.6, "The sign says milk.", 0.9, "kitchen")]
    found = told(monkeypatch, views)
    assert found.sentence.startswith("I saw the sign in the kitchen two minutes ago. The sign said milk.")
    assert found.looked == 2


def test_a_room_that_nobody_can_tell_is_the_one_that_the_view_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "said milk" in told(monkeypatch, [(0.7, "The sign says milk.", 0.9, "")]).sentence


def test_a_question_in_which_the_thing_was_misheard_is_asked_back(monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(monkeypatch, [(0.7, "The sign says milk.", 0.9, "kitchen")], "before last")
    assert found.sentence == "I did not catch which thing you mean." and not found.thing


def test_a_number_on_a_sign_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(monkeypatch, [(0.7, "The number on the sign is eighty two.", 0.9, "kitchen")])
    assert "The number on the sign was eighty two." in found.sentence


def test_the_view_that_surely_shows_a_sign_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    views = [(0.7, "The sign says fish.", 0.9, "kitchen"), (0.65, "The sign says milk.", 0.9, "kitchen")]
    assert "said fish" in told(monkeypatch, views, detected=(0.9, 0.9)).sentence
    assert "said milk" in told(monkeypatch, views, detected=(0.4, 0.9)).sentence
    none = told(monkeypatch, views, detected=(0.1, 0.0))
    assert none.sentence == "I have not seen the sign in the kitchen in what I remember."


def test_a_view_that_the_object_detector_takes_for_another_place_is_not_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    views = [(0.7, "The sign says fish.", 0.9, ""), (0.6, "The sign says milk.", 0.9, "")]
    found = told(monkeypatch, views, detected=(0.9, 0.9), places=("bathroom", "kitchen"))
    assert "said milk" in found.sentence and found.looked == 1
    hall = told(monkeypatch, views, "sign in the hallway", detected=(0.9, 0.9), places=("bathroom", "hall"))
    assert "said milk" in hall.sentence


def test_without_a_look_a_sign_is_told_of_where_its_place_is_the_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def said(score: float, place: str, asked: str = "sign in the kitchen") -> str:
        views = [(score, "", 0.0, "")]
        return told(monkeypatch, views, asked, detected=(0.9,), places=(place,), looks=0).sentence

    assert said(0.4, "kitchen").startswith("I may have seen the sign in the kitchen one minute ago, but")
    assert said(0.6, "").startswith("I may have seen the sign in the kitchen")
    assert said(0.4, "", "sign").startswith("I may have seen the sign one minute ago")
    for score, place in ((0.4, ""), (0.7, "hall")):
        assert said(score, place) == "I have not seen the sign in the kitchen in what I remember."


def test_the_place_is_said_as_it_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(monkeypatch, [(0.7, "The sign says milk.", 0.9, "desk")], "sign at the desk")
    assert found.sentence.startswith("I saw the sign at the desk one minute ago.")


@pytest.mark.parametrize(
    ("asked", "label"),
    [("label on the bottle", "label on the bottle"), ("label on my cup", "label on your cup")],
)
def test_what_is_on_a_thing_is_told_from_any_room(
    monkeypatch: pytest.MonkeyPatch, asked: str, label: str
) -> None:
    found = told(monkeypatch, [(0.7, "The label says milk.", 0.9, "kitchen")], asked)
    assert found.sentence.startswith(f"I saw the {label} one minute ago. The label said milk.")


def test_a_sign_that_nobody_could_read_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    views = [(0.7, "The sign says thirty.", 0.2, "kitchen"), (0.6, "The sign says sixty.", 0.2, "kitchen")]
    found = told(monkeypatch, views)
    assert found.sentence == "I saw the sign in the kitchen one minute ago, but I could not read it."
    assert (found.time_s, found.told, found.agreeing) == (NOW_S - 60, "", 1)


@pytest.mark.parametrize(
    "view",
    [
        (0.7, "The sign says thirty.", 0.2, "bathroom"),
        (0.4, "The sign says thirty.", 0.2, "kitchen"),
        (0.4, "The sign says thirty.", 0.9, ""),
        (0.7, "I cannot see a sign.", 0.9, "kitchen"),
    ],
)
def test_of_another_room_and_of_what_hardly_fits_none_was_seen(
    monkeypatch: pytest.MonkeyPatch, view: tuple[float, str, float, str]
) -> None:
    assert told(monkeypatch, [view]).sentence == "I have not seen the sign in the kitchen in what I remember."


@pytest.mark.parametrize(
    ("said", "reads", "word", "told_as"),
    [
        ("The sign says slow.", True, STOP, ("The sign says stop.", 0.95)),
        ("I cannot see a sign.", True, STOP, ("I cannot see a sign.", 0.4)),
        ("I am not there.", True, STOP, ("I am not there.", 0.4)),
        ("The sign says slow.", False, STOP, ("The sign says slow.", 0.4)),
        ("The sign says stop.", True, CUT_OFF, ("The sign says stop.", 0.4)),
        ("The sign says slow.", True, CUT_OFF, ("The sign says slow.", 0.0)),
        ("The sign says slow.", True, NUMBER, ("The number on the sign is eighty two.", 0.95)),
    ],
)
def test_a_stored_sign_is_read_letter_by_letter(
    monkeypatch: pytest.MonkeyPatch, said: str, reads: bool, word: Word, told_as: tuple[str, float]
) -> None:
    async def about(*_: object) -> Completion:
        return Completion(said, 1, 1, 0.4)

    async def about_things_too(*_: object) -> tuple[Completion, None]:
        return await about(), None

    async def picture(number: int) -> object:
        return object()

    async def words(*_: object) -> Reading:
        return Reading((word,))

    monkeypatch.setattr(stored_view, "told_of", about)
    monkeypatch.setattr(stored_view, "answer_and_things", about_things_too)
    monkeypatch.setattr(stored_view, "words_in", words)
    pack = SimpleNamespace(reading=ReadingTable(0.8))
    tools: Any = SimpleNamespace(
        memory=SimpleNamespace(picture=picture), bricks=SimpleNamespace(pack=pack), reads=reads
    )
    row: Any = SimpleNamespace(number=1)
    found = asyncio.run(stored_view.written_in(row, "what does the sign say", tools))
    assert found is not None and (found.text, found.probability) == told_as

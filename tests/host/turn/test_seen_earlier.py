"""A thing that is not in view, while the memory is on: it is told where it was seen."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from host.answers.certainty_replies import Grounds, why
from host.turn.recalling import stored_view
from host.turn.recalling.seen_earlier import says_absent, thing_sought
from power.policy.plan import Mode
from tests.host.memory.test_remembering import pictures
from tests.host.memory.wearing import wearing


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("Are my keys here?", "my keys"),
        ("any sign of my phone charger", "my phone charger"),
        ("do you see my cup anywhere", "my cup"),
        ("is my wallet on the kitchen table", "my wallet"),
        ("can you see our umbrella here", "our umbrella"),
        ("where is the star", ""),
        ("what is on the table", ""),
        ("is this my coat", ""),
        ("what colour is my cup", ""),
    ],
)
def test_what_a_question_seeks(question: str, thing: str) -> None:
    assert thing_sought(question) == thing


@pytest.mark.parametrize(
    ("answer", "absent"),
    [
        ("I do not see that here.", True),
        ("I cannot see it well.", False),
        ("I do not see your keys here.", True),
        ("No, there are no keys in the picture.", True),
        ("I can't see your keys. There is a cup on the table.", True),
        ("Your keys are on the table.", False),
        ("No, your keys are on the shelf.", False),
        ("I cannot see anything, the picture is too dark.", False),
        ("I am not sure enough to say.", False),
    ],
)
def test_an_answer_that_says_it_is_not_there(answer: str, absent: bool) -> None:
    assert says_absent(answer, "my keys") == absent


def test_what_is_not_here_is_told_of_from_memory_and_asked_on_from(tmp_path: Path) -> None:
    async def scene() -> None:
        async with wearing(tmp_path) as wearer:
            await wearer.saw(pictures()[1], 3600.0)
            await wearer.saw(pictures()[2], 600.0)
            wearer.board.camera.show(pictures()[4])
            said = await wearer.asks_of_view("is my phone here")
            assert said == "I do not see your phone here.", "the memory is off"
            wearer.remember()
            said = await wearer.asks_of_view("is my phone here")
            assert said.startswith("I do not see your phone here. I saw your phone ten minutes ago. "), said
            assert (await wearer.asks_of_view("and before that")).startswith("Before that, I saw your phone ")
            said = await wearer.asks_of_view("do you see my wallet")
            assert "wallet" in said and "I saw" not in said and "have not seen" not in said, said
            wearer.board.camera.show(pictures()[2])
            assert "I saw" not in await wearer.asks_of_view("is my phone here"), "it is in view"

    asyncio.run(scene())


def test_with_room_for_one_brick_it_is_not_looked_for(tmp_path: Path) -> None:
    async def scene() -> None:
        async with wearing(tmp_path, Mode.CASCADE) as wearer:
            await wearer.saw(pictures()[2], 600.0)
            wearer.remember()
            wearer.board.camera.show(pictures()[4])
            assert await wearer.asks_of_view("is my phone here") == "I do not see your phone here."

    asyncio.run(scene())


def test_what_is_in_view_is_told_before_what_was_seen_elsewhere(tmp_path: Path) -> None:
    async def scene() -> None:
        async with wearing(tmp_path) as wearer:
            await wearer.saw(pictures()[1], 3600.0)
            wearer.remember()
            wearer.headband.intake._worn = lambda: False
            wearer.board.camera.show(pictures()[2])
            for question in (
                "where is my phone", "where did i leave my phone", "when did you last see my phone today",
            ):  # fmt: skip
                said = await wearer.asks_of_view(question)
                assert said.startswith("I see your phone now. Your phone is "), (question, said)
                assert said.endswith(" sure.")
            assert why(Grounds("device", recalled=wearer.recalled)) == (
                "I looked at the picture that I had just taken, and it shows your phone."
            )
            assert (await wearer.asks_of_view("and before that")).startswith("Before that, I saw your phone ")
            for question in ("where was my phone before", "where did i leave my phone in the last two hours"):
                assert (await wearer.asks_of_view(question)).startswith("I saw your phone "), question
            assert "now" not in await wearer.asks_of_view("where did i leave my phone yesterday")
            wearer.board.camera.show(pictures()[4])
            assert (await wearer.asks_of_view("where is my phone")).startswith("I saw your phone ")

    asyncio.run(scene())


def test_of_what_the_detector_does_not_see_the_language_model_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def asked(*_: object) -> None:
        raise AssertionError("it was asked")

    monkeypatch.setattr(stored_view, "answer_from", asked)

    async def scene() -> None:
        async with wearing(tmp_path) as wearer:
            await wearer.saw(pictures()[3], 3600.0)
            wearer.remember()
            wearer.headband.intake._worn = lambda: False
            wearer.board.camera.show(pictures()[2])
            said = await wearer.asks_of_view("where is my wallet")
            assert said.startswith("I have not seen your wallet "), said

    asyncio.run(scene())

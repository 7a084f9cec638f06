"""How sure an answer about the last seconds has to be follows the wearer's caution."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from host.answers.certainty_replies import Grounds, how_sure, why
from host.answers.motion import NOT_BY_SIGHT, ONLY_ONCE, TOO_DARK, UNSURE
from host.language.router import UNKNOWN_THING, Decision, Router
from host.turn.clip.answer import by_clip
from models.caution import Caution
from models.clip import ClipAnswer
from models.pack.catalogue import load_pack


@pytest.mark.parametrize("asked_for", ["low", "normal", "high"])
@pytest.mark.parametrize("caution", ["low", "normal", "high"])
def test_more_caution_withholds_more(caution: Caution, asked_for: Caution) -> None:
    """An answer just sure enough for one caution is given with it and with less, and withheld with more."""
    pack, order = load_pack("micro"), ("low", "normal", "high")
    key = {"low": "least_low", "normal": "least", "high": "least_high"}[asked_for]
    probability = pack.bricks["motion"].options[key]["moved"]

    async def ask(asked: Any) -> ClipAnswer:
        return ClipAnswer("cup", probability, 8, 3)

    turn: Any = SimpleNamespace(decision=Router().decide("what moved", clips=True))
    tools: Any = SimpleNamespace(bricks=SimpleNamespace(pack=pack))
    look: Any = SimpleNamespace(ask=ask, dark=False)
    result = asyncio.run(by_clip(turn, look, tools, caution))
    assert (result.sentence != UNSURE) is (order.index(caution) <= order.index(asked_for))
    assert result.told is not None and result.told.probability == probability


@pytest.mark.parametrize(
    ("answer", "dark", "said", "cause"),
    [
        (ClipAnswer("cup", 0.96, 8, 3), True, TOO_DARK, "it was too dark"),
        (ClipAnswer("", 0.0, 1, 3), False, ONLY_ONCE, "I had only one picture"),
    ],
)
def test_of_what_cannot_be_told_it_says_why_and_not_how_sure(
    answer: ClipAnswer, dark: bool, said: str, cause: str
) -> None:
    async def ask(asked: Any) -> ClipAnswer:
        return answer

    turn: Any = SimpleNamespace(decision=Router().decide("what moved", clips=True))
    tools: Any = SimpleNamespace(bricks=SimpleNamespace(pack=load_pack("micro")))
    look: Any = SimpleNamespace(ask=ask, dark=dark)
    result = asyncio.run(by_clip(turn, look, tools, "normal"))
    grounds = Grounds("motion", clip=result.told)
    assert result.sentence == said
    assert how_sure(grounds) == f"I cannot tell, because {cause}."
    assert why(grounds) == f"I could not tell, because {cause}."


def test_the_micro_pack_heeds_it() -> None:
    pack = load_pack("micro")
    assert pack.heeds_caution
    options = pack.bricks["motion"].options
    for family, least in options["least"].items():
        assert options["least_low"][family] <= least <= options["least_high"][family]


@pytest.mark.parametrize(
    ("moved", "asked_then", "said"),
    [
        (ClipAnswer("cup", 0.99, 8, 3), ("direction", "cup"), "The cup went to the left."),
        (ClipAnswer("nothing", 0.99, 8, 3), None, "I saw none of your things move."),
        (ClipAnswer("cup", 0.01, 8, 3), None, UNSURE),
        (ClipAnswer("", 0.0, 1, 3), None, ONLY_ONCE),
    ],
)
def test_which_way_it_went_is_told_of_what_moved(
    moved: ClipAnswer, asked_then: tuple[str, str] | None, said: str
) -> None:
    asked: list[tuple[str, str]] = []

    async def ask(question: Any) -> ClipAnswer:
        asked.append((question.family, question.thing))
        return moved if question.family == "moved" else ClipAnswer("left", 0.99, 8, 3)

    turn: Any = SimpleNamespace(decision=Router().decide("which way did it go", clips=True))
    tools: Any = SimpleNamespace(bricks=SimpleNamespace(pack=load_pack("micro")))
    result = asyncio.run(by_clip(turn, SimpleNamespace(ask=ask, dark=False), tools, "normal"))  # type: ignore[arg-type]
    assert result.sentence == said
    assert asked == [("moved", ""), *([asked_then] if asked_then else [])]


def test_of_a_thing_that_is_not_known_by_sight_no_picture_is_asked() -> None:
    decision = Decision("frames", "clip direction", {UNKNOWN_THING: True})
    turn: Any = SimpleNamespace(decision=decision)
    tools: Any = SimpleNamespace()
    result = asyncio.run(by_clip(turn, SimpleNamespace(dark=False), tools, "normal"))  # type: ignore[arg-type]
    assert result.sentence == NOT_BY_SIGHT and result.told is None

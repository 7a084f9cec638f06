"""How sure an answer about the last seconds has to be follows the wearer's caution."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from host.answers.certainty_replies import Grounds, how_sure, why
from host.answers.motion import ONLY_ONCE, TOO_DARK, UNSURE
from host.language.router import Router
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

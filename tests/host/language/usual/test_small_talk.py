"""What a small language model is asked without a picture."""

from __future__ import annotations

import pytest

from host.language.meaning import Abilities, meaning
from host.language.router import Router
from host.language.usual.small_talk import is_small_talk
from models.brick import Transcript
from models.train.world.wording.device import SMALL_TALK

ROUTER = Router()


@pytest.mark.parametrize("text", SMALL_TALK)
def test_all_that_it_was_taught_is_small_talk(text: str) -> None:
    assert is_small_talk(text) and is_small_talk(f"please {text}")


@pytest.mark.parametrize("text", ["what seven times eight", "why do people drink milk"])
def test_other_sentences_that_no_template_knows_are_not_answered(text: str) -> None:
    heard = Transcript(text, 0.97, words=(0.97,) * len(text.split()))
    assert meaning(heard, ROUTER, Abilities(0.5, usual=True)).decision.route == "unclear"
    assert meaning(heard, ROUTER, Abilities(0.5)).decision.route == "open", "a larger model is asked"
    hello = Transcript("hello there", 0.97, words=(0.97, 0.97))
    assert meaning(hello, ROUTER, Abilities(0.5, usual=True)).decision.route == "open"

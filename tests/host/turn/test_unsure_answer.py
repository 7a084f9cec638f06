"""A pack whose decoder was measured: what is said of a picture when a word of the answer is improbable."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace

import pytest

from host.answers.certainty_replies import DID_NOT_HESITATE, HESITATED, MODEL_SURE
from host.answers.device import CAREFUL, NO_CAUTION
from host.answers.sureness import AFTERWARDS, WITHHELD, Sureness
from host.turn.steps import with_doubts
from models.pack.catalogue import Pack
from tests.host.fake_speech import without_speech_models
from tests.host.turn.test_reflex_answer import asked

COLOUR = "what colour is the cross"
NEVER, ALWAYS = 0.0, 2.0
"""Probabilities that no word, and that every word is below."""


def measured(levels: Mapping[str, float] | None) -> Pack:
    pack = without_speech_models(without=("motion", "reflex"))  # which have levels of their own
    llm = pack.bricks["llm"]
    bricks = {**pack.bricks, "llm": replace(llm, options={**llm.options, "caution": levels})}
    return replace(pack, bricks=bricks)


def said(patch: pytest.MonkeyPatch, levels: Mapping[str, float] | None, *questions: str) -> list[str]:
    turns, _ = asked(measured(levels), *questions, patch=patch)
    return [turn.answer for turn in turns]


def test_a_sure_answer_is_said_and_it_can_be_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    levels = dict.fromkeys(("low", "normal", "high"), NEVER)
    assert said(monkeypatch, levels, COLOUR, "are you sure") == ["The cross is green.", DID_NOT_HESITATE]
    assert said(monkeypatch, None, COLOUR, "are you sure") == ["The cross is green.", MODEL_SURE]


def test_an_unsure_answer_is_said_as_a_guess_and_withheld_with_more_caution(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    levels = {"low": NEVER, "normal": NEVER, "high": ALWAYS}
    answers = said(monkeypatch, levels, COLOUR, "are you sure", "be more careful", COLOUR)
    assert answers == ["I think the cross is green.", HESITATED, CAREFUL, WITHHELD]


def test_a_pack_that_was_not_measured_has_nothing_to_be_careful_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert said(monkeypatch, None, "be more careful") == [NO_CAUTION]


async def spoken(*pieces: tuple[str, float]) -> list[str]:
    """What is said of pieces, each with the least probability of a word up to its end."""
    least = 1.0

    async def written() -> AsyncIterator[str]:
        nonlocal least
        for piece, least in pieces:  # noqa: B007 the last value is read by with_doubts
            yield piece

    return [each async for each in with_doubts(written(), Sureness(0.5, 0.7), lambda: least)]


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        ([], []),
        ([("It is red,", 0.9), ("and large.", 0.4)], ["It is red,", "and large.", AFTERWARDS]),
        ([("It is red,", 0.6), ("and large.", 0.4)], ["I think it is red,", "and large."]),
        ([("It is red,", 0.4), ("and large.", 0.4)], [WITHHELD]),
        ([("I do not see it.", 0.6)], ["I do not see it.", AFTERWARDS]),
        ([("I cannot tell which place this is.", 0.6)], ["I cannot tell which place this is."]),
        ([("I did not catch that.", 0.6)], ["I did not catch that."]),
        ([("It is too dark, turn on a light.", 0.4)], ["It is too dark, turn on a light."]),
    ],
)
def test_what_was_said_is_not_taken_back_and_a_later_doubt_is_said_at_the_end(
    pieces: list[tuple[str, float]], said: list[str]
) -> None:
    assert asyncio.run(spoken(*pieces)) == said

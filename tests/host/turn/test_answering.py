"""Answers that the wearer silences, by a whole headband in simulated time."""

from __future__ import annotations

import asyncio

import pytest

from host.session.events import Pressed, WakeWordOverSpeech
from tests.host.simulated import simulate
from tests.host.wearer.test_recording_switch import asked, until, worn
from tests.host.workbench import interrupt

STORY = "This is a long story of many words. " * 50


def test_of_a_repeated_answer_that_was_silenced_only_the_played_words_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scene() -> None:
        async with worn() as (b, said):
            b.headband.dialogue.note_spoken(STORY)
            asking = asyncio.create_task(asked(b, monkeypatch, "repeat that"))
            await until(b.board, lambda: bool(said))
            await b.board.clock.sleep(2.0)
            b.headband.queue.post(Pressed("choice"))
            await asking
            last = b.headband.dialogue.now.last_answer
            assert STORY.startswith(last) and 2 < len(last.split()) < len(STORY.split()) // 2
            assert b.refused() == []

    simulate(scene())


def test_the_wake_word_over_an_answer_keeps_its_words_and_its_energy(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        async with worn() as (b, said):
            b.headband.dialogue.note_spoken(STORY)
            asking = asyncio.create_task(asked(b, monkeypatch, "repeat that"))
            await until(b.board, lambda: bool(said))
            await b.board.clock.sleep(2.0)
            interrupt(b.headband, WakeWordOverSpeech)
            await asking
            (turn,) = (fields["turn"] for event, fields in b.told if event == "turn")
            assert turn.notes == ("interrupted by the wake word",) and turn.spent is not None
            assert STORY.startswith(turn.answer) and turn.answer == b.headband.dialogue.now.last_answer
            assert b.headband.state.interaction == "listening" and b.refused() == []

    simulate(scene())

"""Answers that the wearer silences, and those that are none, by a whole headband in simulated time."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from typing import Any

import pytest

from host.hearing.endpointer import RecordedQuestion
from host.session.events import Pressed, RecordingRequested, WakeWordOverSpeech
from host.turn import answer_source
from host.turn.steps import HISTORY_S, NO_ANSWER
from host.turn.turn import Turn
from models.brick import BrickError, Completion, Prompt, TextPiece
from power.policy.plan import Mode
from tests.host.fake_speech import without_speech_models
from tests.host.simulated import simulate
from tests.host.wearer.test_recording_switch import asked, until, worn
from tests.host.workbench import COLOUR, bench, interrupt

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


def sounds_of_questions() -> int:
    """How many recorded questions are in memory."""
    gc.collect()
    return sum(isinstance(each, RecordedQuestion) and len(each.pcm) > 0 for each in gc.get_objects())


def test_recording_off_drops_the_sound_of_the_last_questions() -> None:
    async def scene() -> None:
        before = sounds_of_questions()
        async with bench(Mode.PERFORMANCE, pack=without_speech_models()) as b:
            await b.ask(COLOUR)
            b.told.clear()
            assert sounds_of_questions() > before
            b.headband.queue.post(RecordingRequested(on=False))
            await b.headband.queue.until(lambda state: state.at_rest)
            b.told.clear()
            assert sounds_of_questions() == before

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


def test_where_the_language_model_has_no_word_or_refuses_one_plain_sentence_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refusal = "The prompt has 900 tokens; this decoder holds 512."
    written: list[list[str] | None] = [[], [" "], ["*"], None]

    async def no_reflex(turn: Turn, *_: object) -> Turn:
        return turn

    monkeypatch.setattr(answer_source, "by_reflex", no_reflex)

    async def scene() -> None:
        async with bench() as b:
            running = b.headband.bricks.run

            async def run(name: str, request: Any, **how: Any) -> AsyncIterator[Any]:
                if name != "llm" or not isinstance(request, Prompt):
                    async for chunk in running(name, request, **how):
                        yield chunk
                    return
                pieces = written.pop(0)
                if pieces is None:
                    raise BrickError(refusal)
                for piece in pieces:
                    yield TextPiece(piece, 1.0)
                yield Completion("".join(pieces), 10, len(pieces), 1.0)

            b.headband.bricks.run = run  # type: ignore[method-assign, assignment]
            turns = [await b.ask(COLOUR) for _ in range(len(written))]
            assert [turn.answer for turn in turns] == [NO_ANSWER] * 4
            assert [turn.failure for turn in turns] == [None, None, None, refusal]
            said = [fields["sentence"] for event, fields in b.told if event == "speaking"]
            assert said == [NO_ANSWER] * 4
            lines = [line["failure"] for line in b.headband.journal.recent if line["event"] == "turn"]
            assert lines == [None, None, None, refusal]

    simulate(scene())


def test_what_was_asked_before_a_long_sleep_is_no_context_of_a_question_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As on Linux, the timeline's clock stands still while the computer sleeps, and the board's goes on."""

    async def no_reflex(turn: Turn, *_: object) -> Turn:
        return turn

    monkeypatch.setattr(answer_source, "by_reflex", no_reflex)
    asked_before: list[int] = []

    async def scene() -> None:
        async with bench() as b:
            running, awake_s = b.headband.bricks.run, b.headband.timeline.clock

            def run(name: str, request: Any, **how: Any) -> AsyncIterator[Any]:
                if name == "llm" and isinstance(request, Prompt):
                    asked_before.append(len(request.history))
                return running(name, request, **how)

            b.headband.bricks.run = run  # type: ignore[method-assign, assignment]
            await b.ask(COLOUR)
            await b.ask(COLOUR)
            await b.board.clock.sleep(HISTORY_S)
            b.headband.timeline.clock = lambda: awake_s() - HISTORY_S
            await b.ask(COLOUR)

    simulate(scene())
    assert asked_before == [0, 1, 0]


def test_what_is_asked_beside_commands_is_answered_after_them(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        async with worn() as (b, _):
            await asked(b, monkeypatch, "set a timer for five minutes and what colour is the star")
            (turn,) = (fields["turn"] for event, fields in b.told if event == "turn")
            assert turn.answer.startswith("Your timer for 5 minutes is running. "), turn.answer
            assert turn.answered_by in ("reflex", "language model")
            assert [timer.seconds for timer in b.headband.state.settings.timers.running] == [300]
            assert b.refused() == []

    simulate(scene())


def test_commands_beside_a_question_that_fails_are_told_of_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def fails(*_: object) -> Any:
        raise BrickError("no picture")

    async def scene() -> None:
        async with worn() as (b, _):
            monkeypatch.setattr(answer_source, "by_reflex", fails)
            await asked(b, monkeypatch, "turn the volume up and what colour is the star")
            (turn,) = (fields["turn"] for event, fields in b.told if event == "turn")
            assert turn.failure == "no picture" and NO_ANSWER in turn.answer
            spoken = [fields["sentence"] for event, fields in b.told if event == "speaking"]
            assert [said for said in spoken if "volume" in said] == ["The volume is at 95 percent."], spoken

    simulate(scene())


def test_two_questions_of_a_sentence_are_answered_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        async with worn() as (b, _):
            await asked(b, monkeypatch, "forget everything and what colour is the star")
            (both,) = (fields["turn"] for event, fields in b.told if event == "turn")
            single = []
            for words in ("forget everything", "what colour is the star"):
                b.told.clear()
                await asked(b, monkeypatch, words)
                single += [fields["turn"].answer for event, fields in b.told if event == "turn"]
            assert both.answer == " ".join(single) and len(single) == 2
            assert both.failure is None and b.refused() == []

    simulate(scene())


def test_commands_beside_a_question_with_an_unknown_word_are_carried_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scene() -> None:
        async with worn() as (b, _):
            await asked(b, monkeypatch, "set a timer for five minutes and what colour is the wombat")
            (turn,) = (fields["turn"] for event, fields in b.told if event == "turn")
            assert turn.answer == "Your timer for 5 minutes is running. I do not know the word wombat."
            assert [timer.seconds for timer in b.headband.state.settings.timers.running] == [300]
            assert b.refused() == []

    simulate(scene())


def test_what_is_said_after_a_command_changes_it_and_takes_it_back(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        async with worn() as (b, _):

            async def answer(words: str) -> str:
                b.told.clear()
                await asked(b, monkeypatch, words)
                (turn,) = (fields["turn"] for event, fields in b.told if event == "turn")
                return str(turn.answer)

            def lengths() -> list[int]:
                return [timer.seconds for timer in b.headband.state.settings.timers.running]

            await answer("set a timer for forty minutes")
            said = await answer("make that forty five")
            assert said == "Your timer for 45 minutes is running instead of your 40 minute timer."
            assert (await answer("ten more minutes")).startswith(
                "Your 45 minute timer is now a 55 minute timer"
            )
            await answer("set a timer for five minutes and forget everything")
            said = await answer("undo that")
            assert said == "I have cancelled your 5 minute timer. What I have forgotten I cannot bring back."
            await answer("turn the volume down twenty percent")
            assert b.headband.state.settings.volume_percent == 60
            await b.board.clock.sleep(120.0)
            assert await answer("undo that") == "There is nothing that I can take back."
            assert lengths() == [3300] and b.headband.state.settings.volume_percent == 60
            assert b.refused() == []

    simulate(scene())

"""The four bricks with the real runtimes and the micro pack's models, in their own processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
import unicodedata
from collections.abc import Iterator
from contextlib import aclosing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw.audio.sound_and_picture_files import read_wav
from hw.device import MICROPHONE_RATE_HZ
from models.brick import (
    BrickError,
    Embedding,
    Frame,
    Prefill,
    Prefilled,
    Prompt,
    Sentence,
    Utterance,
)
from models.bricks.llm import plain
from models.process.bricks import Bricks
from models.process.residency import BrickFailed
from tests.demo_files import FURTHER, THIRD
from tests.models.bricks.bricks_bench import Play, answer, files_of, started


@pytest.fixture(scope="module")
def play() -> Iterator[Play]:
    with started() as play:
        yield play


def test_rows_from_the_ring_and_rows_by_value_give_the_same_answer(play: Play):
    async def scenario(bricks: Bricks) -> None:
        (embedding,) = await answer(bricks, "vision")
        rows = bricks.rows(embedding)
        question = "what colour is the circle"
        first = await answer(bricks, "llm", Prompt(question, (embedding,), 24))
        second = await answer(bricks, "llm", Prompt(question, (Embedding(rows=rows),), 24))
        assert first == second
        with pytest.raises(BrickError, match=r"dropped before"):
            await answer(bricks, "llm", Prompt(question, (embedding,), 24))
        with pytest.raises(BrickError, match=r"takes rows of 128"):
            await answer(bricks, "llm", Prompt(question, (Embedding(rows=rows[:, :64]),), 24))

    play(scenario)


def test_a_picture_taken_in_ahead_changes_no_answer_and_serves_further_questions(play: Play):
    async def scenario(bricks: Bricks) -> None:
        frame = Frame(np.random.default_rng(4).integers(0, 255, (128, 128, 3), np.uint8))
        (cold,), (ahead,) = await answer(bricks, "vision", frame), await answer(bricks, "vision", frame)
        questions = ["what colour is the circle", "how many stars are there", "who are you"]
        expected = []
        for question in questions:
            rows = Embedding(rows=bricks.rows(cold))
            expected.append(await answer(bricks, "llm", Prompt(question, (rows,), 24)))
        (ready,) = await answer(bricks, "llm", Prefill((ahead,)))
        assert isinstance(ready, Prefilled) and ready.n_tokens >= 64
        assert bricks.rows(ahead).shape == (64, 128), "the slot stays filled for another process"
        assert [await answer(bricks, "llm", Prompt(q, (ahead,), 24)) for q in questions] == expected
        text_only = await answer(bricks, "llm", Prompt("who are you", (), 24))
        assert text_only[-1].n_prompt < 64
        with pytest.raises(BrickError, match=r"dropped before"):
            await answer(bricks, "llm", Prompt(questions[0], (ahead,), 24))

    play(scenario)


def test_what_one_process_made_of_a_picture_serves_the_next(play: Play):
    async def scenario(bricks: Bricks) -> None:
        frame = Frame(np.random.default_rng(4).integers(0, 255, (128, 128, 3), np.uint8))
        (one,), (two,) = await answer(bricks, "vision", frame), await answer(bricks, "vision", frame)
        question = "what colour is the circle"
        expected = await answer(bricks, "llm", Prompt(question, (one,), 24))
        steps = await answer(bricks, "llm", Prefill((two,), state=True))
        assert steps[-1].n_tokens >= 64 and len(steps[-1].state) > 1000
        await bricks.release("llm")
        bad = Prefilled(steps[-1].n_tokens, b"no state at all")
        for ahead in (steps[-1], bad):
            again = Embedding(rows=bricks.rows(two))
            assert await answer(bricks, "llm", Prompt(question, (again,), 24, ahead)) == expected
            await bricks.release("llm")

    play(scenario)


def test_an_abandoned_prefill_leaves_a_clean_decoder(play: Play):
    async def scenario(bricks: Bricks) -> None:
        (embedding,) = await answer(bricks, "vision")
        rows = Embedding(rows=bricks.rows(embedding))
        expected = await answer(bricks, "llm", Prompt("what colour is the circle", (rows,), 24))
        for delay_s in (0.0, 0.001, 0.003, 0.01):
            reading = asyncio.create_task(answer(bricks, "llm", Prefill((rows, rows))))
            await asyncio.sleep(delay_s)
            reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await reading
            assert await answer(bricks, "llm", Prompt("what colour is the circle", (rows,), 24)) == expected

    play(scenario)


def test_two_frames_go_in_oldest_first(play: Play):
    async def scenario(bricks: Bricks) -> None:
        dark, light = (Frame(np.full((128, 128, 3), level, np.uint8)) for level in (10, 240))
        (one,), (two,) = await answer(bricks, "vision", dark), await answer(bricks, "vision", light)
        *_, completion = await answer(bricks, "llm", Prompt("what has changed", (one, two), 24))
        assert completion.n_prompt > 128

    play(scenario)


def test_the_decoder_refuses_a_prompt_that_is_too_long(play: Play):
    async def scenario(bricks: Bricks) -> None:
        with pytest.raises(BrickError, match=r"this decoder holds"):
            await answer(bricks, "llm", Prompt("what colour is the circle " * 200, (), 8))
        assert (await answer(bricks, "llm"))[-1].n_generated > 0

    play(scenario)


def test_the_answer_stops_at_its_limit(play: Play):
    async def scenario(bricks: Bricks) -> None:
        *_, completion = await answer(bricks, "llm", Prompt("what colour is the circle", (), 2))
        assert completion.n_generated <= 2

    play(scenario)


def test_a_clip_longer_than_the_window_is_read_in_pieces_without_its_silent_edges(play: Play):
    first, second = (
        read_wav(f"host/demo/{name}").astype(np.float32) / np.float32(32768) for name in (THIRD[0], FURTHER)
    )
    first = first[MICROPHONE_RATE_HZ:]  # without the wake word
    pause = np.zeros(MICROPHONE_RATE_HZ, np.float32)

    async def scenario(bricks: Bricks) -> None:
        (text,) = [c.text for c in await answer(bricks, "stt", Utterance(first))]
        (more,) = [c.text for c in await answer(bricks, "stt", Utterance(second))]
        long = np.concatenate([first, pause, second, pause, first]).astype(np.float32)
        (said,) = await answer(bricks, "stt", Utterance(long))
        assert len(long) > 5.2 * MICROPHONE_RATE_HZ and said.probability > 0.5
        heard, wanted = said.text.split(), f"{text} {more} {text}".split()
        in_order = iter(heard)
        assert all(word in in_order for word in wanted), said.text
        assert len(heard) <= len(wanted) + 3, "after a pause a model may write some words twice"
        noise = np.random.default_rng(1).normal(0, 0.1, MICROPHONE_RATE_HZ * 8).astype(np.float32)
        assert len(await answer(bricks, "stt", Utterance(noise))) == 1
        noise[:32_000] *= 0.001
        noise[-32_000:] *= 0.001
        assert len(await answer(bricks, "stt", Utterance(noise))) == 1
        assert (await answer(bricks, "stt", Utterance(noise[:100])))[0].text == ""

    play(scenario)


@given(st.text())
def test_whatever_a_decoder_writes_holds_no_control_characters(text: str):
    kept = plain(text + "\x00 red\x1b[31m\n")
    assert not any(unicodedata.category(c) == "Cc" and c not in "\t\n\r" for c in kept)
    assert kept.endswith(" red[31m\n")


def test_only_the_voice_s_process_has_code_under_the_gpl(play: Play):
    """Neither the processes of the other models nor the server that starts them all."""

    async def scenario(bricks: Bricks) -> None:
        (embedding,) = await answer(bricks, "vision")
        await answer(bricks, "stt", Utterance(np.zeros(MICROPHONE_RATE_HZ, np.float32)))
        await answer(bricks, "llm", Prompt("what colour is the circle", (embedding,), 2))
        await answer(bricks, "tts", Sentence("Yes."))
        mapped = files_of(bricks.pids())
        assert {name for name, files in mapped.items() if "piper" in files or "espeak" in files} == {"tts"}
        assert {"stt", "vision", "llm", "server"} <= set(mapped)

    play(scenario)


def test_speech_comes_sentence_by_sentence(play: Play):
    async def scenario(bricks: Bricks) -> None:
        sentences = await answer(
            bricks, "tts", Sentence("The circle is red. The square is blue. It is small.")
        )
        assert len(sentences) == 3
        (slow,) = await answer(bricks, "tts", Sentence("The circle is red.", length_scale=1.5))
        assert len(slow.pcm) > 1.2 * len(sentences[0].pcm)
        async with aclosing(bricks.run("tts", Sentence("One. " * 200))) as speech:
            await anext(speech)
        start_s = time.monotonic()
        await answer(bricks, "tts", Sentence("Yes."))
        assert time.monotonic() - start_s < 2.0

    play(scenario)


@pytest.mark.parametrize("name", ["stt", "vision", "llm", "tts"])
def test_a_killed_brick_works_again_on_the_next_run(play: Play, name: str):
    async def scenario(bricks: Bricks) -> None:
        await answer(bricks, name)
        pid = bricks.pids()[name]
        os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(BrickFailed):
            await answer(bricks, name)
        await answer(bricks, name)
        assert bricks.pids()[name] != pid

    play(scenario)

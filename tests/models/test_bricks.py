"""The four bricks over the real runtimes and the micro pack's models, in their own processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hw.media import read_wav
from models.brick import (
    BrickError,
    Completion,
    Embedding,
    Frame,
    Prefill,
    Prefilled,
    Prompt,
    Sentence,
    Utterance,
)
from models.lifecycle import BrickFailed, Bricks, Residency
from models.memory import tree, tree_pss_mib
from models.pack import PACKS_FOLDER, Pack, load_pack

MICRO = PACKS_FOLDER / "micro"
FILES = ("stt.bin", "vit.onnx", "decoder.gguf", "voice.onnx", "voice.onnx.json")
REQUESTS: dict[str, Any] = {
    "stt": Utterance(np.zeros(16_000, np.float32)),
    "vision": Frame(np.full((120, 160, 3), 200, np.uint8)),
    "llm": Prompt("what colour is the circle", (), 16),
    "tts": Sentence("The circle is red."),
}


def micro() -> Pack:
    """The micro pack; a test that needs a file which isn't there is skipped."""
    missing = [name for name in FILES if not (MICRO / name).exists()]
    if missing or not (MICRO / "pack.toml").exists():
        pytest.skip(f"the micro pack lacks {', '.join(missing) or 'pack.toml'}")
    return load_pack(MICRO)


def run_bricks(
    scenario: Callable[[Bricks], Awaitable[None]],
    residency: Residency | None = None,
    pack: Pack | None = None,
) -> None:
    """Run a scenario over the micro pack; afterwards no child is left."""

    async def main() -> None:
        bricks = Bricks(pack or micro(), threads=2)
        await bricks.apply(residency or Residency("budgeted"))
        try:
            await asyncio.wait_for(scenario(bricks), 60)
        finally:
            await asyncio.wait_for(bricks.close(), 10)

    asyncio.run(main())
    assert tree()[1:] == []


async def answer(bricks: Bricks, name: str, request: Any = None) -> list[Any]:
    """All chunks of one answer."""
    return [chunk async for chunk in bricks.run(name, request or REQUESTS[name])]


def test_a_whole_chain_passes_only_text_and_one_slot_between_its_stages():
    async def scenario(bricks: Bricks) -> None:
        (transcript,) = await answer(bricks, "stt")
        assert 0.0 <= transcript.probability <= 1.0
        (embedding,) = await answer(bricks, "vision")
        assert embedding.rows is None and embedding.slot is not None
        rows = bricks.rows(embedding)
        assert rows.shape == (64, 128) and np.isfinite(rows).all() and rows.std() > 0
        *pieces, completion = await answer(
            bricks, "llm", Prompt("what colour is the circle", (embedding,), 24)
        )
        assert isinstance(completion, Completion) and completion.n_prompt > 64
        assert "".join(piece.text for piece in pieces).strip() == completion.text
        spoken, *_ = await answer(bricks, "tts", Sentence(completion.text))
        assert spoken.pcm.dtype == np.int16 and spoken.sample_rate == 22_050
        assert 0.3 < len(spoken.pcm) / spoken.sample_rate < 10 and np.abs(spoken.pcm).max() < 32_767
        await bricks.release_all()
        assert set(bricks.pids()) == {"fork_server"}

    run_bricks(scenario, Residency("one_at_a_time"))


def test_rows_from_the_ring_and_rows_by_value_give_the_same_answer():
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

    run_bricks(scenario)


def test_a_picture_taken_in_ahead_changes_no_answer_and_serves_further_questions():
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

    run_bricks(scenario)


def test_what_one_process_made_of_a_picture_serves_the_next():
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

    run_bricks(scenario)


def test_an_abandoned_prefill_leaves_a_clean_decoder():
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

    run_bricks(scenario)


def test_the_state_after_the_fixed_text_is_read_from_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path))
    pack = micro()
    options = {**pack.bricks["llm"].options, "before_images": "the answer to all is red. " * 3}
    spec = replace(pack.bricks["llm"], options=options)
    pack = replace(pack, bricks={**pack.bricks, "llm": spec})
    answers: list[Any] = []

    async def scenario(bricks: Bricks) -> None:
        answers.append(await answer(bricks, "llm"))

    run_bricks(scenario, pack=pack)
    (stored,) = (tmp_path / "states").glob("*.state")
    written = stored.stat().st_mtime_ns
    run_bricks(scenario, pack=pack)
    assert stored.stat().st_mtime_ns == written
    stored.write_bytes(b"not a state")
    run_bricks(scenario, pack=pack)
    assert stored.stat().st_size > 100, "a bad file is computed anew"
    assert answers[0] == answers[1] == answers[2]


def test_the_last_turns_go_in_as_far_as_their_budget_reaches():
    pack = micro()
    options = {**pack.bricks["llm"].options, "turn": "{question} {answer} ", "history_tokens": 20}
    options["prompt"] = options.get("prompt", "<|q|>{question}<|a|>").replace(
        "{question}", "{history}{question}"
    )
    spec = replace(pack.bricks["llm"], options=options)
    pack = replace(pack, bricks={**pack.bricks, "llm": spec})
    turns = (("what colour is the circle", "red"), ("who are you", "a headband"))

    async def scenario(bricks: Bricks) -> None:
        async def length(*history: tuple[str, str]) -> int:
            chunks = await answer(bricks, "llm", Prompt("and the star", (), 4, None, history))
            return int(chunks[-1].n_prompt)

        alone, last, both = await length(), await length(turns[1]), await length(*turns)
        assert alone < last <= both <= alone + 20
        assert await length(*(turns * 20)) <= alone + 20

    run_bricks(scenario, pack=pack)


def test_two_frames_go_in_oldest_first():
    async def scenario(bricks: Bricks) -> None:
        dark, light = (Frame(np.full((128, 128, 3), level, np.uint8)) for level in (10, 240))
        (one,), (two,) = await answer(bricks, "vision", dark), await answer(bricks, "vision", light)
        *_, completion = await answer(bricks, "llm", Prompt("what has changed", (one, two), 24))
        assert completion.n_prompt > 128

    run_bricks(scenario)


def test_the_decoder_refuses_a_prompt_that_is_too_long():
    async def scenario(bricks: Bricks) -> None:
        with pytest.raises(BrickError, match=r"this decoder holds"):
            await answer(bricks, "llm", Prompt("what colour is the circle " * 200, (), 8))
        assert (await answer(bricks, "llm"))[-1].n_generated > 0

    run_bricks(scenario)


def test_the_answer_stops_at_its_limit():
    async def scenario(bricks: Bricks) -> None:
        *_, completion = await answer(bricks, "llm", Prompt("what colour is the circle", (), 2))
        assert completion.n_generated <= 2

    run_bricks(scenario)


def test_a_clip_longer_than_the_window_is_read_in_pieces_without_its_silent_edges():
    first, second = (
        read_wav(f"host/demo/{name}").astype(np.float32) / np.float32(32768)
        for name in ("3-sign.wav", "4-count.wav")
    )
    first = first[16_000:]  # without the wake word
    pause = np.zeros(16_000, np.float32)

    async def scenario(bricks: Bricks) -> None:
        (text,) = [c.text for c in await answer(bricks, "stt", Utterance(first))]
        (more,) = [c.text for c in await answer(bricks, "stt", Utterance(second))]
        long = np.concatenate([first, pause, second, pause, second]).astype(np.float32)
        (said,) = await answer(bricks, "stt", Utterance(long))
        assert len(long) > 5.2 * 16_000 and said.probability > 0.5
        assert said.text.startswith(text) and said.text.endswith(more)
        assert said.text.count("how many squares") == 2
        noise = np.random.default_rng(1).normal(0, 0.1, 16_000 * 8).astype(np.float32)
        assert len(await answer(bricks, "stt", Utterance(noise))) == 1
        noise[:32_000] *= 0.001
        noise[-32_000:] *= 0.001
        assert len(await answer(bricks, "stt", Utterance(noise))) == 1
        assert (await answer(bricks, "stt", Utterance(noise[:100])))[0].text == ""

    run_bricks(scenario)


def test_speech_comes_sentence_by_sentence():
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

    run_bricks(scenario)


@pytest.mark.parametrize("name", ["stt", "vision", "llm", "tts"])
def test_a_killed_brick_works_again_on_the_next_run(name: str):
    async def scenario(bricks: Bricks) -> None:
        await answer(bricks, name)
        pid = bricks.pids()[name]
        os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(BrickFailed):
            await answer(bricks, name)
        await answer(bricks, name)
        assert bricks.pids()[name] != pid

    run_bricks(scenario)


def test_release_returns_the_memory():
    async def scenario(bricks: Bricks) -> None:
        await bricks.start()
        await answer(bricks, "tts")
        await bricks.release_all()
        empty_mib = tree_pss_mib()
        for name in REQUESTS:
            await answer(bricks, name)
        assert tree_pss_mib() > empty_mib + 20
        await bricks.release_all()
        assert tree_pss_mib() < empty_mib + 4

    run_bricks(scenario)


@pytest.mark.parametrize(
    ("name", "key", "content", "sentence"),
    [
        ("stt", "model", b"not a model", "no whisper.cpp model"),
        ("vision", "model", b"not a model", "ONNX Runtime can't use"),
        ("llm", "model", b"not a model", "llama.cpp can't use"),
        ("tts", "model", b"not a model", "ONNX Runtime can't use"),
        ("tts", "config", b"{}", "settings .* can't be read"),
    ],
)
def test_a_file_that_is_no_model_fails_with_one_sentence(
    tmp_path: Path, name: str, key: str, content: bytes, sentence: str
):
    pack = micro()
    bad = tmp_path / "bad"
    bad.write_bytes(content)
    spec = pack.bricks[name]
    options = {**spec.options, key: str(bad)}
    broken = Pack(
        "broken",
        pack.root,
        "1",
        "",
        "",
        (),
        {name: type(spec)(name, spec.placement, 1, spec.module, options)},
    )

    async def scenario(bricks: Bricks) -> None:
        with pytest.raises(BrickFailed, match=sentence) as caught:
            await answer(bricks, name)
        assert caught.value.stage == "load"

    run_bricks(scenario, pack=broken)

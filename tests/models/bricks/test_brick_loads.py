"""Bricks with the real runtimes: memory is allocated and freed, and unusable files are named in an error."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.brick import (
    BrickError,
    Completion,
    Context,
    Prompt,
    Sentence,
)
from models.bricks import tts
from models.pack.catalogue import Pack
from models.process.bricks import Bricks
from models.process.residency import BrickFailed, Residency
from tests.models.bricks.bricks_bench import REQUESTS, answer, micro, run_bricks
from tests.models.process.tree_memory import tree_anonymous_mib


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


def with_decoder(**settings: Any) -> Pack:
    """The micro pack with other settings of its decoder."""
    pack = micro()
    spec = replace(pack.bricks["llm"], options={**pack.bricks["llm"].options, **settings})
    return replace(pack, bricks={**pack.bricks, "llm": spec})


def test_the_state_after_the_fixed_text_is_read_from_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path))
    pack = with_decoder(before_images="the answer to all is red. " * 3)
    answers: list[Any] = []

    async def scenario(bricks: Bricks) -> None:
        answers.append(await answer(bricks, "llm"))

    run_bricks(scenario, pack=pack)
    (stored,) = (tmp_path / "states").iterdir()
    written = stored.stat().st_mtime_ns
    run_bricks(scenario, pack=pack)
    assert stored.stat().st_mtime_ns == written
    assert answers[0] == answers[1]


@pytest.mark.parametrize("spoiled", ["another file", "cut short", "a byte changed", "empty"])
def test_a_stored_state_that_is_not_whole_is_computed_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoiled: str
):
    """llama.cpp ends the process on most of these."""
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path))
    pack = with_decoder(before_images="the answer to all is red. " * 3)

    async def scenario(bricks: Bricks) -> None:
        answers: list[Any] = [await answer(bricks, "llm")]
        (stored,) = (tmp_path / "states").iterdir()
        whole = stored.read_bytes()
        half = len(whole) // 2
        changed = {
            "another file": b"not a state",
            "cut short": whole[:half],
            "a byte changed": whole[:half] + bytes([whole[half] ^ 1]) + whole[half + 1 :],
            "empty": b"",
        }
        stored.write_bytes(changed[spoiled])
        await bricks.release("llm")
        answers.append(await answer(bricks, "llm"))
        assert answers[0] == answers[1] and stored.read_bytes() == whole

    run_bricks(scenario, pack=pack)


def test_a_batch_longer_than_the_context_is_fed_in_pieces():
    """llama.cpp holds 256 positions where 128 are wanted, and takes no more than these 128 in one call."""
    pack = with_decoder(n_ctx=128, n_batch=8192)

    async def scenario(bricks: Bricks) -> None:
        *_, last = await answer(bricks, "llm", Prompt("what colour is the circle " * 30, (), 1))
        assert last.n_prompt > 128

    run_bricks(scenario, pack=pack)


def test_the_last_turns_go_in_as_far_as_their_budget_reaches():
    prompt = micro().bricks["llm"].options.get("prompt", "<|q|>{question}<|a|>")
    prompt = prompt.replace("{question}", "{history}{question}")
    pack = with_decoder(turn="{question} {answer} ", history_tokens=20, prompt=prompt)
    turns = (("what colour is the circle", "red"), ("who are you", "a headband"))

    async def scenario(bricks: Bricks) -> None:
        async def length(*history: tuple[str, str]) -> int:
            chunks = await answer(bricks, "llm", Prompt("and the star", (), 4, None, history))
            return int(chunks[-1].n_prompt)

        alone, last, both = await length(), await length(turns[1]), await length(*turns)
        assert alone < last <= both <= alone + 20
        assert await length(*(turns * 20)) <= alone + 20

    run_bricks(scenario, pack=pack)


@pytest.mark.parametrize("rate_hz", [0, -22_050, 7_999, 48_001, "22050", None])
def test_a_voice_of_a_rate_that_no_speaker_has_is_refused(tmp_path: Path, rate_hz: object):
    options = micro().bricks["tts"].options
    config = json.loads(Path(options["config"]).read_text())
    config["audio"]["sample_rate"] = rate_hz
    (tmp_path / "voice.onnx.json").write_text(json.dumps(config))
    voice = tts.create({**options, "config": str(tmp_path / "voice.onnx.json")}, Context())
    with pytest.raises(BrickError, match=r"voice\.onnx\.json can't be read: it speaks at .* Hz, and voices"):
        voice.load()


def test_release_returns_the_memory():
    async def scenario(bricks: Bricks) -> None:
        await bricks.start()
        await answer(bricks, "tts")
        await bricks.release_all()
        empty_mib = tree_anonymous_mib()
        for name in REQUESTS:
            await answer(bricks, name)
        assert tree_anonymous_mib() > empty_mib + 20
        await bricks.release_all()
        assert tree_anonymous_mib() < empty_mib + 4

    run_bricks(scenario)


@pytest.mark.parametrize(
    ("name", "key", "content", "sentence"),
    [
        ("stt", "model", b"not a model", "no whisper.cpp model"),
        ("vision", "rows", b"not a model", "ONNX Runtime can't use"),
        ("llm", "model", b"not a model", "llama.cpp can't use"),
        ("tts", "model", b"not a model", "ONNX Runtime can't use"),
        ("tts", "config", b"{}", "settings .* can't be read"),
        ("tts", "config", b"[]", "settings .* can't be read"),
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
    assert key in spec.options
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

"""The ballast generators at a small size, and what `measure` writes. Needs the training requirements."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import numpy as np
import pytest

from models.brick import BrickSpec, Completion, Embedding, Frame, Placement, Prompt, Sentence, Utterance
from models.pack.catalogue import Pack, load_pack, seal
from models.process.brick_cost import declare
from models.process.bricks import Bricks
from models.process.residency import Residency


def test_random_weights_run_through_the_same_bricks_with_fixed_token_counts(tmp_path: Path):
    pytest.importorskip("onnx")
    pytest.importorskip("gguf")
    pytest.importorskip("llama_cpp")
    from models.convert.ballast.decoder import LlmShape, write_llm
    from models.convert.ballast.recogniser import WhisperShape, write_whisper
    from models.convert.ballast.vit import VitShape, write_vit_fp32
    from models.convert.ballast.voice import VoiceShape, write_voice

    write_whisper(tmp_path / "stt", WhisperShape(64, 2, 1, audio_positions=256))
    write_vit_fp32(tmp_path / "vit", VitShape(64, 16, 64, 128, 2, 1, 128))
    write_llm(tmp_path / "llm", LlmShape(128, 1, 2, 1, 256, 3000, 512))
    write_voice(tmp_path / "voice", VoiceShape(width=32, hidden=64, layers=1, flows=1, decoder_width=32))
    options: dict[str, dict[str, object]] = {
        "stt": {"model": str(tmp_path / "stt"), "max_tokens": 6},
        "vision": {"model": str(tmp_path / "vit"), "tokens": 16, "width": 128},
        "llm": {"model": str(tmp_path / "llm"), "prompt": "{question}", "answer_tokens": 9, "n_batch": 8},
        "tts": {"model": str(tmp_path / "voice"), "config": str(tmp_path / "voice.json")},
    }
    specs = {
        name: BrickSpec(name, Placement.CPU, 10, f"models.bricks.{name}", given)
        for name, given in options.items()
    }

    async def main() -> None:
        bricks = Bricks(Pack("ballast", tmp_path, "1", "", "", (), specs))
        await bricks.apply(Residency("budgeted"))
        try:
            noise = np.random.default_rng(1).normal(0, 0.1, 32_000).astype(np.float32)
            (transcript,) = [chunk async for chunk in bricks.run("stt", Utterance(noise))]
            assert len(transcript.text.split()) >= 6
            frame = Frame(np.zeros((64, 64, 3), np.uint8))
            (image,) = [chunk async for chunk in bricks.run("vision", frame)]
            assert isinstance(image, Embedding)
            chunks = [chunk async for chunk in bricks.run("llm", Prompt("bada", (image,), 3))]
            assert isinstance(chunks[-1], Completion) and chunks[-1].n_generated == 9
            lengths = []
            for text in ("The circle is red.", "The circle is red and large."):
                (spoken,) = [chunk async for chunk in bricks.run("tts", Sentence(text))]
                lengths.append(len(spoken.pcm))
            assert 10_000 < lengths[0] < lengths[1]
        finally:
            await bricks.close()

    asyncio.run(main())
    assert json.loads((tmp_path / "voice.json").read_text())["hop_length"] == 256


def test_measured_memory_is_written_into_the_manifest(tmp_path: Path):
    for name in ("model.bin", "model.gguf"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "pack.toml").write_text(
        'name = "p"\n[[file]]\npath = "model.bin"\n[[file]]\npath = "model.gguf"\n'
        '[brick.stt]\nruntime = "whisper.cpp"\nfiles = { model = "model.bin" }\nmemory_mib = 1\n'
        '[brick.llm]\nruntime = "llama.cpp"\nfiles = { model = "model.gguf" }\nmemory_mib = 2\n'
    )
    seal(tmp_path)
    declare(load_pack(tmp_path), {"llm": {"own_mib": 100.0}})
    bricks = load_pack(tmp_path).bricks
    assert (bricks["stt"].memory_mib, bricks["llm"].memory_mib) == (1, 111)

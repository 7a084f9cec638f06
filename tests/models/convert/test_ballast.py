"""The ballast generators at a small size, and what `measure` writes. Needs the training requirements."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from models.brick import (
    Activation,
    BrickSpec,
    Completion,
    Context,
    Embedding,
    Frame,
    Placement,
    Prompt,
    Sentence,
    Utterance,
)
from models.clip import ClipAnswer, ClipQuestion, Held, Unit
from models.closed_question import ClosedAnswer, ClosedQuestion
from models.pack.abilities import abilities
from models.pack.catalogue import Pack, load_pack, seal
from models.pack.manifest import read_manifest
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
    modules = {name: f"models.bricks.{'eye.' if name == 'vision' else ''}{name}" for name in options}
    specs = {
        name: BrickSpec(name, Placement.CPU, 10, modules[name], given) for name, given in options.items()
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


def test_the_chain_and_the_text_tower_have_the_shapes_that_the_pack_names(tmp_path: Path):
    pytest.importorskip("onnx")
    from models.bricks.subwords import Subwords
    from models.convert.ballast import text, vit
    from models.convert.converted import run_graph, run_onnx

    shape = vit.VitShape(64, 16, 64, 128, 2, 3, 128, groups=(2, 1))
    assert shape.pieces == ("stem", "group_01", "group_02", "rows", "exit")
    paths = {piece: tmp_path / f"{piece}.onnx" for piece in shape.pieces}
    for piece, path in paths.items():
        vit.write_int8(path, partial(vit.write_piece_fp32, shape=shape, piece=piece))
    pixels = np.random.default_rng(0).uniform(-1, 1, (1, 3, 64, 64)).astype(np.float32)
    stem, *_, last, rows = run_onnx([paths[piece] for piece in shape.pieces[:-1]], pixels)
    assert stem.shape == last.shape == (1, 16, 64) and rows.shape == (1, 16, 128)
    (picture,) = run_graph(paths["exit"], [last])
    tower = text.TextShape(vocab=400, tokens=12, width=64, hidden=128, heads=2, layers=1, embedding=64)
    text.write_text(tmp_path / "text.onnx", tower)
    text.write_words(tmp_path / "text.json", tower)
    words = Subwords(json.loads((tmp_path / "text.json").read_text()))
    assert len(words.ids("bada, KEYS")) < 12
    sentences = [words.numbers("bada"), words.numbers("lolu ze")]
    found = run_graph(tmp_path / "text.onnx", sentences)
    for place in (picture, *found):
        assert place.shape == (1, 64) and np.linalg.norm(place) == pytest.approx(1, abs=1e-5)
    assert np.abs(found[0] - found[1]).max() > 1e-3


@pytest.mark.parametrize("width", [64, 128])
def test_the_network_for_closed_questions_has_the_shape_it_is_asked_for(tmp_path: Path, width: int):
    pytest.importorskip("onnx")
    from models.bricks import reflex as brick
    from models.convert.ballast.reflex import ANSWERS, ballast_shape, write_ballast_reflex

    shape = ballast_shape(24, width)
    assert (shape.width, shape.heads, shape.hidden, shape.blanks) == (
        width,
        width // 64,
        2 * width,
        (ANSWERS,),
    )
    write_ballast_reflex(tmp_path, shape)
    files = {path.stem: str(path) for path in tmp_path.iterdir()}
    caution = dict.fromkeys(("low", "normal", "high"), 0.0)
    options = {
        **files, "tokens": 30, "width": 24, "layers": shape.layers, "answerable_from": 0.0, "keep": 0.2,
        "advice_from": 1.0, "exit_score": 1.0, "unknown_words": 24, "caution": caution,
    }  # fmt: skip
    loaded = brick.create(options, Context())
    loaded.load()
    rows = np.random.default_rng(1).standard_normal((30, 24)).astype(np.float32)
    for text in ("badu keya", "what colour is the cup"):
        (found,) = loaded.execute(ClosedQuestion(text, Embedding(rows=rows)))
        assert isinstance(found, ClosedAnswer)
        assert found.text.endswith(".") and (found.layer, found.kept) == (5, 6)


@pytest.mark.parametrize("width", [256, 768])
def test_the_manifest_names_every_file_and_every_ability(tmp_path: Path, width: int):
    pytest.importorskip("onnx")
    from models.convert.ballast import generate

    whisper = "whisper-tiny.en.bin"
    for name in generate._names(whisper, width):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    generate._manifest(tmp_path, whisper, 150, width)
    pack = load_pack(tmp_path)
    assert list(pack.bricks) == ["stt", "vision", "reflex", "motion", "llm", "tts", "text"]
    assert {file.path for file in pack.files} == set(generate._names(whisper, width))
    able = abilities(read_manifest(tmp_path))
    assert able.live and able.recall and able.reflex and able.motion and not able.note()


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


def test_the_motion_brick_runs_in_the_true_shapes(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    from models.bricks.motion import create
    from models.convert.ballast import motion
    from models.convert.ballast.generate import MICRO_LABELS

    depths, shape = (2, 12), motion.MotionShape(576, 768)
    motion.write_motion(tmp_path, shape, depths, MICRO_LABELS)
    files = {key: str(tmp_path / name) for key, name in motion.files(depths).items()}
    sizes = {"tokens": 576, "width": 768, "cells": 576, "features": 64}
    brick = create({**files, **sizes, "depths": depths, "depth": 2, "least": {}}, Context())
    brick.load()
    random = np.random.default_rng(3)
    for number in range(3):
        rows = random.standard_normal((576, 768), np.float32)
        (held,) = brick.execute(Unit(Activation(12, "", rows), 0.2 * number, 1))
        assert isinstance(held, Held)
        assert held.finished == number
    for family, thing in (("direction", "cup"), ("flashes", "")):
        (answer,) = brick.execute(ClipQuestion(family, thing, "", 1))
        assert isinstance(answer, ClipAnswer)
        assert answer.label and answer.units == 3 and 0 < answer.probability <= 1
    brick.release()

"""An encoder in pieces that can't be used, in part or at all: one sentence, and nothing is left behind."""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.brick import Activation, BrickError, Embed, Encode, Frame, Phrase, Placement, Resume, Rows
from models.pack.catalogue import Pack, load_pack
from models.process.bricks import Bricks
from models.process.residency import BrickFailed, Residency
from tests.models.bricks.bricks_bench import answer, run_bricks
from tests.models.bricks.chain_graphs import ChainShape, write_pack
from tests.models.bricks.test_chain_bricks import FRAMES, KINDS, SHAPE, as_kind, one_graph, refused
from tests.models.bricks.test_rknn import BOARD, DOUBLE
from tests.models.process.toy_bench import until


@pytest.fixture(autouse=True)
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This computer looks like a board with an NPU, and has a cache of its own."""
    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(DOUBLE))
    monkeypatch.setenv("RKNN_DOUBLE", json.dumps(BOARD))


@pytest.fixture
def cut(tmp_path: Path) -> Pack:
    return load_pack(write_pack(tmp_path / "cut", SHAPE))


@pytest.mark.parametrize("kind", KINDS)
def test_pieces_that_do_not_fit_each_other_are_one_sentence(cut: Pack, tmp_path: Path, kind: str) -> None:
    cut = as_kind(cut, kind)
    vision = cut.bricks["vision"]
    other = write_pack(tmp_path / "wide", ChainShape(width=32))
    strange = as_kind(load_pack(other), "npu" if vision.placement == Placement.NPU else "resident")
    options = {**vision.options, "group_02": strange.bricks["vision"].options["group_02"]}
    mixed = replace(cut, bricks={**cut.bricks, "vision": replace(vision, options=options)})

    async def scenario(bricks: Bricks) -> None:
        npu = vision.placement == Placement.NPU
        sentence = (
            r"group_02.rknn" if npu else
            r"group_02.onnx turns \[1, 16, 32\] into \[1, 16, 32\], and as the pack's group_02 it has to "
            r"turn \[1, 16, 16\] into \[1, 16, 16\]"
        )  # fmt: skip
        with pytest.raises(BrickFailed, match=sentence) as caught:
            await answer(bricks, "vision", Frame(FRAMES[0]))
        assert "\n" not in str(caught.value)

    run_bricks(scenario, pack=mixed)


def test_one_graph_answers_a_frame_and_says_that_it_has_no_activations(cut: Pack) -> None:
    async def scenario(bricks: Bricks) -> None:
        (embedding,) = await answer(bricks, "vision", Frame(FRAMES[0]))
        bricks.discard(embedding)
        given = Activation(0, "another 1", np.zeros((16, 24), np.float32))
        for request in (Encode(FRAMES[:1], 0), Resume((given,), 1), Rows((given,)), Embed((given,))):
            async with refused(
                bricks, r"^This pack's vision encoder is one graph, so it has no activations\.$"
            ):
                await answer(bricks, "vision", request)

    run_bricks(scenario, pack=one_graph(cut))


def test_a_slow_storage_can_be_called_off(cut: Pack) -> None:
    pack = as_kind(cut, "streamed")
    vision = pack.bricks["vision"]
    slow = replace(vision, options={**vision.options, "stream_mb_s": 1e-6})

    async def scenario(bricks: Bricks) -> None:
        await answer(bricks, "vision", Encode((), 0))
        pid = bricks.pids()["vision"]
        look = asyncio.create_task(answer(bricks, "vision", Encode(FRAMES, 4)))
        await until(lambda: bricks.busy)
        look.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await look
        await bricks.settled()
        assert bricks.pids()["vision"] == pid, "it ends the look by itself, without being killed"

    run_bricks(scenario, pack=replace(pack, bricks={**pack.bricks, "vision": slow}))


def test_a_file_that_shrinks_while_it_is_streamed_is_one_sentence(cut: Pack) -> None:
    pack = as_kind(cut, "streamed")
    group = Path(pack.bricks["vision"].options["group_03"])
    whole = group.read_bytes()

    def write(data: bytes) -> None:
        group.write_bytes(data)

    async def scenario(bricks: Bricks) -> None:
        (activation,) = await answer(bricks, "vision", Encode(FRAMES[:1], 3))
        pid = bricks.pids()["vision"]
        write(whole[: len(whole) // 2])
        with pytest.raises(BrickError, match=r"group_03.onnx is shorter than when it was loaded\."):
            await answer(bricks, "vision", Resume((activation,), 4))
        write(whole)
        (deeper,) = await answer(bricks, "vision", Resume((activation,), 4))
        assert deeper.depth == 4 and bricks.pids()["vision"] == pid

    run_bricks(scenario, pack=pack)


def test_an_encoder_that_would_not_fit_beside_the_largest_other_brick_is_streamed(tmp_path: Path) -> None:
    pack = load_pack(write_pack(tmp_path / "small", SHAPE, settings="streamed_mib = 8"))

    async def scenario(bricks: Bricks) -> None:
        seen = []
        for ceiling_mib, streamed in ((60, False), (40, True), (None, False), (24, True)):
            await bricks.apply(Residency("one_at_a_time", ceiling_mib))
            slot = bricks._slots["vision"]
            assert (bool(slot.spec.options.get("stream")), slot.need_mib) == (streamed, 8 if streamed else 30)
            (embedding,) = await answer(bricks, "vision", Frame(FRAMES[0]))
            seen.append(bricks.rows(embedding))
            bricks.discard(embedding)
            await bricks.settled()
        assert all(np.allclose(rows, seen[0], atol=1e-4) for rows in seen)

    run_bricks(scenario, pack=pack)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda text: "{", r"vocabulary .*text.json can't be read"),
        (lambda text: json.dumps({"words": ["", "?"]}), r"vocabulary .*text.json can't be read \('length'\)"),
        (
            lambda text: text.replace('"length": 6', '"length": 7'),
            r"takes \[1, 6\], and the vocabulary gives \[1, 7\]",
        ),
    ],
)
def test_a_vocabulary_that_does_not_fit_is_one_sentence(cut: Pack, change: Any, sentence: str) -> None:
    words = Path(cut.bricks["text"].options["words"])
    words.write_text(change(words.read_text()))

    async def scenario(bricks: Bricks) -> None:
        with pytest.raises(BrickFailed, match=sentence) as caught:
            await answer(bricks, "text", Phrase("cup"))
        assert "\n" not in str(caught.value)

    run_bricks(scenario, pack=cut)


def test_a_space_of_another_size_is_one_sentence(cut: Pack) -> None:
    text = cut.bricks["text"]
    spec = replace(text, options={**text.options, "embedding": 16})

    async def scenario(bricks: Bricks) -> None:
        with pytest.raises(BrickFailed, match=r"gives 8 values, and the pack's recall space has 16\."):
            await answer(bricks, "text", Phrase("cup"))

    run_bricks(scenario, pack=replace(cut, bricks={"text": spec}))

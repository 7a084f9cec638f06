"""An encoder in pieces, in a process of its own: the weights resident, streamed, and on an NPU's double. All
three give the same activations, rows and recall, and refuse the same requests.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from models.activation_codec import decode, encode
from models.brick import (
    Activation,
    BrickError,
    Context,
    Embed,
    Embedding,
    Encode,
    Frame,
    Phrase,
    Placement,
    Recall,
    Resume,
    Rows,
)
from models.bricks.eye import vision
from models.pack.brick_table import NPU_MODULE
from models.pack.catalogue import Pack, load_pack
from models.pack.chain import chain_of
from models.process.bricks import Bricks
from models.process.rows_ring import RING_SLOTS
from models.ring.header import SlotState
from tests.models.bricks.bricks_bench import Play, answer, started
from tests.models.bricks.chain_graphs import ChainShape, write_pack
from tests.models.bricks.test_rknn import BOARD, DOUBLE
from tests.models.rknn_double.rknnlite.api.rknn_lite import compiled

SHAPE = ChainShape(row_width=24)
"""Depths 0, 1, 3 and 4; rows wider than activations."""
FRAMES = tuple(np.random.default_rng(seed).integers(0, 256, (40, 56, 3), np.uint8) for seed in range(7))
KINDS = ("resident", "streamed", "npu")
CLOSE = 1e-4


def as_kind(pack: Pack, kind: str) -> Pack:
    """The pack with its encoder resident, streamed, or compiled for the NPU's double."""
    vision = pack.bricks["vision"]
    options = {**vision.options, "stream": kind == "streamed"}
    spec = replace(vision, options=options)
    if kind == "npu":
        chain = chain_of(options)
        assert chain is not None
        for key in chain.keys:
            source = Path(options[key])
            target = source.with_suffix(".rknn")
            target.write_bytes(compiled(source.read_bytes(), "rk3566", "2.5.0"))
            options[key] = str(target)
        options["librknnrt"] = "2.5.0"
        spec = replace(spec, placement=Placement.NPU, module=NPU_MODULE, options=options)
    return replace(pack, bricks={**pack.bricks, "vision": spec})


@pytest.fixture(scope="module", params=KINDS)
def cut(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    """The test's pack, with its encoder of one kind; this computer looks like a board with an NPU."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEADBAND_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("PYTHONPATH", str(DOUBLE))
        patch.setenv("RKNN_DOUBLE", json.dumps(BOARD))
        yield as_kind(load_pack(write_pack(tmp_path_factory.mktemp("cut"), SHAPE)), request.param)


@pytest.fixture(scope="module")
def play(cut: Pack) -> Iterator[Play]:
    with started(pack=cut) as play:
        yield play


@pytest.fixture(scope="module")
def whole_rows(cut: Pack) -> list[NDArray[np.float32]]:
    """The decoder's rows of every frame, by the same network as one graph."""
    spec = one_graph(cut).bricks["vision"]
    brick = vision.create(spec.options, Context())
    brick.load()
    return [answer.rows for frame in FRAMES for answer in brick.execute(Frame(frame))]  # type: ignore


def one_graph(pack: Pack) -> Pack:
    """The pack with the same network as one graph, and no other brick."""
    vision = pack.bricks["vision"]
    model = str(Path(vision.options["stem"]).parent / "whole.onnx")
    spec = replace(
        vision, module="models.bricks.eye.vision", options={"model": model, "tokens": 16, "width": 24}
    )
    return replace(pack, bricks={"vision": spec})


async def rows_of(bricks: Bricks, chunks: list[Any]) -> list[NDArray[np.float32]]:
    """The rows of answers, whose slots are then free."""
    found = [bricks.rows(chunk) for chunk in chunks]
    for chunk in chunks:
        bricks.discard(chunk)
    return found


@contextlib.asynccontextmanager
async def refused(bricks: Bricks, sentence: str) -> AsyncIterator[None]:
    """A request is refused in one sentence, and the same process answers the next one."""
    pid = bricks.pids()["vision"]
    with pytest.raises(BrickError, match=sentence) as caught:
        yield
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")
    (embedding,) = await answer(bricks, "vision", Frame(FRAMES[0]))
    bricks.discard(embedding)
    assert bricks.pids()["vision"] == pid


def test_the_chain_gives_the_rows_of_the_whole_network_in_the_ring(play: Play, whole_rows: Any) -> None:
    async def scenario(bricks: Bricks) -> None:
        for frame, wanted in zip(FRAMES, whole_rows, strict=True):
            (embedding,) = await answer(bricks, "vision", Frame(frame))
            assert isinstance(embedding, Embedding) and embedding.slot is not None
            assert (embedding.slot.tokens, embedding.slot.width) == (16, 24)
            (rows,) = await rows_of(bricks, [embedding])
            assert np.abs(rows - wanted).max() < CLOSE

    play(scenario)


@pytest.mark.parametrize("first", [0, 1, 3, 4])
def test_a_look_that_stopped_goes_on_to_the_same_rows(play: Play, whole_rows: Any, first: int) -> None:
    async def scenario(bricks: Bricks) -> None:
        found = await answer(bricks, "vision", Encode(FRAMES[:1], first))
        assert [(each.depth, each.slot.dtype, each.slot.tokens, each.slot.width) for each in found] == [
            (first, "float32", 16, 16)
        ]
        deepest = await answer(bricks, "vision", Resume(tuple(found), 4))
        assert [each.depth for each in deepest] == [4]
        by_steps = await answer(bricks, "vision", Rows(tuple(deepest)))
        for each in deepest if first < 4 else ():
            bricks.discard(each)
        kept = [bricks.rows(each) for each in found]
        at_once = await answer(bricks, "vision", Rows(tuple(found)))
        assert all(np.array_equal(a, bricks.rows(b)) for a, b in zip(kept, found, strict=True))
        for chunks in (by_steps, at_once):
            for rows, wanted in zip(await rows_of(bricks, chunks), whole_rows, strict=False):
                assert np.abs(rows - wanted).max() < CLOSE
        await rows_of(bricks, found)

    play(scenario)


def test_a_batch_is_answered_in_order_and_drops_none_of_its_own_answers(play: Play) -> None:
    async def scenario(bricks: Bricks) -> None:
        batch = (FRAMES * 3)[: RING_SLOTS + 3]
        one_by_one = []
        for frame in batch:
            one_by_one += await rows_of(bricks, await answer(bricks, "vision", Encode((frame,), 3)))
        for memory in (False, True):
            found = await answer(bricks, "vision", Encode(batch, 3, memory=memory))
            assert sum(each.slot is not None for each in found) == RING_SLOTS
            for rows, wanted in zip(await rows_of(bricks, found), one_by_one, strict=True):
                assert np.array_equal(rows, wanted)

    play(scenario)


def test_activations_of_several_depths_go_on_together(play: Play, whole_rows: Any) -> None:
    async def scenario(bricks: Bricks) -> None:
        mixed: list[Activation] = []
        for frame, depth in zip(FRAMES, (3, 0, 4, 1), strict=False):
            (activation,) = await answer(bricks, "vision", Encode((frame,), depth))
            mixed.append(replace(activation, rows=bricks.rows(activation), slot=None))
            bricks.discard(activation)
        embeddings = await answer(bricks, "vision", Rows(tuple(mixed)))
        for rows, wanted in zip(await rows_of(bricks, embeddings), whole_rows, strict=False):
            assert np.abs(rows - wanted).max() < CLOSE
        deepest = await answer(bricks, "vision", Resume(tuple(mixed), 4))
        assert [each.depth for each in deepest] == [4] * 4
        assert deepest[2].rows is not None and mixed[2].rows is not None
        assert np.array_equal(deepest[2].rows, mixed[2].rows), "what is there already is answered as it is"
        await rows_of(bricks, deepest)
        assert await answer(bricks, "vision", Resume((), 4)) == []

    play(scenario)


def test_pictures_and_phrases_lie_in_one_space(play: Play, cut: Pack) -> None:
    identity = cut.bricks["vision"].options["encoder"]

    async def scenario(bricks: Bricks) -> None:
        for depth in (1, 3, 4):
            activations = await answer(bricks, "vision", Encode(FRAMES[:3], depth))
            found = await answer(bricks, "vision", Embed(tuple(activations)))
            (again,) = await answer(bricks, "vision", Embed((activations[1],)))
            assert np.array_equal(found[1].vector, again.vector)
            assert {(each.depth, each.encoder, each.vector.dtype) for each in found} == {
                (depth, identity, np.dtype(np.float32))
            }
            assert np.allclose([np.linalg.norm(each.vector) for each in found], 1.0, atol=1e-5)
            await rows_of(bricks, activations)
        (cup,) = await answer(bricks, "text", Phrase("The red cup, on the table!"))
        assert isinstance(cup, Recall) and cup.vector.shape == (8,)
        assert (cup.depth, cup.encoder) == (4, identity) and abs(np.linalg.norm(cup.vector) - 1) < 1e-5
        (same,) = await answer(bricks, "text", Phrase("the red cup on the table"))
        (other,) = await answer(bricks, "text", Phrase("a blue cup"))
        assert np.array_equal(same.vector, cup.vector) and not np.allclose(other.vector, cup.vector)
        with pytest.raises(BrickError, match=r"The text brick has no answer to a Frame\."):
            await answer(bricks, "text", Frame(FRAMES[0]))

    play(scenario)


def test_a_stored_activation_is_resumed(play: Play, cut: Pack, whole_rows: Any) -> None:
    identity = cut.bricks["vision"].options["encoder"]

    async def scenario(bricks: Bricks) -> None:
        (activation,) = await answer(bricks, "vision", Encode(FRAMES[:1], 1))
        given = replace(activation, rows=bricks.rows(activation), slot=None)
        bricks.discard(activation)
        errors = []
        for coding in ("float16", "int4"):
            stored = decode(encode(given, coding), identity)  # type: ignore[arg-type]
            (rows,) = await rows_of(bricks, await answer(bricks, "vision", Rows((stored,))))
            errors.append(np.abs(rows - whole_rows[0]).std() / whole_rows[0].std())
        assert errors[0] < 2e-3 and errors[1] < 0.2

    play(scenario)


def test_what_cannot_be_resumed_is_one_sentence_and_the_brick_goes_on(play: Play, cut: Pack) -> None:
    identity = cut.bricks["vision"].options["encoder"]
    rows = np.zeros((16, 16), np.float32)
    good = Activation(3, identity, rows)
    refusals: list[tuple[Any, str]] = [
        (Encode(FRAMES[:1], 2), r"no activation of depth 2; it has 0, 1, 3, 4\."),
        (Resume((good,), 5), r"no activation of depth 5; it has 0, 1, 3, 4\."),
        (Resume((good,), 1), r"has passed 3 blocks, so it can't be taken to 1\."),
        (
            Rows((replace(good, encoder="cut 0 00"),)),
            rf"is of the encoder 'cut 0 00', and this is '{identity}'\.",
        ),
        (Embed((replace(good, encoder=""),)), r"is of the encoder ''"),
        (
            Resume((replace(good, rows=rows[:15]),), 4),
            r"rows are \[15, 16\], and the encoder's are \[16, 16\]\.",
        ),
        (Rows((replace(good, rows=None),)), r"rows are \[\], and the encoder's are \[16, 16\]\."),
        (Embed((Activation(0, identity, rows),)), r"no exit after 0 blocks; it has exits after: 1, 3, 4\."),
        (Phrase("the cup"), r"has no answer to a Phrase\."),
    ]

    async def scenario(bricks: Bricks) -> None:
        await answer(bricks, "vision", Encode((), 0))
        for request, sentence in refusals:
            async with refused(bricks, sentence):
                await answer(bricks, "vision", request)
        (gone,) = await answer(bricks, "vision", Encode(FRAMES[:1], 1))
        bricks.discard(gone)
        async with refused(bricks, r"can't be read: the rows of slot \d, sequence \d+ are gone\."):
            await answer(bricks, "vision", Resume((gone,), 4))

    play(scenario)


def test_a_batch_that_is_called_off_leaves_no_slot_in_writing(play: Play) -> None:
    async def scenario(bricks: Bricks) -> None:
        for _ in range(3):
            async with contextlib.aclosing(bricks.run("vision", Encode(FRAMES * 3, 4))) as chunks:
                async for chunk in chunks:
                    bricks.discard(chunk)
                    break
        (embedding,) = await answer(bricks, "vision", Frame(FRAMES[0]))
        ring = bricks._pool.ring
        assert ring is not None and SlotState.ALLOCATED_FOR_WRITE not in ring.states()
        bricks.discard(embedding)

    play(scenario)

"""A picture in the ring, with the real runtimes: llama.cpp reads at the address at which ONNX Runtime
writes.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest

from models.brick import BrickError, Completion, Embedding, Encode, Prefill, Prefilled, Prompt
from models.process.answers import answers
from models.process.bricks import Bricks
from models.ring.header import SlotState
from tests.models.bricks.bricks_bench import answer, micro, run_bricks

WITNESS = "tests.models.ring.ring_witness"


def test_the_encoders_output_and_the_decoders_input_are_the_slot():
    pack = micro()
    watched = {name: replace(pack.bricks[name], module=WITNESS) for name in ("vision", "llm")}

    async def scenario(bricks: Bricks) -> None:
        (picture,) = await answer(bricks, "vision")
        assert picture.slot is not None and bricks.rows(picture).any()
        (ready,) = await answer(bricks, "llm", Prefill((picture,)))
        assert isinstance(ready, Prefilled) and ready.n_tokens >= picture.slot.tokens
        (fresh,) = await answer(bricks, "vision")
        *_, completion = await answer(bricks, "llm", Prompt("what colour is the circle", (fresh,), 8))
        assert isinstance(completion, Completion)
        rows = np.zeros((picture.slot.tokens, picture.slot.width), np.float32)
        with pytest.raises(BrickError, match=r"outside the ring"):
            await answer(bricks, "llm", Prompt("what colour is the circle", (Embedding(rows=rows),), 8))

    run_bricks(scenario, pack=replace(pack, bricks={**pack.bricks, **watched}))


def test_nothing_of_a_request_that_is_cancelled_stays_in_the_ring():
    """Whenever that is: at work, as the rows are told of, and when some of them have come."""
    frames = (np.full((64, 64, 3), 90, np.uint8), np.full((64, 64, 3), 160, np.uint8))

    async def scenario(bricks: Bricks) -> None:
        for each in await answers(bricks, "vision", Encode(frames, 3)):
            bricks.discard(each)
        began_s = time.monotonic()
        for each in await answers(bricks, "vision", Encode(frames, 3)):
            bricks.discard(each)
        whole_s, ended = time.monotonic() - began_s, 0
        for step in range(80):
            work = asyncio.create_task(answers(bricks, "vision", Encode(frames, 3, memory=True)))
            await asyncio.wait((work,), timeout=whole_s * step / 60)
            work.cancel()
            await asyncio.wait((work,))
            if not work.cancelled():
                ended += 1
                for each in work.result():
                    bricks.discard(each)
        await bricks.settled()
        assert bricks._pool.ring is not None
        assert set(bricks._pool.ring.states()) == {SlotState.FREE}
        assert ended < 80, "some were cancelled"

    run_bricks(scenario)


def test_rows_that_are_given_up_while_they_are_read_are_freed_when_the_reading_ends():
    async def scenario(bricks: Bricks) -> None:
        ring = bricks._pool.ring
        assert ring is not None
        await answer(bricks, "llm")
        for _ in range(10):
            (rows,) = await answer(bricks, "vision")
            prompt = Prompt("what colour is the circle", (rows,), 8)
            work = asyncio.create_task(answers(bricks, "llm", prompt))
            while ring.states()[rows.slot.index] is SlotState.READY_TO_READ:  # noqa: ASYNC110
                await asyncio.sleep(0)
            work.cancel()
            await asyncio.wait((work,))
            bricks.discard(rows)
            await bricks.settled()
            assert set(ring.states()) == {SlotState.FREE}

    run_bricks(scenario)


def test_nothing_of_rows_that_nobody_gave_up_is_left_when_all_bricks_are_released():
    async def scenario(bricks: Bricks) -> None:
        ring = bricks._pool.ring
        assert ring is not None
        (rows,) = await answer(bricks, "vision")
        assert ring.view(rows.slot).any()
        await bricks.release_all()
        assert set(ring.states()) == {SlotState.FREE} and not ring.view(rows.slot).any()

    run_bricks(scenario)


def half_precision(path: str, folder: Path) -> str:
    """A copy of a model whose output is cast to float16."""
    model = onnx.load(path)
    (output,) = model.graph.output
    whole = output.name
    for node in model.graph.node:
        node.output[:] = ["rows32" if name == whole else name for name in node.output]
        node.input[:] = ["rows32" if name == whole else name for name in node.input]
    model.graph.node.append(onnx.helper.make_node("Cast", ["rows32"], [whole], to=onnx.TensorProto.FLOAT16))
    output.type.tensor_type.elem_type = onnx.TensorProto.FLOAT16
    onnx.save(model, folder / "half.onnx")
    return str(folder / "half.onnx")


def test_rows_of_a_half_precision_encoder_lie_in_the_ring_as_such(tmp_path: Path):
    pack = micro()
    vision = pack.bricks["vision"]
    options = {**vision.options, "rows": half_precision(vision.options["rows"], tmp_path)}
    half = {"vision": replace(vision, options=options, module=WITNESS)}

    async def scenario(bricks: Bricks) -> None:
        (picture,) = await answer(bricks, "vision")
        assert picture.slot is not None and picture.slot.dtype == "float16"
        rows = bricks.rows(picture)
        assert rows.dtype == np.float32 and rows.std() > 0
        by_slot = await answer(bricks, "llm", Prompt("what colour is the circle", (picture,), 8))
        by_value = await answer(
            bricks, "llm", Prompt("what colour is the circle", (Embedding(rows=rows),), 8)
        )
        assert by_slot == by_value

    run_bricks(scenario, pack=replace(pack, bricks={**pack.bricks, **half}))

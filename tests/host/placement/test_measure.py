from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from host.placement import measure
from models.brick import BrickSpec, Placement, Prefill, Prompt
from models.pack.catalogue import Pack
from models.process.bricks import Bricks
from models.process.residency import BrickFailed
from power.placement.as_json import from_json, modelled_tables, to_json
from power.placement.choice import choose
from tests.host.placement import timed_brick
from tests.host.placement.timed_brick import WORK_S

NAMES = ("stt", "vision", "llm", "tts")
EYE = {"tokens": 4, "width": 8}
THREAD_COUNTS = measure._thread_counts


def pack(*, npu_gone: bool | None = None, gone: str = "") -> Pack:
    """Timed bricks; with an NPU for the eye that is gone or not, where one is said."""

    def spec(name: str, place: Placement, is_gone: bool) -> BrickSpec:
        return BrickSpec(name, place, 1, timed_brick.__name__, {**EYE, "gone": is_gone})

    cores = {name: spec(name, Placement.CPU, name == gone) for name in NAMES}
    if npu_gone is None:
        return Pack("made", Path("/nowhere"), "1", "", "", (), cores)
    bricks = {**cores, "vision": spec("vision", Placement.NPU, npu_gone)}
    return Pack("made", Path("/nowhere"), "1", "", "", (), bricks, on_cores={"vision": cores["vision"]})


@pytest.fixture(autouse=True)
def _two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "_thread_counts", lambda: (1, 2))


def test_times_are_those_of_the_clock_and_other_modes_stay_modelled() -> None:
    table = asyncio.run(measure.measured_table(pack(), "emulated", lambda line: None, repeats=1))
    for brick, task in (("stt", "question"), ("vision", "picture"), ("llm", "picture"), ("tts", "sentence")):
        one, two = (table.find(brick, task, "cores", "performance", n) for n in (1, 2))  # type: ignore[arg-type]
        assert one is not None and two is not None and one.kind == two.kind == "measured"
        assert one.seconds >= WORK_S and two.seconds < one.seconds
        lean = table.find(brick, task, "cores", "cascade", 1)  # type: ignore[arg-type]
        assert lean is not None and lean.kind == "modelled" and lean.seconds > one.seconds
        assert table.find(brick, "load", "cores", "performance", 1) is not None
    assert choose(table, "stt", "performance", cores=2).threads == 2


def test_a_place_that_does_not_work_is_told_and_left_out() -> None:
    told: list[str] = []
    table = asyncio.run(measure.measured_table(pack(npu_gone=True), "emulated", told.append, repeats=1))
    assert not [cost for cost in table.costs if cost.place == "npu"]
    assert table.find("vision", "picture", "cores", "performance", 1) is not None
    assert any("vision does not work on the npu" in line and "the NPU is gone" in line for line in told)


def test_a_brick_that_does_not_work_at_all_is_an_error() -> None:
    with pytest.raises(BrickFailed, match="the NPU is gone"):
        asyncio.run(measure.measured_table(pack(gone="stt"), "emulated", lambda line: None, repeats=1))


def test_a_sentence_is_timed_after_its_picture_was_taken_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """A language model knows a picture again by its slot in the ring, and evaluates other rows anew."""
    asked: list[Any] = []
    seconds = measure._seconds

    async def watched(bricks: Bricks, name: str, request: Any) -> float:
        if name == "llm":
            assert all(map(bricks.holds, request.images)), "the rows can be read"
            asked.append(request)
        return await seconds(bricks, name, request)

    monkeypatch.setattr(measure, "_seconds", watched)
    asyncio.run(measure.measured_table(pack(), "emulated", lambda line: None, repeats=1))
    assert asked
    for picture, sentence in zip(asked[::2], asked[1::2], strict=True):
        assert isinstance(picture, Prefill) and isinstance(sentence, Prompt)
        assert picture.images[0].slot == sentence.images[0].slot is not None and sentence.keep


def test_a_decoder_without_an_eye_is_measured_by_its_sentence() -> None:
    blind = replace(pack(), bricks={"llm": pack().bricks["llm"]})
    table = asyncio.run(measure.measured_table(blind, "emulated", lambda line: None, repeats=1))
    assert {cost.task for cost in table.costs} == {"load", "sentence"}


def test_a_table_of_a_computer_with_many_cores_can_be_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 128)
    table = modelled_tables()["micro"]
    wide = table.replaced([replace(table.costs[0], threads=each) for each in THREAD_COUNTS()])
    assert from_json(to_json(wide)) == wide

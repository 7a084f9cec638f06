"""Files are read ahead whole, in pieces, and no further once nobody wants them."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from models.brick import BrickSpec, Placement
from models.process.read_ahead import CHUNK_BYTES, files_of, read_ahead


@pytest.fixture
def advised(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Where each advice begins, and how long it is."""
    found: list[tuple[int, int]] = []

    def advise(descriptor: int, start: int, length: int, advice: int) -> None:
        assert advice == os.POSIX_FADV_WILLNEED and os.fstat(descriptor).st_size > start
        found.append((start, length))

    monkeypatch.setattr(os, "posix_fadvise", advise)
    return found


def test_a_file_is_asked_for_whole_and_in_pieces_that_one_request_can_be(
    advised: list[tuple[int, int]], tmp_path: Path
) -> None:
    model = tmp_path / "model.bin"
    model.write_bytes(bytes(3 * CHUNK_BYTES + 5))
    asyncio.run(read_ahead([tmp_path / "gone.bin", model]))
    assert advised == [(number * CHUNK_BYTES, CHUNK_BYTES) for number in range(4)]


def test_reading_ends_when_nobody_wants_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    model = tmp_path / "model.bin"
    with model.open("wb") as file:
        file.truncate(20 * CHUNK_BYTES)
    begun, goes_on = threading.Event(), threading.Event()
    advised: list[int] = []

    def slow_disk(descriptor: int, start: int, length: int, advice: int) -> None:
        advised.append(start)
        begun.set()
        goes_on.wait()

    monkeypatch.setattr(os, "posix_fadvise", slow_disk)

    async def scenario() -> None:
        reading = asyncio.create_task(read_ahead([model]))
        await asyncio.to_thread(begun.wait)
        reading.cancel()
        await asyncio.wait([reading])
        assert reading.cancelled()
        goes_on.set()

    asyncio.run(scenario())
    assert advised == [0]


def test_a_bricks_files_are_the_paths_among_its_options(tmp_path: Path) -> None:
    model = tmp_path / "model.bin"
    model.touch()
    options: dict[str, Any] = {
        "model": str(model),
        "gone": str(tmp_path / "gone.bin"),
        "folder": str(tmp_path),
        "language": "en",
        "tokens": 64,
    }
    assert files_of(BrickSpec("stt", Placement.CPU, 10, "toy", options)) == (model,)

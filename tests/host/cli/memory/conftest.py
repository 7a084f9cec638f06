"""A store that a headband has left."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from host.app.open_board import open_board
from host.config import BoardConfig, MemoryConfig
from host.memory.key import DATABASE, new_or_known_key
from host.memory.store import MemoryStore
from host.memory.values import Moment, NewView
from hw.linux.system_clock import SystemClock, boot_id


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A folder where the settings keep everything; the emulated PMU's flash is in it."""
    folder = tmp_path / "state"
    folder.mkdir()
    (tmp_path / "headband.toml").write_text(f'[journal]\npath = "{folder}/journal.jsonl"\n')
    return folder


def jpeg(path: Path, shade: int) -> bytes:
    Image.fromarray(np.full((24, 32, 3), shade, np.uint8)).save(path / "view.jpg")
    return (path / "view.jpg").read_bytes()


@pytest.fixture
def remembered(state: Path, tmp_path: Path) -> list[bytes]:
    """Three views, an hour apart; the last is now and kept as "parking"."""
    page = open_board(BoardConfig(), key_file=state / "memory.key").key_page
    assert page is not None
    store = MemoryStore(state / DATABASE, new_or_known_key(page, state), MemoryConfig())
    clock = SystemClock()
    pictures = [jpeg(tmp_path, shade) for shade in (10, 90, 200)]
    for number, picture in enumerate(pictures):
        ago_s = 3600.0 * (2 - number)
        taken = Moment(boot_id(), clock.monotonic() - ago_s, clock.time() - ago_s)
        last = number == 2
        store.add(NewView(taken, picture, kept=last, name="parking" if last else ""), taken)
    store.close()
    return pictures

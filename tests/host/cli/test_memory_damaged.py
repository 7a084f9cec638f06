"""`headband memory` on a damaged database: one sentence, and nothing is lost that was not damaged."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from host.app.open_board import open_board
from host.cli.main import main
from host.config import BoardConfig, MemoryConfig
from host.memory.brick import DAMAGED, MemoryBrick
from host.memory.key import DATABASE, new_or_known_key
from host.memory.requests import Access, TimeNow
from host.memory.store import MemoryStore
from host.memory.values import Moment, NewView
from hw.linux.system_clock import SystemClock, boot_id
from models.brick import BrickError

PAGE = 4096
ACTIONS = (
    ["status"], ["verify"], ["show", "1"], ["rebuild"], ["forget", "2"], ["forget", "--last", "1h"],
    ["report", "page.html"], ["search", "keys"], ["export", "out"],
)  # fmt: skip


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memory with ten views whose pictures are many pages long."""
    folder = tmp_path / "state"
    folder.mkdir()
    (tmp_path / "headband.toml").write_text(f'[journal]\npath = "{folder}/journal.jsonl"\n')
    monkeypatch.chdir(tmp_path)
    store, now = opened(folder), moment()
    noise = np.random.default_rng(1).integers(0, 255, (240, 320, 3), np.uint8)
    Image.fromarray(noise).save(tmp_path / "view.jpg")
    for _ in range(10):
        store.add(NewView(now, (tmp_path / "view.jpg").read_bytes()), now)
    store.close()
    return folder


def moment() -> Moment:
    clock = SystemClock()
    return Moment(boot_id(), clock.monotonic(), clock.time())


def key(folder: Path) -> bytes:
    page = open_board(BoardConfig(), key_file=folder / "memory.key").key_page
    assert page is not None
    return new_or_known_key(page, folder)


def opened(folder: Path) -> MemoryStore:
    return MemoryStore(folder / DATABASE, key(folder), MemoryConfig())


def spoil(path: Path, start: int, end: int) -> None:
    raw = bytearray(path.read_bytes())
    raw[start:end] = os.urandom(len(raw[start:end]))
    path.write_bytes(raw)


def all_but_the_header(path: Path) -> None:
    spoil(path, PAGE, path.stat().st_size)


def everything(path: Path) -> None:
    path.write_bytes(os.urandom(2 * PAGE))


def the_second_half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def to_nothing(path: Path) -> None:
    path.write_bytes(b"")


DAMAGES = (all_but_the_header, everything, the_second_half, to_nothing)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_lost_database_is_one_sentence_with_the_ways_on_and_is_left_as_it_is(
    state: Path, damage: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    damage(state / DATABASE)
    before = (state / DATABASE).read_bytes()
    for action in ACTIONS:
        assert main(["memory", *action, "--config", "headband.toml"]) == 2, action
        out, err = capsys.readouterr()
        assert out == "" and err.count("\n") == 1 and "is damaged" in err, action
        assert "put it back from a copy" in err and "memory forget --all" in err and "export" not in err
    assert (state / DATABASE).read_bytes() == before
    with pytest.raises(BrickError, match=DAMAGED):
        list(
            MemoryBrick().execute(
                TimeNow(Access(str(state / DATABASE), key(state), MemoryConfig(), moment()))
            )
        )
    assert main(["memory", "forget", "--all", "--config", "headband.toml"]) == 0
    assert main(["memory", "status", "--config", "headband.toml"]) == 0


def test_where_the_views_are_lost_export_says_that_it_saves_nothing(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with sqlite3.connect(state / DATABASE) as plain:
        (page,) = plain.execute("SELECT rootpage FROM sqlite_master WHERE name = 'views'").fetchone()
    plain.close()
    spoil(state / DATABASE, (page - 1) * PAGE, page * PAGE)
    assert main(["memory", "status", "--config", "headband.toml"]) == 2
    assert "`headband memory export DIR` saves what can be read" in capsys.readouterr().err
    assert main(["memory", "export", "out", "--config", "headband.toml"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "put it back from a copy" in err and not Path("out").exists()
    assert main(["memory", "forget", "--all", "--config", "headband.toml"]) == 0


def test_where_one_page_of_a_picture_is_lost_the_others_are_saved(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    middle = (state / DATABASE).stat().st_size // 2 // PAGE * PAGE
    spoil(state / DATABASE, middle, middle + PAGE)
    before = (state / DATABASE).read_bytes()
    assert main(["memory", "verify", "--json", "--config", "headband.toml"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert len(found["damaged"]) == 1 and found["problems"]
    assert main(["memory", "rebuild", "--config", "headband.toml"]) == 2
    assert "left as it is" in capsys.readouterr().err
    assert (state / DATABASE).read_bytes() == before
    assert main(["memory", "export", "out", "--config", "headband.toml"]) == 1
    assert capsys.readouterr().err == f"The picture of view {found['damaged'][0]} is damaged.\n"
    assert len(list(Path("out").glob("*.jpg"))) == 9

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
        assert main(["memory", *action, "--config", "headband.toml"]) == 1, action
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


def pages(path: Path, table: str) -> list[int]:
    """The pages of a table, its root first, where SQLite's page of a table's tree says them."""
    with sqlite3.connect(path) as plain:
        (root,) = plain.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    plain.close()
    raw = path.read_bytes()[(root - 1) * PAGE : root * PAGE]
    if raw[0] != 5:  # no interior page
        return [root]
    cells = [int.from_bytes(raw[at : at + 2]) for at in range(12, 12 + 2 * int.from_bytes(raw[3:5]), 2)]
    below = [int.from_bytes(raw[cell : cell + 4]) for cell in cells]
    return [root, *below, int.from_bytes(raw[8:12])]


def lose(path: Path, page: int) -> None:
    spoil(path, (page - 1) * PAGE, page * PAGE)


def exported() -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(Path("out/views.json").read_text())
    assert all(Image.open(Path("out") / str(view["file"])).size == (320, 240) for view in found)
    return found


def test_where_the_views_are_lost_export_saves_their_pictures(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lose(state / DATABASE, pages(state / DATABASE, "views")[0])
    assert main(["memory", "status", "--config", "headband.toml"]) == 1
    assert "`headband memory export DIR` saves what can be read" in capsys.readouterr().err
    assert main(["memory", "export", "out", "--config", "headband.toml"]) == 1
    assert capsys.readouterr().err == "Of 10 of them only the picture is left, and not when it was taken.\n"
    assert exported() == [{"number": each, "file": f"{each:06d}.jpg"} for each in range(1, 11)]
    assert main(["memory", "forget", "--all", "--config", "headband.toml"]) == 0


def test_where_one_page_of_the_views_is_lost_all_pictures_are_saved_and_what_is_known_of_the_others(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, now = opened(state), moment()
    for _ in range(200):
        store.add(NewView(now, (state.parent / "view.jpg").read_bytes()), now)
    assert store.forget([7])
    store.close()
    lose(state / DATABASE, pages(state / DATABASE, "views")[2])
    assert main(["memory", "export", "out", "--config", "headband.toml"]) == 1
    found = exported()
    assert [view["number"] for view in found] == [each for each in range(1, 211) if each != 7]
    bare = [view for view in found if "time_s" not in view]
    assert 0 < len(bare) < 120
    assert capsys.readouterr().err.startswith(f"Of {len(bare)} of them only the picture is left")


@pytest.mark.parametrize(
    "damage", ["boot = 99", "monotonic_s = 'abc'", "monotonic_s = 1e300", "bytes = 'many'"]
)
def test_a_row_that_makes_no_sense_is_damage_and_takes_no_other_with_it(
    state: Path, capsys: pytest.CaptureFixture[str], damage: str
) -> None:
    with sqlite3.connect(state / DATABASE) as plain:
        plain.execute(f"UPDATE views SET {damage} WHERE number = 5")
    plain.close()
    for action in (["status"], ["show", "5"]):
        assert main(["memory", *action, "--config", "headband.toml"]) == 1
        err = capsys.readouterr().err
        assert err.count("\n") == 1 and "is damaged (the row of view 5 makes no sense)" in err
    assert main(["memory", "verify", "--json", "--config", "headband.toml"]) == 1
    assert json.loads(capsys.readouterr().out)["damaged"] == [5]
    assert main(["memory", "export", "out", "--config", "headband.toml"]) == 1
    found = exported()
    assert len(found) == 10 and [view["number"] for view in found if "time_s" not in view] == [5]
    assert main(["memory", "forget", "5", "--config", "headband.toml"]) == 0
    assert main(["memory", "verify", "--config", "headband.toml"]) == 0


def test_where_views_and_pictures_are_lost_export_says_that_it_saves_nothing(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for table in ("views", "pictures"):
        lose(state / DATABASE, pages(state / DATABASE, table)[0])
    assert main(["memory", "export", "out", "--config", "headband.toml"]) == 1
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
    assert main(["memory", "rebuild", "--config", "headband.toml"]) == 1
    assert "left as it is" in capsys.readouterr().err
    assert (state / DATABASE).read_bytes() == before
    assert main(["memory", "export", "out", "--config", "headband.toml"]) == 1
    assert capsys.readouterr().err == f"The picture of view {found['damaged'][0]} is damaged.\n"
    assert len(list(Path("out").glob("*.jpg"))) == 9

"""`headband memory` tells of a store that a headband has left."""

from __future__ import annotations

import ctypes
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from host.app.open_board import open_board
from host.cli.memory.opened import GONE, NOTHING
from host.config import BoardConfig, MemoryConfig
from host.memory.key import CODE, DATABASE, new_or_known_key
from host.memory.store import MemoryStore
from host.memory.things import SeenThing, Spot
from host.memory.values import Moment, NewView
from hw.linux.system_clock import SystemClock, boot_id
from models.brick import Context, Phrase
from models.pack.catalogue import load_pack
from tests.host.cli.memory.command import memory
from tests.host.memory.bench import begun

ROOT = Path(__file__).parents[4]


def test_without_a_memory_every_action_says_so(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert memory(state, "status") == 0 and capsys.readouterr().out == f"{NOTHING}\n"
    for action in (["verify"], ["rebuild"], ["show", "1"], ["search", "keys"], ["forget", "3"]):
        assert memory(state, *action) == 2
        assert capsys.readouterr().err == f"{NOTHING}\n"
    assert list(state.iterdir()) == []


def bound_by_permissions() -> None:
    """Takes root's right to write to any file from this process and what it executes."""
    drop_from_bounding_set, dac_override = 24, 1
    ctypes.CDLL(None).prctl(drop_from_bounding_set, dac_override, 0, 0, 0)


def test_a_memory_in_a_folder_that_cannot_be_written_is_read_as_it_is(
    state: Path, remembered: list[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    whole = (state / DATABASE).read_bytes()
    words = [sys.executable, "-m", "host", "memory", "status", "--json", "--config", "headband.toml"]
    state.chmod(0o500)
    try:
        told = subprocess.run(
            words, cwd=state.parent, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True,
            text=True, preexec_fn=bound_by_permissions,
        )  # fmt: skip
    finally:
        state.chmod(0o700)
    assert (told.returncode, told.stderr) == (0, "")
    assert json.loads(told.stdout)["memory"]["views"] == 3
    assert (state / DATABASE).read_bytes() == whole


def test_status_show_and_verify_tell_what_is_there(
    state: Path, remembered: list[bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert memory(state, "status", "--json") == 0
    status = json.loads(capsys.readouterr().out)["memory"]
    assert (status["views"], status["kept"], status["unembedded"], status["damaged"]) == (3, 1, 3, 0)
    assert 7190 < status["last_s"] - status["first_s"] < 7210
    assert memory(state, "status") == 0
    assert "3, 1 of them kept" in capsys.readouterr().out
    assert memory(state, "show", "3", "--out", str(tmp_path / "three.jpg")) == 0
    assert "kept as parking" in capsys.readouterr().out
    assert (tmp_path / "three.jpg").read_bytes() == remembered[2]
    assert (tmp_path / "three.jpg").stat().st_mode & 0o077 == 0
    assert memory(state, "show", "9") == 2
    assert capsys.readouterr().err == "There is no view 9.\n"
    assert memory(state, "verify") == 0 and memory(state, "rebuild") == 0


def test_status_tells_after_how_many_blocks_views_were_placed(
    state: Path, remembered: list[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    page = open_board(BoardConfig(), key_file=state / "memory.key").key_page
    assert page is not None
    store = MemoryStore(state / DATABASE, new_or_known_key(page, state), MemoryConfig())
    for number, depth in ((1, 12), (2, 1)):
        store.place(number, np.eye(8, dtype=np.float32)[number], depth, "e")
    store.close()
    assert memory(state, "status") == 0
    assert "placed     1 after 1, 1 after 12 blocks of the encoder\n" in capsys.readouterr().out


def test_activations_are_counted_and_a_damaged_one_is_no_failure(
    state: Path, remembered: list[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    page = open_board(BoardConfig(), key_file=state / "memory.key").key_page
    assert page is not None
    store = MemoryStore(state / DATABASE, new_or_known_key(page, state), MemoryConfig())
    now = Moment(boot_id(), SystemClock().monotonic(), SystemClock().time())
    for number in (1, 2):
        store.add(NewView(now, remembered[0], activation=begun(number)), now)
    store.close()
    assert memory(state, "status") == 0
    assert "begun      2 activations, 0.0 MB of at most 67, from which" in capsys.readouterr().out
    with sqlite3.connect(state / DATABASE) as plain:
        plain.execute("UPDATE activations SET data = zeroblob(90) WHERE view = 4")
    plain.close()
    assert memory(state, "verify") == 0
    told = capsys.readouterr().out
    assert told.startswith("Every view is whole.\ndamaged activations: 1; ")
    assert memory(state, "verify", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "damaged": [], "damaged_activations": [4], "damaged_things": [], "problems": [],
    }  # fmt: skip


def test_things_are_told_and_a_damaged_list_is_no_failure(
    state: Path, remembered: list[bytes], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page = open_board(BoardConfig(), key_file=state / "memory.key").key_page
    assert page is not None
    store = MemoryStore(state / DATABASE, new_or_known_key(page, state), MemoryConfig())
    now = Moment(boot_id(), SystemClock().monotonic(), SystemClock().time())
    for things in ((SeenThing("keys", 0.9, (("red", 1.0),), Spot("hall", "hook")),), ()):
        store.add(NewView(now, remembered[0], things=things), now)
    store.close()
    assert memory(state, "status") == 0
    assert "things     2 views were looked through by the object detector" in capsys.readouterr().out
    for number, said in ((3, "nobody"), (4, "things     keys 90%\n"), (5, "things     none\n")):
        assert memory(state, "show", str(number)) == 0
        assert (said in capsys.readouterr().out) is (number > 3)
    assert memory(state, "show", "4", "--json") == 0
    (shown,) = json.loads(capsys.readouterr().out)["view"]["things"]
    spot = {"place": "hall", "lying": "hook"}
    assert shown == {"name": "keys", "probability": 0.9, "colours": [["red", 1.0]], "spot": spot}
    assert memory(state, "export", str(tmp_path / "out")) == 0
    views = json.loads((tmp_path / "out" / "views.json").read_text())
    assert [len(view["things"]) if "things" in view else None for view in views] == [None, None, None, 1, 0]
    capsys.readouterr()
    with sqlite3.connect(state / DATABASE) as plain:
        plain.execute("UPDATE things SET data = zeroblob(90) WHERE view = 4")
    plain.close()
    assert memory(state, "verify") == 0
    assert "damaged lists of things: 1; " in capsys.readouterr().out


def test_a_number_that_no_view_has_is_bad_input(
    state: Path, remembered: list[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    for action in ("show", "forget"):
        with pytest.raises(SystemExit) as ended:
            memory(state, action, "99999999999999999999")
        assert ended.value.code == 2
        assert "it must be a whole number" in capsys.readouterr().err


@pytest.mark.parametrize(("left", "says"), [(None, GONE), (b"", "is damaged: put it back from a copy")])
def test_who_only_looks_deletes_nothing_where_the_key_is_missing(
    state: Path, remembered: list[bytes], capsys: pytest.CaptureFixture[str], left: bytes | None, says: str
) -> None:
    key, path = (state / "memory.key").read_bytes(), state / "memory.key"
    path.unlink()
    if left is not None:
        path.write_bytes(left)
    for action in ("status", "verify"):
        assert memory(state, action) == 1
        assert says in capsys.readouterr().err
    path.write_bytes(key)
    assert memory(state, "verify") == 0 and (state / CODE).exists()


def test_words_find_the_view_that_lies_nearest(
    state: Path, remembered: list[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    from models.bricks.text import create

    spec = load_pack("micro").bricks["text"]
    tower = create(spec.options, Context())
    tower.load()
    (lamp,) = tower.execute(Phrase("my red lamp"))
    assert lamp.unknown == ("lamp",), "its place says nothing of it"
    keys, cup = (next(iter(tower.execute(Phrase(words)))) for words in ("my keys", "a red cup"))
    page = open_board(BoardConfig(), key_file=state / "memory.key").key_page
    assert page is not None
    store = MemoryStore(state / DATABASE, new_or_known_key(page, state), MemoryConfig())
    store.place(1, cup.vector, 3, cup.encoder)
    store.place(2, keys.vector, 3, keys.encoder)
    store.close()
    assert memory(state, "search", "my keys", "--pack", "micro", "--json") == 0
    found = json.loads(capsys.readouterr().out)["found"]
    assert [each["number"] for each in found] == [2, 1] and found[0]["score"] > 0.99
    assert memory(state, "search", "my keys", "--pack", "micro", "--last", "30m") == 0
    assert capsys.readouterr().out == "Nothing that was placed by this pack's encoder.\n"

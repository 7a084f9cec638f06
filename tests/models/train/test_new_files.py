"""Files of an export that are replaced together: nothing of an earlier one stays, nothing is mixed."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from models.pack.catalogue import seal
from models.train.new_files import moved_in, moved_whole, replaced
from models.train.pack import PACK, Incomplete, add_part, chain_files

CHAIN = ("stem.onnx", "group_01.onnx", "rows.onnx")


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_has_nothing_of_a_larger_one_before(tmp_path: Path) -> None:
    folder = tmp_path / "reflex"
    for files in (("front", "layer_1", "layer_2"), ("front", "layer_1")):
        with replaced(folder) as unfinished:
            for name in files:
                (unfinished / name).write_text(str(len(files)))
    assert _names(folder) == ["front", "layer_1"] and _names(tmp_path) == ["reflex"]
    assert {path.read_text() for path in folder.iterdir()} == {"2"}


def test_a_folder_stays_as_it_was_where_the_work_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "reflex"
    folder.mkdir()
    (folder / "front").write_text("earlier")
    with pytest.raises(KeyboardInterrupt), replaced(folder):
        raise KeyboardInterrupt
    assert (folder / "front").read_text() == "earlier" and _names(tmp_path) == ["reflex"]

    def renamed_once(source: Path, target: Path) -> None:
        monkeypatch.undo()
        os.rename(source, target)
        monkeypatch.setattr(os, "rename", _no_power)

    monkeypatch.setattr(os, "rename", renamed_once)
    with pytest.raises(OSError, match="no power"), replaced(folder) as unfinished:
        (unfinished / "front").write_text("new")
    monkeypatch.undo()
    assert not folder.exists()
    with pytest.raises(KeyboardInterrupt), replaced(folder):
        raise KeyboardInterrupt
    assert (folder / "front").read_text() == "earlier"


def _no_power(*_: object) -> None:
    raise OSError("no power")


def _exported(out: Path, names: tuple[str, ...], text: str) -> None:
    with moved_in(out, "vision") as unfinished:
        (unfinished / "vision").mkdir()
        for name in names:
            (unfinished / "vision" / name).write_text(text)
        (unfinished / "decoder.gguf").write_text(text)


def test_an_eye_has_no_blocks_of_a_deeper_one_before_and_others_files_stay(tmp_path: Path) -> None:
    _exported(tmp_path, (*CHAIN, "group_02.onnx", "exit_02.onnx"), "deep")
    (tmp_path / "last.pt").touch()
    _exported(tmp_path, CHAIN, "shallow")
    assert list(chain_files(tmp_path)) == ["stem", "group_01", "rows"]
    assert _names(tmp_path) == ["decoder.gguf", "last.pt", "vision"]
    assert (tmp_path / "decoder.gguf").read_text() == "shallow"


def test_of_an_export_that_was_cut_midway_no_pack_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _exported(tmp_path, CHAIN, "first")
    monkeypatch.setattr(os, "replace", _no_power)
    with pytest.raises(OSError, match="no power"):
        _exported(tmp_path, CHAIN, "second")
    monkeypatch.undo()
    assert not moved_whole(tmp_path)
    with pytest.raises(Incomplete, match="mixture of two exports"):
        chain_files(tmp_path)
    _exported(tmp_path, CHAIN, "third")
    assert list(chain_files(tmp_path)) == ["stem", "group_01", "rows"]


def test_a_brick_in_a_pack_has_no_layers_of_a_deeper_one_before(tmp_path: Path) -> None:
    """`--from PACK` counts the layers by their files."""
    out, mine = tmp_path / "pack", tmp_path / "mine"
    shutil.copytree(PACK, out)
    shutil.copytree(PACK / "reflex", mine / "reflex")
    tables = re.split(r"(?m)^(?=\[)", (out / "pack.toml").read_text(encoding="utf-8"))
    own = re.compile(r'\[brick\.reflex[.\]]|\[\[file\]\]\s+path = "reflex/')
    (mine / "reflex" / "brick.toml").write_text("".join(table for table in tables if own.match(table)))
    (out / "reflex" / "layer_9.onnx").write_bytes(b"deep")
    listed = '[[file]]\npath = "reflex/layer_9.onnx"\nsize = 0\nsha256 = ""\nlicence = "MIT"\n\n'
    at = next(number for number, table in enumerate(tables) if table.startswith("[[file]]"))
    (out / "pack.toml").write_text("".join([*tables[:at], listed, *tables[at:]]), encoding="utf-8")
    seal(out)
    add_part(out, "reflex", mine)
    assert not (out / "reflex" / "layer_9.onnx").exists() and (out / "reflex" / "layer_1.onnx").exists()

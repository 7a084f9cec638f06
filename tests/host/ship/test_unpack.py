"""Wheels are unpacked as the format says, and nowhere else."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from host.ship.unpack import BadWheel, is_left_out, unpack


def wheel(folder: Path, *names: str, mode: int = 0o644) -> Path:
    path = folder / "a-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            member = zipfile.ZipInfo(name)
            member.external_attr = (0o100000 | mode) << 16
            archive.writestr(member, name)
    return path


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    (tmp_path / "venv/lib/python3.11/site-packages").mkdir(parents=True)
    return tmp_path / "venv"


def test_each_part_of_a_wheel_goes_where_it_belongs(tmp_path: Path, venv: Path) -> None:
    names = ("a/b.py", "a-1.data/purelib/c.py", "a-1.data/data/share/d", "a-1.data/scripts/e")
    unpack(wheel(tmp_path, *names, mode=0o755), venv)
    found = {path.relative_to(venv).as_posix() for path in venv.rglob("*") if path.is_file()}
    site = "lib/python3.11/site-packages"
    assert found == {f"{site}/a/b.py", f"{site}/c.py", "share/d", "bin/e"}
    assert (venv / "bin/e").stat().st_mode & 0o111 and (venv / site / "a/b.py").read_text() == "a/b.py"


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "a-1.data/elsewhere/x", "a-1.data/data/../../x"])
def test_a_wheel_that_would_write_elsewhere_is_refused(tmp_path: Path, venv: Path, name: str) -> None:
    with pytest.raises(BadWheel):
        unpack(wheel(tmp_path, name), venv)
    assert not list(tmp_path.rglob("x"))


def test_files_that_are_left_out_are_not_unpacked(tmp_path: Path, venv: Path) -> None:
    names = ("a/__init__.py", "a/tests/b.py", "a-1.data/purelib/c/tests/d.py", "a-1.data/data/share/e")
    unpack(wheel(tmp_path, *names), venv, lambda path: is_left_out(path, ("*/tests/*", "share/*"), ()))
    found = {path.name for path in venv.rglob("*") if path.is_file()}
    assert found == {"__init__.py", "e"}, "a pattern is of a path in site-packages"

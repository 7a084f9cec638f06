"""Wheels are unpacked as the format says, and nowhere else."""

from __future__ import annotations

import zipfile
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.ship.unpack import SCHEMES, BadWheel, is_left_out, unpack


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


@pytest.mark.parametrize(
    "name",
    [
        "../x", "/x", "a/../../x", "a-1.data/elsewhere/x", "a-1.data/data/../../x",
        "a-1.data/scripts/../../x", "a-1.data/../x", "a-1.data/headers/x",
    ],
)  # fmt: skip
def test_a_wheel_that_would_write_elsewhere_is_refused(tmp_path: Path, venv: Path, name: str) -> None:
    with pytest.raises(BadWheel):
        unpack(wheel(tmp_path, name), venv)
    assert not list(tmp_path.rglob("x"))


def test_files_that_are_left_out_are_not_unpacked(tmp_path: Path, venv: Path) -> None:
    names = ("a/__init__.py", "a/tests/b.py", "a-1.data/purelib/c/tests/d.py", "a-1.data/data/share/e")
    unpack(wheel(tmp_path, *names), venv, lambda path: is_left_out(path, ("*/tests/*", "share/*"), ()))
    found = {path.name for path in venv.rglob("*") if path.is_file()}
    assert found == {"__init__.py", "e"}, "a pattern is of a path in site-packages"


@pytest.mark.parametrize(
    "name",
    [
        "a-1.data/scripts/python3",
        "a-1.data/data/bin/python3",
        "a-1.data/data/bin/python3/x",
        "a-1.data/data/lib64/python3.11/site-packages/x",
        "a-1.data/data/lib64",
        "a-1.data/data/bin/../bin/python3",
    ],
)
def test_nothing_is_written_through_the_environments_links(tmp_path: Path, venv: Path, name: str) -> None:
    """As `python -m venv` makes them: `bin/python3` leads to the system's interpreter, `lib64` to `lib`."""
    system = tmp_path / "usr-bin-python3"
    system.write_text("the system's")
    (venv / "bin").mkdir()
    (venv / "bin/python3").symlink_to(system)
    (venv / "lib64").symlink_to("lib")
    with pytest.raises(BadWheel):
        unpack(wheel(tmp_path, name), venv)
    assert system.read_text() == "the system's" and (venv / "lib64").readlink() == Path("lib")
    assert not list(venv.rglob("x"))


def test_an_absolute_path_in_a_data_folder_stays_in_the_environment(tmp_path: Path, venv: Path) -> None:
    outside = tmp_path / "outside"
    for number, scheme in enumerate(SCHEMES):
        unpack(wheel(tmp_path, f"a-1.data/{scheme}/{outside}/{number}"), venv)
    assert not outside.exists() and len([path for path in venv.rglob("[0-3]") if path.is_file()]) == 4


def test_a_wheel_does_not_replace_what_another_brought(tmp_path: Path, venv: Path) -> None:
    unpack(wheel(tmp_path, "a/__init__.py"), venv)
    with pytest.raises(BadWheel, match="there already"):
        unpack(wheel(tmp_path, "b.py", "a-1.data/purelib/a/__init__.py"), venv)


@given(
    st.lists(st.sampled_from(["..", ".", "", "a", "bin", "python3", "lib64", "x.data", *SCHEMES]), min_size=1)
)
def test_whatever_a_wheel_names_nothing_outside_the_environment_changes(parts: list[str]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        env = folder / "venv"
        (env / "lib/python3.11/site-packages").mkdir(parents=True)
        (env / "bin").mkdir()
        (folder / "system").write_text("the system's")
        (env / "bin/python3").symlink_to(folder / "system")
        (env / "lib64").symlink_to("lib")
        made = wheel(folder, f"x.data/{'/'.join(parts)}", "/".join(parts))
        with suppress(BadWheel):
            unpack(made, env)
        assert {path.name for path in folder.iterdir()} == {"venv", "system", made.name}
        assert (folder / "system").read_text() == "the system's"
        assert (env / "bin/python3").is_symlink() and (env / "lib64").is_symlink()

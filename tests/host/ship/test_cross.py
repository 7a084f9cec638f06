"""Runtimes that are compiled for a headband need no symbol that its Debian lacks."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from host.ship import cross
from host.ship.release import Environment, ReleaseFile
from host.ship.wheelhouse import with_runtimes

ITEM = ReleaseFile(Path("x"), "0" * 64, 1)
SOURCE = Environment({"a.whl": ITEM}, {"pip-1.whl": ITEM, "cmake.whl": ITEM}, {"llama.tar.gz": ITEM}, "how")


@pytest.mark.parametrize(
    ("symbols", "says"),
    [
        (b"GLIBC_2.17\0GLIBC_2.36\0GLIBCXX_3.4.30\0", None),
        (b"GLIBC_2.38\0", "a/b.so.1 wants GLIBC_2.38"),
        (b"GLIBCXX_3.4.31\0", "a/b.so.1 wants GLIBCXX_3.4.31"),
    ],
)
def test_a_library_newer_than_the_headbands_is_found(
    tmp_path: Path, symbols: bytes, says: str | None
) -> None:
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as archive:
        archive.writestr("a/b.so.1", b"\x7fELF\0" + symbols)
        archive.writestr("a/notes.txt", "GLIBC_2.99")
    assert cross.too_new_symbol(tmp_path / "a.whl") == says


def test_what_can_be_compiled_here_is_not_compiled_there(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(cross, "missing_requirement", lambda: None)
    monkeypatch.setattr(cross, "cross_wheels", lambda say, sources: {"llama.whl": ITEM})
    made = with_runtimes(SOURCE, said.append)
    assert (set(made.wheels), set(made.build), made.sources) == ({"a.whl", "llama.whl"}, set(), {})
    assert said == []


def test_without_a_cross_compiler_the_headband_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setenv("PATH", "/nowhere")
    assert with_runtimes(SOURCE, said.append) is SOURCE
    assert said[0].startswith("the two runtimes are compiled on the headband, because here ")

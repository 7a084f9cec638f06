"""Runtimes that are compiled for a headband are for its Python, and need no symbol that its Debian lacks."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from host.ship.release import Environment, ReleaseFile
from host.ship.wheels import cross
from host.ship.wheels.debian import DEBIANS, Debian
from host.ship.wheels.interpreter import find_interpreter
from host.ship.wheels.wheelhouse import with_runtimes

OLD, NEW = DEBIANS
ITEM = ReleaseFile(Path("x"), "0" * 64, 1)
SOURCE = Environment({"a.whl": ITEM}, {"pip-1.whl": ITEM, "cmake.whl": ITEM}, {"llama.tar.gz": ITEM}, "how")


@pytest.mark.parametrize(
    ("symbols", "debian", "says"),
    [
        (b"GLIBC_2.17\0GLIBC_2.36\0GLIBCXX_3.4.30\0", OLD, None),
        (b"GLIBC_2.38\0", OLD, "a/b.so.1 wants GLIBC_2.38"),
        (b"GLIBC_2.38\0GLIBCXX_3.4.33\0", NEW, None),
        (b"GLIBCXX_3.4.31\0", OLD, "a/b.so.1 wants GLIBCXX_3.4.31"),
    ],
)
def test_a_library_newer_than_the_headbands_is_found(
    tmp_path: Path, symbols: bytes, debian: Debian, says: str | None
) -> None:
    wheel = tmp_path / "a-1-py3-none-linux_aarch64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("a/b.so.1", b"\x7fELF\0" + symbols)
        archive.writestr("a/notes.txt", "GLIBC_2.99")
    assert cross.unfit(wheel, debian) == says


def test_a_wheel_of_another_python_is_found(tmp_path: Path) -> None:
    wheel = tmp_path / "pywhispercpp-1-cp311-cp311-linux_aarch64.whl"
    zipfile.ZipFile(wheel, "w").close()
    assert (cross.unfit(wheel, OLD), cross.unfit(wheel, NEW)) == (None, "it is for cp311")


def test_one_wheel_of_llama_cpp_serves_every_python_and_one_of_whisper_cpp_does_not(tmp_path: Path) -> None:
    for name in ("llama_cpp_python-1.tar.gz", "pywhispercpp-1.tar.gz"):
        (tmp_path / name).write_bytes(b"source")
    llama, whisper = (
        {cross.wheel_folder(path, each) for each in DEBIANS} for path in sorted(tmp_path.iterdir())
    )
    assert (len(llama), len(whisper)) == (1, 2)


def test_a_python_that_does_not_run_or_has_no_headers_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "include/pyconfig.h"
    config.parent.mkdir()
    for folder, script in (
        ("shim", "exit 127"),
        ("bare", f"printf '%s\\n' {tmp_path}/none.h None"),
        ("whole", f"printf '%s\\n' {config} None"),
    ):
        (tmp_path / folder).mkdir()
        program = tmp_path / folder / "python9.9"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", ":".join(str(tmp_path / name) for name in ("none", "shim", "bare", "whole")))
    assert find_interpreter("9.9") is None
    config.touch()
    found = find_interpreter("9.9")
    assert found is not None and (found.program.parent.name, found.config) == ("whole", config)
    assert find_interpreter("9.8") is None


def test_what_can_be_compiled_here_is_not_compiled_there(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(cross, "missing_requirement", lambda debian: None)
    monkeypatch.setattr(cross, "cross_wheels", lambda say, sources, debian: {"llama.whl": ITEM})
    made = with_runtimes(SOURCE, said.append)
    assert (set(made.wheels), set(made.build), made.sources) == ({"a.whl", "llama.whl"}, set(), {})
    assert said == []


def test_without_a_cross_compiler_the_headband_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setenv("PATH", "/nowhere")
    assert with_runtimes(SOURCE, said.append) is SOURCE
    assert said[0].startswith("the two runtimes are compiled on the headband, because here ")

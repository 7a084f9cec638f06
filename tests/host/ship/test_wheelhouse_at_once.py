"""Two deploys from one computer, whose checkouts share the cache."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from host.ship.wheels import cross, wheelhouse
from host.ship.wheels.debian import Debian


def test_two_that_fetch_at_once_do_not_take_each_others_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def download(lock: str, folder: Path, words: list[str]) -> None:
        time.sleep(0.05)
        (folder / "a.whl").write_bytes(lock.encode())

    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path))
    monkeypatch.setattr(wheelhouse, "download", download)
    said: list[str] = []
    with ThreadPoolExecutor(2) as both:
        made = [both.submit(wheelhouse.wheelhouse, said.append, "x86_64") for _ in range(2)]
        assert [list(each.result().wheels) for each in made] == [["a.whl"]] * 2
    assert any("another deploy here is making" in line for line in said)


def test_of_two_that_compile_at_once_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "pywhispercpp-1.tar.gz"
    source.touch()
    compiled: list[Path] = []

    def compile_slowly(source: Path, build: Path, wheels: Path, debian: Debian) -> None:
        compiled.append(source)
        time.sleep(0.05)
        (wheels / "a-1-py3-none-any.whl").write_bytes(b"PK\x05\x06" + bytes(18))

    monkeypatch.setenv("HEADBAND_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cross, "_compile", compile_slowly)
    with ThreadPoolExecutor(2) as both:
        made = [both.submit(cross.cross_wheels, lambda text: None, [source]) for _ in range(2)]
        assert [list(each.result()) for each in made] == [["a-1-py3-none-any.whl"]] * 2
    assert compiled == [source]

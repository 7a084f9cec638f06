"""The commands that damage the virtual board's files, in a folder here."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from typing import cast

from tests.virtual import repair
from tests.virtual.machine import Machine


class Here:
    """Runs the board's commands on this computer."""

    def call(self, command: str) -> subprocess.CompletedProcess[str]:
        command = command.replace("python3", sys.executable, 1)
        return subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)


def test_a_flip_changes_one_bit_of_every_link(tmp_path: Path) -> None:
    one, two = tmp_path / "a file", tmp_path / "two"
    one.write_bytes(b"12345")
    two.hardlink_to(one)
    machine = cast("Machine", Here())
    repair.flip(machine, str(one))
    assert one.read_bytes() == two.read_bytes() == b"12245"
    assert repair.contents(machine, {"it": str(one)}) == {"it": hashlib.sha256(b"12245").hexdigest()}


def test_the_doctors_sentence_is_read() -> None:
    files = {kind: f"/opt/{kind}/{number}.py" for number, kind in enumerate(repair.DOCTOR_READS)}
    assert repair.named("release r, damaged on the disk: host/1.py and more", files) == ["a compiled file"]
    assert set(repair.DOCTOR_READS) < set(repair.KINDS)

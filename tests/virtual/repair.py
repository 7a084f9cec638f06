"""Bits that flip on the virtual board's disk, for the next deploy to repair."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from tests.virtual.machine import Machine

OPT = "/opt/headband"
KINDS = {
    "a file of the release": f"ls {OPT}/current/LICENSE",
    "a compiled file": f"ls {OPT}/current/host/cli/__pycache__/forget.*.pyc",
    "the weights": f"ls {OPT}/current/models/packs/micro/decoder.gguf",
    "the environment": f"ls {OPT}/current/venv/lib/python3*/site-packages/numpy-*.dist-info/METADATA",
    "a stored wheel": f"find {OPT}/store -type f -links 1 | head -n 1",
    "the rules for devices": "ls /etc/udev/rules.d/70-headband.rules",
    "the rule for the I2C bus": "ls /etc/udev/rules.d/71-headband-i2c.rules",
    "the manifest": f"ls {OPT}/current/manifest.json",
}
"""Kind of file -> command that prints the path of one. None of them keeps the doctor from starting."""
DOCTOR_READS = ("a file of the release", "a compiled file", "the weights", "the environment")
FLIP = """
import sys
with open(sys.argv[1], "r+b") as file:
    content = file.read()
    file.seek(len(content) // 2)
    file.write(bytes([content[len(content) // 2] ^ 1]))
"""


def paths(machine: Machine) -> dict[str, str]:
    """Kind of file -> path of one on the board, by which the board knows it."""
    return {kind: machine.call(command).stdout.splitlines()[0] for kind, command in KINDS.items()}


def flip(machine: Machine, path: str) -> None:
    """Flips a bit in the middle of a file, in place: in each of its hard links."""
    machine.call(f"python3 -c {shlex.quote(FLIP)} {shlex.quote(path)} && sync")


def contents(machine: Machine, files: Mapping[str, str]) -> dict[str, str]:
    """Kind of file -> SHA-256 of the file at its path."""
    return {
        kind: machine.call(f"sha256sum {shlex.quote(path)}").stdout.split()[0] for kind, path in files.items()
    }


def named(finding: str, files: Mapping[str, str]) -> list[str]:
    """The kinds of files that the doctor's sentence names."""
    return [kind for kind, path in files.items() if Path(path).name in finding]

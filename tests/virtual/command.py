"""Programs that build the virtual board."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.virtual.machine import VirtualBoardError

APT = ("apt-get", "-o", "Acquire::Retries=5")
"""Asks a mirror again that did not answer."""


def run(*words: object) -> str:
    """What it said. Raises `VirtualBoardError` with the last of that when it fails."""
    done = subprocess.run(
        [str(word) for word in words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        last = "".join(f"\n  | {line}" for line in done.stdout.splitlines()[-12:])
        raise VirtualBoardError(f"{words[0]} failed:{last}")
    return done.stdout


def run_inside(tree: Path, *words: object) -> str:
    """The same for a program of that Debian, under QEMU's user mode."""
    return run("chroot", tree, "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C", *words)

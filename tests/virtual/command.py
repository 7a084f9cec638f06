"""Programs that build the virtual board."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.virtual.machine import VirtualBoardError

APT = ("apt-get", "-o", "Acquire::Retries=5")
"""Asks a mirror again that did not answer."""


SBIN = "/usr/sbin:/sbin"
"""Where Debian keeps some of them, and where a short PATH does not look."""


def search_path() -> str:
    """Where programs are looked for."""
    return f"{os.environ.get('PATH', '')}{os.pathsep}{SBIN}"


def run(*words: object) -> str:
    """What it said. Raises `VirtualBoardError` with the last of that when it fails."""
    done = subprocess.run(
        [str(word) for word in words],
        env={**os.environ, "PATH": search_path()},
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

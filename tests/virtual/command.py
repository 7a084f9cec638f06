"""Programs that build the virtual board."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.virtual.machine import VirtualBoardError

APT = ("apt-get", "-o", "Acquire::Retries=5")
"""Options that repeat a download from a mirror that did not answer."""


SBIN = "/usr/sbin:/sbin"
"""Folders where Debian installs some of the programs, which a short PATH lacks."""


def search_path() -> str:
    """The PATH to search for programs."""
    return f"{os.environ.get('PATH', '')}{os.pathsep}{SBIN}"


def run(*words: object) -> str:
    """Runs a program and returns its output. Raises `VirtualBoardError`, with the last lines, when
    it fails.
    """
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
    """As `run`, for a program of that Debian under QEMU's user mode."""
    return run("chroot", tree, "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C", *words)

"""Programs that a deploy runs on the headband's computer. Sent there: standard library only."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path


class DeployRefused(Exception):
    """The deploy can't go on; the text is for the person."""


def say(text: str) -> None:
    """A line for the person who deploys."""
    print(text, flush=True)


def run(*words: object, **environment: str) -> None:
    """Raises `DeployRefused` with the last words of a program that failed."""
    done = subprocess.run(
        [str(word) for word in words], env={**os.environ, **environment}, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
    )  # fmt: skip
    if done.returncode:
        last = "".join(f"\n  | {line}" for line in done.stdout.splitlines()[-12:])
        raise DeployRefused(f"{Path(str(words[0])).name} failed on the headband, which is as it was:{last}")


def check_compiler() -> None:
    """Raises `DeployRefused` where Python packages can't be compiled."""
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.exists() or not shutil.which("c++") or not shutil.which("cc"):
        raise DeployRefused(
            "The headband lacks a compiler for its runtimes: apt install build-essential python3-dev there."
        )

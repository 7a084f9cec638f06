"""Runs programs on the headband's computer during a deploy. Sent there: standard library only."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path


class DeployRefused(Exception):
    """The deploy cannot go on; the text is one sentence for the person."""

    def __init__(self, sentence: str, code: int = 1) -> None:
        """code: the exit status; 2 where what arrived is not what was signed."""
        super().__init__(sentence)
        self.code = code


class ProgramFailed(DeployRefused):
    """A program on the headband ended with an error."""

    def __init__(self, program: str, output: str) -> None:
        """output: its last lines, each after a line break and indented for a person."""
        super().__init__(f"{program} failed on the headband, which is as it was:{output}")
        self.program, self.output = program, output


def say(text: str) -> None:
    """Prints a line for the person who deploys."""
    print(text, flush=True)


def run(*words: object, **environment: str) -> None:
    """Runs a program. Raises `ProgramFailed`, with the last lines of its output, when it fails."""
    done = subprocess.run(
        [str(word) for word in words], env={**os.environ, **environment}, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
    )  # fmt: skip
    if done.returncode:
        last = "".join(f"\n  | {line}" for line in done.stdout.splitlines()[-12:])
        raise ProgramFailed(Path(str(words[0])).name, last)


def check_compiler() -> None:
    """Raises `DeployRefused` where there is no compiler for Python packages."""
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.exists() or not shutil.which("c++") or not shutil.which("cc"):
        raise DeployRefused(
            "The headband lacks a compiler for its runtimes: apt install build-essential python3-dev there."
        )

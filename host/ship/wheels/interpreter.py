"""A Python on this computer that a headband's runtimes are compiled with: of the headband's version."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_ABOUT = (
    "import sys, sysconfig as c; print(c.get_config_h_filename(), c.get_config_var('MULTIARCH'), sep='\\n')"
)


@dataclass(frozen=True)
class Interpreter:
    """A Python with its C headers."""

    program: Path
    config: Path
    """Its pyconfig.h."""


def find_interpreter(version: str) -> Interpreter | None:
    """The running Python if it is of that version (major and minor), else the first on the PATH that is; None
    where there is none with headers.
    """
    if version == f"{sys.version_info[0]}.{sys.version_info[1]}":
        return _asked(Path(sys.executable))
    for folder in os.get_exec_path():
        program = Path(folder, f"python{version}")
        if os.access(program, os.X_OK) and (found := _asked(program)) is not None:
            return found
    return None


def _asked(program: Path) -> Interpreter | None:
    """What that Python says of itself; None where it does not run (a version manager's stand-in for one that
    is switched off), or has no headers.
    """
    try:
        done = subprocess.run([program, "-c", _ABOUT], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = done.stdout.splitlines()
    if done.returncode or len(lines) != 2:
        return None
    config, multiarch = Path(lines[0]), lines[1]
    # Debian's pyconfig.h only includes the one for the processor.
    specific = config.parents[1] / multiarch / config.parent.name / config.name
    found = specific if specific.exists() else config
    return Interpreter(program, found) if found.exists() else None

"""SHA-256 of files, in this process or in one of its own: loading OpenSSL costs a process 4 MiB of memory.

python -m models.pack.sha256 < PATHS     a NUL after each path; prints the sum, or an empty line for an error
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def sha256_of(path: Path) -> str:
    """Hex SHA-256 of a file, read in pieces. Raises OSError."""
    import hashlib

    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def sums_apart(paths: Sequence[Path]) -> dict[Path, str]:
    """Hex SHA-256 of each file that can be read, computed in a child process; empty if the child fails."""
    command = [sys.executable, "-m", "models.pack.sha256"]
    names = b"".join(os.fsencode(path) + b"\0" for path in paths)
    root = Path(__file__).resolve().parents[2]
    try:
        done = subprocess.run(command, input=names, capture_output=True, cwd=root, check=False)
    except OSError:  # no memory for another process, for example
        return {}
    lines = done.stdout.decode().splitlines()
    if done.returncode or len(lines) != len(paths):
        return {}
    return {path: line for path, line in zip(paths, lines, strict=True) if line}


def main() -> int:
    """Command line."""
    for name in sys.stdin.buffer.read().split(b"\0")[:-1]:
        try:
            print(sha256_of(Path(os.fsdecode(name))))
        except OSError:
            print()
    return 0


if __name__ == "__main__":
    sys.exit(main())

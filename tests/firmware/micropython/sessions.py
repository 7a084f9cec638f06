"""The sessions that the tests run on MicroPython, and the files each of them sees."""

from __future__ import annotations

import ast
import json
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from host.flash.image import FirmwareImage, firmware_image
from host.flash.mpy_cross import Compiler, compiler

from .interpreter import Outcome, Session, run
from .portable import Portable, bound, portable

ROOT = Path(__file__).parents[3]
FIRMWARE = ROOT / "firmware"
TESTS = ROOT / "tests" / "firmware"
LIB = Path(__file__).with_name("lib")
AGREED = TESTS / "agreement.py"
BOARD = Path(__file__).with_name("board")
SHARED = ("one half of the shared tests", "the other half")
LIVE, INTERRUPTS = "live", "interrupts"
SILENT, TRACED = "silent sensor", "power trace"
MEMORY, TALKING = "memory", "memory, the console talking"
TWIN = "the loops in plain Python"
AGREEMENT = "agreement"
MACHINE_CODE = "pmu/sound_loops_viper"
_START = "import sys\nsys.path.insert(0, '/lib')\n"
_BUILT_IN = {
    "array", "base64", "binascii", "collections", "errno", "functools", "gc", "io", "json", "math", "re",
    "struct", "sys", "time",
}  # fmt: skip


HELPERS = ("console_bench", "fake_flash", "gauge_cell", "guard_world")
"""What test files beside them share, and MicroPython gets as well."""
_LACKING = {"struct.iter_unpack", "functools.cache", "functools.lru_cache"}


def files(folder: Path, mount: str) -> dict[str, str | bytes]:
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
    if name.startswith("tests.firmware.micropython.board"):
        return True
    if name.startswith("tests.firmware."):
        return name.split(".")[2] in HELPERS
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


def _shared_session(name: str, modules: list[str]) -> Session:
    steps = [_START + "import suite"]
    for module in modules:
        file = shared_tests()[module]
        steps += [f"suite.run({module!r}, {test!r}, {file.functions!r})" for test in file.tests]
    return Session(
        name,
        (*steps, "result = suite.report()"),
        files(LIB, "/lib")
        | files(FIRMWARE, "/lib/firmware")
        | files(BOARD, "/lib/tests/firmware/micropython/board")
        | {f"/lib/{name}.py": file.text for name, file in shared_tests().items()}
        | {f"/lib/tests/firmware/{name}.py": _helper(name) for name in HELPERS},
    )


def _helper(name: str) -> str:
    return portable((TESTS / f"{name}.py").read_text(), importable).text


def _agreement_session() -> Session:
    return Session(
        AGREEMENT,
        (_START + "import json, agreement\nresult = json.dumps({'steps': list(agreement.script())})",),
        files(LIB, "/lib") | files(FIRMWARE, "/lib/firmware") | {"/lib/agreement.py": AGREED.read_text()},
    )


def flash(using: Compiler | None) -> dict[str, str | bytes]:
    """The flash of a board with a confirmed firmware in its first slot, as a deploy writes it. What is
    machine code there stays source, which this interpreter refuses: it runs the twin in plain Python.
    """
    image, source = _image(using), _image(None)
    kept = {name: data for name, data in image.files.items() if not name.startswith(MACHINE_CODE)}
    kept[MACHINE_CODE + ".py"] = source.files[MACHINE_CODE + ".py"]
    return {
        **{f"/slot_a/{name}": data for name, data in kept.items()},
        **image.loader,
        "/slot_a/manifest": image.manifest(1),
        "/slot_a/confirmed": "",
    }


@cache
def _image(using: Compiler | None) -> FirmwareImage:
    return firmware_image(commit="0123abcd", compiler=using)


def board_session(name: str, *steps: str, using: Compiler | None = None) -> Session:
    """Steps that call functions of `board/program.py` on the bench; `using` compiles the firmware before."""
    start = (
        "import sys\nsys.path[:0] = ['', '/rig']\nfrom board import machine, program\n"
        "sys.modules['machine'] = machine\nprogram.prepare()"
    )
    registers = (FIRMWARE / "pmu" / "registers.py").read_text()  # on the board their names are written out
    rig = files(BOARD, "/rig/board") | {"/rig/registers.py": registers}
    return Session(name, (start, *steps), rig | flash(using))


def memory_session(name: str = MEMORY, using: Compiler | None = None) -> Session:
    """Boots, lets the garbage go and reports what is held; `TALKING`: after a line on the console."""
    talk = name == TALKING
    boot = f"program.boot(2_000, {talk})"
    return board_session(name, "program.names()", boot, "pass", "result = program.memory()", using=using)


def twin_session(using: Compiler | None) -> Session:
    """Bytes that the functions of `sound_loops` take, which go once their machine code is there."""
    steps = ("load_loops()", "note_heap(0)", "drop_loops()", "note_heap(1)")
    calls = [call for step in steps for call in (f"program.{step}", "pass")]
    return board_session(TWIN, *calls, "result = program.dropped()", using=using)


def machine_code_bytes(using: Compiler) -> int:
    """Length of the file with the machine code, as it lies on the flash."""
    return len(_image(using).files[MACHINE_CODE + ".mpy"])


def weights_session() -> Session:
    """Bytes that each module adds when imported after those that it needs, then the objects of a `Pmu`."""
    modules = ["loader"] + [f"pmu.{name}" for name in _in_order()]
    steps = ["w = program.Weights()"]
    for module in modules:
        steps += ["w.begin()", f"w.load({module!r})", f"w.end({module!r})"]
    steps += ["w.begin()", "w.construct()", "w.end('objects')", "result = w.report()"]
    return board_session("weights", *steps, using=compiler())


def _in_order() -> list[str]:
    """Modules of the package, each after those that it imports."""
    folder = FIRMWARE / "pmu"
    needs = {}
    for path in folder.glob("*.py"):
        if path.name not in ("__init__.py", "sound_loops_viper.py"):
            found = [
                node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)
            ]
            needs[path.stem] = {
                name
                for node in found
                if node.level
                for name in (node.module, *(each.name for each in node.names))
            } - {None, path.stem}
    known = set(needs)
    graph = {name: {need for need in wanted if need in known} for name, wanted in needs.items()}
    return list(TopologicalSorter(graph).static_order())


@cache
def outcomes() -> dict[str, Outcome]:
    """Everything, run once. Raises `Missing` when there is no interpreter."""
    modules, using = list(shared_tests()), compiler()
    sessions = [
        *(_shared_session(name, modules[half::2]) for half, name in enumerate(SHARED)),
        _agreement_session(),
        board_session(LIVE, "result = program.live()", using=using),
        board_session(INTERRUPTS, "result = program.interrupts()"),
        board_session(SILENT, "result = program.silent()"),
        board_session(TRACED, "result = program.traced()", using=using),
        memory_session(using=using),
        memory_session(TALKING, using=using),
        twin_session(using),
    ]
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


def shared_results() -> dict[str, Any]:
    """What the shared tests report, by "module.test"; raises as `result`."""
    return {test: outcome for half in SHARED for test, outcome in result(half).items()}

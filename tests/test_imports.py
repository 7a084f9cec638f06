"""Arrows between the folders point one way, and the main process imports no model runtime."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("firmware", "host", "hw", "models", "power")
ALLOWED = {
    "host": {"models", "power", "hw"},
    "power": {"hw"},
    "models": set[str](),
    "hw": set[str](),
    "firmware": set[str](),
}
FOR_EVERYONE = {"hw.settings"}
"""The reader of TOML into dataclasses, which knows nothing of what it reads."""
FIRMWARE_USERS = ("hw.pmu", "hw.pmu_usb.console", "hw.emulated")
"""Modules of `hw` that speak the register map, know the firmware's timing, or run the firmware as the
emulated board's other half.
"""
IN_MAIN_PROCESS = {"numpy", "onnxruntime", "pymicro_wakeword"}
NATIVE = {
    "onnxruntime", "numpy", "pymicro_wakeword", "torch", "pywhispercpp", "_pywhispercpp", "llama_cpp",
    "piper", "rknnlite", "soundfile", "soxr", "PIL", "silero_vad", "scipy", "tokenizers", "gpiod", "cv2",
}  # fmt: skip
"""Packages that bring native code: the main process may have three of them, and meets the others only inside
functions.
"""
OUTSIDE_THE_MAIN_PROCESS = (
    "models.bricks",
    "models.train",
    "models.convert",
    "firmware",
    "hw.audio.decode_image",
)


def modules() -> dict[str, Path]:
    found = {}
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def imports(name: str, *, at_module_level: bool) -> Iterator[str]:
    """Absolute names of what the module imports; `at_module_level` leaves out what is inside functions or for
    types only.
    """
    path = MODULES[name]
    pending: list[ast.AST] = [parsed(path)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{origin}.{alias.name}"
                yield inner if inner in MODULES else origin
        elif at_module_level and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            if not at_module_level:
                pending.extend(node.body)
            pending.extend(node.orelse)
        else:
            pending.extend(ast.iter_child_nodes(node))


def top(name: str) -> str:
    return name.split(".")[0]


def inside(name: str, places: tuple[str, ...]) -> bool:
    return any(name == place or name.startswith(place + ".") for place in places)


@pytest.mark.parametrize("folder", FOLDERS)
def test_folders_import_only_downwards(folder: str) -> None:
    wrong = []
    for name in MODULES:
        if top(name) != folder:
            continue
        allowed = ALLOWED[folder] | {folder} | ({"firmware"} if inside(name, FIRMWARE_USERS) else set())
        used = {
            each for each in imports(name, at_module_level=False) if top(each) in (*FOLDERS, "tests")
        } - FOR_EVERYONE
        wrong += [f"{name} imports {each}" for each in used if top(each) not in allowed]
    assert wrong == []


def test_firmware_imports_itself_only_relatively() -> None:
    """On the microcontroller the package is called `pmu`, so an absolute `firmware.pmu` would not be found
    there.
    """
    wrong = [
        name for name in MODULES if top(name) == "firmware" and "from firmware" in MODULES[name].read_text()
    ]
    assert wrong == []


def test_firmware_needs_nothing_that_micropython_lacks() -> None:
    used = {
        top(each)
        for name in MODULES
        if top(name) == "firmware"
        for each in imports(name, at_module_level=False)
    }
    ours = {"firmware", "loader", "pmu"}
    its = set("array binascii gc io json machine math micropython os select struct sys time".split())
    assert used <= ours | its


def test_no_module_imports_itself_in_a_circle() -> None:
    needs = {
        name: {each for each in imports(name, at_module_level=True) if each in MODULES and each != name}
        for name in MODULES
    }
    while True:
        free = {name for name, needed in needs.items() if not needed}
        if not free:
            break
        needs = {name: needed - free for name, needed in needs.items() if name not in free}
    assert needs == {}, "these modules import each other in a circle"


def test_the_main_process_imports_no_model_runtime() -> None:
    wrong = []
    for name in MODULES:
        if inside(name, OUTSIDE_THE_MAIN_PROCESS):
            continue
        used = {top(each) for each in imports(name, at_module_level=True)} & (NATIVE - IN_MAIN_PROCESS)
        wrong += [f"{name} imports {each} at its top" for each in used]
    assert wrong == []


def test_the_main_process_never_reaches_a_brick_at_import() -> None:
    """Transitively: importing `host.cli.main` may load nothing from the folders whose code belongs into other
    processes.
    """
    reached, pending = set(), ["host.cli.main"]
    while pending:
        name = pending.pop()
        if name in reached or name not in MODULES:
            continue
        reached.add(name)
        pending += imports(name, at_module_level=True)
    assert "host.cli.main" in reached
    assert {
        name for name in reached if inside(name, ("models.bricks", "models.train", "models.convert"))
    } <= {"models.train.world.grammar"}

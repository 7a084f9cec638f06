"""Arrows between the folders point one way, and the main process imports no model runtime."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.rooms import BETWEEN_FOLDERS, FOLDERS, MODULES, WITHIN, arrows, imports

MOST_MODULES = 18
"""A folder with more modules should be split."""
FOR_EVERYONE = {"hw.settings"}
"""The reader of TOML into dataclasses, which is independent of their contents."""
FIRMWARE_USERS = ("hw.pmu", "hw.pmu_usb.console_client", "hw.emulated")
"""Modules of `hw` that use the register map or the firmware's timing, or run the firmware for the emulated
board.
"""
IN_MAIN_PROCESS = {"numpy", "onnxruntime", "pymicro_wakeword"}
NATIVE = {
    "onnxruntime", "numpy", "pymicro_wakeword", "torch", "pywhispercpp", "_pywhispercpp", "llama_cpp",
    "piper", "nacl", "rknnlite", "soundfile", "soxr", "PIL", "silero_vad", "scipy", "tokenizers", "gpiod",
    "cv2",
}  # fmt: skip
"""Packages with native code: the main process may import three of them at module level, the others only
inside functions.
"""
WORN = (
    "host.__main__",
    "host.cli.ask_run",
    "host.app.on_script",
    "host.app.on_devices",
    "hw.rk3566.board",
)
"""What `headband run` and `headband demo` import."""
NOT_WORN = {"hashlib", "ssl", "sqlite3", "html", "importlib.metadata", "numpy.ma", "yaml", "hassil"}
"""Modules of half a mebibyte to four, which a start does not need."""
HOST_USERS = (
    "models.train.intents", "models.train.detector.choose", "models.train.reader.choose",
    "models.train.reader.denied", "models.train.sight.evaluate",
)  # fmt: skip
"""The training of the classifier of what is said, which counts words as the application does, and what
chooses and judges by the answers that the application gives.
"""
HW_USERS = ("models.train.sound.people.recordings",)
"""What reads people's recordings as the application reads sound files."""
VALUES = (
    "host.session", "host.states", "power.account.routes", "host.answers.timers", "hw.device",
    "models.caution", "power.policy.plan", "__future__", "collections.abc", "dataclasses", "enum",
    "functools", "math", "types", "typing",
)  # fmt: skip
"""What the session's rules may import: nothing that reads a clock, draws chance, or does input and output."""
OUTSIDE_THE_MAIN_PROCESS = (
    "models.bricks",
    "models.train",
    "models.convert",
    "firmware",
    "hw.audio.decode_image",
    "models.pixels",
)


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
        allowed = (
            BETWEEN_FOLDERS[folder]
            | {folder}
            | ({"firmware"} if inside(name, FIRMWARE_USERS) else set())
            | ({"host"} if inside(name, HOST_USERS) else set())
            | ({"hw"} if inside(name, HW_USERS) else set())
        )
        used = {
            each for each in imports(name, at_module_level=False) if top(each) in (*FOLDERS, "tests")
        } - FOR_EVERYONE
        wrong += [f"{name} imports {each}" for each in used if top(each) not in allowed]
    assert wrong == []


@pytest.mark.parametrize("room", WITHIN)
def test_a_room_imports_only_the_rooms_that_the_table_names(room: str) -> None:
    folder = top(room)
    used = {each for each in arrows()[room] if top(each) == folder}
    assert used <= {f"{folder}.{each}" for each in WITHIN[room].split()}


def test_the_session_imports_values_only() -> None:
    """Its rules are pure: they have no clock, no chance, no files and no tasks."""
    wrong = []
    for name in MODULES:
        if inside(name, ("host.session",)):
            used = {each for each in imports(name, at_module_level=False) if not inside(each, VALUES)}
            wrong += [f"{name} imports {each}" for each in used]
    assert wrong == []


def test_every_room_stands_in_the_table_and_says_what_it_is() -> None:
    assert set(arrows()) - {"host.__main__"} == set(WITHIN)
    for room in WITHIN:
        assert MODULES[room].read_text().startswith('"""'), f"{room} says nothing of itself"


def test_the_table_of_rooms_has_no_circle() -> None:
    needs = {room: {f"{top(room)}.{each}" for each in used.split()} for room, used in WITHIN.items()}
    while free := {room for room, needed in needs.items() if not needed}:
        needs = {room: needed - free for room, needed in needs.items() if room not in free}
    assert needs == {}, "these rooms may import each other in a circle"


def test_no_folder_holds_more_modules_than_one_idea_needs() -> None:
    folders = Counter(path.parent for path in MODULES.values() if path.name != "__init__.py")
    full = {str(folder) for folder, count in folders.items() if count > MOST_MODULES and folder.name != "pmu"}
    assert full == set(), "`firmware/pmu` alone is flat, because packages cost memory on the board"


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
    its = set("array binascii gc io json machine math micropython os rp2 select struct sys time".split())
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
        name
        for name in reached
        if inside(name, ("models.bricks", "models.pixels", "models.train", "models.convert"))
    } <= {"models.train.world.grammar"}


def test_a_start_imports_nothing_large_that_it_does_not_need() -> None:
    code = f"import sys, {', '.join(WORN)}; print(*(sys.modules.keys() & {NOT_WORN}))"
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []

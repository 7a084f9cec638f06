"""Settings and fixtures of all tests."""

import gc
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from models.pack import catalogue as pack

os.environ["HEADBAND_CONFIG"] = ""
"""Tests, and processes that they start, ignore a `headband.toml` in this folder."""


_MEMORY = "/dev/shm"
_ROOM_BYTES = 2 * 1024**3


def _in_memory() -> bool:
    """Whether files can be made and run in a folder in memory."""
    if not os.access(_MEMORY, os.W_OK | os.X_OK) or shutil.disk_usage(_MEMORY).free < _ROOM_BYTES:
        return False
    return not os.statvfs(_MEMORY).f_flag & os.ST_NOEXEC


if "TMPDIR" not in os.environ and _in_memory():  # thousands of small files take seconds on a disk
    os.environ["TMPDIR"] = _MEMORY

hypothesis.settings.register_profile(
    "busy", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("busy")
"""No deadlines, so that tests do not fail on a busy computer."""


def pytest_collectstart() -> None:
    """Collects no garbage meanwhile: what is made stays, and looking through it takes a tenth of the time."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Excludes all objects so far from garbage collection, which the firmware's console requests often."""
    gc.enable()
    gc.collect()
    gc.freeze()


NOT_OURS = ("python", "python3", "python3.11", "pip", "pip3")
"""Programs of the system that a test must not use; its packages are in .venv only."""


@pytest.fixture(autouse=True, scope="session")
def _the_machines_python_is_out_of_reach(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Makes these programs fail on every computer, as they would on one without NumPy."""
    folder = tmp_path_factory.mktemp("not-ours")
    for name in NOT_OURS:
        (folder / name).write_text(
            f'#!/bin/sh\necho "{name} of this machine: use sys.executable" >&2\nexit 97\n'
        )
        (folder / name).chmod(0o755)
    patch = pytest.MonkeyPatch()
    patch.setenv("PATH", str(folder), prepend=os.pathsep)
    yield folder
    patch.undo()


@pytest.fixture(autouse=True, scope="session")
def _the_pack_is_the_shipped_one() -> Iterator[None]:
    """Ignores the pack that the user of this computer has chosen."""
    patch = pytest.MonkeyPatch()
    patch.setattr(pack, "CHOICE", "chosen-pack-of-the-tests")
    yield
    patch.undo()

"""What every test can rely on."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from models.pack import catalogue as pack

os.environ["HEADBAND_CONFIG"] = ""
"""A `headband.toml` that lies in this folder is not for the tests, nor for what they start."""


hypothesis.settings.register_profile(
    "busy", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("busy")
"""A machine that is busy with something else makes no test fail."""


def pytest_collection_finish() -> None:
    """What is loaded by now stays: no collection of garbage, which the firmware asks for with every console,
    need look through it again.
    """
    gc.collect()
    gc.freeze()


NOT_OURS = ("python", "python3", "python3.11", "pip", "pip3")
"""Programs that a test must not take from the machine: what it needs is installed in .venv only."""


@pytest.fixture(autouse=True, scope="session")
def _the_machines_python_is_out_of_reach(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What a test starts by such a name fails on every machine, as it would on one without NumPy."""
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
    """Whatever pack the person at this machine has chosen."""
    patch = pytest.MonkeyPatch()
    patch.setattr(pack, "CHOICE", "chosen-pack-of-the-tests")
    yield
    patch.undo()

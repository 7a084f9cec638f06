"""What every test can rely on."""

import gc
import os
from collections.abc import Iterator

import pytest

from models import pack

os.environ["HEADBAND_CONFIG"] = ""
"""A `headband.toml` that lies in this folder is not for the tests, nor for what they start."""


def pytest_collection_finish() -> None:
    """What is loaded by now stays: no collection of garbage, which the firmware asks for with every console,
    need look through it again.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _the_pack_is_the_shipped_one() -> Iterator[None]:
    """Whatever pack the person at this machine has chosen."""
    patch = pytest.MonkeyPatch()
    patch.setattr(pack, "CHOICE", "chosen-pack-of-the-tests")
    yield
    patch.undo()

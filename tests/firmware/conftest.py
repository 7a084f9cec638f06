"""The firmware collects garbage when its console loads; what other tests left in memory is not looked through
each time, neither in this folder nor where its conftest takes this fixture.
"""

from __future__ import annotations

import gc

import pytest


@pytest.fixture(autouse=True, scope="module")
def _nothing_of_before_is_collected() -> None:
    """It stays so: to look through all that was there before takes every later collection a second."""
    gc.collect(1)
    gc.freeze()

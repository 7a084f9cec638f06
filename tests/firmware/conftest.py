"""The firmware collects garbage when its console loads; what other tests left in memory is not looked through
each time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def _nothing_of_before_is_collected() -> Iterator[None]:
    gc.freeze()
    yield
    gc.unfreeze()

"""Fixtures of the tests of packs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.models.install.misbehaving_hub import Hub
from tests.models.install.packs_bench import ship, small_hub


@pytest.fixture
def hub() -> Iterator[Hub]:
    """A hub with all files of the pack "small"."""
    with small_hub() as hub:
        yield hub


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program's folder of manifests, with the pack "small", and an empty cache folder."""
    return ship(tmp_path, monkeypatch)

"""Fixtures of the tests of the application."""

import pytest

from tests.kept_fork_server import KeptForkServer


@pytest.fixture(autouse=True)
def _the_fork_server_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Saves each scene the import of the runtimes; `tests/models/process` shows how servers start and end."""
    monkeypatch.setattr("models.process.bricks.ForkServer", KeptForkServer)

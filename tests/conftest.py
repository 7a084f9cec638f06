"""What every test can rely on."""

from collections.abc import Iterator

import pytest

from models import pack


@pytest.fixture(autouse=True, scope="session")
def _the_pack_is_the_shipped_one() -> Iterator[None]:
    """Whatever pack the person at this machine has chosen."""
    patch = pytest.MonkeyPatch()
    patch.setattr(pack, "CHOICE", "chosen-pack-of-the-tests")
    yield
    patch.undo()

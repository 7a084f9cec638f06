"""The key is made once, lost or destroyed as a whole, and a fault of the PMU deletes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from host.config import MemoryConfig
from host.memory.database import files
from host.memory.key import CODE, DATABASE, forget_everything, is_lost, known_key, new_or_known_key
from host.memory.store import MemoryStore
from host.memory.values import MemoryProblem
from hw.device import DeviceError
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.emulated.bus import Fault
from hw.emulated.clock import FakeClock
from hw.key_page import KeyPage
from tests.host.memory.bench import at, view


@pytest.fixture
def board(tmp_path: Path) -> EmulatedBoard:
    (tmp_path / "sys").mkdir()
    return emulated_board(clock=FakeClock(), sysfs_root=tmp_path / "sys")


def page_of(board: EmulatedBoard) -> KeyPage:
    assert board.key_page is not None
    return board.key_page


def remembered(folder: Path, key: bytes) -> None:
    store = MemoryStore(folder / DATABASE, key, MemoryConfig())
    store.add(view(1), at(1))
    store.close()


def test_the_key_is_the_same_until_everything_is_forgotten(board: EmulatedBoard, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    assert known_key(page_of(board), folder) is None
    key = new_or_known_key(page_of(board), folder)
    assert new_or_known_key(page_of(board), folder) == known_key(page_of(board), folder) == key
    assert (folder / CODE).stat().st_mode & 0o077 == 0
    remembered(folder, key)
    assert not any(key in path.read_bytes() for path in folder.iterdir())
    forget_everything(page_of(board), folder)
    assert list(folder.iterdir()) == [] and known_key(page_of(board), folder) is None
    assert new_or_known_key(page_of(board), folder) != key


def test_the_key_goes_first(board: EmulatedBoard, tmp_path: Path) -> None:
    page, folder = page_of(board), tmp_path / "state"
    remembered(folder, new_or_known_key(page, folder))
    order = []

    class Watched:
        def __getattr__(self, name: str) -> object:
            order.append((name, bool(files(folder / DATABASE))))
            return getattr(page, name)

    forget_everything(Watched(), folder)  # type: ignore[arg-type]
    assert order == [("destroy", True)] and not files(folder / DATABASE)


def test_rows_of_a_lost_key_are_deleted_at_the_next_start(board: EmulatedBoard, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    remembered(folder, new_or_known_key(page_of(board), folder))
    page_of(board).destroy()  # and the power goes before the rows are deleted
    assert is_lost(page_of(board), folder)
    assert known_key(page_of(board), folder) is None
    assert list(folder.iterdir()) == [] and not is_lost(page_of(board), folder)


def test_a_silent_pmu_deletes_nothing(board: EmulatedBoard, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    key = new_or_known_key(page_of(board), folder)
    remembered(folder, key)
    board.bus.inject(Fault.NAK)
    for ask in (known_key, is_lost, new_or_known_key, forget_everything):
        with pytest.raises(MemoryProblem, match=r"key page can't be used.*\.$"):
            ask(page_of(board), folder)
    board.bus.inject(None)
    assert known_key(page_of(board), folder) == key and files(folder / DATABASE)


def test_another_headbands_key_is_not_touched(board: EmulatedBoard, tmp_path: Path) -> None:
    new_or_known_key(page_of(board), tmp_path / "one")
    with pytest.raises(MemoryProblem, match="another headband's memory"):
        new_or_known_key(page_of(board), tmp_path / "other")
    with pytest.raises(MemoryProblem, match="another headband's"):
        known_key(page_of(board), tmp_path / "other")


def test_a_folder_that_cannot_be_written_is_one_sentence(board: EmulatedBoard, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MemoryProblem, match="can't be kept in"):
        new_or_known_key(page_of(board), tmp_path / "file")

    class Broken:
        def present(self) -> bool:
            return False

        def keep(self, code: bytes, key: bytes) -> None:
            raise DeviceError("The flash is worn.")

    with pytest.raises(MemoryProblem, match="The flash is worn"):
        new_or_known_key(Broken(), tmp_path / "state")  # type: ignore[arg-type]

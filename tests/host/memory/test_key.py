"""The key is made once, lost or destroyed as a whole, and a fault of the PMU deletes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware.pmu.key_page import record_of
from host.app.open_board import open_board
from host.config import BoardConfig, BoardKind, MemoryConfig
from host.memory.files import files
from host.memory.key import CODE, DATABASE, KEEPER, forget_everything, is_lost, known_key, new_or_known_key
from host.memory.store import MemoryStore
from host.memory.values import MemoryProblem, NotHere
from hw.device import DeviceError
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.emulated.bus import Fault
from hw.emulated.clock import FakeClock
from hw.key_file import FileKeyPage
from hw.key_page import Keeper, KeyPage
from tests.host.memory.bench import at, view


@pytest.fixture
def board(tmp_path: Path) -> EmulatedBoard:
    (tmp_path / "sys").mkdir()
    return emulated_board(clock=FakeClock(), sysfs_root=tmp_path / "sys")


def page_on(kind: BoardKind, folder: Path) -> KeyPage:
    page = open_board(BoardConfig(kind), key_file=folder / "memory.key").key_page
    assert page is not None
    return page


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
        keeper = page.keeper

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


def test_another_key_in_a_file_is_not_said_to_be_in_the_microcontroller(tmp_path: Path) -> None:
    new_or_known_key(FileKeyPage(tmp_path / "memory.key"), tmp_path / "one")
    with pytest.raises(MemoryProblem, match="memory's key file here holds the key of another headband"):
        new_or_known_key(FileKeyPage(tmp_path / "memory.key"), tmp_path / "other")


@pytest.mark.parametrize("damage", [None, b"", b"no code"])
def test_a_code_that_is_gone_is_to_be_put_back(
    board: EmulatedBoard, tmp_path: Path, damage: bytes | None
) -> None:
    """With it all is there again, so nobody is told to destroy the key of another headband."""
    folder = tmp_path / "state"
    key = new_or_known_key(page_of(board), folder)
    remembered(folder, key)
    code = (folder / CODE).read_bytes()
    (folder / CODE).unlink()
    if damage is not None:
        (folder / CODE).write_bytes(damage)
    with pytest.raises(MemoryProblem, match=r"memory\.code is missing or damaged.*put it back from a copy"):
        known_key(page_of(board), folder)
    (folder / CODE).write_bytes(code)
    assert known_key(page_of(board), folder) == key and files(folder / DATABASE)


def test_a_folder_that_cannot_be_written_is_one_sentence(board: EmulatedBoard, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MemoryProblem, match="can't be kept in"):
        new_or_known_key(page_of(board), tmp_path / "file")

    class Broken:
        keeper = "file"

        def present(self) -> bool:
            return False

        def keep(self, code: bytes, key: bytes) -> None:
            raise DeviceError("The flash is worn.")

    with pytest.raises(MemoryProblem, match="The flash is worn"):
        new_or_known_key(Broken(), tmp_path / "state")  # type: ignore[arg-type]


@pytest.mark.parametrize(("mine", "other"), [("emulated", "laptop"), ("laptop", "emulated")])
def test_a_laptop_and_the_emulated_board_open_what_the_other_remembered(
    mine: BoardKind, other: BoardKind, tmp_path: Path
) -> None:
    folder = tmp_path / "state"
    key = new_or_known_key(page_on(mine, folder), folder)
    remembered(folder, key)
    assert not is_lost(page_on(other, folder), folder)
    assert known_key(page_on(other, folder), folder) == key and files(folder / DATABASE)
    forget_everything(page_on(other, folder), folder)
    assert list(folder.iterdir()) == [] and not page_on(mine, folder).present()


def test_another_board_than_the_one_that_keeps_the_key_deletes_nothing(tmp_path: Path) -> None:
    class Pmu(FileKeyPage):
        keeper: Keeper = "microcontroller"

    folder = tmp_path / "state"
    on_pmu, here = Pmu(tmp_path / "flash"), page_on("laptop", folder)
    key = new_or_known_key(on_pmu, folder)
    remembered(folder, key)
    for ask in (known_key, is_lost, new_or_known_key, forget_everything):
        with pytest.raises(NotHere, match="--board rk3566"):
            ask(here, folder)
    assert known_key(on_pmu, folder) == key and files(folder / DATABASE)
    on_pmu.destroy()
    assert known_key(on_pmu, folder) is None and list(folder.iterdir()) == []


@pytest.mark.parametrize("kind", ["emulated", "laptop"])
@pytest.mark.parametrize("damage", [b"cut short", b"x" * 41])
def test_a_damaged_key_file_deletes_nothing(kind: BoardKind, damage: bytes, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    key = new_or_known_key(page_on(kind, folder), folder)
    remembered(folder, key)
    whole = (folder / "memory.key").read_bytes()
    (folder / "memory.key").write_bytes(damage)
    for ask in (known_key, is_lost, new_or_known_key):
        with pytest.raises(MemoryProblem, match="key is damaged"):
            ask(page_on(kind, folder), folder)
    (folder / "memory.key").write_bytes(whole)
    assert known_key(page_on(kind, folder), folder) == key and files(folder / DATABASE)
    (folder / "memory.key").write_bytes(damage)
    forget_everything(page_on(kind, folder), folder)
    assert list(folder.iterdir()) == []


def test_the_emulated_board_opens_a_key_that_it_kept_as_a_record(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    key = new_or_known_key(page_on("emulated", folder), folder)
    kept = (folder / "memory.key").read_bytes()
    (folder / "memory.key").write_bytes(record_of(kept))
    assert known_key(page_on("emulated", folder), folder) == key


@pytest.mark.parametrize("name", [CODE, KEEPER])
def test_a_file_that_cannot_be_read_is_no_other_headband_and_no_lost_key(
    board: EmulatedBoard, tmp_path: Path, name: str
) -> None:
    key = new_or_known_key(page_of(board), tmp_path)
    remembered(tmp_path, key)
    saved = (tmp_path / name).read_bytes()
    (tmp_path / name).unlink()
    (tmp_path / name).mkdir()
    for ask in (known_key, new_or_known_key):
        with pytest.raises(MemoryProblem, match=f"{name} can't be read:"):
            ask(page_of(board), tmp_path)
    (tmp_path / name).rmdir()
    (tmp_path / name).write_bytes(saved)
    assert known_key(page_of(board), tmp_path) == key and files(tmp_path / DATABASE)


def test_everything_is_forgotten_although_the_keeper_cannot_be_read(
    board: EmulatedBoard, tmp_path: Path
) -> None:
    remembered(tmp_path, new_or_known_key(page_of(board), tmp_path))
    (tmp_path / KEEPER).unlink()
    (tmp_path / KEEPER).mkdir()
    with pytest.raises(MemoryProblem, match="can't be deleted"):
        forget_everything(page_of(board), tmp_path)
    assert not page_of(board).present() and not files(tmp_path / DATABASE)

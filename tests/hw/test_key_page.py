"""The contract of `hw.key_page.KeyPage`, kept by the PMU's firmware and by the file of a laptop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware.pmu import key_page as firmware
from firmware.pmu import registers as r
from hw.device import DeviceError
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.emulated.bus import Fault
from hw.emulated.clock import FakeClock
from hw.key_file import FileKeyPage
from hw.key_page import KeyPage, KeyRefused

CODE, KEY = b"the code", bytes(range(100, 132))


def board(path: Path) -> EmulatedBoard:
    return emulated_board(clock=FakeClock(), key_file=path / "pmu-key.bin", sysfs_root=path / "sys")


def on_pmu(path: Path) -> KeyPage:
    (path / "sys").mkdir(exist_ok=True)
    page = board(path).key_page
    assert page is not None
    return page


def in_file(path: Path) -> KeyPage:
    return FileKeyPage(path / "key.bin")


@pytest.mark.parametrize("opened", [on_pmu, in_file])
def test_a_key_page_keeps_one_key_for_who_brought_it(
    opened: Callable[[Path], KeyPage], tmp_path: Path
) -> None:
    page = opened(tmp_path)
    assert not page.present()
    with pytest.raises(KeyRefused):
        page.read(CODE)
    page.destroy()
    page.keep(CODE, KEY)
    assert page.present() and page.read(CODE) == KEY
    for wrong in (b"the Code", bytes(8)):
        with pytest.raises(KeyRefused):
            page.read(wrong)
    with pytest.raises(KeyRefused):
        page.keep(CODE, bytes(32))
    page.keep(CODE, KEY)
    again = opened(tmp_path)
    assert again.present() and again.read(CODE) == KEY
    again.destroy()
    assert not again.present() and not opened(tmp_path).present()
    again.keep(b"another!", bytes(32))
    assert again.read(b"another!") == bytes(32)


def test_a_destroyed_key_is_in_no_file(tmp_path: Path) -> None:
    for opened in (on_pmu, in_file):
        page = opened(tmp_path)
        page.keep(CODE, KEY)
        page.destroy()
    assert not any(KEY in path.read_bytes() for path in tmp_path.glob("*") if path.is_file())


def test_the_registers_show_nothing_after_a_read(tmp_path: Path) -> None:
    with_key = board_of(tmp_path)
    assert with_key.key_page is not None
    with_key.key_page.keep(CODE, KEY)
    assert with_key.key_page.read(CODE) == KEY
    memory = bytes(with_key.pmu.memory)
    window = memory[r.KEY_1 * r.CELL_BYTES : (r.KEY_4 + 1) * r.CELL_BYTES]
    assert window == b"".join(r.cell(r.KEY_1 + n, 0) for n in range(4))


def board_of(path: Path) -> EmulatedBoard:
    (path / "sys").mkdir(exist_ok=True)
    return board(path)


def test_an_opened_page_closes_by_itself(tmp_path: Path) -> None:
    left = board_of(tmp_path)
    assert left.key_page is not None
    left.key_page.keep(CODE, KEY)
    gauge = left.gauge
    for at in range(4):
        gauge.write(r.KEY_1 + at, CODE[2 * at] | CODE[2 * at + 1] << 8)
    gauge.write(r.KEY_REQUEST, r.KEY_DO_OPEN)
    gauge.write(r.KEY_REQUEST, r.KEY_DO_SHOW + 1)
    assert gauge.word(r.KEY_STATE) == r.KEY_IS_OPEN and gauge.word(r.KEY_1) != 0
    for _ in range(12):
        asyncio.run(left.clock.advance(0.25))  # type: ignore[attr-defined]
        gauge.read()
    assert gauge.word(r.KEY_STATE) == r.KEY_IS_KEPT and gauge.word(r.KEY_1) == 0
    gauge.write(r.KEY_REQUEST, r.KEY_DO_SHOW + 1)
    assert gauge.word(r.KEY_STATE) == r.KEY_IS_REFUSED and gauge.word(r.KEY_1) == 0


@pytest.mark.parametrize("fault", [Fault.NAK, Fault.ALL_ONES, Fault.BAD_PEC])
def test_a_bus_that_fails_is_no_lost_key(fault: Fault, tmp_path: Path) -> None:
    faulty = board_of(tmp_path)
    assert faulty.key_page is not None
    faulty.key_page.keep(CODE, KEY)
    faulty.bus.inject(fault)
    for ask in (faulty.key_page.present, lambda: faulty.key_page.read(CODE), faulty.key_page.destroy):
        with pytest.raises(DeviceError, match="key page can't be used"):
            ask()
    faulty.bus.inject(None)
    assert faulty.key_page.read(CODE) == KEY


def test_a_firmware_without_the_page_says_what_to_flash(tmp_path: Path) -> None:
    older = board_of(tmp_path)
    older.pmu.firmware.target.publish({r.KEY_STATE: 0})
    assert older.key_page is not None
    with pytest.raises(DeviceError, match="flash it with this release's"):
        older.key_page.present()


class Window:
    """A register memory of which only KEY_1..4 are used."""

    def __init__(self, content: bytes) -> None:
        self._words = {r.KEY_1 + n: int.from_bytes(content[2 * n : 2 * n + 2], "little") for n in range(4)}

    def value(self, code: int) -> int:
        return self._words[code]


class Flash:
    """A board whose flash may be full."""

    def __init__(self) -> None:
        self.record, self.full = b"", False

    def load_key(self) -> bytes:
        return self.record

    def save_key(self, record: bytes) -> None:
        if self.full:
            raise OSError(28)
        self.record = record


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    requests=st.lists(
        st.tuples(
            st.sampled_from([1, 2, 3, 4, *range(0x10, 0x15), *range(0x20, 0x25), 0, 0x30, 0xFFFF]),
            st.sampled_from([CODE, bytes(8), KEY[:8], b"\xff" * 8]),
        ),
        max_size=25,
    )
)
def test_no_sequence_of_requests_without_the_code_shows_the_key(requests):
    flash = Flash()
    flash.record = firmware.record_of(CODE + KEY)
    page = firmware.KeyPage(flash)
    for value, window in requests:
        if window == CODE:
            continue
        words = page.request(value, Window(window))
        words.update(page.step())
        shown = b"".join(words.get(r.KEY_1 + n, 0).to_bytes(2, "little") for n in range(4))
        assert shown == bytes(8) or flash.record != firmware.record_of(CODE + KEY)
        assert shown not in [KEY[at : at + 8] for at in range(0, 32, 8)]


def test_a_torn_record_is_none_and_a_full_flash_is_refused():
    flash = Flash()
    page = firmware.KeyPage(flash)
    for part in range(5):
        page.request(r.KEY_DO_PUT + part, Window((CODE + KEY)[part * 8 : part * 8 + 8]))
    flash.full = True
    assert page.request(r.KEY_DO_KEEP, Window(bytes(8)))[r.KEY_STATE] == r.KEY_IS_BUSY
    assert page.request(r.KEY_DO_HIDE, Window(bytes(8))) == {r.KEY_STATE: r.KEY_IS_BUSY}
    assert page.step()[r.KEY_STATE] == r.KEY_IS_REFUSED and flash.record == b""
    whole = firmware.record_of(CODE + KEY)
    for cut in range(len(whole)):
        assert firmware.body_of(whole[:cut] + bytes(len(whole) - cut)) in (b"", CODE + KEY)
        flash.record = whole[:cut]
        assert firmware.KeyPage(flash).state == r.KEY_IS_NONE

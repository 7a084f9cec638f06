"""Lines that are keys of an input device, which is a pipe here."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from hw.absent import unread
from hw.device import DeviceError, Line
from hw.linux.key_line import KeyLine
from tests.hw import contracts
from tests.hw.fake_headband import FakeKeys

WAKE, BUTTON = 143, 148
OVERLAY = Path(__file__).parents[3] / "hw/rk3566/headband-keys.dts"


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeKeys:
    (tmp_path / "dev").mkdir()
    return FakeKeys(tmp_path / "sys", tmp_path / "dev", monkeypatch)


def opened(folder: Path, code: int = WAKE, device: str = FakeKeys.NAME) -> KeyLine:
    return KeyLine(device, code, name="wake", sysfs_root=folder / "sys", dev_root=folder / "dev")


def test_it_waits_for_its_own_next_press(keys: FakeKeys, tmp_path: Path) -> None:
    async def scene() -> None:
        key = opened(tmp_path)
        line: Line = key
        await contracts.check_line(line)
        keys.set(WAKE, pressed=True)  # before anybody waits
        keys.set(WAKE, pressed=False)
        waiting = asyncio.create_task(line.wait())
        await asyncio.sleep(0.01)
        for code, pressed in ((BUTTON, True), (BUTTON, False), (WAKE, False)):
            keys.set(code, pressed)
        await asyncio.sleep(0.01)
        levels = [line.active]
        assert not waiting.done()
        keys.set(WAKE, pressed=True)
        await asyncio.wait_for(waiting, 1)
        levels.append(line.active)
        keys.set(WAKE, pressed=False)
        assert [*levels, line.active] == [False, True, False]
        key.close()
        key.close()

    asyncio.run(scene())


def test_whether_it_may_wake_the_computer_is_the_kernels_word(keys: FakeKeys, tmp_path: Path) -> None:
    line = opened(tmp_path)
    says = [line.wakes]
    keys.may_wake("disabled")
    says.append(line.wakes)
    (keys.folder / "device/device/power/wakeup").unlink()
    assert [*says, line.wakes] == [True, False, False]
    line.close()


def test_what_is_not_there_is_said_plainly(keys: FakeKeys, tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match=r"The wake line \(keyboard 143\) .* no input device keyboard"):
        opened(tmp_path, device="keyboard")
    with pytest.raises(DeviceError, match=r"\(headband-keys 768\) cannot be used: a key has a number below"):
        opened(tmp_path, 768)
    (tmp_path / "dev/input/event0").unlink()
    with pytest.raises(DeviceError, match=r"line \(headband-keys 143\) cannot be used: No such file"):
        opened(tmp_path)


def test_the_overlay_has_the_keys_that_board_toml_names() -> None:
    told = OVERLAY.read_text()
    wiring = OVERLAY.with_name("board.toml").read_text()
    assert f'label = "{FakeKeys.NAME}"' in told and "wakeup-source" in told
    codes = {part.split(">")[0] for part in told.split("linux,code = <")[1:]}
    named = {part.split('"')[0] for part in wiring.split(f"input:{FakeKeys.NAME} ")[1:]}
    assert codes == named and {str(WAKE), str(BUTTON)} <= codes


def test_a_device_that_is_gone_keeps_no_core_busy(keys: FakeKeys, tmp_path: Path) -> None:
    async def scene() -> None:
        line = opened(tmp_path)
        waiting = asyncio.create_task(line.wait())
        await asyncio.sleep(0.01)
        keys.unplug()
        before_s = time.process_time()
        await asyncio.sleep(0.3)
        assert time.process_time() - before_s < 0.1 and not waiting.done()
        waiting.cancel()
        line.close()

    asyncio.run(scene())


@pytest.mark.parametrize("lost_active", [False, True])
def test_a_device_that_is_gone_has_the_safe_level(keys: FakeKeys, tmp_path: Path, lost_active: bool) -> None:
    line = KeyLine(
        FakeKeys.NAME, WAKE, name="wake", lost_active=lost_active, sysfs_root=tmp_path / "sys",
        dev_root=tmp_path / "dev",
    )  # fmt: skip
    keys.set(WAKE, pressed=True)
    assert line.active and not unread(line)
    keys.unplug()
    assert line.active is lost_active and unread(line)
    line.close()


def test_a_device_that_is_gone_ends_no_wait_by_mistake(keys: FakeKeys, tmp_path: Path) -> None:
    line = opened(tmp_path)
    os.close(line.fd)
    assert not line._pressed()
    line.fd = -1

"""The real-time clock's alarm as the kernel shows it, and how it ends the emulated computer's sleep."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hw.device import DeviceError, WakeAlarm
from hw.emulated import sysfs
from hw.emulated.board import emulated_board
from hw.emulated.clock import FakeClock
from hw.linux.rtc_alarm import RtcAlarm, find_alarm
from hw.linux.system_clock import boot_id


def rtc(root: Path, number: int, name: str, wakes: bool = True) -> Path:
    folder = root / f"class/rtc/rtc{number}"
    folder.mkdir(parents=True)
    (folder / "name").write_text(f"{name}\n")
    if wakes:
        (folder / "wakealarm").write_text("\n")
    return folder


def test_the_most_exact_clock_that_can_wake_is_chosen(tmp_path: Path) -> None:
    assert find_alarm(tmp_path) is None
    rtc(tmp_path, 0, "fake-clock", wakes=False)
    assert find_alarm(tmp_path) is None
    rtc(tmp_path, 1, "rtc-hym8563 4-0051")
    coarse = find_alarm(tmp_path)
    assert coarse is not None and coarse.late_s == 60
    fine = rtc(tmp_path, 2, "rk808-rtc rk808-rtc.4.auto")
    alarm: WakeAlarm | None = find_alarm(tmp_path)
    assert alarm is not None and alarm.late_s == 0
    alarm.set(90)
    assert (fine / "wakealarm").read_text() == "+90"
    alarm.clear()
    assert (fine / "wakealarm").read_text() == "0"


def test_an_alarm_that_is_set_already_is_switched_off_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    alarm = RtcAlarm(rtc(tmp_path, 0, "rk808-rtc"))
    monkeypatch.setattr(Path, "write_text", lambda self, text: written.append(text))
    alarm.set(5)
    assert written == ["0", "+5"]


def test_a_clock_that_takes_no_alarm_says_so(tmp_path: Path) -> None:
    alarm = RtcAlarm(tmp_path / "gone")
    with pytest.raises(DeviceError, match=r"takes no wake-up alarm: No such file or directory\."):
        alarm.set(5)
    alarm.clear()


def test_the_emulated_alarm_rings_once(tmp_path: Path) -> None:
    sysfs.write_tree(tmp_path)
    alarm = find_alarm(tmp_path)
    assert alarm is not None and sysfs.take_alarm_s(tmp_path) is None
    alarm.set(30)
    assert (sysfs.take_alarm_s(tmp_path), sysfs.take_alarm_s(tmp_path)) == (30.0, None)
    alarm.set(30)
    alarm.clear()
    assert sysfs.take_alarm_s(tmp_path) is None


def test_the_alarm_ends_the_emulated_computers_sleep() -> None:
    async def scene() -> float:
        clock = FakeClock()
        board = emulated_board(clock=clock, sound_card=False, sleeps=True)
        assert board.suspendable_microphone is board.preroll and board.wake_alarm is not None
        board.wake_alarm.set(30)
        await board.suspendable_microphone.sleep()
        began_s = clock.monotonic()
        chunk = asyncio.ensure_future(anext(board.preroll))
        while board.microphone.asleep and clock.monotonic() < began_s + 100:
            await clock.advance(0.05)
        slept_s = clock.monotonic() - began_s
        chunk.cancel()
        assert board.preroll.last_hand_over is None, "no sound woke it"
        await board.close()
        return slept_s

    assert 30.7 < asyncio.run(scene()) < 31.0


def test_a_start_of_the_computer_has_a_name() -> None:
    assert boot_id() == boot_id() != ""

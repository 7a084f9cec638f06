"""The boards of headband and laptop with an emulated `/sys` and `/dev`: every device fulfils its contract,
and a missing device is reported, while the others work.
"""

from __future__ import annotations

import asyncio
import errno
import inspect
import itertools
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import pytest

from hw import device, key_page, supply
from hw.absent import AbsentLine, AbsentOutput, AbsentSpeaker, unread
from hw.board import Board
from hw.device import DeviceError
from hw.emulated.board import emulated_board
from hw.emulated.bus import Fault
from hw.laptop.board import laptop_board
from hw.linux.i2c import RecoveringBus
from hw.linux.wiring import LinesWiring, Wiring
from hw.pmu.gauge import PmuGauge
from hw.rk3566.board import rk3566_board
from tests.hw import contracts
from tests.hw.absent_devices import AbsentCamera, AbsentMicrophone
from tests.hw.contracts import pieces
from tests.hw.fake_headband import FakeHeadband, Request
from tests.hw.linux.fake_v4l2 import FakeCamera, FakeKernel
from tests.hw.linux.sound_programs import program, programs
from tests.hw.linux.test_v4l2_camera import RED
from tests.hw.sysfs_files import write_supply

__all__ = ["programs"]

WIRING = Wiring(lines=LinesWiring(marker="gpio0 6"))
PART_OF = {
    "Microphone": "microphone", "SuspendableMicrophone": "suspendable_microphone",
    "WakeAlarm": "wake_alarm", "Camera": "camera",
    "PlayedSound": "speaker.loopback", "Speaker": "speaker", "Light": "light", "Gauge": "gauge",
    "EventSource": "gauge", "EnergyCounter": "energy", "ChargeWarner": "gauge", "HostGuard": "guard",
    "Line": "wake alert button", "Output": "marker", "Clock": "clock", "KeyPage": "key_page",
    "LateFaults": "speaker",
}  # fmt: skip
"""Protocol of `hw.device`, `hw.supply` or `hw.key_page` -> the attribute of a board that implements it."""
NOT_A_DEVICE = {"Sound"}
WITHOUT: dict[str, set[str]] = {
    "rk3566": set(),
    "laptop": {
        "SuspendableMicrophone", "WakeAlarm", "EventSource", "EnergyCounter", "ChargeWarner", "HostGuard",
        "Output", "KeyPage",
    },
    "emulated": {"EnergyCounter", "LateFaults"},
}  # fmt: skip
"""Protocols that a board lacks: a laptop has neither microcontroller nor carrier board; the emulated board
has no energy counters, as they would count a model, and no player that may lose a sound after it.
"""


@pytest.fixture
def headband(tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch) -> FakeHeadband:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    return FakeHeadband(tmp_path, programs, monkeypatch)


def opened(headband: FakeHeadband, kind: str, wiring: Wiring = WIRING) -> Board:
    if kind == "laptop":
        return laptop_board(wiring, headband.sys, headband.dev)
    return rk3566_board(wiring, headband.sys, headband.dev)


def protocols() -> dict[str, type]:
    return {
        name: each
        for name, each in {**vars(device), **vars(supply), **vars(key_page)}.items()
        if isinstance(each, type) and getattr(each, "_is_protocol", False) and each is not Protocol
    }


def fulfils(thing: Any, protocol: type) -> list[str]:
    """The protocols that are missing or differ, by name."""
    wrong = []
    members = {name for each in protocol.__mro__ for name in vars(each) if not name.startswith("_")}
    members |= {name for each in protocol.__mro__ for name in getattr(each, "__annotations__", {})}
    for name in sorted(members - {"around_suspend"}):
        if not hasattr(thing, name):
            wrong.append(name)
            continue
        asked = inspect.getattr_static(protocol, name, None)
        if not inspect.isfunction(asked):
            continue
        has = getattr(thing, name)
        if inspect.iscoroutinefunction(asked) != inspect.iscoroutinefunction(has):
            wrong.append(f"{name}: awaited or not")
        if list(inspect.signature(asked).parameters)[1:] != list(inspect.signature(has).parameters):
            wrong.append(f"{name}: other parameters")
    return wrong


@pytest.mark.parametrize("kind", WITHOUT)
def test_every_protocol_is_fulfilled(headband: FakeHeadband, kind: str) -> None:
    assert set(protocols()) == set(PART_OF) | NOT_A_DEVICE

    async def scene() -> None:
        board = emulated_board(sleeps=True) if kind == "emulated" else opened(headband, kind)
        for name, where in PART_OF.items():
            for attribute in where.split():
                part: Any = board
                for step in attribute.split("."):
                    part = getattr(part, step)
                if name in WITHOUT[kind]:
                    assert part is None or fulfils(part, protocols()[name]), name
                else:
                    assert fulfils(part, protocols()[name]) == [], f"{name} of {attribute}"
        await board.close()

    asyncio.run(scene())


@pytest.mark.parametrize("kind", ["rk3566", "laptop"])
def test_every_device_keeps_its_contract(
    headband: FakeHeadband, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    video = str(headband.dev / "video0")
    kernel = FakeKernel({video: FakeCamera({"YUYV": RED["YUYV"]})})
    monkeypatch.setattr("hw.linux.v4l2_abi.Kernel", lambda: kernel)

    async def scene() -> None:
        board = opened(headband, kind)
        assert board.problems == ()
        await contracts.check_camera(board.camera)
        await contracts.check_speaker(board.speaker)
        await contracts.check_clock(board.clock)
        await contracts.check_recording(board.microphone, board.camera)
        contracts.check_light(board.light)
        if board.wake_alarm is not None:
            record = headband.sys / "class/rtc/rtc0/wakealarm"
            contracts.check_wake_alarm(board.wake_alarm, lambda: record.read_text() not in ("", "0"))
        for line in (board.wake, board.alert, board.button):
            await contracts.check_line(line)
            assert not line.active
        contracts.check_gauge(board.gauge, current=kind == "rk3566", temperature=kind == "rk3566")
        chunk = await anext(aiter(board.microphone))
        assert chunk.shape == (512,) and chunk.any()
        await board.close()
        await board.close()
        assert headband.held == set()

    if kind == "laptop":  # a pack of three cells whose driver tells no temperature
        write_supply(headband.sys, "rk817-battery", status="Discharging", capacity=70, voltage_now=4_000_000)
    asyncio.run(scene())


def test_the_headband_is_watched_and_may_sleep_and_a_laptop_is_left_alone(headband: FakeHeadband) -> None:
    real, laptop = opened(headband, "rk3566"), opened(headband, "laptop")
    assert isinstance(real.gauge, PmuGauge) and real.native
    assert (
        real.suspendable_microphone is real.microphone
        and real.wake_alarm is not None
        and real.guard is not None
    )
    assert real.clocks == WIRING.clocks and real.thermal_zones == WIRING.thermal_zones
    assert (laptop.clocks, laptop.suspendable_microphone, laptop.wake_alarm, laptop.guard, laptop.energy) == (
        None,
    ) * 5
    assert laptop.thermal_zones == () and not laptop.native


@pytest.mark.parametrize("name", ["wake", "alert", "button", "marker"])
def test_a_line_in_use_is_said_and_gone_without(headband: FakeHeadband, name: str) -> None:
    headband.busy.add(f"headband-{name}")
    lines = replace(WIRING.lines, **{name: "gpio0 3"})
    board = opened(headband, "rk3566", replace(WIRING, lines=lines))
    (problem,) = board.problems
    assert problem.startswith(f"The {name} line") and "busy" in problem
    assert isinstance(getattr(board, name), AbsentOutput if name == "marker" else AbsentLine)
    # Without the wake line nothing would end a suspend.
    assert (board.suspendable_microphone is None) == (name == "wake")


def test_a_computer_that_its_wake_line_may_not_wake_never_sleeps(headband: FakeHeadband) -> None:
    """No interrupt of a line of the GPIO character device is armed for sleep (gpiolib-cdev.c)."""
    of_the_chip = opened(headband, "rk3566", replace(WIRING, lines=replace(WIRING.lines, wake="gpio0 3")))
    assert of_the_chip.suspendable_microphone is None and of_the_chip.problems == ()
    headband.keys.may_wake("disabled")
    assert opened(headband, "rk3566").suspendable_microphone is None
    headband.keys.may_wake("enabled")
    assert opened(headband, "rk3566").suspendable_microphone is not None


def test_a_kernel_without_the_keys_is_said_and_the_computer_stays_awake(headband: FakeHeadband) -> None:
    shutil.rmtree(headband.sys / "class/input")
    board = opened(headband, "rk3566")
    names = [problem.split(" (")[0] for problem in board.problems]
    assert names == ["The wake line", "The alert line", "The button line"]
    assert "no input device headband-keys" in board.problems[0]
    assert board.suspendable_microphone is None and isinstance(board.wake, AbsentLine)


def test_the_lines_of_board_toml_to_the_pmu_carry_heartbeats_clocks_and_its_reset(
    headband: FakeHeadband,
) -> None:
    wiring = Wiring(lines=LinesWiring(heartbeat="gpio0 7", bus_clock="gpio0 8", pmu_reset="gpio0 9"))
    board = opened(headband, "rk3566", wiring)
    assert board.guard is not None and isinstance(board.bus, RecoveringBus)  # type: ignore[attr-defined]
    board.guard.beat()
    board.guard.beat()
    assert headband.driven == [("headband-heartbeat", True), ("headband-heartbeat", False)]
    headband.driven.clear()
    seconds = itertools.count(0, 70)
    board.bus._monotonic = lambda: float(next(seconds))  # type: ignore[attr-defined]
    headband.bus.inject(Fault.STALL)
    assert board.gauge.read().state == "absent"
    asyncio.run(board.close())
    pulses = [name for name, active in headband.driven if active]
    assert pulses[:9] == ["headband-bus_clock"] * 9 and "headband-pmu_reset" in pulses
    assert headband.driven[-1][1] is False


def test_a_switch_that_cannot_be_read_counts_as_off(headband: FakeHeadband) -> None:
    wiring = Wiring(lines=LinesWiring(recording_off="gpio0 6"))
    readable = opened(headband, "rk3566", wiring).recording_off
    assert readable is not None and not readable.active
    headband.busy.add("headband-recording_off")
    board = opened(headband, "rk3566", wiring)
    assert "recording_off line" in board.problems[0]
    assert board.recording_off is not None and board.recording_off.active


@pytest.mark.parametrize("where", ["gpio0 6", "input:headband-keys 248"])
def test_lines_that_are_lost_keep_recording_off_and_the_computer_awake(
    headband: FakeHeadband, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    def gone(*_: object) -> object:
        raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))

    board = opened(headband, "rk3566", Wiring(lines=LinesWiring(recording_off=where)))
    switch = board.recording_off
    assert switch is not None
    levels = [switch.active]
    monkeypatch.setattr(Request, "get_value", gone)
    headband.keys.unplug()
    assert [*levels, switch.active] == [False, True] and unread(switch)
    assert board.wake.active and not board.alert.active and not board.button.active
    asyncio.run(board.close())


def test_lines_that_a_carrier_board_lacks_are_no_problem(headband: FakeHeadband) -> None:
    board = opened(headband, "rk3566", Wiring(lines=LinesWiring(button="", marker="")))
    assert board.problems == () and board.marker is None
    assert isinstance(board.button, AbsentLine) and board.button.problem is None


def test_a_headband_without_its_bus_goes_on_and_says_so(headband: FakeHeadband) -> None:
    headband.bus_number = 4
    board = opened(headband, "rk3566", replace(WIRING, gauge="pmu"))
    assert board.problems == ("There is no I2C bus 1: /dev/i2c-1 does not exist.",)
    reading = board.gauge.read()
    assert reading.state == "absent" and "no I2C bus 1" in str(reading.problem)
    assert opened(headband, "rk3566", replace(WIRING, i2c_bus=4)).problems == ()


@pytest.mark.parametrize("kind", ["rk3566", "laptop"])
def test_a_computer_without_a_player_goes_on_silently(headband: FakeHeadband, kind: str) -> None:
    (headband.programs / "aplay").unlink()
    board = opened(headband, kind)
    assert board.problems == ("There is no speaker: the program aplay (alsa-utils) is not installed.",)
    assert isinstance(board.speaker, AbsentSpeaker)


def test_a_laptop_without_microphone_and_camera_says_so_in_one_sentence_each(headband: FakeHeadband) -> None:
    (headband.dev / "snd/pcmC0D0c").unlink()
    (headband.dev / "video0").unlink()
    board = opened(headband, "laptop")
    assert [problem.split(":")[0] for problem in board.problems] == [
        "There is no microphone", "There is no camera",
    ]  # fmt: skip
    with pytest.raises(DeviceError, match="no camera"):
        asyncio.run(board.camera.capture())


def test_a_sound_server_may_know_a_microphone_elsewhere(
    headband: FakeHeadband, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (headband.dev / "snd/pcmC0D0c").unlink()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "pipewire-0").touch()
    assert opened(headband, "laptop").problems == ()


def test_a_headband_that_wakes_records_anew(headband: FakeHeadband) -> None:
    starts = headband.programs / "starts"
    program(
        headband.programs, "arecord",
        f"open({str(starts)!r}, 'a').write('x')\nwhile True: os.write(1, bytes(range(250)) + bytes(774))",
    )  # fmt: skip
    state = headband.sys / "power/state"
    seen: list[str] = []

    async def scene() -> None:
        board = opened(headband, "rk3566")
        assert board.suspendable_microphone is not None
        assert (await anext(aiter(board.suspendable_microphone))).shape == (512,)
        await board.suspendable_microphone.sleep()
        seen.append(state.read_text().strip())
        assert (await anext(aiter(board.suspendable_microphone))).any()
        seen.append(state.read_text().strip())
        assert (
            board.suspendable_microphone.suspend_refusal,
            board.suspendable_microphone.woken_by_sound,
        ) == (None, False)
        await board.close()

    asyncio.run(scene())
    assert seen == ["freeze mem", "mem"]
    assert starts.read_text() == "xx"


def test_stand_ins_give_their_sentence_to_whoever_uses_them() -> None:
    async def scene() -> None:
        microphone, speaker = AbsentMicrophone("No ear."), AbsentSpeaker("No mouth.")
        with pytest.raises(DeviceError, match="No ear"):
            await anext(microphone)
        await microphone.close()
        assert [chunk async for chunk in microphone] == []
        assert await speaker.play(pieces()) is None
        with pytest.raises(DeviceError, match="No mouth"):
            await speaker.play(pieces(*[RED_SOUND]))
        speaker.set_volume(130)
        assert speaker.volume_percent == 100
        with pytest.raises(DeviceError, match="No eye"):
            await AbsentCamera("No eye.").capture()
        await contracts.check_line(AbsentLine())
        with pytest.raises(DeviceError, match="No mark"):
            AbsentOutput("No mark.").set(True)

    import numpy as np

    RED_SOUND = np.zeros(10, np.int16)
    asyncio.run(scene())

"""A folder that looks like an RK3566's `/sys` and `/dev`, with the PMU's firmware on the bus and GPIO lines
that a test pulls.
"""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import struct
import weakref
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hw.emulated import sysfs
from hw.emulated.bus import EmulatedBus
from hw.emulated.clock import FakeClock
from hw.emulated.pmu import EmulatedPmu
from tests.hw.linux.sound_programs import program

COMPATIBLE = "radxa,cm3\0rockchip,rk3566\0"


class Request:
    """A double of gpiod's request of one line."""

    def __init__(self, name: str, released: Callable[[str], None], driven: list[tuple[str, bool]]) -> None:
        self._ends = list(os.pipe())
        self.fd = self._ends[0]
        self._name, self._released, self._driven = name, released, driven

    def get_value(self, offset: int) -> object:
        from gpiod.line import Value

        return Value.INACTIVE

    def set_value(self, offset: int, value: object) -> None:
        from gpiod.line import Value

        self._driven.append((self._name, value == Value.ACTIVE))

    def wait_edge_events(self, timeout: object) -> bool:
        return False

    def release(self) -> None:
        """May be called repeatedly, as gpiod's."""
        self._released(self._name)
        while self._ends:
            os.close(self._ends.pop())


class FakeKeys:
    """The input device of `hw/rk3566/headband-keys.dts`: its files, and a pipe from which every reader gets
    the events.
    """

    NAME = "headband-keys"

    def __init__(self, sys: Path, dev: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._sys, self._dev = sys / "class/input", dev / "input"
        self._dev.mkdir()
        self.pressed: set[int] = set()
        self._count = 0
        self.plug_in()
        monkeypatch.setattr("hw.linux.key_line.fcntl.ioctl", self._ioctl)

    def plug_in(self) -> None:
        """The device is there, under the next number."""
        name = f"event{self._count}"
        self._count += 1
        self.folder, self._node = self._sys / name, self._dev / name
        (self.folder / "device/device/power").mkdir(parents=True)
        (self.folder / "device/name").write_text(f"{self.NAME}\n")
        self.may_wake("enabled")
        os.mkfifo(self._node)
        self._end = os.open(self._node, os.O_RDWR | os.O_NONBLOCK)
        self._inode = self._node.stat().st_ino
        self._close = weakref.finalize(self, os.close, self._end)

    def may_wake(self, text: str) -> None:
        """What the kernel says of it: "enabled" or "disabled"."""
        (self.folder / "device/device/power/wakeup").write_text(f"{text}\n")

    def set(self, code: int, pressed: bool) -> None:
        """Press or release a key."""
        (self.pressed.add if pressed else self.pressed.discard)(code)
        events = ((1, code, int(pressed)), (0, 0, 0))
        os.write(self._end, b"".join(struct.pack("llHHi", 0, 0, *event) for event in events))

    def unplug(self) -> None:
        """The device is gone; whoever has it open gets the end of the pipe."""
        self._close()
        self._node.unlink()
        shutil.rmtree(self.folder)

    def _ioctl(self, fd: int, request: int, keys: bytearray) -> int:
        assert request == 0x80604518, "EVIOCGKEY(96)"
        if not self._close.alive or os.fstat(fd).st_ino != self._inode:
            raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
        for code in self.pressed:
            keys[code // 8] |= 1 << code % 8
        return 0


class HurriedClock(FakeClock):
    """A clock that jumps to the end of a sleep."""

    async def sleep(self, seconds: float) -> None:
        self.jump(max(0.0, seconds))
        await asyncio.sleep(0)


class FakeHeadband:
    """A headband on which everything works; `break_...` removes a part before the board is opened."""

    def __init__(self, folder: Path, programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sys, self.dev, self.programs = folder / "sys", folder / "dev", programs
        sysfs.write_tree(self.sys)
        tree = self.sys / "firmware/devicetree/base/compatible"
        tree.parent.mkdir(parents=True)
        tree.write_text(COMPATIBLE)
        self.dev.mkdir()
        (self.dev / "gpiochip0").touch()
        (self.dev / "snd").mkdir()
        (self.dev / "snd/pcmC0D0c").touch()
        (self.dev / "video0").touch()
        self.keys = FakeKeys(self.sys, self.dev, monkeypatch)
        program(programs, "arecord", "while True: os.write(1, bytes(range(250)) + bytes(774))")
        program(programs, "aplay", "sys.stdin.buffer.read()")
        self.clock = HurriedClock()
        self.pmu = EmulatedPmu(self.clock, lambda pulled: None)
        self.pmu.set_battery(57)
        self.bus = EmulatedBus(self.pmu)
        self.bus_number: int | None = 1
        self.busy: set[str] = set()
        self.held: set[str] = set()
        self.driven: list[tuple[str, bool]] = []
        """(consumer, active?) of every output that was set, in order."""
        monkeypatch.setattr("smbus2.SMBus", self._open_bus)
        monkeypatch.setattr("gpiod.Chip", self._open_chip)
        monkeypatch.setattr("gpiod.request_lines", self._request)

    def _open_bus(self, number: int) -> EmulatedBus:
        if number != self.bus_number:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return self.bus

    def _open_chip(self, path: str) -> Any:
        class Chip(SimpleNamespace):
            def __enter__(self) -> Chip:
                return self

            def __exit__(self, *_: object) -> None:
                pass

        return Chip(get_info=lambda: SimpleNamespace(label="gpio0", name="gpiochip0"))

    def _request(self, chip: str, consumer: str, config: dict[int, object]) -> Request:
        if consumer in self.busy:
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        self.held.add(consumer)
        return Request(consumer, self.held.discard, self.driven)

"""The classes of the real board with doubles of the programs and the driver that they use."""

from __future__ import annotations

import asyncio
import errno
import os
import threading
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest

from hw.device import DeviceError, LightPattern, Line
from hw.linux.gpio import GpioLine, GpioOutput, find_line
from hw.linux.i2c import open_bus
from hw.linux.led import SysfsLight
from hw.linux.suspend import KernelSuspend
from tests.hw import contracts


@pytest.mark.parametrize(
    ("called", "counted", "sleeps"), [(False, True, True), (True, True, False), (False, False, False)]
)
def test_a_call_on_the_way_to_sleep_keeps_the_computer_awake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, called: bool, counted: bool, sleeps: bool
) -> None:
    """`counted`: the kernel takes the count back, as it does when no wake-up event came since it was read."""
    power = tmp_path / "power"
    power.mkdir()
    for name, text in (("state", "freeze mem"), ("mem_sleep", "s2idle [deep]"), ("wakeup_count", "17")):
        (power / name).write_text(text)
    write = Path.write_text

    def written(path: Path, text: str) -> int:
        if path.name == "wakeup_count" and not counted:
            raise OSError(errno.EINVAL, "Invalid argument")
        return write(path, text)

    monkeypatch.setattr(Path, "write_text", written)
    suspend = KernelSuspend(tmp_path, lambda: called)
    if sleeps:
        asyncio.run(suspend())
        assert (power / "state").read_text() == "mem" and (power / "wakeup_count").read_text() == "17"
    else:
        with pytest.raises(DeviceError, match="on its way to sleep"):
            asyncio.run(suspend())
        assert (power / "state").read_text() == "freeze mem"


def test_a_kernel_that_is_busy_with_a_wake_up_event_keeps_the_computer_awake_and_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading its count waits for as long as some driver holds the event."""
    monkeypatch.setattr("hw.linux.suspend.COUNT_WITHIN_S", 0.05)
    power = tmp_path / "power"
    power.mkdir()
    (power / "state").write_text("freeze mem")
    os.mkfifo(power / "wakeup_count")
    suspend = KernelSuspend(tmp_path)
    before = threading.active_count()
    for _ in range(5):
        with pytest.raises(DeviceError, match="on its way to sleep"):
            asyncio.run(suspend())
    assert threading.active_count() <= before + 1 and (power / "state").read_text() == "freeze mem"
    with (power / "wakeup_count").open("w") as held:
        held.write("17")
    (power / "wakeup_count").unlink()
    (power / "wakeup_count").write_text("18")
    asyncio.run(suspend())
    assert (power / "state").read_text() == "mem"


def test_a_missing_bus_is_said_plainly() -> None:
    with pytest.raises(DeviceError, match="I2C bus 250"):
        open_bus(250)


class Led:
    """The files of a kernel LED with a PWM. The timer's are made as it is chosen, and only root may write
    them until udev's rule has run: `refuses` writes later.
    """

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch, refuses: int = 0) -> None:
        self.folder = root / "class/leds/status"
        self.folder.mkdir(parents=True)
        self.folder.joinpath("trigger").write_text("[none] timer\n")
        self.folder.joinpath("max_brightness").write_text("255\n")
        self.chosen: list[str] = []
        self.refuses = refuses
        self._refused = 0
        self._write = Path.write_text
        monkeypatch.setattr(Path, "write_text", lambda path, text: self._written(path, text))
        monkeypatch.setattr("hw.linux.led.os.access", self._may)

    def read(self, name: str) -> str:
        return self.folder.joinpath(name).read_text().strip()

    def _may(self, path: Path, mode: int) -> bool:
        return path.exists() and not (path.name.startswith("delay_") and self._refused < self.refuses)

    def _written(self, path: Path, text: str) -> int:
        if path.parent != self.folder:
            return self._write(path, text)
        if path.name == "trigger":
            self.chosen.append(text)
            self._refused = 0
            for name in ("delay_on", "delay_off"):
                self._write(self.folder / name, "500\n")
            text = "none [timer]\n" if text == "timer" else "[none] timer\n"
        elif path.name.startswith("delay_") and self._refused < self.refuses:
            self._refused += 1
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return self._write(path, text)


def test_the_light_blinks_by_the_kernels_timer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    led = Led(tmp_path, monkeypatch, refuses=5)
    light = SysfsLight(tmp_path, "status")
    for pattern, on, off in ((LightPattern.THINKING, "150", "150"), (LightPattern.SPEAKING, "600", "200")):
        light.set(pattern)
        light.settled()
        assert (led.read("delay_on"), led.read("delay_off")) == (on, off)
    assert led.chosen == ["timer"], "chosen anew it would have new files"
    light.set(LightPattern.LISTENING)
    light.settled()
    assert (led.read("trigger"), led.read("brightness")) == ("[none] timer", "255")
    light.set(LightPattern.OFF)
    light.settled()
    assert led.read("brightness") == "0"
    assert SysfsLight(tmp_path, "status").problem is None
    absent = SysfsLight(tmp_path, "absent")
    absent.set(LightPattern.ERROR)
    absent.settled()
    assert absent.problem == "There is no LED called absent."


def test_a_light_whose_rhythm_cannot_be_set_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Led(tmp_path, monkeypatch, refuses=1_000)
    waited_s: list[float] = []
    light = SysfsLight(tmp_path, "status", waited_s.append)
    light.set(LightPattern.THINKING)
    light.settled()
    assert 0.5 < sum(waited_s) < 2
    assert light.problem == "The rhythm of the LED status may not be changed by this user."


class FakeRequest:
    """A double of gpiod's line request, over a pipe: each byte is an edge."""

    def __init__(self) -> None:
        self.fd, self.edge = os.pipe()
        os.set_blocking(self.fd, False)
        self.level = 0
        self.released = False

    def get_value(self, offset: int) -> int:
        assert offset == 3
        return self.level

    def wait_edge_events(self, timeout: timedelta) -> bool:
        import select

        return bool(select.select([self.fd], [], [], timeout.total_seconds())[0])

    def read_edge_events(self) -> list[bytes]:
        return [os.read(self.fd, 16)]

    def release(self) -> None:
        self.released = True


def test_a_gpio_line_waits_for_its_next_edge(monkeypatch: pytest.MonkeyPatch) -> None:
    import gpiod

    request = FakeRequest()
    asked: dict[str, object] = {}

    def request_lines(chip: str, consumer: str, config: dict[int, gpiod.LineSettings]) -> FakeRequest:
        asked.update(chip=chip, consumer=consumer, settings=config[3])
        return request

    monkeypatch.setattr(gpiod, "request_lines", request_lines)

    async def scene() -> None:
        opened = GpioLine("/dev/gpiochip0", 3, name="alert")
        line: Line = opened
        os.write(request.edge, b"x")  # an edge before anybody waits
        waiting = asyncio.create_task(line.wait())
        await asyncio.sleep(0.01)
        assert not waiting.done()
        os.write(request.edge, b"x")
        await asyncio.wait_for(waiting, 1)
        request.level = gpiod.line.Value.ACTIVE
        assert line.active
        opened.close()
        assert request.released

    asyncio.run(scene())
    assert asked["consumer"] == "headband-alert"
    settings = asked["settings"]
    assert isinstance(settings, gpiod.LineSettings)
    assert settings.active_low
    assert settings.edge_detection == gpiod.line.Edge.RISING


class DrivenRequest:
    """A double of gpiod's request of an output: keeps the levels of the pin."""

    def __init__(self) -> None:
        self.levels: list[object] = []
        self.gone = False

    def set_value(self, offset: int, value: object) -> None:
        assert offset == 6
        if self.gone:
            raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
        self.levels.append(value)

    def release(self) -> None:
        self.gone = True


def test_a_marker_line_is_driven(monkeypatch: pytest.MonkeyPatch) -> None:
    import gpiod
    from gpiod.line import Direction, Value

    request = DrivenRequest()
    asked: dict[str, object] = {}

    def request_lines(chip: str, consumer: str, config: dict[int, gpiod.LineSettings]) -> DrivenRequest:
        asked.update(chip=chip, consumer=consumer, settings=config[6])
        return request

    monkeypatch.setattr(gpiod, "request_lines", request_lines)
    line = GpioOutput("/dev/gpiochip3", 6, name="marker")
    settings = asked["settings"]
    assert isinstance(settings, gpiod.LineSettings)
    assert (settings.direction, settings.output_value) == (Direction.OUTPUT, Value.INACTIVE)
    assert (asked["chip"], asked["consumer"]) == ("/dev/gpiochip3", "headband-marker")
    contracts.check_output(line, lambda: request.levels[-1] == Value.ACTIVE)
    line.close()
    with pytest.raises(DeviceError, match=r"marker line \(/dev/gpiochip3 6\) cannot be driven"):
        line.set(True)


def test_a_line_in_use_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    def request_lines(*_: object, **__: object) -> None:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    monkeypatch.setattr("gpiod.request_lines", request_lines)
    with pytest.raises(DeviceError, match=r"button line .* busy"):
        GpioLine("/dev/gpiochip0", 3, name="button")
    with pytest.raises(DeviceError, match=r"marker line .* busy"):
        GpioOutput("/dev/gpiochip0", 3, name="marker")


def test_a_number_that_the_chip_does_not_have_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    def request_lines(*_: object, **__: object) -> None:
        raise ValueError("line offset of out range")

    monkeypatch.setattr("gpiod.request_lines", request_lines)
    said = r"\(/dev/gpiochip0 40\) cannot be used: the chip has no line of that number\."
    with pytest.raises(DeviceError, match=f"The button line {said}"):
        GpioLine("/dev/gpiochip0", 40, name="button")
    with pytest.raises(DeviceError, match=f"The marker line {said}"):
        GpioOutput("/dev/gpiochip0", 40, name="marker")


class FakeChip:
    """A double of gpiod's chip: two banks, whose files are numbered in the opposite order of their labels."""

    lines: ClassVar = {"gpio0": {"PMU_ALERT": 4}, "gpio1": {"LED_EN": 7}}

    def __init__(self, path: str) -> None:
        if path.endswith("gpiochip9"):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        self.label = {"gpiochip0": "gpio1", "gpiochip1": "gpio0"}[Path(path).name]

    def __enter__(self) -> FakeChip:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def get_info(self) -> SimpleNamespace:
        return SimpleNamespace(label=self.label, name="gpiochip")

    def line_offset_from_id(self, name: str) -> int:
        """As gpiod's: what is no line's name and a number is the line of that number."""
        if name in self.lines[self.label]:
            return self.lines[self.label][name]
        if not name.isdigit():
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
        if int(name) >= 32:
            raise ValueError("line offset of out range")
        return int(name)

    def get_line_info(self, offset: int) -> SimpleNamespace:
        names = {at: name for name, at in self.lines[self.label].items()}
        return SimpleNamespace(name=names.get(offset))


def test_lines_are_found_by_chip_label_and_by_their_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("gpiochip0", "gpiochip1", "gpiochip9"):
        (tmp_path / name).touch()
    monkeypatch.setattr("gpiod.Chip", FakeChip)
    assert find_line("gpio0 3", "wake", tmp_path) == (str(tmp_path / "gpiochip1"), 3)
    assert find_line("PMU_ALERT", "alert", tmp_path) == (str(tmp_path / "gpiochip1"), 4)
    assert find_line("LED_EN", "marker", tmp_path) == (str(tmp_path / "gpiochip0"), 7)
    assert find_line("/dev/gpiochip5 2", "marker", tmp_path) == ("/dev/gpiochip5", 2)
    wrong = [(name, f"GPIO line {name}") for name in ("NOBODY", "7", "40")]
    for where, what in (("gpio7 1", "GPIO chip gpio7"), *wrong):
        with pytest.raises(DeviceError, match=f"button line cannot be used: there is no {what}"):
            find_line(where, "button", tmp_path)


def test_the_kernel_is_asked_for_the_deep_sleep(tmp_path: Path) -> None:
    power = tmp_path / "power"
    power.mkdir()
    (power / "state").write_text("freeze mem disk")
    (power / "mem_sleep").write_text("[s2idle] deep")
    asyncio.run(KernelSuspend(tmp_path)())
    assert (power / "state").read_text() == "mem"
    assert (power / "mem_sleep").read_text() == "deep"


@pytest.mark.parametrize("states", [None, "freeze disk"])
def test_a_kernel_that_cannot_sleep_is_said_plainly(tmp_path: Path, states: str | None) -> None:
    if states is not None:
        (tmp_path / "power").mkdir()
        (tmp_path / "power/state").write_text(states)
    with pytest.raises(DeviceError, match="suspend"):
        asyncio.run(KernelSuspend(tmp_path)())

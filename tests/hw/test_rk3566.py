"""The real board's classes against stand-ins for the programs and the driver they use."""

from __future__ import annotations

import asyncio
import errno
import os
import stat
import sys
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from hw import player
from hw.clock import SystemClock
from hw.device import Camera, DeviceError, Light, LightPattern, Line, Microphone, Speaker
from hw.rk3566.bus import open_bus
from hw.rk3566.camera import V4l2Camera, parse_ppm
from hw.rk3566.light import SysfsLight
from hw.rk3566.lines import GpioLine, GpioOutput
from hw.rk3566.sound import AlsaMicrophone, AlsaSpeaker
from hw.rk3566.suspend import KernelSuspend
from tests.hw import contracts
from tests.hw.contracts import Piece, pieces


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole search path, so that only the programs a test puts there exist."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def program(folder: Path, name: str, source: str) -> None:
    path = folder / name
    path.write_text(f"#!{sys.executable}\nimport os, sys, time\n{source}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_the_microphone_yields_chunks_until_it_breaks_and_then_starts_again(programs: Path) -> None:
    program(
        programs,
        "arecord",
        "assert sys.argv[1:3] == ['-D', 'plughw:1,0'] and '16000' in sys.argv\n"
        "os.write(1, bytes(range(256)) * 8 + b'half')\n"
        "sys.exit('arecord: pcm_read: read error: No such device.')",
    )

    async def scene() -> None:
        microphone = AlsaMicrophone("plughw:1,0")
        plain: Microphone = microphone
        assert plain.sample_rate == 16_000
        for _ in range(2):
            chunks = [await anext(microphone), await anext(microphone)]
            assert all(chunk.shape == (512,) and chunk.dtype == np.int16 for chunk in chunks)
            assert chunks[0][0] == 0x0100
            with pytest.raises(DeviceError, match=r"stopped working: arecord: .* No such device\.$"):
                await anext(microphone)
        await microphone.close()
        assert [chunk async for chunk in microphone] == []

    asyncio.run(scene())


def test_working_programs_make_devices_that_keep_the_contracts(programs: Path) -> None:
    program(programs, "arecord", "while True: os.write(1, bytes(1024))")
    program(programs, "aplay", "sys.stdin.buffer.read()")
    program(programs, "ffmpeg", "os.write(1, b'P6 1 1 255 abc')")

    async def scene() -> None:
        await contracts.check_microphone(AlsaMicrophone())
        await contracts.check_speaker(AlsaSpeaker(SystemClock()))
        await contracts.check_camera(V4l2Camera())

    asyncio.run(scene())


def test_a_player_is_found_only_with_something_to_play_on(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cards = tmp_path / "cards"
    cards.write_text(" 0 [Codec          ]: rk817 - rk817\n")
    monkeypatch.setattr(player, "_CARDS", cards)
    monkeypatch.delenv("PULSE_SERVER", raising=False)
    assert player.find_player() is None
    program(programs, "aplay", "")
    assert player.find_player() == str(programs / "aplay")
    cards.write_text("--- no soundcards ---\n")
    assert player.find_player() is None
    monkeypatch.setenv("PULSE_SERVER", "unix:/run/pulse")
    assert player.find_player() == str(programs / "aplay")


def test_missing_programs_are_said_plainly(programs: Path) -> None:
    with pytest.raises(DeviceError, match="arecord"):
        asyncio.run(anext(AlsaMicrophone()))  # type: ignore[arg-type]
    with pytest.raises(DeviceError, match="aplay"):
        AlsaSpeaker(SystemClock())
    with pytest.raises(DeviceError, match="ffmpeg"):
        asyncio.run(V4l2Camera().capture())


def test_the_speaker_hands_its_samples_to_aplay(programs: Path, tmp_path: Path) -> None:
    heard = tmp_path / "heard.raw"
    program(programs, "aplay", f"open({str(heard)!r}, 'wb').write(sys.stdin.buffer.read())")

    async def scene() -> None:
        speaker: Speaker = AlsaSpeaker(SystemClock())
        pcm = np.arange(2205, dtype=np.int16)
        assert await speaker.play(pieces(pcm)) is not None
        for _ in range(100):
            if heard.exists() and heard.stat().st_size == pcm.nbytes:
                break
            await asyncio.sleep(0.02)
        assert heard.read_bytes() == pcm.tobytes()
        speaker.stop()
        await speaker.close()

    asyncio.run(scene())


def test_a_speaker_whose_device_is_gone_says_so(programs: Path) -> None:
    program(programs, "aplay", "sys.stdin.close(); sys.exit(1)")

    async def slowly() -> AsyncIterator[Piece]:
        for _ in range(20):
            yield Piece(np.ones(22_050, np.int16))
            await asyncio.sleep(0.05)

    with pytest.raises(DeviceError, match="takes no sound"):
        asyncio.run(AlsaSpeaker(SystemClock()).play(slowly()))


def test_the_camera_reads_one_frame(programs: Path) -> None:
    program(
        programs,
        "ffmpeg",
        "assert '/dev/video7' in sys.argv and 'ppm' in sys.argv\n"
        "os.write(1, b'P6\\n2 1\\n255\\n' + bytes([10, 20, 30, 40, 50, 60]))",
    )
    camera: Camera = V4l2Camera("/dev/video7")
    assert asyncio.run(camera.capture()).tolist() == [[[10, 20, 30], [40, 50, 60]]]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("sys.exit('/dev/video0: No such file or directory.')", "No such file"),
        ("pass", "it said nothing"),
        ("time.sleep(60)", r"within 0\.3 seconds"),
        ("os.write(1, b'P6 9999 9999 255 ')", "damaged"),
    ],
)
def test_a_camera_that_fails_says_why(programs: Path, source: str, says: str) -> None:
    program(programs, "ffmpeg", source)
    with pytest.raises(DeviceError, match=says):
        asyncio.run(V4l2Camera(timeout_s=0.3 if "sleep" in source else 5.0).capture())


def test_ppm_whose_first_pixel_looks_like_white_space() -> None:
    assert parse_ppm(b"P6\n1 1\n255\n\n\n\n").tolist() == [[[10, 10, 10]]]


def test_a_missing_bus_is_said_plainly() -> None:
    with pytest.raises(DeviceError, match="I2C bus 250"):
        open_bus(250)


def test_the_light_blinks_by_the_kernels_timer(tmp_path: Path) -> None:
    folder = tmp_path / "class/leds/status"
    folder.mkdir(parents=True)
    light: Light = SysfsLight(tmp_path, "status")
    light.set(LightPattern.THINKING)
    assert (folder / "trigger").read_text() == "timer"
    assert (folder / "delay_on").read_text() == "150"
    light.set(LightPattern.LISTENING)
    assert (folder / "trigger").read_text() == "none"
    assert (folder / "brightness").read_text() == "1"
    light.set(LightPattern.OFF)
    assert (folder / "brightness").read_text() == "0"
    SysfsLight(tmp_path, "absent").set(LightPattern.ERROR)


class FakeRequest:
    """gpiod's line request over a pipe: each byte is an edge."""

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
    """gpiod's request of an output: remembers the levels, as the pin would show them."""

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

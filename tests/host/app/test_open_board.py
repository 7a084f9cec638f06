"""Which board a command works on, and a whole headband examined on a fake `/sys` and `/dev`."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from host.app.open_board import chosen_board, open_board, wiring_path
from host.cli.main import BOARDS, main
from host.config import BoardConfig, BoardKind, Config, ConfigError, load_config
from host.doctor.checks import examine
from host.doctor.finding import Finding
from host.energy.power_actuator import PowerActuator
from host.observe.journal import Journal
from hw.emulated import sysfs
from hw.emulated.bus import Fault
from hw.supply import BatteryReading
from tests.hw.fake_headband import FakeHeadband
from tests.hw.linux.fake_v4l2 import FakeCamera, FakeKernel
from tests.hw.linux.sound_programs import program, programs
from tests.hw.linux.test_v4l2_camera import RED

__all__ = ["programs"]


def refusal(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


def settings(folder: Path, text: str) -> str:
    path = folder / "headband.toml"
    path.write_text(text)
    return str(path)


def test_the_command_line_knows_every_kind() -> None:
    assert get_args(BoardKind) == BOARDS
    assert all(wiring_path(BoardConfig(kind)).exists() for kind in get_args(BoardKind) if kind != "emulated")


def test_the_command_line_goes_before_the_settings_and_a_file_belongs_to_its_kind() -> None:
    config = BoardConfig("rk3588", "/etc/board.toml")
    assert chosen_board(config, None) is config
    assert chosen_board(config, "rk3588") == config
    assert chosen_board(config, "laptop") == BoardConfig("laptop", "")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[board]\nkind = "toaster"', '[board] kind is "toaster"; it must be one of "emulated", "rk3566", '),
        ("[board]\nfiel = 'x'", "[board] has the unknown key fiel; known: kind, file"),
        ('[board]\nkind = "laptop"\nfile = "/none/board.toml"', "/none/board.toml cannot be read"),
    ],
)
def test_a_mistake_in_the_settings_is_one_sentence(
    tmp_path: Path, text: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert says in refusal(["status", "--config", settings(tmp_path, text)], capsys)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run"], "--script FILE"),
        (["ask"], "--audio FILE"),
        (["run", "--board", "laptop", "--script", "day.toml"], "--script is for the emulated board"),
        (["run", "--board", "rk3566", "--real-time"], "--real-time is for the emulated board"),
        (["ask", "--board", "laptop", "--audio", "q.wav"], "laptop has real devices"),
        (["ask", "--board", "laptop", "--image", "v.png"], "--image is for the emulated board"),
    ],
)
def test_what_a_board_cannot_do_is_refused(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert says in refusal(arguments, capsys)


@pytest.mark.parametrize("command", ["run", "ask"])
def test_another_computer_is_left_alone(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wiring = tmp_path / "board.toml"
    wiring.write_text('compatible = "nobody,none"')
    config = settings(tmp_path, f'[board]\nkind = "rk3566"\nfile = "{wiring}"')
    said = refusal([command, "--config", config], capsys)
    assert said == (
        "This computer is no rk3566: its device tree does not say nobody,none; choose another with --board.\n"
    )


def test_status_is_the_boards_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wiring = tmp_path / "board.toml"
    wiring.write_text('[camera]\ndevice = "/none/video"')
    config = settings(tmp_path, f'[board]\nkind = "laptop"\nfile = "{wiring}"')
    assert main(["status", "--config", config, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["board"] == "laptop"
    assert "There is no camera: /none/video does not exist." in told["problems"]


@pytest.fixture
def headband(tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch) -> FakeHeadband:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    headband = FakeHeadband(tmp_path, programs, monkeypatch)
    eye = FakeCamera({"YUYV": RED["YUYV"]}, multiplanar=True)
    kernel = FakeKernel({str(headband.dev / "video0"): eye})
    monkeypatch.setattr("hw.linux.v4l2_abi.Kernel", lambda: kernel)
    return headband


def examined(headband: FakeHeadband, kind: BoardKind, tmp_path: Path, wiring: str = "") -> dict[str, Finding]:
    """What the doctor finds, by part; `wiring`: the board.toml that the settings name."""
    (tmp_path / "board.toml").write_text(wiring)
    config = BoardConfig(kind, str(tmp_path / "board.toml") if wiring else "")

    async def scene() -> list[Finding]:
        board = open_board(config, sysfs_root=headband.sys, dev_root=headband.dev)
        try:
            return await examine(replace(board, clock=headband.clock), kind, "micro", tmp_path, jobs=())
        finally:
            await board.close()

    return {each.part: each for each in asyncio.run(scene())}


def broken(headband: FakeHeadband, kind: BoardKind, tmp_path: Path) -> dict[str, Finding]:
    found = examined(headband, kind, tmp_path)
    return {part: each for part, each in found.items() if each.health == "broken"}


def no_keys(headband: FakeHeadband) -> None:
    shutil.rmtree(headband.keys.folder)


def other_chip(headband: FakeHeadband) -> None:
    (headband.sys / "firmware/devicetree/base/compatible").write_bytes(b"rockchip,rk3588\0")


def no_bus(headband: FakeHeadband) -> None:
    headband.bus_number = None
    for file in (headband.sys / "class/power_supply/rk817-battery").iterdir():
        file.unlink()


DAMAGE: dict[str, tuple[Callable[[FakeHeadband], object], set[str], str]] = {
    "nothing": (lambda headband: None, set(), ""),
    "bus": (no_bus, {"PMU", "battery", "light"}, "set i2c_bus in board.toml"),
    "lines": (no_keys, {"lines"}, "docs/flash.md"),
    "microphone": (lambda h: program(h.programs, "arecord", "sys.exit('x')"), {"microphone"}, "plug it in"),
    "no arecord": (lambda h: (h.programs / "arecord").unlink(), {"microphone"}, "apt install alsa-utils"),
    "speaker": (lambda h: program(h.programs, "aplay", "sys.exit(1)"), {"speaker"}, "plug it in"),
    "no aplay": (lambda h: (h.programs / "aplay").unlink(), {"speaker"}, "apt install alsa-utils"),
    "camera": (lambda h: (h.dev / "video0").unlink(), {"camera"}, "plug it in"),
    "other chip": (other_chip, {"board"}, "--board"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_the_doctor_names_what_is_broken_on_a_headband(
    headband: FakeHeadband, tmp_path: Path, name: str
) -> None:
    damage, parts, fix = DAMAGE[name]
    damage(headband)
    found = broken(headband, "rk3566", tmp_path)
    assert set(found) == parts, {part: each.says for part, each in found.items()}
    assert not parts or fix in next(iter(found.values())).fix
    assert all(each.fix for each in found.values())


def test_without_a_pmu_no_part_is_called_well_that_hangs_on_it(
    headband: FakeHeadband, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hw.gauges.RESTART_S", 0.0)
    headband.bus.inject(Fault.NAK)  # no gauge on the bus: the kernel's battery is read instead
    sysfs.write_battery(headband.sys, percent=64, voltage_mv=3900, current_ma=-300, charging=False)
    found = examined(headband, "rk3566", tmp_path)
    assert {part for part, each in found.items() if each.health == "broken"} == {"light"}
    assert "on the PMU" in found["light"].says and "does not answer" in found["light"].says
    assert "connect the PMU" in found["light"].fix and "led" in found["light"].fix
    assert found["battery"].says.startswith("64 percent")
    assert found["PMU"].health == "note" and "nobody guards" in found["PMU"].says
    assert found["lines"].health == "note" and "no PMU pulls wake and alert" in found["lines"].says
    assert found["wake alarm"].health == "note" and "never sleeps" in found["wake alarm"].says

    status = headband.sys / "class/leds/status"
    status.mkdir(parents=True)
    (status / "trigger").write_text("[none] timer")
    found = examined(headband, "rk3566", tmp_path, 'led = "status"')
    assert found["light"] == Finding("light", "ok", "there")


def test_a_laptops_broken_battery_is_not_looked_for_on_a_pmu(headband: FakeHeadband, tmp_path: Path) -> None:
    found = examined(headband, "laptop", tmp_path)  # its driver has no readings
    assert found["battery"].health == "broken" and "PMU" not in found["battery"].fix
    assert found["PMU"] == Finding("PMU", "note", "none")
    assert "not put to sleep" in found["wake alarm"].says


def test_a_laptop_is_healthy_without_what_a_headband_has(headband: FakeHeadband, tmp_path: Path) -> None:
    (headband.sys / "class/power_supply/rk817-battery/type").write_text("Mains")
    assert broken(headband, "laptop", tmp_path) == {}


def test_no_mode_touches_a_laptops_clocks_and_the_headbands_are_found_by_name(headband: FakeHeadband) -> None:
    def after(kind: BoardKind) -> dict[str, str]:
        board = open_board(BoardConfig(kind), sysfs_root=headband.sys, dev_root=headband.dev)
        power_actuator = PowerActuator(board, Config().power, Journal(None, board.clock))
        low = BatteryReading(12, 3500, -300, 25.0, charging=False, state="good")
        before = {str(path): path.read_text() for path in headband.sys.rglob("*") if path.is_file()}
        power_actuator.apply(power_actuator.decide(low, None))
        changed = {name: Path(name).read_text() for name, text in before.items()
                   if Path(name).read_text() != text}  # fmt: skip
        power_actuator.restore()
        return {str(Path(name).relative_to(headband.sys)): text for name, text in changed.items()}

    assert after("laptop") == {}
    assert "class/devfreq/fde60000.gpu/max_freq" in after("rk3566")


def test_only_the_chips_own_heat_counts(headband: FakeHeadband) -> None:
    for kind, hot in (("rk3566", True), ("laptop", False)):
        board = open_board(BoardConfig(kind), sysfs_root=headband.sys, dev_root=headband.dev)  # type: ignore[arg-type]
        (headband.sys / "class/thermal/thermal_zone0/temp").write_text("91000")
        power_actuator = PowerActuator(board, Config().power, Journal(None, board.clock))
        full = BatteryReading(90, 4100, -300, 25.0, charging=False, state="good")
        assert ("processor is at 91" in power_actuator.decide(full, None).reason) == hot


def test_settings_without_a_board_are_the_emulated_one(tmp_path: Path) -> None:
    assert load_config(None).board == BoardConfig("emulated", "")
    with pytest.raises(ConfigError, match='board is "laptop"; it must be a table'):
        load_config(Path(settings(tmp_path, 'board = "laptop"')))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("battery_percent = 101", "battery_percent is 101; it must be a number, 0 to 100 percent"),
        ('view = "nothing.png"', "nothing.png is not there"),
        ("batery_percent = 3", "unknown key batery_percent; known: battery_percent"),
    ],
)
def test_a_bad_scene_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, says: str
) -> None:
    (tmp_path / "scene.toml").write_text(text)
    where = settings(tmp_path, f'[board]\nfile = "{tmp_path / "scene.toml"}"')
    assert says in refusal(["status", "--config", where], capsys)


def test_an_emulated_board_is_in_the_scene_that_its_file_tells(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "scene.toml").write_text("battery_percent = 12\ncharging = true")
    where = settings(tmp_path, f'[board]\nkind = "emulated"\nfile = "{tmp_path / "scene.toml"}"')
    assert main(["status", "--config", where, "--json"]) == 0
    battery = json.loads(capsys.readouterr().out)["battery"]
    assert (battery["percent"], battery["charging"]) == (12, True)
    assert main(["status", "--config", where, "--battery", "55", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["battery"]["percent"] == 55

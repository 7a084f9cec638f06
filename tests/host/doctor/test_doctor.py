"""For each broken part, the doctor names this part only, and what to do."""

import asyncio
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args, get_type_hints
from unittest.mock import Mock

import numpy as np
import pytest

from host.cli.main import main
from host.doctor import folder_checks as doctor_folders
from host.doctor.checks import examine
from host.doctor.finding import Finding, format_findings, healthy
from host.doctor.runtime_checks import Job
from hw.absent import AbsentLine, AbsentOutput, AbsentSpeaker
from hw.board import Board
from hw.device import MICROPHONE_RATE_HZ
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.emulated.bus import Fault
from hw.linux.alsa import AlsaSpeaker
from hw.linux.led import SysfsLight
from hw.linux.system_clock import SystemClock
from models.pack import npu_fit as npu
from models.pack.catalogue import PACKS_FOLDER, seal
from tests.hw.absent_devices import AbsentCamera, AbsentMicrophone
from tests.hw.fake_headband import HurriedClock
from tests.hw.linux.sound_programs import program, programs

__all__ = ["programs"]

RKNN_DOUBLE = Path(__file__).parents[2] / "models/rknn_double"
PARTS = [
    "board", "kernel", "PMU", "battery", "lines", "recording", "light", "microphone", "camera", "speaker",
    "knobs", "wake alarm", "pack", "runtimes", "NPU", "placement", "motion", "writing", "disk",
]  # fmt: skip


Damage = Callable[[EmulatedBoard], EmulatedBoard | None]


def whole(board: EmulatedBoard) -> None:
    """Nothing is broken."""


def findings(
    tmp_path: Path,
    damage: Damage = whole,
    pack: str | Path = "micro",
    *,
    kept: Path | None = None,
    jobs: Sequence[Job] = (),
    name: str = "emulated",
) -> dict[str, Finding]:
    async def scene() -> list[Finding]:
        hiss = (np.random.default_rng(3).standard_normal(MICROPHONE_RATE_HZ) * 20).astype(np.int16)
        board = emulated_board(clock=HurriedClock(), real_time=False, sound_card=False, background=hiss)
        board.camera.show(np.full((48, 64, 3), 120, np.uint8))
        try:
            seen = damage(board) or board
            return await examine(seen, name, pack, tmp_path / "state", kept, jobs=jobs)
        finally:
            await board.close()

    return {finding.part: finding for finding in asyncio.run(scene())}


def troubled(found: dict[str, Finding]) -> set[str]:
    return {part for part, finding in found.items() if finding.health == "broken"}


def test_a_whole_headband_is_healthy(tmp_path: Path) -> None:
    found = findings(tmp_path)
    assert list(found) == PARTS
    assert troubled(found) == set()
    assert {part for part, finding in found.items() if finding.health == "note"} == {"speaker", "NPU"}
    assert format_findings(list(found.values())).endswith("Healthy.")


def on_the_bus(fault: Fault) -> Damage:
    return lambda board: board.bus.inject(fault)


def without(**devices: Any) -> Damage:
    return lambda board: replace(board, **devices)


def bare_sysfs(board: EmulatedBoard) -> EmulatedBoard:
    """A computer with the device tree of another model."""
    tree = board.sysfs_root / "firmware/devicetree/base/compatible"
    tree.parent.mkdir(parents=True)
    tree.write_bytes(b"radxa,cm3\0rockchip,rk3566\0")
    return replace(board, compatible="rockchip,rk3588")


GONE = "The {} line cannot be used: there is no GPIO chip gpio0."
ON_PMU = {"PMU", "battery", "light"}
BROKEN: dict[str, tuple[Damage, set[str], str, str]] = {
    "gauge": (on_the_bus(Fault.NAK), ON_PMU, "does not answer", "four wires"),
    "gauge, held bus": (on_the_bus(Fault.STALL), ON_PMU, "held low", "four wires"),
    "gauge, data line held": (on_the_bus(Fault.STUCK_SDA), ON_PMU, "fail on the bus", "wires"),
    "gauge, unpowered": (on_the_bus(Fault.ALL_ONES), ON_PMU, "unpowered", "four wires"),
    "gauge, other driver": (on_the_bus(Fault.BUSY), ON_PMU, "kernel driver", "device tree"),
    "gauge, wrong checksums": (on_the_bus(Fault.BAD_PEC), ON_PMU, "checksums", "four wires"),
    "gauge, older firmware": (on_the_bus(Fault.OLDER_MAP), ON_PMU, "flash", "deploy-firmware"),
    "gauge, newer firmware": (on_the_bus(Fault.NEWER_MAP), ON_PMU, "update", "deploy-app"),
    "gauge, frozen": (on_the_bus(Fault.FROZEN), {"PMU"}, "stands still", "deploy-firmware"),
    "wake": (without(wake=AbsentLine(GONE.format("wake"))), {"lines"}, "The wake line", "board.toml"),
    "alert": (without(alert=AbsentLine(GONE.format("alert"))), {"lines"}, "The alert line", "board.toml"),
    "button": (without(button=AbsentLine(GONE.format("button"))), {"lines"}, "The button line", "board.toml"),
    "recording_off": (
        without(recording_off=AbsentLine(GONE.format("recording_off"))), {"lines"}, "The recording_off line",
        "board.toml",
    ),
    "marker": (without(marker=AbsentOutput(GONE.format("marker"))), {"lines"}, "marker", "board.toml"),
    "light": (without(light=SysfsLight(Path("/none"), "status")), {"light"}, "no LED called status", "LED"),
    "microphone": (lambda board: board.microphone.unplug(), {"microphone"}, "unplugged", "plug it in"),
    "microphone, no program": (
        without(microphone=AbsentMicrophone("The program arecord (alsa-utils) is not installed.")),
        {"microphone"}, "arecord", "apt install alsa-utils",
    ),
    "camera": (lambda board: board.camera.unplug(), {"camera"}, "unplugged", "plug it in"),
    "camera, in use": (
        without(camera=AbsentCamera("The camera /dev/video0 is in use by another program.")),
        {"camera"}, "in use", "end the other program",
    ),
    "camera, not allowed": (
        without(camera=AbsentCamera("It may not be opened (is this user in the group video?).")),
        {"camera"}, "group video", "usermod -aG video",
    ),
    "speaker": (without(speaker=AbsentSpeaker("It takes no sound.")), {"speaker"}, "no sound", "plug it in"),
    "wake_alarm": (
        lambda board: shutil.rmtree(board.sysfs_root / "class/rtc"), set(), "", "",
    ),
    "board": (bare_sysfs, {"board"}, "does not say rockchip,rk3588", "--board"),
}  # fmt: skip
"""Fault (first the device's name) -> how it is made, the parts that report it, words of the sentence and of
the fix.
"""
NOT_BROKEN_ALONE = {
    "clock": "the computer's own",
    "guard": "the microcontroller's: with the gauge",
    "energy": "the microcontroller's: with the gauge",
    "suspendable_microphone": "the microphone's and the gauge's",
    "key_page": "the microcontroller's: with the gauge",
}


def test_every_device_of_a_board_is_broken_in_turn() -> None:
    kinds = get_type_hints(Board)
    devices = {
        name
        for name, kind in kinds.items()
        if any(getattr(each, "_is_protocol", False) for each in (kind, *get_args(kind)))
    }
    assert devices - set(NOT_BROKEN_ALONE) <= {name.split(",")[0] for name in BROKEN}


@pytest.mark.parametrize("name", BROKEN)
def test_the_broken_part_is_named_with_what_to_do(tmp_path: Path, name: str) -> None:
    damage, parts, says, fix = BROKEN[name]
    found = findings(tmp_path, damage)
    assert troubled(found) == parts
    if not parts:  # the headband works without it
        assert found[name.replace("_", " ")].health == "note"
        return
    first = found[next(part for part in PARTS if part in parts)]
    assert says in first.says and first.says.endswith(".") and fix in first.fix
    assert all(found[part].fix for part in parts)
    assert not healthy(list(found.values()))
    assert f"Not healthy: {', '.join(p for p in PARTS if p in parts)}." in format_findings([*found.values()])


def test_a_spoilt_pack_is_named(tmp_path: Path) -> None:
    copy = tmp_path / "pack"
    shutil.copytree(PACKS_FOLDER / "micro", copy)
    with (copy / "decoder.gguf").open("r+b") as file:
        file.seek(5000)
        file.write(b"\0\1\2\3")
    found = findings(tmp_path, pack=copy)
    assert troubled(found) == {"pack"}
    assert "decoder.gguf" in found["pack"].says


def test_missing_runtimes_and_a_full_disk_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_folders, "LEAST_FREE_MIB", 1e12)
    found = findings(tmp_path, jobs=[Job("smell", ("no_such_package",))])
    assert troubled(found) == {"runtimes", "disk"}
    assert "no_such_package is missing (smell)" in found["runtimes"].says


def test_what_the_headband_does_without_is_a_note(tmp_path: Path) -> None:
    def damage(board: EmulatedBoard) -> None:
        shutil.rmtree(board.sysfs_root / "class/devfreq")
        shutil.rmtree(board.sysfs_root / "class/rtc")
        board.camera.show(np.zeros((48, 64, 3), np.uint8))

    found = findings(tmp_path, damage)
    assert troubled(found) == set()
    assert "memory clock" in found["knobs"].says
    assert "stays awake for timers" in found["wake alarm"].says
    assert "covered" in found["camera"].says


def test_a_knob_that_this_user_may_not_turn_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def damage(board: EmulatedBoard) -> None:
        for path in ("devices/system/cpu/cpufreq/policy0/scaling_max_freq", "power/state"):
            (board.sysfs_root / path).chmod(0o444)

    may_write = Mock(side_effect=lambda path, mode: bool(path.stat().st_mode & 0o200))  # also of root
    monkeypatch.setattr("power.knobs.os.access", may_write)
    found = findings(tmp_path, damage)
    assert troubled(found) == {"knobs"}
    says, fix = found["knobs"].says, found["knobs"].fix
    assert "CPU clock" in says and "scaling_max_freq" in says and "suspend" in says and "cores" not in says
    assert "systemd-tmpfiles --create" in fix


NPU_TABLE = """
[[file]]
path = "vit.rknn"
[brick.vision.npu]
file = "vit.rknn"
chips = ["rk3566"]
librknnrt = "2.5.0"
side_px = 128
memory_mib = 40
"""


@pytest.mark.parametrize(
    ("library", "compiled", "health", "says", "fix"),
    [
        ("2.5.0", True, "ok", "librknnrt 2.5.0, for vision", ""),
        ("2.3.2", True, "broken", "runtime is 2.3.2, and vit.rknn needs 2.5.0", "rknn-toolkit2 2.5.0"),
        ("", True, "broken", "The NPU's runtime is missing", "rknn-toolkit2 2.5.0"),
        ("2.5.0", False, "note", "lacks vit.rknn", "convert it"),
    ],
)
def test_the_npu_of_a_board_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str, compiled: bool, health: str, says: str,
    fix: str,
) -> None:  # fmt: skip
    monkeypatch.syspath_prepend(str(RKNN_DOUBLE))
    monkeypatch.setattr(npu, "LIBRARY", tmp_path / "librknnrt.so")
    if library:
        (tmp_path / "librknnrt.so").write_bytes(f"librknnrt version: {library} (c949ad889d)".encode())
    copy = tmp_path / "pack"
    shutil.copytree(PACKS_FOLDER / "micro", copy)
    (copy / "pack.toml").write_text((copy / "pack.toml").read_text() + NPU_TABLE)
    if compiled:
        (copy / "vit.rknn").write_bytes(b"compiled")
        seal(copy)

    def rk3566(board: EmulatedBoard) -> None:
        tree = board.sysfs_root / "firmware/devicetree/base/compatible"
        tree.parent.mkdir(parents=True)
        tree.write_bytes(b"radxa,zero3\0rockchip,rk3566\0")
        (board.sysfs_root / "bus/platform/drivers/RKNPU/fde40000.npu").mkdir(parents=True)

    found = findings(tmp_path, rk3566, pack=copy)
    assert found["NPU"].health == health and found["NPU"].says.startswith("rk3566, driver of an unknown")
    assert says in found["NPU"].says and fix in found["NPU"].fix and bool(fix) == bool(found["NPU"].fix)
    assert troubled(found) == ({"NPU"} if health == "broken" else set())


def test_a_player_that_takes_sound_and_never_ends_is_a_broken_speaker(
    tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hw.audio.player_program.END_LIMIT_S", 0.2)
    program(programs, "aplay", "time.sleep(60)")
    found = findings(tmp_path, without(speaker=AlsaSpeaker(SystemClock(), "hw:1")))
    assert troubled(found) == {"speaker"} and "hw:1 takes no sound" in found["speaker"].says
    program(programs, "aplay", "sys.stdin.buffer.read()")
    monkeypatch.setattr("hw.audio.player_program.END_LIMIT_S", 20.0)
    assert troubled(findings(tmp_path, without(speaker=AlsaSpeaker(SystemClock(), "hw:1")))) == set()


def test_the_command_says_it_on_one_screen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--board", "emulated"]) == 0
    said = capsys.readouterr().out
    assert len(said.splitlines()) <= 24
    assert "Healthy." in said


def test_a_board_that_is_not_there_is_not_healthy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    wiring, settings = tmp_path / "board.toml", tmp_path / "headband.toml"
    wiring.write_text('compatible = "nobody,none"\n[camera]\ndevice = "/none"')
    settings.write_text(f'[board]\nkind = "rk3588"\nfile = "{wiring}"')
    assert main(["doctor", "--config", str(settings)]) == 1
    said = capsys.readouterr().out
    assert "This computer is no rk3588" in said
    assert "microphone, camera, speaker." in said.splitlines()[-1]

"""Files that the doctor must not open, and its reports about kernel and disk."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from host.cli.main import main
from host.doctor.finding import Finding, format_findings, healthy
from host.doctor.kernel_checks import kernel_finding
from host.wearer.saved_settings import save_recording
from hw.emulated.board import EmulatedBoard
from hw.emulated.microphone import WavMicrophone
from hw.emulated.sysfs import write_tree
from models.pack.catalogue import PACKS_FOLDER
from tests.host.doctor.test_doctor import findings, troubled


def test_a_worn_disk_is_noticed_although_no_file_changed(tmp_path: Path) -> None:
    copy = tmp_path / "pack"
    shutil.copytree(PACKS_FOLDER / "micro", copy)
    assert "every SHA-256 right" in findings(tmp_path, pack=copy)["pack"].says
    before = (copy / "decoder.gguf").stat()
    with (copy / "decoder.gguf").open("r+b") as file:
        file.seek(5000)
        file.write(b"\0\1\2\3")
    os.utime(copy / "decoder.gguf", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert troubled(findings(tmp_path, pack=copy)) == {"pack"}


def test_nothing_is_heard_or_seen_while_recording_is_off(tmp_path: Path) -> None:
    """The user of the doctor may be another person than the wearer."""
    boards: list[EmulatedBoard] = []

    def switched(board: EmulatedBoard) -> None:
        board.recording_off.set(True)
        boards.append(board)

    kept = tmp_path / "kept.json"
    save_recording(kept, False)
    for found, why in (
        (findings(tmp_path, switched), "the switch is at off"),
        (findings(tmp_path, boards.append, kept=kept), str(kept)),
    ):
        for part in ("microphone", "camera"):
            assert found[part].health == "note" and "recording is off" in found[part].says
        assert found["recording"].health == "note" and why in found["recording"].says
        assert healthy([*found.values()])
        assert format_findings([*found.values()]).endswith("Healthy, but recording is off.")
    assert [(b.microphone.chunks_delivered, b.camera.captures) for b in boards] == [(0, 0), (0, 0)]


def test_the_command_asks_what_the_wearer_said_last(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / "headband.toml"
    settings.write_text(f'[journal]\npath = "{tmp_path}/journal.jsonl"\n')
    (tmp_path / "kept.json").write_text("damaged")
    assert main(["doctor", "--config", str(settings)]) == 1
    said = capsys.readouterr().out
    assert said.count("not opened: recording is off") == 2
    assert "kept.json is damaged" in said and "headband recording on" in said
    assert said.endswith("Not healthy: recording.\n")


def test_a_microphone_that_delivers_only_silence_is_told_with_what_to_do(tmp_path: Path) -> None:
    def silent(board: EmulatedBoard) -> EmulatedBoard:
        return replace(board, microphone=WavMicrophone(board.clock, real_time=False))

    found = findings(tmp_path, silent, name="laptop")["microphone"]
    assert found.health == "note" and "silence" in found.says and "alsamixer" in found.fix
    emulated = findings(tmp_path, silent)["microphone"]  # nobody has to do anything about that one
    assert (emulated.health, emulated.fix) == ("ok", "") and emulated.says.startswith("emulated: ")


@pytest.mark.parametrize(
    ("gone", "says", "fix"),
    [
        ("power/state", "sleep (it stays awake)", "CONFIG_SUSPEND"),
        ("class/i2c-dev", "I2C (no microcontroller", "modprobe i2c-dev"),
        ("fs/cgroup", "memory limits (a brick", "cgroup_enable=memory"),
    ],
)
def test_what_the_kernel_lacks_is_named(tmp_path: Path, gone: str, says: str, fix: str) -> None:
    root = write_tree(tmp_path)
    path = root / gone
    path.unlink() if path.is_file() else shutil.rmtree(path)
    found = kernel_finding("6.1.0-28-arm64", root, headband=True)
    assert (found.health, says in found.says, fix in found.fix) == ("note", True, True)
    assert kernel_finding("6.1.0", root, headband=False) == Finding("kernel", "ok", "Linux 6.1.0")


def test_a_kernel_that_is_too_old_is_broken(tmp_path: Path) -> None:
    old = kernel_finding("4.19.232", write_tree(tmp_path), headband=True)
    assert old.health == "broken" and "5.10" in old.fix
    whole = kernel_finding("5.10.160-rk3566", tmp_path, headband=True)
    assert whole.says == "Linux 5.10.160-rk3566 with GPIO lines, deep sleep, I2C, memory limits"

"""Each part broken in turn: the doctor names that part, and no other, and what to do."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from host import doctor
from host.cli import main
from host.doctor import Finding, examine, healthy, screen
from hw.device import DeviceError
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.emulated.bus import Fault
from models.pack import PACKS_FOLDER

PARTS = [
    "board", "PMU", "battery", "lines", "microphone", "camera", "speaker", "knobs", "wake alarm", "pack",
    "runtimes", "disk",
]  # fmt: skip


def findings(
    tmp_path: Path, damage: Callable[[EmulatedBoard], None] = lambda board: None, pack: str | Path = "micro"
) -> dict[str, Finding]:
    async def scene() -> list[Finding]:
        hiss = (np.random.default_rng(3).standard_normal(16_000) * 20).astype(np.int16)
        board = emulated_board(real_time=False, sound_card=False, background=hiss)
        board.camera.show(np.full((48, 64, 3), 120, np.uint8))
        damage(board)
        try:
            return await examine(board, "emulated", pack, tmp_path / "state")
        finally:
            await board.close()

    return {finding.part: finding for finding in asyncio.run(scene())}


def troubled(found: dict[str, Finding]) -> set[str]:
    return {part for part, finding in found.items() if finding.health == "broken"}


def test_a_whole_headband_is_healthy(tmp_path: Path) -> None:
    found = findings(tmp_path)
    assert list(found) == PARTS
    assert troubled(found) == set()
    assert {part for part, finding in found.items() if finding.health == "note"} == {"speaker"}
    assert screen(list(found.values())).endswith("Healthy.")


BROKEN: dict[str, tuple[Callable[[EmulatedBoard], None], set[str]]] = {
    "no PMU": (lambda board: board.bus.inject(Fault.NAK), {"PMU", "battery"}),
    "held bus": (lambda board: board.bus.inject(Fault.STALL), {"PMU", "battery"}),
    "older firmware": (lambda board: board.bus.inject(Fault.OLDER_MAP), {"PMU", "battery"}),
    "wrong checksums": (lambda board: board.bus.inject(Fault.BAD_PEC), {"PMU", "battery"}),
    "frozen PMU": (lambda board: board.bus.inject(Fault.FROZEN), {"PMU"}),
    "microphone": (lambda board: board.microphone.unplug(), {"microphone"}),
    "camera": (lambda board: board.camera.unplug(), {"camera"}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_broken_part_is_named_with_what_to_do(tmp_path: Path, name: str) -> None:
    damage, parts = BROKEN[name]
    found = findings(tmp_path, damage)
    assert troubled(found) <= parts
    assert troubled(found)
    for part in troubled(found):
        assert found[part].says
        assert found[part].fix
    assert not healthy(list(found.values()))
    assert f"Not healthy: {', '.join(p for p in PARTS if p in troubled(found))}." in screen([*found.values()])


def test_a_speaker_that_fails_is_named(tmp_path: Path) -> None:
    def damage(board: EmulatedBoard) -> None:
        def deliver(pcm: np.ndarray, rate_hz: int) -> None:
            raise DeviceError("The speaker does not take sound.")

        board.speaker._deliver = deliver  # type: ignore[method-assign]

    assert troubled(findings(tmp_path, damage)) == {"speaker"}


def test_a_spoilt_pack_is_named(tmp_path: Path) -> None:
    copy = tmp_path / "pack"
    shutil.copytree(PACKS_FOLDER / "micro", copy)
    with (copy / "vit.onnx").open("r+b") as file:
        file.seek(5000)
        file.write(b"\0\1\2\3")
    found = findings(tmp_path, pack=copy)
    assert troubled(found) == {"pack"}
    assert "vit.onnx" in found["pack"].says


def test_missing_runtimes_and_a_full_disk_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(doctor.RUNTIMES, "smell", "no-such-package")
    monkeypatch.setattr(doctor, "LEAST_FREE_MIB", 1e12)
    found = findings(tmp_path)
    assert troubled(found) == {"runtimes", "disk"}
    assert "no-such-package (smell)" in found["runtimes"].says


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


def test_the_command_says_it_on_one_screen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--board", "emulated"]) == 0
    said = capsys.readouterr().out
    assert len(said.splitlines()) <= 24
    assert "Healthy." in said


def test_a_board_that_is_not_there_is_not_healthy(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--board", "rk3566"]) == 1
    assert "Not healthy: board." in capsys.readouterr().out

"""Calls over ssh to a board that is too busy to let one in, by stand-ins for ssh and QEMU."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.virtual import stand_ins
from tests.virtual.machine import NAME, TRIES, Machine, Root, VirtualBoardError


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    made, _ = stand_ins.machine(tmp_path, monkeypatch)
    with made:
        yield made


@pytest.fixture
def programs(board: Machine, tmp_path: Path) -> Path:
    return tmp_path / "bin"


def test_a_board_that_is_late_with_its_banner_is_called_again(board: Machine, programs: Path) -> None:
    stand_ins.ssh(programs, busy=3)
    done = board.call("cat; echo problem >&2; exit 3", check=False, send="sent")
    assert (done.returncode, done.stdout, done.stderr) == (3, "sent", "problem\n")
    assert stand_ins.calls(programs) == 4


def test_a_command_that_has_begun_is_not_sent_twice(board: Machine, programs: Path) -> None:
    stand_ins.ssh(programs, breaks=True)
    with pytest.raises(VirtualBoardError, match="failed there: told"):
        board.call("echo told")
    assert stand_ins.calls(programs) == 1


def test_a_board_that_lets_nobody_in_is_given_up_in_one_sentence(board: Machine, programs: Path) -> None:
    stand_ins.ssh(programs, busy=1000)
    with pytest.raises(
        VirtualBoardError, match=rf"^It can't be reached by ssh, {TRIES} times: {stand_ins.BUSY}\.$"
    ):
        board.call("true", check=False)
    assert stand_ins.calls(programs) == TRIES


def test_a_command_that_does_not_end_is_given_up(board: Machine, programs: Path) -> None:
    stand_ins.ssh(programs)
    with pytest.raises(VirtualBoardError, match="'exec sleep 60' did not end there in time"):
        board.call("exec sleep 60", timeout_s=0.5)


def test_a_boot_is_waited_for(board: Machine, programs: Path) -> None:
    stand_ins.ssh(programs, busy=1)
    assert board.wait() > 0.0
    assert stand_ins.calls(programs) == 2


def test_a_board_that_is_off_is_not_called(board: Machine, programs: Path) -> None:
    stand_ins.ssh(programs)
    board.cut()
    with pytest.raises(VirtualBoardError, match="The board is off"):
        board.call("true")
    stand_ins.emulator(programs, "exit 1")
    board.on()
    board.until_off()
    with pytest.raises(VirtualBoardError, match="The emulator ended"):
        board.wait()
    assert stand_ins.calls(programs) == 0


def test_a_board_out_of_reach_is_switched_off_all_the_same(board: Machine, programs: Path) -> None:
    stand_ins.ssh(programs, busy=1000)
    stand_ins.emulator(programs, f"until [ -e {programs}/calls ]; do sleep 0.05; done")
    board.cut()
    board.on()
    board.off()
    with pytest.raises(VirtualBoardError, match="The board is off"):
        board.call("true")


@pytest.mark.skipif(shutil.which("ssh") is None, reason="needs ssh")
def test_a_folder_may_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, emulated = tmp_path / "my board, 50 % done", tmp_path / "words"
    stand_ins.emulator(tmp_path / "bin", f"printf '%s\\n' \"$@\" > {emulated}; exec sleep 600")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    with Machine(Root(folder / "root"), folder) as made:
        said = subprocess.run(
            ["ssh", "-G", "-F", made.ssh_config, NAME], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        assert f"identityfile {made.key}".replace("%", "%%") in said
        assert f"userknownhostsfile {folder / 'known_hosts'}" in said
        made.on()
        until_s = time.monotonic() + 20
        while not (emulated.exists() and emulated.read_text().endswith("-nodefaults\n")):
            assert time.monotonic() < until_s
            time.sleep(0.01)
        assert f"if=none,id=disk,format=qcow2,file={tmp_path}/my board,, 50 % done/disk.qcow2" in (
            emulated.read_text().splitlines()
        )

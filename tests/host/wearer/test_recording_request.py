"""Requests of the command line for recording on or off: each is carried out, and only then reported."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from host.cli.recording import switch_recording
from host.session.actions import AcknowledgeRequest
from host.session.events import RecordingRequested
from host.wearer.recording_request import RecordingRequests, one_command, request_recording
from host.wearer.recording_switch import RecordingSwitch
from hw.emulated.board import emulated_board
from hw.emulated.clock import FakeClock
from tests.host.session.doubles import NotingQueue, perform


def test_a_request_that_came_while_another_was_carried_out_is_carried_out_too(tmp_path: Path) -> None:
    path = tmp_path / "kept.lock"
    requests = RecordingRequests(path)
    requests.open()

    async def scene() -> None:
        clock = FakeClock()
        queue, board = NotingQueue(clock), emulated_board(sound_card=False)
        switch = RecordingSwitch(queue, board.microphone, board.camera, None, requests)
        for request in (b"on ", b"off"):
            path.write_bytes(request)
            await switch.poll()
        assert queue.taken() == [RecordingRequested(on=True)], "one at a time"
        perform(switch, AcknowledgeRequest())
        assert requests.read() is False, "it is not done yet"
        await switch.poll()
        assert queue.taken() == [RecordingRequested(on=False)]
        perform(switch, AcknowledgeRequest())
        assert requests.read() is None
        await board.close()

    asyncio.run(scene())
    requests.close()


def test_a_command_that_gives_up_withdraws_its_own_request_only(tmp_path: Path) -> None:
    path = tmp_path / "kept.lock"
    requests = RecordingRequests(path)
    requests.open()
    with ThreadPoolExecutor(1) as elsewhere:
        first = elsewhere.submit(request_recording, path, True, 0.3)
        while requests.read() is None:
            time.sleep(0.01)
        with path.open("r+b") as other:  # as another command does: the file is never empty meanwhile
            other.write(b"off")
        assert first.result() is False and requests.read() is False
    requests.close()


class Running:
    """A running headband: looks for requests every so often, and carries them out."""

    def __init__(self, path: Path) -> None:
        self.carried_out: list[bool] = []
        self._requests = RecordingRequests(path)
        self._requests.open()
        self._ended = threading.Event()
        self._work = threading.Thread(target=self._run)
        self._work.start()

    def _run(self) -> None:
        while not self._ended.wait(0.05):
            wanted = self._requests.read()
            if wanted is not None:
                self.carried_out.append(wanted)
                self._requests.done(wanted)

    def end(self) -> None:
        self._ended.set()
        self._work.join()
        self._requests.close()


def test_of_two_commands_at_once_both_are_carried_out(tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    headband = Running(tmp_path / "kept.lock")
    with ThreadPoolExecutor(2) as elsewhere:
        for _ in range(5):
            assert list(elsewhere.map(partial(switch_recording, kept), (True, False))) == [None, None]
    headband.end()
    assert sorted(headband.carried_out) == [False] * 5 + [True] * 5


def test_a_command_beside_one_that_hangs_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("host.wearer.recording_request.OTHER_COMMAND_S", 0.2)
    hangs = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(hangs, fcntl.LOCK_EX)
    said = switch_recording(tmp_path / "kept.json", True)
    os.close(hangs)
    assert said is not None and said.startswith("Another headband recording command has not ended")
    assert not (tmp_path / "kept.json").exists()
    assert switch_recording(tmp_path / "kept.json", True) is None and (tmp_path / "kept.json").exists()


def test_a_file_system_without_locks_refuses_no_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> None:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))

    monkeypatch.setattr("host.wearer.recording_request.fcntl.flock", none)
    with one_command(tmp_path):
        pass

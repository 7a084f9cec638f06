"""Requests of the command line for recording on or off: each is carried out, and only then reported."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from host.session.actions import AcknowledgeRequest
from host.session.events import RecordingRequested
from host.wearer.recording_request import RecordingRequests, request_recording
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

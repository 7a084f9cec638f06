"""The notifications that systemd gets."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from host.system.systemd_notify import Notifier


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(str(tmp_path / "notify"))
        ear.setblocking(False)
        yield ear


def heard(ear: socket.socket) -> list[str]:
    found = []
    while True:
        try:
            found.append(ear.recv(4096).decode())
        except BlockingIOError:
            return found


def test_ready_once_it_listens_and_deaf_when_the_microphone_is_pulled(systemd: socket.socket) -> None:
    notifier = Notifier({"NOTIFY_SOCKET": systemd.getsockname()})
    notifier.observe("device", {"device": "camera", "problem": "gone"})
    assert heard(systemd) == []
    notifier.observe("listening", {"after_s": 1.0})
    assert heard(systemd) == ["READY=1\nSTATUS=listening"]
    notifier.observe("device", {"device": "microphone", "problem": "It is gone."})
    notifier.observe("device", {"device": "microphone", "problem": None})
    assert heard(systemd) == ["STATUS=deaf: It is gone.", "STATUS=listening"]


def test_a_headband_without_a_microphone_has_started_too(systemd: socket.socket) -> None:
    notifier = Notifier({"NOTIFY_SOCKET": systemd.getsockname()})
    notifier.observe("device", {"device": "microphone", "problem": "None is plugged in."})
    assert heard(systemd) == ["READY=1\nSTATUS=deaf: None is plugged in."]


def recording(to: str, cause: str) -> dict[str, str]:
    return {"region": "recording", "to": to, "cause": cause}


def test_recording_off_is_told_and_what_was_true_of_the_microphone_again_after_it(
    systemd: socket.socket,
) -> None:
    notifier = Notifier({"NOTIFY_SOCKET": systemd.getsockname()})
    notifier.observe("device", {"device": "microphone", "problem": "It is gone."})
    notifier.observe("transition", recording("off", "the switch is at off"))
    notifier.observe("transition", {"region": "interaction", "to": "speaking", "cause": "it is said"})
    notifier.observe("transition", recording("on", "the switch was moved to on"))
    assert heard(systemd)[1:] == ["STATUS=recording is off: the switch is at off", "STATUS=deaf: It is gone."]


def test_one_that_may_not_listen_has_started_too_and_tells_when_it_may(systemd: socket.socket) -> None:
    notifier = Notifier({"NOTIFY_SOCKET": systemd.getsockname()})
    notifier.observe("transition", recording("off", "the switch is at off"))  # before its models are there
    assert heard(systemd) == []
    notifier.observe("recording_off", {})
    notifier.observe("transition", recording("on", "the switch was moved to on"))
    notifier.observe("listening", {"after_s": 1.0})
    assert heard(systemd) == [
        "READY=1\nSTATUS=recording is off: the switch is at off", "STATUS=about to listen",
        "STATUS=listening",
    ]  # fmt: skip


def test_the_watchdog_gets_four_beats_per_deadline_however_often_the_loop_turns(
    systemd: socket.socket,
) -> None:
    now_s = 0.0
    environment = {"NOTIFY_SOCKET": systemd.getsockname(), "WATCHDOG_USEC": "8000000"}
    notifier = Notifier({**environment, "WATCHDOG_PID": str(os.getpid())}, lambda: now_s)
    for _ in range(800):
        notifier.beat()
        now_s += 0.01
    assert heard(systemd) == ["WATCHDOG=1"] * 4
    Notifier({**environment, "WATCHDOG_PID": "1"}, lambda: now_s).beat()
    assert heard(systemd) == []


def test_started_by_hand_or_with_nobody_to_hear_it_sends_nothing(tmp_path: Path) -> None:
    Notifier({}).status("listening")
    gone = Notifier({"NOTIFY_SOCKET": str(tmp_path / "none"), "WATCHDOG_USEC": "1000000"})
    gone.status("listening")
    gone.beat()

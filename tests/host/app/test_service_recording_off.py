"""A service that starts while recording is off has started all the same."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

from host.answers.timers import Now, Timers
from host.config import AnswerConfig
from host.wearer.saved_settings import VoiceSettings, as_json

ROOT = Path(__file__).parents[3]


def test_a_service_that_may_not_listen_is_ready_and_alive(tmp_path: Path) -> None:
    settings = tmp_path / "headband.toml"
    settings.write_text(f'[board]\nkind = "emulated"\n[journal]\npath = "{tmp_path}/journal.jsonl"\n')
    kept = as_json(Timers(), VoiceSettings(80, 1.0), AnswerConfig(), Now(1.0, 2.0), "boot", recording=False)
    (tmp_path / "kept.json").write_text(kept)
    said: list[str] = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(40)
        environment = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "400000"}
        with subprocess.Popen(
            [sys.executable, "-m", "host", "run", "--service", "--mode", "cascade", "--config", settings],
            cwd=ROOT,
            env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        ) as headband:  # fmt: skip
            try:
                while len(said) < 60 and (said.count("WATCHDOG=1") < 4 or len(set(said)) < 2):
                    said.append(systemd.recv(4096).decode())
            finally:
                headband.send_signal(signal.SIGTERM)
                out, _ = headband.communicate(timeout=60)
    assert (headband.returncode, out) == (0, "")
    started = "READY=1\nSTATUS=recording is off: it was so before the restart"
    assert [each for each in said if each != "WATCHDOG=1"] == [started]

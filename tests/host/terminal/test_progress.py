"""The progress of a download, as shown in a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.models.install.misbehaving_hub import Hub, running_hub
from tests.models.install.packs_bench import BRICK, MANIFEST, ROOT, STT, VOICE, program, write


def shown(folder: Path, hub: Hub, *, terminal: bool) -> str:
    """The output of `headband models fetch` to a terminal or to a pipe."""
    call = [sys.executable, "-c", program(folder / "shipped", hub.address)]
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT), "HEADBAND_CACHE": str(folder / "cache"), "TERM": "xterm",
    }  # fmt: skip
    if not terminal:
        return subprocess.run(
            call, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
        ).stdout
    near, far = pty.openpty()
    fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    with subprocess.Popen(call, env=environment, stdin=far, stdout=far, stderr=far):
        os.close(far)
        said = b""
        while True:
            try:
                said += os.read(near, 4096)
            except OSError:  # the last one that had it open has ended
                break
    os.close(near)
    return said.decode(errors="replace")


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    write(tmp_path / "shipped", MANIFEST + BRICK)
    with running_hub() as hub:
        hub.add("owner/stt", "stt.bin", STT)
        hub.add("owner/voices", "en/voice.onnx", VOICE, "v1")
        yield hub


def test_a_bar_grows_and_goes_on_where_the_line_broke(hub: Hub, tmp_path: Path) -> None:
    hub.drop_at = len(STT) // 2
    hub.faults += ["drop"]
    hub.pause_s = 0.05
    said = shown(tmp_path, hub, terminal=True)
    percents = [int(number) for number in re.findall(r"stt\.bin: +(\d+)%", said)]
    assert percents == sorted(percents) and percents[-1] == 100
    assert len({number for number in percents if number < 50}) > 1
    assert len({number for number in percents if 50 <= number < 100}) > 1
    assert "stt.bin: the connection ended after" in said and "once more" in said
    assert "pack 'small' is here now" in said


def test_without_a_terminal_it_is_a_line_for_each_file(hub: Hub, tmp_path: Path) -> None:
    said = shown(tmp_path, hub, terminal=False)
    assert "stt.bin: 1.5 MB" in said.splitlines() and "%" not in said and "\r" not in said

"""As test_privacy, for a question with the classes of real devices: a recorder, a player, no camera."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.demo_files import COLOUR
from tests.host.app.test_on_devices import HEARD
from tests.host.test_privacy import KNOWN, found_in, has_strace, watched
from tests.host.workbench import DEMO
from tests.hw.linux.sound_programs import program


@pytest.mark.skipif(not has_strace(), reason="strace cannot trace here")
def test_a_question_on_a_laptop_opens_no_socket_and_leaves_no_sound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    after_the_wake_word = 32_000 * 11 // 10
    program(programs, "arecord", HEARD.format(wav=str(DEMO / COLOUR[0]), skip=after_the_wake_word))
    program(programs, "aplay", "while sys.stdin.buffer.read(4096): pass")
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    (tmp_path / "board.toml").write_text('[camera]\ndevice = "/none/video"\n')
    settings = tmp_path / "headband.toml"
    journal = tmp_path / "state/journal.jsonl"
    settings.write_text(
        f'[board]\nkind = "laptop"\nfile = "{tmp_path}/board.toml"\n[journal]\npath = "{journal}"\n'
    )
    (tmp_path / "state").mkdir()
    seen = watched(
        [sys.executable, "-m", "host", "ask", "--config", str(settings), "--json"], tmp_path, "strace"
    )
    report = seen.output[seen.output.index("{") :]
    assert json.loads(report)["transcript"] == "what colour is the cross"
    assert seen.sockets == [] and seen.written is not None
    places = (str(tmp_path), "/dev/null", "/proc/", "/sys/fs/cgroup", "/none/video")  # a camera is no file
    assert {path for path in seen.written if path.startswith("/") and not path.startswith(places)} == set()
    made = {"bin", "board.toml", "headband.toml", "cache"}
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    ours = [path for path in left if path.relative_to(tmp_path).parts[0] not in made]
    assert ours and {path.name for path in ours} <= set(KNOWN)
    assert not any(found_in(path.read_bytes()) for path in left if path.stat().st_size < 5_000_000)

"""Nothing leaves the headband: it opens no socket and writes no sound or picture.

A short day (`tests.host.private_day`) is observed from another process: by strace, which traces every process
with all its libraries, or in a network namespace of its own, by the tables of its sockets.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from hw.audio.sound_and_picture_files import read_image, read_wav
from tests.host.private_day import ABOUT_DEVICE, ABOUT_VIEW, VIEW

ROOT = Path(__file__).parents[2]
CALLS = "network,open,openat,openat2,creat,io_uring_setup,rename,renameat,renameat2,link,linkat,symlink"
TABLES = (
    "tcp",
    "tcp6",
    "udp",
    "udp6",
    "udplite",
    "udplite6",
    "raw",
    "raw6",
    "icmp",
    "icmp6",
    "packet",
    "unix",
)
WINDOW = 48
"""Length of a sequence of bytes that a file and a picture or recording do not have in common by chance."""
KNOWN = (
    "journal.jsonl", "kept.json", "kept.lock", "running.lock", "energy.json",
    "memory.code", "memory.keeper", "memory.db", "memory.db-wal", "memory.db-shm", "memory.db-journal",
)  # fmt: skip
"""The files that a headband writes in a day; the last six for "remember this", with the view sealed."""


def has_strace() -> bool:
    """Whether strace is installed and may trace."""
    return shutil.which("strace") is not None and subprocess.run(
        ["strace", "-f", "-qq", "-o", "/dev/null", "true"], capture_output=True
    ).returncode == 0  # fmt: skip


def has_namespaces() -> bool:
    """Whether the user may create a network namespace."""
    return shutil.which("unshare") is not None and subprocess.run(
        ["unshare", "-rn", "true"], capture_output=True
    ).returncode == 0  # fmt: skip


def traced_sockets(trace: str) -> list[str]:
    """Calls that create a socket, except for an unnamed pair within this computer, or an io_uring, which
    could create one.
    """
    made = re.findall(r"^\d+ +((?:socket|socketpair|io_uring_setup)\(.*)$", trace, re.MULTILINE)
    return [call for call in made if not call.startswith("socketpair(AF_UNIX")]


def written(trace: str) -> set[str]:
    """Paths of files that were opened for writing."""
    opened = re.findall(r'^\d+ +(?:open|openat|openat2|creat)\((?:[^"]*)"([^"]*)"(.*)$', trace, re.MULTILINE)
    return {path for path, rest in opened if re.search(r"O_WRONLY|O_RDWR|O_CREAT|how|^, 0\d", rest)}


def sockets_in_namespace(pid: int) -> set[str]:
    """Rows of the tables of sockets in that process's own network; unnamed unix sockets left out."""
    found: set[str] = set()
    with contextlib.suppress(OSError):  # it has just ended
        if os.readlink(f"/proc/{pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            return found
    for table in TABLES:
        try:
            rows = Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]
        except OSError:
            continue
        found |= {f"{table}: {row}" for row in rows if table != "unix" or len(row.split()) > 7}
    return found


@dataclass
class Watched:
    """A program's outcome, and the sockets that it or a child of it opened."""

    output: str
    sockets: list[str]
    written: set[str] | None
    """Files that were opened for writing; None where this was not observed."""


def watched(command: list[str], folder: Path, how: str) -> Watched:
    """Runs and observes a program, with a home folder of its own, until it ends."""
    homes = {"HOME": "home", "TMPDIR": "tmp", "HEADBAND_CACHE": "cache", "XDG_RUNTIME_DIR": "run"}
    for name in homes.values():
        (folder / name).mkdir(exist_ok=True)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "ORT_"))}
    environment.pop("CI", None)  # some libraries send nothing where it is set
    environment |= {key: str(folder / name) for key, name in homes.items()} | {"PYTHONPATH": str(ROOT)}
    trace = folder / "trace"
    if how == "strace":
        watch = ["strace", "-f", "--seccomp-bpf", "-qq", "-s", "300", "-o", str(trace), f"-etrace={CALLS}"]
    else:
        watch = ["unshare", "-rn"]
    sockets: set[str] = set()
    with subprocess.Popen(
        [*watch, *command], cwd=folder, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as process:  # fmt: skip
        while process.poll() is None:
            if how != "strace":
                sockets |= sockets_in_namespace(process.pid)
            time.sleep(0.01)
        assert process.stdout is not None
        output = process.stdout.read()
        assert process.returncode == 0, output
    if how != "strace":
        return Watched(output, sorted(sockets), None)
    text = trace.read_text(errors="replace")
    trace.unlink()
    return Watched(output, traced_sockets(text), written(text))


WAYS = [
    pytest.param("strace", marks=pytest.mark.skipif(not has_strace(), reason="strace cannot trace here")),
    pytest.param(
        "namespace", marks=pytest.mark.skipif(not has_namespaces(), reason="no network namespaces here")
    ),
]


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize(
    ("made", "counts"),
    [
        ("s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('127.0.0.1', 0))", True),
        ("s = socket.socket(socket.AF_INET6); s.bind(('::', 0)); s.listen()", True),
        ("s = socket.socket(socket.AF_UNIX); s.bind('named'); s.listen()", True),
        ("s = socket.socketpair()", False),
    ],
)
def test_the_watch_sees_a_socket_that_a_child_opens(
    how: str, made: str, counts: bool, tmp_path: Path
) -> None:
    child = f"if os.fork() == 0:\n    {made}\n    time.sleep(0.2)\nelse:\n    os.wait()\n"
    code = f"import os, socket, time\n{child}"
    assert bool(watched([sys.executable, "-c", code], tmp_path, how).sockets) is counts


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Watched, dict[str, object]]:
    """The folder of a day that was observed by the best available method, and the outcome."""
    how = "strace" if has_strace() else "namespace"
    if how == "namespace" and not has_namespaces():
        pytest.skip("neither strace nor a network namespace can be used here")
    folder = tmp_path_factory.mktemp("day")
    seen = watched([sys.executable, "-m", "tests.host.private_day", str(folder / "state")], folder, how)
    return folder, seen, json.loads(seen.output.splitlines()[-1])


Day = tuple[Path, Watched, dict[str, object]]


def test_the_day_had_everything_in_it(day: Day) -> None:
    told = day[2]
    assert told["answers"] and told["slept"] and told["killed"] == ["llm"] and told["recording"] is False
    assert isinstance(told["looked"], int) and told["looked"] > 1


def test_no_socket_is_opened_in_a_day(day: Day) -> None:
    assert day[1].sockets == []


def test_only_journal_settings_and_ledger_are_written_in_a_day(day: Day) -> None:
    folder, seen, told = day
    began_s = told["began_s"]
    assert isinstance(began_s, float)
    left = [path for path in folder.rglob("*") if path.is_file()]
    left = [path for path in left if not path.is_relative_to(folder / "state" / "sys")]
    for path in left:
        if path.is_relative_to(
            folder / "cache"
        ):  # what can be made again: of pack and prompt, not of the day
            assert path.stat().st_mtime < began_s, path
        else:
            assert path.parent == folder / "state" and path.name in KNOWN, path
    if seen.written is not None:
        places = (str(folder), "/dev/null", "/proc/", "/sys/fs/cgroup")
        assert {
            path for path in seen.written if path.startswith("/") and not path.startswith(places)
        } == set()
        beside = {Path(path).name for path in seen.written if path.startswith(f"{folder}/state/")}
        beside = {re.sub(r"\.\d+\.new$", "", name) for name in beside}
        tree = {path.name for path in (folder / "state" / "sys").rglob("*")}
        assert beside - tree <= set(KNOWN)


def contents(values: np.ndarray) -> Iterator[bytes]:
    """Sections of a sound or picture in the forms in which they could be written: as integers, and as
    fractions.
    """
    flat = values.reshape(-1)
    for kind in (values.dtype, np.float32):
        scale = 1 if kind == values.dtype else np.iinfo(values.dtype).max + 1
        data = (flat / scale).astype(np.float32) if scale > 1 else flat
        size = WINDOW // data.itemsize
        pieces = data[: data.size // size * size].reshape(-1, size)
        for piece in pieces[np.ptp(pieces, axis=1) > 0.02 * np.ptp(data)]:
            yield piece.tobytes()


def found_in(data: bytes) -> bool:
    """Whether it contains a section of the sounds or pictures."""
    pieces = said_and_seen()
    return any(data[at : at + WINDOW] in pieces for at in range(len(data) - WINDOW + 1))


@functools.cache
def said_and_seen() -> frozenset[bytes]:
    """Sections of the sounds and pictures."""
    values: list[np.ndarray] = [read_image(VIEW), read_wav(ABOUT_VIEW), read_wav(ABOUT_DEVICE)]
    return frozenset(piece for each in values for piece in contents(each))


def test_no_file_of_a_day_holds_sound_or_a_picture(day: Day) -> None:
    folder = day[0]
    left = [path for path in folder.rglob("*") if path.is_file() and path.stat().st_size >= WINDOW]
    assert left
    for path in left:
        data = path.read_bytes()
        assert not found_in(data), path
        assert not re.search(rb"[A-Za-z0-9+/]{400,}|\[(?:-?[\d.e-]+,\s*){64,}", data), f"{path}: encoded data"


@pytest.mark.parametrize("kind", ["sound", "fractions", "picture", "part"])
def test_sound_and_pictures_are_found_where_they_are(kind: str) -> None:
    sound, picture = read_wav(ABOUT_VIEW), read_image(VIEW)
    data = {
        "sound": sound.tobytes(),
        "fractions": (sound / 32768).astype(np.float32).tobytes(),
        "picture": picture.tobytes(),
        "part": b"head" + sound[8_001:12_000].tobytes() + b"tail",
    }[kind]
    assert found_in(data)
    assert not found_in(json.dumps({"event": "turn", "response_ms": 812.3}).encode() * 100)

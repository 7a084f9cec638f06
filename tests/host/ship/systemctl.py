"""A stand-in for `systemctl` that starts the program of a unit, with a folder instead of `/`.

It knows what deploy and guard rely on: `Type=notify` (a start returns once READY=1 came over the socket),
`restart`, `Conflicts=` both ways, `OnFailure=`, TimeoutStartSec, the status text, units found by links,
what a drop-in starts before the service, and a restart that is asked for meanwhile.
A process that ends later is noticed at the next call, which then starts the unit of `OnFailure=`. A deploy
calls it eleven times: what only a start needs is imported there.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

PREFIX = Path(os.environ.get("SYSTEMCTL_PREFIX", "/nonexistent"))
STATES = PREFIX / "run/units"
SOON = PREFIX / "run/restart"
"""Exists when a restart was asked for that nobody waits for."""
LOG = PREFIX / "guard.log"


def units() -> list[str]:
    return sorted({*(path.name for path in STATES.glob("*")), "headband.service"})


def unit_file(name: str) -> str | None:
    for folder in ("etc/systemd/system", "run/systemd/system"):
        path = PREFIX / folder / name
        if path.is_symlink():
            path = PREFIX / os.readlink(path).lstrip("/")
        if path.is_file():
            return path.read_text()
    return None


def values(text: str, key: str) -> list[str]:
    return [line.partition("=")[2] for line in text.splitlines() if line.startswith(f"{key}=")]


def conflicts(text: str) -> list[str]:
    return " ".join(values(text, "Conflicts")).split()


def before(name: str) -> list[list[str]]:
    """The programs that a drop-in starts before the service, with this folder instead of `/`."""
    found = (PREFIX / f"etc/systemd/system/{name}.d").glob("*.conf")
    lines = [line for path in found for line in values(path.read_text(), "ExecStartPre")]
    calls = [line.replace("/opt", f"{PREFIX}/opt").split() for line in lines]
    return [[sys.executable, *call[1:], "--prefix", str(PREFIX)] for call in calls]


def state(name: str) -> dict[str, int | str]:
    path = STATES / name
    return json.loads(path.read_text()) if path.exists() else {}


def alive(name: str) -> bool:
    pid = state(name).get("pid")
    try:
        return bool(pid) and Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def stop(name: str) -> None:
    if alive(name):
        os.kill(int(state(name)["pid"]), signal.SIGKILL)
    (STATES / name).unlink(missing_ok=True)


def start(name: str) -> int:
    import shlex
    import socket
    import subprocess
    import time

    if alive(name):
        return 0
    text = unit_file(name)
    if text is None:
        return 5
    for words in before(name):
        with LOG.open("a") as log:
            subprocess.run(words, stdout=log, stderr=log)
    if SOON.exists():
        SOON.unlink()
        return start(name)
    for other in units():
        if other in conflicts(text) or name in conflicts(unit_file(other) or ""):
            stop(other)
    STATES.mkdir(parents=True, exist_ok=True)
    (PREFIX / "run/notify").unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        os.chdir(PREFIX / "run")
        ear.bind("notify")
        environment = {**os.environ, "NOTIFY_SOCKET": str(PREFIX / "run/notify")}
        for each in values(text, "Environment"):
            environment |= dict(
                word.split("=", 1) for word in shlex.split(each.replace("/opt", f"{PREFIX}/opt"))
            )
        words = [
            f"{PREFIX}{word}" if word.startswith("/") else word
            for word in shlex.split(values(text, "ExecStart")[0])
        ]
        folder = values(text, "WorkingDirectory")[0].replace("/opt", f"{PREFIX}/opt")
        try:
            null = subprocess.DEVNULL
            process = subprocess.Popen(
                words,
                cwd=folder,
                env=environment,
                stdin=null,
                stdout=null,
                stderr=null,
                start_new_session=True,
            )
        except OSError:
            return failed(name, text)
        (STATES / name).write_text(json.dumps({"pid": process.pid, "status": ""}))
        end_s = time.monotonic() + float(os.environ["SYSTEMCTL_TIMEOUT_S"])
        ear.settimeout(0.05)
        while time.monotonic() < end_s and process.poll() is None:
            try:
                said = dict(line.split("=", 1) for line in ear.recv(4096).decode().splitlines())
            except TimeoutError:
                continue
            if said.get("READY") == "1":
                (STATES / name).write_text(json.dumps({"pid": process.pid, "status": said["STATUS"]}))
                return 0
    stop(name)
    return failed(name, text)


def failed(name: str, text: str) -> int:
    (STATES / name).unlink(missing_ok=True)
    for other in values(text, "OnFailure"):
        start(other)
    return 1


def notice_deaths() -> None:
    for name in units():
        if state(name) and not alive(name):
            failed(name, unit_file(name) or "")


def main() -> int:
    verb, *words = sys.argv[1:]
    name = words[-1] if words else ""
    if verb == "--no-block":
        SOON.touch()
        return 0
    if name.endswith(".socket"):
        return 0
    if verb == "stop":
        stop(name)
        return 0
    notice_deaths()
    match verb:
        case "start":
            return start(name)
        case "restart":
            stop(name)
            return start(name)
        case "is-active":
            return 0 if alive(name) else 3
        case "show":
            print(state(name).get("status", ""))
        case _:
            sys.exit(f"this stand-in knows no {verb}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

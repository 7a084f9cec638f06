"""A stand-in for `systemctl` that starts the program of a unit, with a folder instead of `/`.

It knows what deploy and guard rely on: `Type=notify` (a start returns once READY=1 came over the socket),
`restart`, `Conflicts=` both ways, `OnFailure=`, TimeoutStartSec, the status text, units found by links,
what a drop-in starts before the service, and a restart that is asked for meanwhile.
A process that ends later is noticed at the next call, which then starts the unit of `OnFailure=`. A deploy
calls it eleven times, so it imports no more than an interpreter has, and what a start needs only there.
"""

from __future__ import annotations

import os
import sys

PREFIX = os.environ.get("SYSTEMCTL_PREFIX", "/nonexistent")
STATES = f"{PREFIX}/run/units"
"""A file for each unit that runs: its process, and on a second line its status."""
SOON = f"{PREFIX}/run/restart"
"""Exists when a restart was asked for that nobody waits for."""
LOG = f"{PREFIX}/guard.log"


def read(path: str) -> str | None:
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return None


def write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def remove(path: str) -> None:
    if os.path.exists(path):
        os.unlink(path)


def units() -> list[str]:
    there = os.listdir(STATES) if os.path.isdir(STATES) else []
    return sorted({*there, "headband.service"})


def unit_file(name: str) -> str | None:
    for folder in ("etc/systemd/system", "run/systemd/system"):
        path = f"{PREFIX}/{folder}/{name}"
        if os.path.islink(path):
            path = f"{PREFIX}/{os.readlink(path).lstrip('/')}"
        if os.path.isfile(path):
            return read(path)
    return None


def values(text: str, key: str) -> list[str]:
    return [line.partition("=")[2] for line in text.splitlines() if line.startswith(f"{key}=")]


def conflicts(text: str) -> list[str]:
    return " ".join(values(text, "Conflicts")).split()


def before(name: str) -> list[list[str]]:
    """The programs that a drop-in starts before the service, with this folder instead of `/`."""
    folder = f"{PREFIX}/etc/systemd/system/{name}.d"
    found = [each for each in os.listdir(folder) if each.endswith(".conf")] if os.path.isdir(folder) else []
    lines = [line for each in found for line in values(read(f"{folder}/{each}") or "", "ExecStartPre")]
    calls = [line.replace("/opt", f"{PREFIX}/opt").split() for line in lines]
    return [[sys.executable, *call[1:], "--prefix", PREFIX] for call in calls]


def state(name: str) -> list[str]:
    """The process of a unit and its status; empty where it does not run."""
    return (read(f"{STATES}/{name}") or "").split("\n")[:2]


def alive(name: str) -> bool:
    pid = state(name)[0]
    stat = read(f"/proc/{pid}/stat") if pid else None
    return stat is not None and stat.rpartition(")")[2].split()[0] != "Z"


def stop(name: str) -> None:
    if alive(name):
        os.kill(int(state(name)[0]), 9)
    remove(f"{STATES}/{name}")


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
        with open(LOG, "a") as log:
            subprocess.run(words, stdout=log, stderr=log)
    if os.path.exists(SOON):
        os.unlink(SOON)
        return start(name)
    for other in units():
        if other in conflicts(text) or name in conflicts(unit_file(other) or ""):
            stop(other)
    os.makedirs(STATES, exist_ok=True)
    remove(f"{PREFIX}/run/notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        os.chdir(f"{PREFIX}/run")
        ear.bind("notify")
        environment = {**os.environ, "NOTIFY_SOCKET": f"{PREFIX}/run/notify"}
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
        write(f"{STATES}/{name}", f"{process.pid}\n")
        end_s = time.monotonic() + float(os.environ["SYSTEMCTL_TIMEOUT_S"])
        ear.settimeout(0.05)
        while time.monotonic() < end_s and process.poll() is None:
            try:
                said = dict(line.split("=", 1) for line in ear.recv(4096).decode().splitlines())
            except TimeoutError:
                continue
            if said.get("READY") == "1":
                write(f"{STATES}/{name}", f"{process.pid}\n{said['STATUS']}")
                return 0
    stop(name)
    return failed(name, text)


def failed(name: str, text: str) -> int:
    remove(f"{STATES}/{name}")
    for other in values(text, "OnFailure"):
        start(other)
    return 1


def notice_deaths() -> None:
    for name in units():
        if os.path.exists(f"{STATES}/{name}") and not alive(name):
            failed(name, unit_file(name) or "")


def main() -> int:
    verb, *words = sys.argv[1:]
    name = words[-1] if words else ""
    if verb == "--no-block":
        write(SOON, "")
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
            print(*state(name)[1:])
        case _:
            sys.exit(f"this stand-in knows no {verb}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

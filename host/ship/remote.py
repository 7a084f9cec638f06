"""Calls to a headband's computer over ssh: each one sends the program to run there, a request and files."""

from __future__ import annotations

import json
import re
import subprocess
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from host.ship.release import ROOT, ReleaseFile

MODULES = (
    "models.atomic_file",
    *(f"host.ship.{name}" for name in ("atomic", "whole", "running", "unpack")),
    *(
        f"host.ship.target.{name}"
        for name in (
            "charge",
            "store",
            "supervise",
            "device_rules",
            "system_files",
            "trial",
            "building",
        )
    ),
    "host.ship.onboard",
)
"""What is sent: each module after those that it imports, and the one that runs last."""
LOADER = (
    "import sys,zlib,json,types\n"
    "f=sys.stdin.buffer\n"
    "*m,p=json.loads(zlib.decompress(f.read(int(sys.argv[1]))))\n"
    "for n,t in m:\n"
    " o=sys.modules[n]=types.ModuleType(n)\n"
    " exec(compile(t,n,'exec'),o.__dict__)\n"
    "exec(compile(p[1],p[0],'exec'))\n"
)
_BLOCK = 1 << 18
_FIXES = {
    "Host key verification failed": "its key is new here or not the one it had; "
    "`ssh {host}` shows it, for you to compare",
    "Permission denied": "a deploy can't type a password; `ssh-copy-id {host}` gives it your key",
    "sudo:": "sudo there wants a password; deploy as root, or let this user have sudo without one",
    "python3: not found": "it has no Python; apt install python3 python3-venv there",
    "python3: command not found": "it has no Python; apt install python3 python3-venv there",
}
"""Words in the last line of ssh's or the remote shell's errors -> what to do about them."""


_BUSY = re.compile(r"banner exchange|kex_exchange_identification|Connection (reset|closed) by \S+ port")
"""ssh's errors when the computer answers but does not accept a connection yet, because it is busy or
starting.
"""
PAUSES_S = (2.0, 5.0, 10.0)
"""Pause before each further try after such an error."""


class RemoteError(Exception):
    """The headband's computer refused, or cannot be reached; the text is one sentence for the person."""


class Remote(Protocol):
    """A computer that a release can be sent to."""

    def run(
        self,
        verb: str,
        request: Mapping[str, object],
        files: Iterable[ReleaseFile],
        say: Callable[[str], None],
    ) -> dict[str, Any]:
        """Runs one verb of `host.ship.onboard` there and returns its answer. Raises `RemoteError`."""


class Ssh:
    """A computer reached by the system's `ssh` with the person's keys and configuration, as root or as a user
    whose sudo asks for no password.
    """

    def __init__(
        self, host: str, config: Path | None = None, sleep: Callable[[float], object] = time.sleep
    ) -> None:
        """host: as `ssh` takes it, such as root@headband.local; config: a file that ssh reads instead of
        ~/.ssh/config; sleep: waits that many seconds. Raises `RemoteError`.
        """
        if not host or host.startswith("-") or any(each.isspace() for each in host):
            raise RemoteError(f"{host!r} is not the name of a computer.")
        self._host = host
        self._config = config
        self._sleep = sleep

    def run(
        self,
        verb: str,
        request: Mapping[str, object],
        files: Iterable[ReleaseFile],
        say: Callable[[str], None],
    ) -> dict[str, Any]:
        """As `Remote.run`; tries again when the computer is too busy to accept the connection."""
        files = list(files)
        for pause_s in PAUSES_S:
            code, answer, errors = self._call(verb, request, files, say)
            if answer is not None or code != 255 or not _BUSY.search(errors):
                break
            say(f"{self._host} does not let ssh in yet ({_last_line(errors)}): trying again")
            self._sleep(pause_s)
        else:
            code, answer, errors = self._call(verb, request, files, say)
        if answer is not None:
            return answer
        raise RemoteError(_failure_sentence(self._host, code, errors))

    def _call(
        self,
        verb: str,
        request: Mapping[str, object],
        files: Iterable[ReleaseFile],
        say: Callable[[str], None],
    ) -> tuple[int, dict[str, Any] | None, str]:
        words = [
            "ssh",
            "-C",
            "-o",
            "BatchMode=yes",
            "-o",
            "ConnectTimeout=10",
            "-o",
            "ServerAliveInterval=10",
            *(["-F", str(self._config)] if self._config else []),
        ]
        try:
            return call_program([*words, "--", self._host, self._shell_command], verb, request, files, say)
        except FileNotFoundError:
            raise RemoteError("There is no ssh on this computer: install an OpenSSH client.") from None

    @staticmethod
    def _shell_command(size: int, verb: str) -> str:
        call = f'python3 -c "$P" {size} {verb}'
        program = LOADER.replace("'", "'\\''")
        return f"P='{program}'; if [ \"$(id -u)\" = 0 ]; then exec {call}; else exec sudo -n {call}; fi"


def _failure_sentence(host: str, code: int, errors: str) -> str:
    """A sentence for the person about a call without an answer: its last error, and what to do."""
    last = _last_line(errors) or f"ssh ended with {code}"
    fix = next((fix for words, fix in _FIXES.items() if words in last), "")
    if fix:
        return f"{host} can't be reached by ssh ({last}): {fix.format(host=host)}."
    if code == 255:
        return f"{host} can't be reached by ssh: {last}."
    return f"The deploy ended early on {host} ({last}): run the same command again."


def _last_line(errors: str) -> str:
    return errors.strip().splitlines()[-1].strip().rstrip(".") if errors.strip() else ""


def call_program(
    words: Sequence[str | Callable[[int, str], str]],
    verb: str,
    request: Mapping[str, object],
    files: Iterable[ReleaseFile],
    say: Callable[[str], None],
    started: Callable[[int], None] = lambda pid: None,
    **how: Any,
) -> tuple[int, dict[str, Any] | None, str]:
    """Runs a command that runs our program on the other computer. A word that is a function is called with
    the program's size in bytes, which `LOADER` reads, and the verb. `started` is called with the command's
    process id. Returns the exit status, the answer, and the standard error. Raises `RemoteError` for a
    refusal.
    """
    program = zlib.compress(json.dumps(_program()).encode(), 9)
    call = [word if isinstance(word, str) else word(len(program), verb) for word in words]
    pipe = subprocess.PIPE
    with subprocess.Popen(call, stdin=pipe, stdout=pipe, stderr=pipe, **how) as process:
        assert process.stdin and process.stdout and process.stderr
        started(process.pid)
        errors: list[bytes] = []
        sender = threading.Thread(target=_send, args=(process.stdin, program, request, files), daemon=True)
        reader = threading.Thread(target=_read, args=(process.stderr, errors), daemon=True)
        sender.start()
        reader.start()
        answer = None
        for line in process.stdout:
            text = line.decode(errors="replace").rstrip("\n")
            if text.startswith("{"):
                answer = json.loads(text)
            else:
                say(text)
        process.wait()
        reader.join(5.0)
    if answer is not None and "refused" in answer:
        raise RemoteError(answer["refused"])
    return process.returncode, answer, b"".join(errors).decode(errors="replace")


def _read(pipe: Any, lines: list[bytes]) -> None:
    with suppress(OSError, ValueError):  # closed by the main thread, because the person stopped the deploy
        lines.extend(pipe)


def _send(pipe: Any, program: bytes, request: Mapping[str, object], files: Iterable[ReleaseFile]) -> None:
    with suppress(OSError, ValueError):
        pipe.write(program + json.dumps(request).encode() + b"\n")
        for each in files:
            pipe.write(f"{each.sha256} {each.size_bytes}\n".encode())
            with open(each.path, "rb") as file:
                while block := file.read(_BLOCK):
                    pipe.write(block)
    with suppress(OSError, ValueError):
        pipe.close()


def _program() -> list[tuple[str, str]]:
    """Name and source of each module."""
    packages = [("host", ""), ("host.ship", ""), ("host.ship.target", ""), ("models", "")]
    return [*packages, *((name, (ROOT / f"{name.replace('.', '/')}.py").read_text()) for name in MODULES)]

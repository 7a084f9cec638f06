"""Calls to a headband's computer over ssh: each one sends a signed statement, the program to run there, and
files. The headband's own `headband-receive` verifies them; it is sent too where there is none yet.
"""

from __future__ import annotations

import json
import re
import subprocess
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from host.ship.release import ROOT, ReleaseFile

MODULES = (
    "models.atomic_file",
    "host.boot.counting",
    "host.boot.records",
    *(f"host.ship.{name}" for name in ("atomic", "whole", "running", "unpack", "verity")),
    *(
        f"host.ship.target.{name}"
        for name in (
            "receive",
            "trust",
            "charge",
            "store",
            "supervise",
            "device_rules",
            "system_files",
            "guard_files",
            "trial",
            "building",
            "access",
        )
    ),
    "host.ship.onboard",
)
"""What is sent: each module after those that it imports, and the one that runs last."""
RECEIVER = ROOT / "host/ship/target/receive.py"
RECEIVE = "/usr/local/sbin/headband-receive"
"""Where a headband has it."""
LOADER = (
    "import sys\n"
    "f=sys.stdin.buffer\n"
    "m=type(sys)('receive')\n"
    "sys.modules['receive']=m\n"
    "exec(compile(f.read(int(sys.argv[1])),'receive','exec'),m.__dict__)\n"
    "sys.exit(m.serve(f,m.Path(sys.argv[2]),sent=True))\n"
)
"""Runs a receiver that is sent before the call; its size and the folder that stands for `/` are its
arguments.
"""
_BLOCK = 1 << 18
_FIXES = {
    "Host key verification failed": "its key is new here or not the one it had; "
    "`ssh {host}` shows it, for you to compare",
    "Permission denied": "a deploy can't type a password; `ssh-copy-id {host}` gives it your key, and "
    "`ssh-add` unlocks one with a passphrase "
    "(headband-deploy takes the keys that sign, once a deploy as root has made it)",
    "Too many authentication failures": "your agent has more keys than it lets one try; name the right one "
    "for it in ~/.ssh/config, with IdentityFile and IdentitiesOnly yes",
    "python3: not found": "it has no Python; apt install python3 python3-venv there",
    "python3: command not found": "it has no Python; apt install python3 python3-venv there",
    "sudo:": "sudo there wants a password; deploy as root, or let this user have sudo without one",
}
"""Words in the last line of ssh's or the remote shell's errors -> what to do about them. Where there are
several, the first counts.
"""


_BUSY = re.compile(r"banner exchange|kex_exchange_identification|Connection (reset|closed) by \S+ port")
"""ssh's errors when the computer answers but does not accept a connection yet, because it is busy or
starting.
"""
PAUSES_S = (2.0, 5.0, 10.0)
"""Pause before each further try after such an error."""


class RemoteError(Exception):
    """The headband's computer refused, or cannot be reached; the text is one sentence for the person."""

    def __init__(self, sentence: str, code: int = 1) -> None:
        """code: the exit status; 2 where what the person or the deploy brought is not accepted."""
        super().__init__(sentence)
        self.code = code


@dataclass(frozen=True)
class Signed:
    """A statement (see `host.ship.target.receive`) with its signature, and the program that it names."""

    statement: bytes = b""
    signature: bytes = b""
    program: bytes = b""
    trust: str = ""
    """The public key that a headband which trusts none is to trust from now on."""

    def call(self, verb: str) -> bytes:
        """What is sent before the files."""
        parts = {"statement": self.statement, "signature": self.signature, "program": self.program}
        head = {"verb": verb, "trust": self.trust, **{name: len(part) for name, part in parts.items()}}
        return json.dumps(head).encode() + b"\n" + b"".join(parts.values())


class Remote(Protocol):
    """A computer that a release can be sent to."""

    def run(
        self, verb: str, signed: Signed, files: Iterable[ReleaseFile], say: Callable[[str], None]
    ) -> dict[str, Any]:
        """Carries out one verb of `host.ship.onboard` there, or `look`, and returns its answer. Raises
        `RemoteError`.
        """


class Ssh:
    """A computer reached by the system's `ssh` with the person's keys and configuration, as root or as a user
    whose sudo asks for no password.
    """

    def __init__(
        self,
        host: str,
        config: Path | None = None,
        key: Path | None = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        """host: as `ssh` takes it, such as root@headband.local; config: a file that ssh reads instead of
        ~/.ssh/config; key: a file that ssh tries besides those that it knows; sleep: waits that many seconds.
        Raises `RemoteError`.
        """
        if not host or host.startswith("-") or any(each.isspace() for each in host):
            raise RemoteError(f"{host!r} is not the name of a computer.")
        self._host = host
        self._options = [*(["-F", str(config)] if config else []), *(["-i", str(key)] if key else [])]
        self._sleep = sleep
        self._sends_receiver = False

    def run(
        self, verb: str, signed: Signed, files: Iterable[ReleaseFile], say: Callable[[str], None]
    ) -> dict[str, Any]:
        """As `Remote.run`; tries again when the computer is too busy to accept the connection. A computer
        whose own receiver does not answer to `look` gets one with each call, which only root can start.
        """
        files = list(files)
        code, answer, errors = self._patiently(verb, signed, files, say)
        if answer is None and verb == "look" and code != 255 and not self._sends_receiver:
            self._sends_receiver = True
            code, answer, errors = self._patiently(verb, signed, files, say)
        if answer is not None:
            return answer
        raise RemoteError(_failure_sentence(self._host, code, errors))

    def _patiently(
        self, verb: str, signed: Signed, files: list[ReleaseFile], say: Callable[[str], None]
    ) -> tuple[int, dict[str, Any] | None, str]:
        for pause_s in PAUSES_S:
            code, answer, errors = self._call(verb, signed, files, say)
            if answer is not None or code != 255 or not _BUSY.search(errors):
                return code, answer, errors
            say(f"{self._host} does not let ssh in yet ({_last_line(errors)}): trying again")
            self._sleep(pause_s)
        return self._call(verb, signed, files, say)

    def _call(
        self, verb: str, signed: Signed, files: Iterable[ReleaseFile], say: Callable[[str], None]
    ) -> tuple[int, dict[str, Any] | None, str]:
        options = ("BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=10")
        words = ["ssh", "-C", *(word for option in options for word in ("-o", option)), *self._options]
        receiver = RECEIVER.read_bytes() if self._sends_receiver else b""
        command = _sent_receiver(len(receiver)) if receiver else _as_root(RECEIVE)
        try:
            return call_program([*words, "--", self._host, command], receiver + signed.call(verb), files, say)
        except FileNotFoundError:
            raise RemoteError("There is no ssh on this computer: install an OpenSSH client.") from None


def _as_root(command: str) -> str:
    """A shell's command for a computer: as root, or by sudo."""
    return f'if [ "$(id -u)" = 0 ]; then exec {command}; else exec sudo -n {command}; fi'


def _sent_receiver(size_bytes: int) -> str:
    program = LOADER.replace("'", "'\\''")
    call = f'python3 -I -c "$P" {size_bytes} /'
    return f"P='{program}'; {_as_root(call)}"


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
    """The last error; before it said that it was disconnected, ssh said why."""
    lines = [line.strip().rstrip(".") for line in errors.splitlines() if line.strip()]
    while len(lines) > 1 and lines[-1].startswith("Disconnected from "):
        lines.pop()
    return lines[-1] if lines else ""


def call_program(
    words: Sequence[str],
    call: bytes,
    files: Iterable[ReleaseFile],
    say: Callable[[str], None],
    started: Callable[[int], None] = lambda pid: None,
    **how: Any,
) -> tuple[int, dict[str, Any] | None, str]:
    """Runs a command that receives a call on the other computer. `started` is called with the command's
    process id. Returns the exit status, the answer, and the standard error. Raises `RemoteError` for a
    refusal.
    """
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, **how) as process:
        assert process.stdin and process.stdout and process.stderr
        started(process.pid)
        errors: list[bytes] = []
        sender = threading.Thread(target=_send, args=(process.stdin, call, files), daemon=True)
        reader = threading.Thread(target=_read, args=(process.stderr, errors), daemon=True)
        sender.start()
        reader.start()
        answer = None
        for line in process.stdout:
            text = line.decode(errors="replace").rstrip("\n")
            found = _answer(text)
            if found is None:
                say(text)
            else:
                answer = found
        process.wait()
        reader.join(5.0)
        with suppress(OSError, ValueError):  # what the other side never took
            process.stdin.close()
    if answer is not None and "refused" in answer:
        raise RemoteError(answer["refused"], answer.get("code", 1))
    return process.returncode, answer, b"".join(errors).decode(errors="replace")


def _answer(line: str) -> dict[str, Any] | None:
    """The answer that a line is; None for any other line, such as a login shell's greeting."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _read(pipe: Any, lines: list[bytes]) -> None:
    with suppress(OSError, ValueError):  # closed by the main thread, because the person stopped the deploy
        lines.extend(pipe)


def _send(pipe: Any, call: bytes, files: Iterable[ReleaseFile]) -> None:
    with suppress(OSError, ValueError):
        pipe.write(call)
        for each in files:
            pipe.write(f"{each.sha256} {each.size_bytes}\n".encode())
            with open(each.path, "rb") as file:
                while block := file.read(_BLOCK):
                    pipe.write(block)
    with suppress(OSError, ValueError):
        pipe.close()


@cache
def program() -> bytes:
    """What runs there: name and source of each module, as the receiver loads them."""
    packages = [("host", ""), ("host.ship", ""), ("host.ship.target", ""), ("models", "")]
    modules = [(name, (ROOT / f"{name.replace('.', '/')}.py").read_text()) for name in MODULES]
    return zlib.compress(json.dumps([*packages, *modules]).encode(), 9)

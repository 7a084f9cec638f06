"""Talking to a headband's computer: each call sends the program that is to run there, a request, files."""

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

from host.ship.release import Item

MODULES = ("atomic", "whole", "charge", "running", "supervise", "unpack", "building")
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
"""The last words of ssh, or of the shell there, and what to do about them."""


_BUSY = re.compile(r"banner exchange|kex_exchange_identification|Connection (reset|closed) by \S+ port")
"""Words of ssh where a computer that is there did not let it in this time, because it is busy or starts."""
PAUSES_S = (2.0, 5.0, 10.0)
"""Before each further try then."""


class RemoteError(Exception):
    """The headband's computer refused or can't be reached; the text is for the person."""


class Remote(Protocol):
    """A computer that a release can be sent to."""

    def run(
        self, verb: str, request: Mapping[str, object], files: Iterable[Item], say: Callable[[str], None]
    ) -> dict[str, Any]:
        """Runs one verb of `host.ship.onboard` there and returns its answer. Raises `RemoteError`."""


class Ssh:
    """By the system's `ssh`, with the keys and the configuration of the person; root, or sudo that asks no
    password.
    """

    def __init__(
        self, host: str, config: Path | None = None, sleep: Callable[[float], object] = time.sleep
    ) -> None:
        """host: as `ssh` takes it, such as root@headband.local; config: a file that ssh reads instead of the
        person's own; sleep: for so many seconds. Raises `RemoteError`.
        """
        if not host or host.startswith("-") or any(each.isspace() for each in host):
            raise RemoteError(f"{host!r} is not the name of a computer.")
        self._host = host
        self._config = config
        self._sleep = sleep

    def run(
        self, verb: str, request: Mapping[str, object], files: Iterable[Item], say: Callable[[str], None]
    ) -> dict[str, Any]:
        """As `Remote.run`; a computer that is too busy to let one in is asked again."""
        files = list(files)
        for pause_s in PAUSES_S:
            code, answer, errors = self._converse(verb, request, files, say)
            if answer is not None or code != 255 or not _BUSY.search(errors):
                break
            say(f"{self._host} does not let ssh in yet ({_last(errors)}): trying again")
            self._sleep(pause_s)
        else:
            code, answer, errors = self._converse(verb, request, files, say)
        if answer is not None:
            return answer
        raise RemoteError(_refused(self._host, code, errors))

    def _converse(
        self, verb: str, request: Mapping[str, object], files: Iterable[Item], say: Callable[[str], None]
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
            return converse([*words, "--", self._host, self._command], verb, request, files, say)
        except FileNotFoundError:
            raise RemoteError("There is no ssh on this computer: install an OpenSSH client.") from None

    @staticmethod
    def _command(size: int, verb: str) -> str:
        call = f'python3 -c "$P" {size} {verb}'
        program = LOADER.replace("'", "'\\''")
        return f"P='{program}'; if [ \"$(id -u)\" = 0 ]; then exec {call}; else exec sudo -n {call}; fi"


def _refused(host: str, code: int, errors: str) -> str:
    """What a call that gave no answer means to the person: its last words, and what to do."""
    last = _last(errors) or f"ssh ended with {code}"
    fix = next((fix for words, fix in _FIXES.items() if words in last), "")
    if fix:
        return f"{host} can't be reached by ssh ({last}): {fix.format(host=host)}."
    if code == 255:
        return f"{host} can't be reached by ssh: {last}."
    return f"The deploy ended early on {host} ({last}): run the same command again."


def _last(errors: str) -> str:
    return errors.strip().splitlines()[-1].strip().rstrip(".") if errors.strip() else ""


def converse(
    words: Sequence[str | Callable[[int, str], str]],
    verb: str,
    request: Mapping[str, object],
    files: Iterable[Item],
    say: Callable[[str], None],
    begun: Callable[[int], None] = lambda pid: None,
    **how: Any,
) -> tuple[int, dict[str, Any] | None, str]:
    """Runs a program that runs ours; a word that is a function gets the size of what `LOADER` reads, and the
    verb. Returns its exit status, the answer, and what went to standard error.
    """
    program = zlib.compress(json.dumps(_program()).encode(), 9)
    call = [word if isinstance(word, str) else word(len(program), verb) for word in words]
    pipe = subprocess.PIPE
    with subprocess.Popen(call, stdin=pipe, stdout=pipe, stderr=pipe, **how) as process:
        assert process.stdin and process.stdout and process.stderr
        begun(process.pid)
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
    with suppress(OSError, ValueError):  # closed under it, when the person has stopped the deploy
        lines.extend(pipe)


def _send(pipe: Any, program: bytes, request: Mapping[str, object], files: Iterable[Item]) -> None:
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
    here = Path(__file__).parent
    modules = [("host", ""), ("host.ship", "")]
    modules += [(f"host.ship.{name}", (here / f"{name}.py").read_text()) for name in MODULES]
    return [*modules, ("host.ship.onboard", (here / "onboard.py").read_text())]

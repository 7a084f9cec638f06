#!/usr/bin/python3 -I
"""Receives a deploy on a headband's computer: the signature is verified here before anything of what arrived
is unpacked or run. Installed outside of the releases; one file, standard library only; it writes nothing.

As root it carries a call out. As the account `headband-deploy`, which can log in for this program only, it
passes what arrives to a socket on which systemd starts it as root, and the answer back.

A call is one line of JSON, `{"verb", "statement", "signature", "program"}` (the last three: sizes in bytes),
then those three, then the files of `take`; or `{"command"}`, one of `COMMANDS`. The statement is what is
signed. It is JSON too: `format`, the `verbs` that it allows, `sequence` (a number that grows from deploy to
deploy), `version`, `downgrade`, the SHA-256 of the `program`, and the `request`, which has the SHA-256 of
every file of the release.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import socket
import subprocess
import sys
import threading
import types
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

FORMAT = 1
SIGNERS, ACCEPTED = "etc/headband/signers", "etc/headband/accepted.json"
"""The keys that this headband trusts, in the form of OpenSSH's allowed signers; what it accepted last."""
PRINCIPAL, RELEASES, PACKS = "headband", "headband-release", "headband-pack"
"""The name that stands for whoever may deploy, and the namespaces of signatures."""
SERVICE, CURRENT = "headband.service", "opt/headband/current"
SOCKET, COMMAND = "/run/headband-receive.sock", "usr/local/bin/headband"
COMMANDS = ("status", "doctor", "rollback")
"""What may be asked for without a signature: `headband ...` there."""
NOT_TRUSTED = 2
"""Exit status where what arrived is not what a trusted key signed."""
NO_ANSWER = "The headband gave no answer: try again; if that does not help, a deploy as root repairs it."
_LINE_BYTES, _PART_BYTES = 1 << 12, 1 << 23
"""Greatest sizes of the first line, and of statement, signature and program."""


class NotTrusted(Exception):
    """What arrived is not what a trusted key signed; the text is one sentence for the person."""


class UnknownKey(NotTrusted):
    """The signature is right, and of a key that is not trusted here."""


@dataclass(frozen=True)
class Accepted:
    """What a headband accepted last."""

    sequence: int = 0
    statement: str = ""
    """SHA-256 of the statement with that number."""
    version: str = ""
    """The lowest version that comes without a word: that of the last release that a deploy brought."""


def signer_line(key: str) -> str:
    """The line of the signers' file for a public key: `TYPE BASE64 COMMENT`."""
    return f'{PRINCIPAL} namespaces="{RELEASES},{PACKS}" {key.strip()}\n'


def signers(prefix: Path) -> list[str]:
    """The trusted public keys, `TYPE BASE64 COMMENT`; none without the file."""
    with suppress(OSError):
        lines = (prefix / SIGNERS).read_text(errors="replace").splitlines()
        return [line.split(" ", 2)[2] for line in lines if line.startswith(PRINCIPAL) and line.count(" ") > 2]
    return []


def read_accepted(prefix: Path) -> Accepted | None:
    """What was accepted last; None where the record is damaged."""
    try:
        table = json.loads((prefix / ACCEPTED).read_text())
        values = {name: table[name] for name in ("sequence", "statement", "version")}
        return Accepted(**values) if table["sha256"] == digest_of(values) else None
    except FileNotFoundError:
        return Accepted()
    except (OSError, ValueError, KeyError, TypeError):
        return None


def digest_of(values: Mapping[str, Any]) -> str:
    """SHA-256 by which damage to the record is found."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def look(prefix: Path) -> dict[str, Any]:
    """The current release, whether its service runs, the processor and Python of this computer, the keys that
    it trusts, and what it accepted last.
    """
    current = prefix / CURRENT
    there = current.is_symlink() and current.exists()
    accepted = read_accepted(prefix) or Accepted()
    return {
        "current": os.path.basename(os.readlink(current)) if there else None,
        "runs": there and _service_runs(),
        "machine": platform.machine(),
        "python": ".".join(platform.python_version_tuple()[:2]),
        "signers": signers(prefix),
        "sequence": accepted.sequence,
        "version": accepted.version,
    }


def verify(content: bytes, signature: bytes, trusted: list[str], namespace: str, what: str) -> None:
    """Verifies a signature by one of the `trusted` public keys. `what` is signed, for the person. Raises
    `NotTrusted`.
    """
    allowed = "".join(map(signer_line, trusted)).encode()
    with _in_memory(allowed, signature) as (signers_path, signature_path):
        by = ("-n", namespace, "-s", signature_path)
        if _ssh_keygen(content, "verify", "-f", signers_path, "-I", PRINCIPAL, *by).returncode == 0:
            return
        unknown = _ssh_keygen(content, "check-novalidate", *by)
    if unknown.returncode:
        raise NotTrusted(f"The signature is not that of {what}: it was changed, or is forged.")
    key = re.findall(r"SHA256:\S+", unknown.stdout.decode(errors="replace"))
    raise UnknownKey(
        f"{what[0].upper()}{what[1:]} is signed with a key that is not trusted here, {' '.join(key)}: "
        "`headband signers add` there trusts it from then on."
    )


def _ssh_keygen(content: bytes, *words: str) -> subprocess.CompletedProcess[bytes]:
    passed = [int(word.rpartition("/")[2]) for word in words if word.startswith("/proc/self/fd/")]
    try:
        return subprocess.run(
            ["ssh-keygen", "-Y", *words], input=content, pass_fds=passed, capture_output=True, check=False
        )
    except FileNotFoundError:
        raise NotTrusted(
            "There is no ssh-keygen to verify the signature with: apt install openssh-client."
        ) from None


@contextmanager
def _in_memory(*contents: bytes) -> Iterator[list[str]]:
    """Paths of files in memory: verifying writes nothing to the disk."""
    with ExitStack() as stack:
        paths = []
        for content in contents:
            file = stack.enter_context(open(os.memfd_create("headband"), "wb"))
            file.write(content)
            file.flush()
            paths.append(f"/proc/self/fd/{file.fileno()}")
        yield paths


def _service_runs() -> bool:
    return subprocess.call(["systemctl", "is-active", "--quiet", SERVICE]) == 0


def serve(stream: IO[bytes], prefix: Path, *, sent: bool) -> int:
    """Carries out one call from a stream and prints its answer, one line of JSON, last. `prefix` stands for
    `/`. sent: this program was sent by whoever is root here, and a first key may be trusted. Returns the exit
    status.
    """
    try:
        head = json.loads(stream.readline(_LINE_BYTES))
        if head.get("command") in COMMANDS:
            words = [str(prefix / COMMAND), head["command"]]
            done = subprocess.run(words, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, check=False)
            _print({"exit": done.returncode})
            return done.returncode
        if (verb := str(head["verb"])) == "look":
            return _print(look(prefix))
        statement, signature, program = (
            _exactly(stream, int(head[name])) for name in ("statement", "signature", "program")
        )
        trusted = signers(prefix)
        first = " ".join(str(head.get("trust", "")).split()) if sent and not trusted else ""
        verify(statement, signature, [first] if first else trusted, RELEASES, "this deploy")
        request = _request(statement, verb, program, prefix)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return _refuse("What arrived is no deploy, or a part of one.")
    except NotTrusted as problem:
        return _refuse(str(problem))
    _load(program)
    carry_out: Any = sys.modules["host.ship.onboard"]
    return int(carry_out.main(verb, {**request, "prefix": str(prefix), "trust": first}, stream))


def _exactly(stream: IO[bytes], size_bytes: int) -> bytes:
    content = stream.read(size_bytes) if 0 <= size_bytes <= _PART_BYTES else b""
    if len(content) != size_bytes:
        raise NotTrusted("The deploy arrived in part only: run the same command again.")
    return content


def _request(statement: bytes, verb: str, program: bytes, prefix: Path) -> dict[str, Any]:
    """The request of a statement whose signature is right, with what is to be recorded. Raises `NotTrusted`
    for another program or verb, and for a statement that is older than what was accepted.
    """
    said = json.loads(statement)
    if said["format"] != FORMAT or verb not in said["verbs"]:
        raise NotTrusted("What was signed is for another purpose than this deploy.")
    if hashlib.sha256(program).hexdigest() != said["program"]:
        raise NotTrusted("The program of this deploy is not the one that was signed.")
    digest, before = hashlib.sha256(statement).hexdigest(), read_accepted(prefix)
    if before is None:
        print("what this headband accepted last can't be read, so nothing counts as older", flush=True)
        before = Accepted()
    sequence, version = int(said["sequence"]), str(said["version"])
    if (sequence, digest) != (before.sequence, before.statement) and sequence <= before.sequence:
        raise NotTrusted(
            "Another deploy was accepted after this one was signed; if it is not an old one that somebody "
            "kept, run the same command again."
        )
    if version and version_order(version) < version_order(before.version):
        if not said["downgrade"]:
            raise NotTrusted(
                f"This is version {version}, and the headband has had {before.version}: "
                "--allow-downgrade brings it nevertheless."
            )
        print(f"goes below version {before.version}, which the headband has had, to {version}", flush=True)
    return {**said["request"], "accepted": {"sequence": sequence, "statement": digest, "version": version}}


def version_order(version: str) -> tuple[int, ...]:
    """The numbers of a version, by which it is compared."""
    return tuple(int(number) for number in re.findall(r"\d+", re.split(r"[-+]", version)[0]))


def _load(program: bytes) -> None:
    """Makes the modules of a verified program: names and sources, each after those that it imports."""
    for name, source in json.loads(zlib.decompress(program)):
        module = sys.modules[name] = types.ModuleType(name)
        exec(compile(source, name, "exec"), module.__dict__)


def relay(asked: str, path: str = SOCKET) -> int:
    """Passes a call on to the one that is root, and its answer back. `asked`: the command that ssh was given.
    Returns the exit status.
    """
    command = asked.strip().removeprefix("headband ")
    if command not in COMMANDS and "headband-receive" not in asked:
        print(
            f"This account deploys; else it knows {', '.join(COMMANDS)} and no other command.",
            file=sys.stderr,
        )
        return 2
    with socket.socket(socket.AF_UNIX) as server:
        try:
            server.connect(path)
        except OSError as problem:
            return _refuse(f"No deploy is let in there ({problem.strerror}): one as root repairs that.", 1)
        if command in COMMANDS:
            with suppress(OSError):  # it has ended already
                server.sendall(json.dumps({"command": command}).encode() + b"\n")
        else:
            threading.Thread(target=_pass_on, args=(server,), daemon=True).start()
        answer = None
        for line in _lines(server):
            answer = _answer(line)
            if command in COMMANDS and answer is not None and "exit" in answer:
                return int(answer["exit"])
            sys.stdout.buffer.write(line if line.endswith(b"\n") else line + b"\n")
            sys.stdout.buffer.flush()
    if command in COMMANDS:
        print(NO_ANSWER, file=sys.stderr)
        return 1
    if answer is None:
        return _refuse(NO_ANSWER, 1)
    return int(answer.get("code", 1)) if "refused" in answer else 0


def _lines(server: socket.socket) -> Iterator[bytes]:
    with suppress(OSError):  # it ended before it had read everything
        yield from server.makefile("rb")


def _answer(line: bytes) -> dict[str, Any] | None:
    """The answer that a line is; None for any other, or for a part of one."""
    with suppress(ValueError):
        found = json.loads(line)
        return found if isinstance(found, dict) else None
    return None


def _pass_on(server: socket.socket) -> None:
    with suppress(OSError):  # the answer came before everything was sent
        while block := os.read(0, 1 << 16):
            server.sendall(block)
        server.shutdown(socket.SHUT_WR)


def _refuse(sentence: str, code: int = NOT_TRUSTED) -> int:
    _print({"refused": sentence, "code": code})
    return code


def _print(answer: Mapping[str, Any]) -> int:
    print(json.dumps(answer), flush=True)
    return 0


def main(words: list[str]) -> int:
    """The installed command; with `look` it prints what a deploy would be told."""
    if words == ["look"]:
        return _print(look(Path("/")))
    if os.geteuid():
        return relay(os.environ.get("SSH_ORIGINAL_COMMAND", ""))
    return serve(sys.stdin.buffer, Path("/"), sent=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

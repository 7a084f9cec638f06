"""The key with which a deploy is signed: one that the person has for ssh already, by OpenSSH's ssh-keygen."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from host.ship.remote import RemoteError

FILES = ("id_ed25519", "id_ed25519_sk", "id_ecdsa", "id_ecdsa_sk", "id_rsa")
"""Names of keys in ~/.ssh that are tried, in this order, then those of the agent."""


@dataclass(frozen=True)
class SigningKey:
    """A key that can sign."""

    public: str
    """`TYPE BASE64 COMMENT`, in one line."""
    file: Path | None
    """With the private key, or the public one of a key that the agent has; None: the agent has both."""

    @property
    def fingerprint(self) -> str:
        """As OpenSSH shows it: SHA256:..."""
        return fingerprint(self.public)

    def sign(self, content: bytes, namespace: str) -> bytes:
        """The signature of a content. The person may be asked for a passphrase; on stderr it says when a
        security key waits for a touch. Raises `RemoteError`.
        """
        if self.public.startswith("sk-"):
            print("touch the security key to sign", file=sys.stderr, flush=True)
        with TemporaryDirectory(prefix="headband-") as folder:
            public = Path(folder) / "key.pub"
            public.write_text(f"{self.public}\n")
            words = ["ssh-keygen", "-Y", "sign", "-f", str(self.file or public), "-n", namespace]
            done = _run(words, content)
        if done.returncode:
            why = _last_line(done.stderr) or "ssh-keygen said nothing"
            raise RemoteError(f"{self.file or self.fingerprint} does not sign: {why}.", code=2)
        return done.stdout


def find_key(file: Path | None, known: Iterable[str], home: Path | None = None) -> SigningKey:
    """The key to sign with: that of `file`; else, of those in ~/.ssh and those of the agent, the first that
    is `known` (public keys), else the first. Raises `RemoteError` where there is none.
    """
    if file is not None:
        return _key_of(file)
    ssh = (home or Path(os.path.expanduser("~"))) / ".ssh"  # a user may have no home folder
    found, problems = [], []
    for there in (ssh / name for name in FILES if (ssh / name).is_file()):
        try:
            found.append(_key_of(there))
        except RemoteError as problem:  # it may not be the only one
            problems.append(problem)
    found += [SigningKey(line, None) for line in _of_agent()]
    blobs = {blob(each) for each in known}
    chosen = next((each for each in found if blob(each.public) in blobs), None)
    if chosen or found:
        return chosen or found[0]
    if problems:
        raise problems[0]
    raise RemoteError(
        "There is no key to sign the release with, neither in ~/.ssh nor with an agent: "
        "`ssh-keygen -t ed25519` makes one, or --key names one.",
        code=2,
    )


def fingerprint(public: str) -> str:
    """The fingerprint of a public key. Raises `RemoteError` where it is none."""
    done = _run(["ssh-keygen", "-l", "-f", "-"], f"{public}\n".encode())
    words = done.stdout.decode(errors="replace").split()
    if done.returncode or len(words) < 2:
        raise RemoteError(f"{public[:40]!r} is no public key of ssh.", code=2)
    return words[1]


def is_plain(public: str) -> bool:
    """Whether a line is `TYPE BASE64 COMMENT`: ssh-keygen also takes one with options for who logs in, or
    with the name of a host, before the type.
    """
    kind, _, rest = public.partition(" ")
    try:
        content = base64.b64decode(rest.split(" ", 1)[0], validate=True)
    except ValueError:
        return False
    return content[: 4 + len(kind)] == len(kind).to_bytes(4, "big") + kind.encode()


def blob(public: str) -> Sequence[str]:
    """Type and bytes of a public key, without its comment."""
    return tuple(public.split()[:2])


def _key_of(file: Path) -> SigningKey:
    public, why = file if file.suffix == ".pub" else file.with_name(f"{file.name}.pub"), ""
    try:
        if public.is_file():
            text = public.read_text(errors="replace")
        else:
            derived = _run(["ssh-keygen", "-y", "-f", str(file)], b"")
            text, why = derived.stdout.decode(errors="replace"), _last_line(derived.stderr)
    except OSError as error:
        raise RemoteError(f"{public} can't be read ({error.strerror}).", code=2) from None
    key = SigningKey(_one_line(text), file)
    try:
        fingerprint(key.public)
    except RemoteError:
        raise RemoteError(f"{file} is no key of ssh{why and f' ({why})'}.", code=2) from None
    return key


def _last_line(errors: bytes) -> str:
    return (errors.decode(errors="replace").strip().splitlines() or [""])[-1].strip(" .")


def _one_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0]


def _of_agent() -> list[str]:
    done = _run(["ssh-add", "-L"], b"")
    return [] if done.returncode else done.stdout.decode(errors="replace").splitlines()


def _run(words: Sequence[str], content: bytes) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(words, input=content, capture_output=True, check=False)
    except FileNotFoundError:
        raise RemoteError(f"There is no {words[0]} on this computer: install an OpenSSH client.") from None

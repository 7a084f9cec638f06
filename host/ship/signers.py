"""`headband signers`: the keys that this computer trusts to sign deploys and packs. On a headband the command
runs this as root, with the system's Python: standard library only.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from host.ship.options import SIGNERS as PURPOSE
from host.ship.options import SIGNERS_MORE, signers_options
from host.ship.remote import RemoteError
from host.ship.signing import blob, fingerprint, is_plain
from host.ship.target.receive import SIGNERS, signers
from host.ship.target.trust import Trust
from host.terminal.parser import Parser
from host.terminal.usage import one_line


def run_signers(options: argparse.Namespace, prefix: Path = Path("/")) -> int:
    """Runs one action; returns the exit status: 0, 1 for a file that can't be written, 2 for bad input.
    `prefix` stands for `/`.
    """
    trusted = signers(prefix)
    try:
        if options.action == "list":
            for key in trusted:
                print(f"{fingerprint(key)} {' '.join(key.split()[2:])}".strip())
            if not trusted:
                print("No key is trusted yet; the first deploy asks.")
            return 0
        if options.action == "add":
            kept = _added(trusted, _read(options.key))
        else:
            kept = [key for key in trusted if fingerprint(key) != options.key]
            if len(kept) == len(trusted):
                raise RemoteError(f"No key {options.key} is trusted here: `headband signers list`.", code=2)
        Trust(prefix).write_signers(kept)
    except RemoteError as problem:
        print(one_line(problem), file=sys.stderr)
        return problem.code
    except OSError as problem:
        print(f"{prefix / SIGNERS} can't be written ({problem.strerror}): only root may.", file=sys.stderr)
        return 1
    if not kept:
        print("No key is trusted now; the next deploy, as root, asks.")
    return 0


def _read(name: str) -> str:
    try:
        content = _standard_input() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise RemoteError(f"{name} can't be read ({error.strerror}).", code=2) from None
    text = content.decode(errors="replace")
    lines = [" ".join(line.split()) for line in text.strip().splitlines()]
    if len(lines) != 1 or not is_plain(lines[0]):
        raise RemoteError(f"{name} is not one public key of ssh, in one line.", code=2)
    return lines[0]


def _standard_input() -> bytes:
    return sys.stdin.buffer.read() if sys.stdin is not None else b""  # None: it is closed


def _added(trusted: list[str], key: str) -> list[str]:
    added = fingerprint(key)
    if blob(key) not in map(blob, trusted):
        trusted = [*trusted, key]
    print(f"{added} is trusted")
    return trusted


def main(words: list[str]) -> int:
    """The command on a headband."""
    os.umask(0o022)
    parser = Parser(prog="headband signers", description=f"{PURPOSE[0].upper()}{PURPOSE[1:]}. {SIGNERS_MORE}")
    signers_options(parser)
    options = parser.parse_args(words)
    try:
        return run_signers(options)
    except KeyboardInterrupt:  # while it waited for a key
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Which keys the headband trusts, and what it accepted last, on its own disk. Sent to the headband's
computer: standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from host.ship.atomic import has_content, update_file
from host.ship.target.receive import (
    ACCEPTED,
    SIGNERS,
    Accepted,
    digest_of,
    read_accepted,
    signer_line,
    signers,
)

RECEIVER = "usr/local/sbin/headband-receive"
ACCOUNT = "headband-deploy"
KEYS = f"var/lib/{ACCOUNT}/.ssh/authorized_keys"


class Trust:
    """The files under /etc/headband, and what sshd knows of them. Each is replaced as a whole, before what
    counts on it happens.
    """

    def __init__(self, prefix: Path) -> None:
        """`prefix` stands for `/`."""
        self._prefix = prefix

    def write_signers(self, keys: list[str]) -> None:
        """Makes these public keys the trusted ones, which are those that the account for deploys lets in."""
        update_file(self._prefix / SIGNERS, "".join(map(signer_line, keys)).encode())
        self.let_in()

    def let_in(self) -> bool:
        """Lets those who have a trusted key log in, for deploys only; returns whether it was others."""
        return update_file(self._prefix / KEYS, self._lines())

    @property
    def lets_in(self) -> bool:
        """Whether those and no others may log in."""
        return has_content(self._prefix / KEYS, self._lines())

    def _lines(self) -> bytes:
        """Root's file, as the account must not change it."""
        return "".join(f'restrict,command="/{RECEIVER}" {key}\n' for key in signers(self._prefix)).encode()

    def accept(self, accepted: Mapping[str, Any]) -> None:
        """Records the number of a statement: no older one is accepted from now on."""
        before = read_accepted(self._prefix) or Accepted()
        self._write(Accepted(accepted["sequence"], accepted["statement"], before.version))

    def has_run(self, version: str) -> None:
        """Records the version of a release that a deploy brought, now that it has been healthy here."""
        self._write(replace(read_accepted(self._prefix) or Accepted(), version=version))

    def _write(self, accepted: Accepted) -> None:
        values = asdict(accepted)
        text = json.dumps({**values, "sha256": digest_of(values)})
        update_file(self._prefix / ACCEPTED, text.encode())

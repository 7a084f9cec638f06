"""Deploys to the virtual board without a login of root, and ones that are not what a trusted key signed."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from host.ship.deploying import AppDeploy
from host.ship.release import ROOT, Environment, ReleaseFile, application
from host.ship.remote import RemoteError, Signed, Ssh
from host.ship.signing import SigningKey, find_key
from host.ship.target.trust import ACCOUNT
from tests.virtual import trial
from tests.virtual.attached import Check
from tests.virtual.machine import NAME, Machine

TO = f"{ACCOUNT}@{NAME}"
STATE = (
    "find /opt/headband /etc/headband /usr/local -type f -printf '%p %s %T@\\n' | sort | sha256sum; "
    "readlink /opt/headband/current"
)
"""What a refused deploy leaves as it is."""


class Tampered:
    """A way to the board on which somebody changes what is sent."""

    def __init__(self, ssh: Ssh, change: Callable[[Signed], Signed]) -> None:
        self._ssh, self._change = ssh, change

    def run(
        self, verb: str, signed: Signed, files: Iterable[ReleaseFile], say: Callable[[str], None]
    ) -> dict[str, Any]:
        """As `host.ship.remote.Remote`."""
        changed = signed if verb == "look" else self._change(signed)
        return self._ssh.run(verb, changed, files, say)


def examine(machine: Machine) -> Iterator[Check]:
    """Deploys as the account, and refused ones."""
    trial.listening(machine)
    asked = _ask(machine, "id; cat /etc/shadow")
    held = asked.returncode == 2 and "root" not in asked.stdout and "uid=" not in asked.stdout
    yield Check("the account has no shell", held, (asked.stderr or asked.stdout).strip())
    status = _ask(machine, "status")
    yield Check("the account asks for the status", status.returncode == 0, _last(status.stdout))
    own = find_key(machine.key, [])
    with TemporaryDirectory() as folder:
        file = Path(folder) / "strangers"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file], check=True)
        stranger = find_key(file, [])
        forged: dict[str, tuple[SigningKey, Callable[[Signed], Signed]]] = {
            "a forged release": (stranger, lambda signed: signed),
            "a release changed on its way": (
                own,
                lambda signed: replace(signed, statement=signed.statement.replace(b'"host/', b'"hose/', 1)),
            ),
            "another program": (own, lambda signed: replace(signed, program=signed.program[::-1])),
            "half a release": (own, lambda signed: replace(signed, statement=signed.statement[:-9])),
        }
        for name, (key, change) in forged.items():
            before = machine.call(STATE).stdout
            code, says = _refused(machine, key, change)
            held = code == 2 and machine.call(STATE).stdout == before
            yield Check(name, held, says)
    with trial.variant(3) as changed:
        done = trial.deploy(machine, changed, to=TO)
    trial.listening(machine)
    yield Check("a deploy without a login of root", done.code == 0, _last(done.said))
    back = trial.roll_back(machine, to=TO)
    trial.listening(machine)
    yield Check("going back without a login of root", back.code == 0, _last(back.said))


def _refused(machine: Machine, key: SigningKey, change: Callable[[Signed], Signed]) -> tuple[int, str]:
    """Exit status and sentence of a deploy that is refused; 0 where it is not."""
    remote = Tampered(Ssh(TO, machine.ssh_config), change)
    app = AppDeploy(remote, lambda text: None, lambda known: key)
    try:
        app.run(application(ROOT), lambda machine, python: Environment({}, {}, {}), "emulated")
    except RemoteError as problem:
        return problem.code, str(problem)
    return 0, "it was accepted"


def _ask(machine: Machine, command: str) -> subprocess.CompletedProcess[str]:
    words = ["ssh", "-F", str(machine.ssh_config), "-o", "BatchMode=yes", TO, command]
    return subprocess.run(words, capture_output=True, text=True, timeout=300, check=False, input="")


def _last(said: str) -> str:
    return (said.strip().splitlines() or ["it said nothing"])[-1]

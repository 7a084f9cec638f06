"""One deploy of the application; runs on the person's computer and calls the headband's."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from host.ship.release import Environment, Release, ReleaseFile
from host.ship.remote import Remote, RemoteError, Signed, program
from host.ship.signing import SigningKey
from host.ship.target.receive import FORMAT, RELEASES

HEALTHY_S, SETTLED_S = 150.0, 5.0
"""A release is healthy when it is ready within the first and still runs the second later."""


LOOKED = {"current", "runs", "machine", "python", "signers", "sequence"}
"""What a computer tells of itself, as `host.ship.target.receive.look`."""


@dataclass(frozen=True)
class Deployed:
    """What a deploy did."""

    release: str
    sent_bytes: int
    """Size of the files sent, without program and request."""
    changed: bool


def rolled_back(answer: Mapping[str, Any]) -> str:
    """A sentence about the answer to `rollback`."""
    return (
        f"release {answer['version']} ({answer['current']}) runs again, healthy; "
        f"{answer['before']} is the one before now"
    )


def not_good_yet(installed: Mapping[str, Any]) -> str:
    """The end of the sentence about an accepted release, from the answer to `install`."""
    if installed["good"]:
        return ""
    back = f"where it fails before, {installed['before']} runs again by itself"
    return (
        "; it counts as good when its self-test has passed in two starts (`headband releases` there says how "
        f"far it is){f'; {back}' if installed['before'] else ''}"
    )


class AppDeploy:
    """Deploys the application to one computer. `say` prints a line about each step."""

    def __init__(
        self,
        remote: Remote,
        say: Callable[[str], None],
        key: Callable[[list[str]], SigningKey],
        *,
        healthy_s: float = HEALTHY_S,
        settled_s: float = SETTLED_S,
        commit: str = "",
        downgrade: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`key` returns the key to sign with, given the public keys that the computer trusts; where it trusts
        none, it will trust that one. It raises `RemoteError`. A release is healthy when it is ready within
        `healthy_s`, and still runs `settled_s` later. `commit`: that the files are of, for the person.
        `downgrade`: the release may be of a lower version than the computer has had. `clock`: seconds.
        """
        self._remote = remote
        self._say = say
        self._key = key
        self._commit = commit
        self._limits = {"healthy_s": healthy_s, "settled_s": settled_s}
        self._downgrade = downgrade
        self._clock = clock

    def run(
        self, files: dict[str, ReleaseFile], environment: Callable[[str, str], Environment], board: str
    ) -> Deployed:
        """`environment(machine, python)` returns the environment for a computer. Raises `RemoteError`."""
        there = self._look()
        key = self._key(there["signers"])
        packages = environment(there["machine"], there["python"])
        release = Release({**files, **packages.described}, packages, board, commit=self._commit)
        verbs = ["check", "need", "take", "install"]
        signed = self._sign(there, key, verbs, release.request(), release.version)
        same = there["current"] == release.name and there["runs"]
        found = self._call("check" if same else "need", signed)
        self._tell_gave_way(there["current"], found)
        if same and found["whole"]:
            self._say(f"{release} runs already, nothing to do")
            return Deployed(release.name, 0, changed=False)
        missing = (self._call("need", signed) if same else found)["missing"]
        wanted = [release.files_by_sha[sha] for sha in missing]
        sent_bytes = sum(item.size_bytes for item in wanted)
        self._say(
            f"{release}: {len(wanted)} files to send ({sent_bytes / 1e6:.1f} MB), "
            f"{len(release.files_by_sha) - len(wanted)} are there"
        )
        if wanted:
            self._call("take", signed, wanted)
        installed = self._call("install", signed)
        self._say(f"{release} runs, healthy{not_good_yet(installed)}")
        return Deployed(release.name, sent_bytes, changed=True)

    def _tell_gave_way(self, current: str | None, found: Mapping[str, Any]) -> None:
        """Says that a release failed since the last deploy, and which one runs instead."""
        if found["gave_way"]:
            self._say(
                f"release {found['gave_way']} failed there ({found['gave_way_why']}): the headband went back "
                f"to {current} by itself"
            )

    def rollback(self) -> None:
        """Makes the release before the current one again. Raises `RemoteError`."""
        there = self._look()
        signed = self._sign(there, self._key(there["signers"]), ["rollback"], {}, "")
        self._say(rolled_back(self._call("rollback", signed)))

    def _look(self) -> dict[str, Any]:
        there = self._call("look", Signed())
        if LOOKED - there.keys():
            raise RemoteError("That computer answers, but not as a headband does: is it the right one?")
        return there

    def _sign(
        self,
        there: Mapping[str, Any],
        key: SigningKey,
        verbs: list[str],
        request: Mapping[str, object],
        version: str,
    ) -> Signed:
        """A statement for one computer: its number is greater than that of the last one accepted there, also
        where the clocks of those who deploy differ.
        """
        statement = {
            "format": FORMAT,
            "verbs": verbs,
            "sequence": max(int(self._clock()), there["sequence"] + 1),
            "version": version,
            "downgrade": self._downgrade,
            "program": hashlib.sha256(program()).hexdigest(),
            "request": {**request, **self._limits},
        }
        content = json.dumps(statement).encode()
        trust = "" if there["signers"] else key.public
        return Signed(content, key.sign(content, RELEASES), program(), trust)

    def _call(self, verb: str, signed: Signed, files: list[ReleaseFile] | None = None) -> dict[str, Any]:
        return self._remote.run(verb, signed, files or [], self._say)

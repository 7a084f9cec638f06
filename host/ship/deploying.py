"""One deploy of the application; runs on the person's computer and calls the headband's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from host.ship.release import Environment, Release, ReleaseFile
from host.ship.remote import Remote

HEALTHY_S, SETTLED_S = 150.0, 5.0
"""A release is healthy when it is ready within the first and still runs the second later."""


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


class AppDeploy:
    """Deploys the application to one computer. `say` prints a line about each step."""

    def __init__(
        self,
        remote: Remote,
        say: Callable[[str], None],
        *,
        prefix: str = "/",
        healthy_s: float = HEALTHY_S,
        settled_s: float = SETTLED_S,
        commit: str = "",
    ) -> None:
        """`prefix`: prepended to every absolute path there. A release is healthy when it is ready within
        `healthy_s`, and still runs `settled_s` later. `commit`: that the files are of, for the person.
        """
        self._remote = remote
        self._say = say
        self._commit = commit
        self._limits = {"prefix": prefix, "healthy_s": healthy_s, "settled_s": settled_s}

    def run(
        self, files: dict[str, ReleaseFile], environment: Callable[[str, str], Environment], board: str
    ) -> Deployed:
        """`environment(machine, python)` returns the environment for a computer. Raises `RemoteError`."""
        there = self._call("look", {})
        packages = environment(there["machine"], there["python"])
        release = Release({**files, **packages.described}, packages, board, commit=self._commit)
        request = release.request()
        if there["current"] == release.name and there["runs"] and self._call("check", request)["whole"]:
            self._say(f"{release} runs already, nothing to do")
            return Deployed(release.name, 0, changed=False)
        missing = self._call("need", request)["missing"]
        wanted = [release.files_by_sha[sha] for sha in missing]
        sent_bytes = sum(item.size_bytes for item in wanted)
        self._say(
            f"{release}: {len(wanted)} files to send ({sent_bytes / 1e6:.1f} MB), "
            f"{len(release.files_by_sha) - len(wanted)} are there"
        )
        if wanted:
            self._call("take", {}, wanted)
        self._call("install", request)
        self._say(f"{release} runs, healthy")
        return Deployed(release.name, sent_bytes, changed=True)

    def rollback(self) -> None:
        """Makes the release before the current one again. Raises `RemoteError`."""
        self._say(rolled_back(self._call("rollback", {})))

    def _call(
        self, verb: str, request: dict[str, object], files: list[ReleaseFile] | None = None
    ) -> dict[str, Any]:
        return self._remote.run(verb, {**request, **self._limits}, files or [], self._say)

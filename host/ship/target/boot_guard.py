"""The guard: counts each start of the service before it begins, and has the release before run instead where
they failed (`host.boot.counting`). Standard library only.

    boot-guard.pyz boot     by headband-boot-guard.service, before the service
    boot-guard.pyz start    by the service's unit, before each start
    boot-guard.pyz check    does nothing: says that this program runs

`--prefix FOLDER` after the verb: a folder that stands for `/`.
It runs as root, from a copy that no release replaces before it is good, and with the system's Python. Where
it can't read or write, the service starts as it would without it. A power cut between any two of its steps
leaves a `current` that is complete; the next call goes on.
"""

from __future__ import annotations

import fcntl
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from host.boot.counting import Count, charged, gives_way, gone_back
from host.boot.records import boot_id, linked, present_count, release_to_go_back_to, write_count
from host.ship.atomic import point_link
from host.ship.running import DeployRefused, say
from host.ship.target.guard_files import GuardFiles
from host.ship.target.supervise import OPT, SERVICE, Systemd
from host.ship.target.system_files import SystemFiles
from host.ship.whole import is_whole_release

CHARGED = "run/headband-boot-guard"
"""Exists from a boot, whose first start is charged, until that start."""


class BootGuard:
    """The guard of the headband's computer below a folder that stands for `/`."""

    def __init__(self, prefix: Path, systemd: Systemd, system_files: SystemFiles, files: GuardFiles) -> None:
        self._prefix, self._opt = prefix, prefix / OPT[1:]
        self._systemd, self._system_files, self._files = systemd, system_files, files
        self._charged = prefix / CHARGED

    def begin(self, *, at_boot: bool) -> None:
        """Judges the start before and charges the one that begins, or goes back. Raises `OSError`."""
        current = linked(self._opt, "current")
        if current is None:
            return
        if not at_boot and self._charged.exists():
            self._charged.unlink()
            return
        count = present_count(self._prefix)
        if count.standing(current) == "good" and self._files.follow(self._opt / "current"):
            say(f"the guard is that of {current} now")
            self._systemd.reload()
        if gives_way(count, at_boot=at_boot) and self._goes_back(count):
            return
        write_count(self._opt, charged(count, boot_id(self._prefix)))
        if at_boot:
            self._charged.touch()

    def _goes_back(self, count: Count) -> bool:
        """Makes the release before the current one, and asks systemd to start that; False where there is none
        that can run, or a deploy is under way, which watches the release itself.
        """
        before = release_to_go_back_to(self._opt, count)
        if before is None:
            return False
        folder = self._opt / "releases" / before
        with self._alone() as alone:
            if not alone:
                return False
            if not is_whole_release(folder):
                say(f"{count.release} fails ({count.why}); {before} is damaged, so it stays")
                return False
            count = gone_back(count, before)
            write_count(self._opt, count)
            # In this order: between the two there is no release to go back to, but never none to start.
            point_link(self._opt / "current", f"releases/{before}")
            point_link(self._opt / "previous", f"releases/{count.refused}")
            say(f"{count.refused} fails ({count.refused_why}): {before} runs again")
            with suppress(DeployRefused, OSError):
                self._system_files.prepare(folder)
            self._systemd.reload()
            with suppress(OSError):
                self._system_files.settle(anew=True)
        self._systemd.restart_soon(SERVICE)
        return True

    @contextmanager
    def _alone(self) -> Iterator[bool]:
        with open(self._opt / "lock", "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            yield True


def main(words: Sequence[str]) -> int:
    """Carries out one verb; returns the exit status."""
    verb, *more = words
    if verb == "check":
        return 0
    prefix = Path(more[1] if more[:1] == ["--prefix"] else "/")
    systemd = Systemd(0.0, 0.0)
    guard = BootGuard(prefix, systemd, SystemFiles(prefix), GuardFiles(prefix))
    try:
        guard.begin(at_boot=verb == "boot")
    except (OSError, subprocess.SubprocessError) as problem:
        print(f"The start can't be counted: {problem}.", file=sys.stderr)
        return 1
    return 0

"""The part of a deploy that runs on the headband's computer: sent with each call, verified there by
`host.ship.target.receive`, standard library only.

A power cut at any moment leaves a `current` that starts. Files are kept in `store/` under their SHA-256. A
release is a folder of hard links to them and a link to its venv; it is renamed to its name when it is
complete. Nothing is used that has not been read and compared first: stored files before they are linked or
unpacked, a release and its environment before they start. What is damaged is built again from good files,
which have new inodes, beside what runs.
"""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from host.ship.atomic import PART, remove_folder, update_file
from host.ship.running import DeployRefused, say
from host.ship.target.access import DeployAccess
from host.ship.target.building import ReleaseBuilder, request_of
from host.ship.target.charge import battery_of_kernel, release_status, too_low
from host.ship.target.guard_files import IN_RELEASE, GuardFiles
from host.ship.target.store import FileStore
from host.ship.target.supervise import OPT, SERVICE, Systemd
from host.ship.target.system_files import SystemFiles
from host.ship.target.trial import ReleaseSwitch
from host.ship.target.trust import Trust
from host.ship.whole import FileDigests

SPARE_BYTES = 100_000_000
"""Kept free on the disk beside what a release needs."""


class DeployTarget:
    """The headband's computer; one method for each verb of a deploy."""

    def __init__(self, request: dict[str, Any], *, from_disk: bool = True) -> None:
        """`request["prefix"]` is prepended to every absolute path. from_disk: files are compared as the disk
        has them, not memory.
        """
        self.request = request
        self.prefix = Path(request["prefix"])
        self.opt = self.prefix / OPT[1:]
        self.digest = FileDigests(from_disk=from_disk)
        self.store = FileStore(self.opt / "store", self.digest)
        self.settings = self.prefix / "etc/headband/headband.toml"
        self.systemd = Systemd(request["healthy_s"], request["settled_s"])
        self.system_files = SystemFiles(self.prefix)
        self.guard = GuardFiles(self.prefix)
        self.switch = ReleaseSwitch(self.prefix, self.systemd, self.system_files)
        self.access = DeployAccess(self.prefix)

    def check(self) -> dict[str, Any]:
        """Whether the release of `request`, its environment, its stored files, the system's files and the
        release before are as they should be here; every byte is read.
        """
        builder = self._builder(self.request)
        whole = builder.has_release and builder.has_environment
        whole = whole and not self.store.damaged(self.request["files"])
        whole = whole and self.settings.exists() and self.access.is_as_in(self.opt / "current")
        whole = whole and (self.guard.whole or IN_RELEASE not in self.request["release"])
        whole = whole and self.system_files.linked and self.system_files.enabled
        whole = whole and self._previous_is_whole()
        return {"whole": whole, **self._gave_way()}

    def need(self) -> dict[str, Any]:
        """Which files of `request["files"]` (SHA-256 -> bytes) are missing or damaged here; all are read.
        Raises `DeployRefused` when battery or disk space is too low.
        """
        self._check_battery(self.opt / "current")
        self.store.folder.mkdir(parents=True, exist_ok=True)
        self.delete_incomplete()
        files: dict[str, int] = self.request["files"]
        missing = {sha: size for sha, size in files.items() if not self.store.has(sha, size)}
        has_environment = self._builder(self.request).has_environment
        needed = sum(missing.values()) + (0 if has_environment else self.request["venv_bytes"]) + SPARE_BYTES
        if shutil.disk_usage(self.opt).free < needed:
            self._delete_unused()
        free = shutil.disk_usage(self.opt).free
        if free < needed:
            raise DeployRefused(
                f"{OPT} has {free / 1e6:.0f} MB free and this release needs {needed / 1e6:.0f} MB: make room "
                "there; the headband is as it was."
            )
        return {"missing": sorted(missing), **self._gave_way()}

    def take(self, stream: IO[bytes]) -> dict[str, Any]:
        """Stores those files of `request["files"]` that the stream has, as `FileStore.receive` reads them."""
        self.store.receive(stream, self.request["files"])
        return {}

    def install(self) -> dict[str, Any]:
        """Builds the release of `request`, starts it on trial, and makes it current."""
        release, made = self._builder(self.request).release()
        self._check_battery(release)
        if not self.settings.exists():
            update_file(self.settings, f'[board]\nkind = "{self.request["board"]}"\n'.encode())
        if not self.guard.whole and (release / IN_RELEASE).exists():
            self.guard.install(release / IN_RELEASE)
            self.systemd.reload()
        self.switch.enable()
        if self.switch.name("current") == release.name:
            changed = any([self.system_files.prepare(release), self.system_files.link()])
            self.system_files.settle(anew=changed)
            problem = self.switch.start(anew=made or changed)  # it may still run what was there before
            if problem:
                raise DeployRefused(
                    f"This release is here but not healthy: {problem}.{self.systemd.log(SERVICE)}"
                )
        else:
            try:
                self.switch.adopt(release, self.request["version"])
            except DeployRefused:
                with suppress(OSError):  # why it was refused is what the person is told
                    self._delete_unused()
                raise
        self.access.bring(release)
        self._repair_previous()
        self._delete_unused()
        before, count = self.switch.name("previous"), self.switch.count()
        good = count.standing(release.name) == "good"
        return {"current": release.name, "before": before if before != release.name else None, "good": good}

    def rollback(self) -> dict[str, Any]:
        """Makes the release before the current one again, with the system's files that it brought, after a
        trial like any other's. Raises `DeployRefused` where there is none, or it is damaged.
        """
        before, name = self.switch.name("current"), self.switch.name("previous")
        if name is None or name == before:
            raise DeployRefused("There is no release before this one here: deploy the one that you want.")
        release = self.opt / "releases" / name
        request = request_of(release)
        if request is None or not self._previous_is_whole():
            raise DeployRefused(
                f"The release before ({name}) is damaged, so {before} stays: deploy the one that you want."
            )
        self.switch.enable()
        self.switch.adopt(release, request["version"])
        return {"current": name, "version": request["version"], "before": before}

    def _gave_way(self) -> dict[str, Any]:
        """The release that gave way by itself since the last deploy, and why; "" where none did."""
        count = self.switch.count()
        return {"gave_way": count.refused, "gave_way_why": count.refused_why}

    def _previous_is_whole(self) -> bool:
        """Whether the release before and its environment are complete; True where there is none."""
        name = self.switch.name("previous")
        if name is None or name == self.switch.name("current"):
            return True
        request = request_of(self.opt / "releases" / name)
        builder = self._builder(request) if request else None
        return builder is not None and builder.has_release and builder.has_environment

    def _repair_previous(self) -> None:
        """Builds the release before again where it is damaged and its files are stored."""
        name = self.switch.name("previous")
        if name is None or name == self.switch.name("current"):
            return
        request = request_of(self.opt / "releases" / name)
        builder = self._builder(request) if request else None
        try:
            if builder is None or not builder.has_environment:
                raise DeployRefused("it can't be built again")
            if builder.release()[1]:
                say(f"repaired the release before ({name})")
        except DeployRefused:
            say(f"the release before ({name}) is damaged; this checkout has not what repairs it")

    def _check_battery(self, release: Path) -> None:
        """Checks battery and settings by a release's status. An unreadable battery is only reported: a deploy
        may repair that. Raises `DeployRefused`.
        """
        status = release_status(release, self.settings)
        if status.settings_problem and release.name != "current":
            raise DeployRefused(
                f"{status.settings_problem.rstrip('.')}: this release can't run with that; "
                "the headband is as it was."
            )
        battery = status.battery or battery_of_kernel(self.prefix / "sys")
        problem = too_low(battery)
        if problem:
            raise DeployRefused(problem)
        if battery is None and release.name != "current":
            unread = f"the battery can't be read: {status.battery_problem}"
            say(unread if status.battery_problem else "this computer knows of no battery")

    def _builder(self, request: dict[str, Any]) -> ReleaseBuilder:
        return ReleaseBuilder(self.opt, self.store, request, self.digest)

    def delete_incomplete(self) -> None:
        """Deletes what deploys that failed or were interrupted left, so that they do not fill the disk."""
        for path in (*self.opt.glob(f"*{PART}"), *self.opt.glob(f"*/*{PART}")):
            if _is_folder(path):
                remove_folder(path)
        self.store.delete_incomplete()

    def _delete_unused(self) -> None:
        """Deletes everything but the current release, the previous one, that of the request, any that runs on
        trial, their environments and files.
        """
        links = (self.switch.name("current"), self.switch.name("previous"), self.request["id"])
        kept = {name for name in links if name} | self.switch.on_trial()
        venvs = {Path(os.readlink(link)).name for link in self._venv_links(kept)} | {self.request["venv"]}
        for folder, names in (("releases", kept), ("venvs", venvs)):
            for path in (self.opt / folder).glob("*"):
                if path.name not in names and _is_folder(path):
                    remove_folder(path)
        self.store.delete_unused(self.request["files"])

    def _venv_links(self, releases: set[str]) -> list[Path]:
        """The links from releases to their environments."""
        links = (self.opt / "releases" / name / "venv" for name in releases)
        return [link for link in links if link.is_symlink()]


def _is_folder(path: Path) -> bool:
    """Whether a deploy may have made it: all that it makes there are folders. What else lies there stays."""
    return path.is_dir() and not path.is_symlink()


def carry_out(verb: str, request: dict[str, Any], stream: IO[bytes]) -> dict[str, Any]:
    """Carries out one verb, alone on this computer; the answer. `{"refused": SENTENCE, "code": EXIT STATUS}`
    where it can't. `request["accepted"]` is recorded: the statement's number before anything else, the
    release's version once it has been healthy.
    """
    # An install need not read from the disk: the call before it has read or written the same files there.
    target = DeployTarget(request, from_disk=verb != "install")
    trust, accepted = Trust(target.prefix), request.get("accepted")
    try:
        target.opt.mkdir(parents=True, exist_ok=True)
        with open(target.opt / "lock", "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise DeployRefused("Another deploy to this headband is under way.") from None
            if request.get("trust"):
                trust.write_signers([request["trust"]])
            if accepted:
                trust.accept(accepted)
            try:
                answer: dict[str, Any] = target.take(stream) if verb == "take" else getattr(target, verb)()
            except (DeployRefused, OSError):
                with suppress(OSError):  # why it failed is what the person is told
                    target.delete_incomplete()
                raise
            if accepted and (verb == "install" or answer.get("whole")):
                trust.has_run(accepted["version"])
            return answer
    except DeployRefused as problem:
        return {"refused": str(problem), "code": problem.code}
    except subprocess.TimeoutExpired as problem:
        what = shlex.join(problem.cmd)
        return {"refused": f"The headband does not come to an end with `{what}`: run the same command again."}
    except OSError as problem:
        return {"refused": f"The headband can't write ({problem.strerror}): {problem.filename or OPT}."}


def main(verb: str, request: dict[str, Any], stream: IO[bytes]) -> int:
    """Runs one verb; the answer is the last line printed, JSON. Returns the exit status."""
    os.umask(0o022)
    os.nice(10)  # the running headband has priority
    answer = carry_out(verb, request, stream)
    print(json.dumps(answer), flush=True)
    return int(answer.get("code", 1)) if "refused" in answer else 0

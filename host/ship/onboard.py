"""The part of a deploy that runs on the headband's computer: sent with each call, standard library only.

A cut at any moment leaves a `current` that starts. Files lie in `store/` under their SHA-256; a release is
hard links to them beside a link to its venv, and gets its name in one move when it is whole. A deploy that
finds it there reads it against its manifest before it counts on it. A release starts on trial first: as a
unit under /run, which a power cut takes away, with `OnFailure=` naming the service that it stands in for, so
that systemd itself goes back to that. Only a release that has said that it is ready, and still runs a while
later, becomes `current`; the unit in /etc is a link through `current`, so that one move of it changes program
and unit together.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import platform
import pwd
import shutil
import sys
from pathlib import Path
from typing import IO, Any

from host.ship.atomic import PART, point, remove, sync_folder, write_whole
from host.ship.building import Builder
from host.ship.charge import battery_of_kernel, told_by, too_low
from host.ship.running import DeployRefused, run, say
from host.ship.supervise import OPT, SERVICE, TRIAL, Systemd, trial_unit
from host.ship.whole import is_file

SPARE_BYTES = 100_000_000
USER = "headband"
USERS = {"headband.sysusers": ("etc/sysusers.d/headband.conf", 0o644)}
"""This comes first: udev reads its rules anew at any device's event, and then leaves out for good what they
say of a group that is not there yet.
"""
MAKE_USERS = (["systemd-sysusers", "/etc/sysusers.d/headband.conf"],)
SYSTEM_FILES = {
    "70-headband.rules": ("etc/udev/rules.d/70-headband.rules", 0o644),
    "headband.tmpfiles": ("etc/tmpfiles.d/headband.conf", 0o644),
    "headband.modules": ("etc/modules-load.d/headband.conf", 0o644),
    "headband": ("usr/local/bin/headband", 0o755),
}
AFTER_SYSTEM_FILES = (
    ["sh", "-c", "modprobe -q i2c-dev || true"],  # built in, or none: the doctor says so
    ["udevadm", "control", "--reload"],
    ["udevadm", "trigger"],
    ["udevadm", "settle", "--timeout=60"],
    ["systemd-tmpfiles", "--create", "/etc/tmpfiles.d/headband.conf"],
)


class Computer:
    """The headband's computer."""

    def __init__(self, request: dict[str, Any]) -> None:
        """`request["prefix"]` stands before every absolute path."""
        self.request = request
        self.prefix = Path(request["prefix"])
        self.opt = self.prefix / OPT[1:]
        self.store = self.opt / "store"
        self.settings = self.prefix / "etc/headband/headband.toml"
        self.systemd = Systemd(request["healthy_s"], request["settled_s"])

    def look(self) -> dict[str, Any]:
        """What is here."""
        current = self._named("current")
        return {
            "current": current,
            "runs": current is not None and self.systemd.active(SERVICE),
            "machine": platform.machine(),
            "python": ".".join(platform.python_version_tuple()[:2]),
        }

    def check(self) -> dict[str, Any]:
        """Whether the release of `request` is here in every byte, with its environment."""
        builder = Builder(self.opt, self.store, self.request)
        return {"whole": builder.has_release and builder.has_environment}

    def need(self) -> dict[str, Any]:
        """Which of the files in `request["files"]` (SHA-256 to bytes) are missing or damaged here, where the
        battery and the disk last. Those that the release will be made of are read for it.
        """
        self._check_battery(self.opt / "current")
        self.store.mkdir(parents=True, exist_ok=True)
        self._clear_half_done()
        builder = self._builder()
        read = builder.inputs()
        files: dict[str, int] = self.request["files"]
        missing = {sha: size for sha, size in files.items() if not self._stored(sha, read=sha in read)}
        venv_bytes = 0 if builder.has_environment else self.request["venv_bytes"]
        needed = sum(missing.values()) + venv_bytes + SPARE_BYTES
        if shutil.disk_usage(self.opt).free < needed:
            self._forget_files()
        free = shutil.disk_usage(self.opt).free
        if free < needed:
            raise DeployRefused(
                f"{OPT} has {free / 1e6:.0f} MB free and this release needs {needed / 1e6:.0f} MB: make room "
                "there; the headband is as it was."
            )
        return {"missing": sorted(missing)}

    def take(self, stream: IO[bytes]) -> dict[str, Any]:
        """Store files as they come: a line `SHA256 BYTES`, then the bytes."""
        scratch = self.store / "incoming"
        while line := stream.readline().split():
            sha, left = line[0].decode(), int(line[1])
            digest = hashlib.sha256()
            with open(scratch, "wb") as file:
                while left:
                    block = stream.read(min(left, 1 << 18))
                    if not block:
                        raise DeployRefused("The connection ended early: run the same command again.")
                    digest.update(block)
                    file.write(block)
                    left -= len(block)
                file.flush()
                os.fsync(file.fileno())
            if digest.hexdigest() != sha:
                raise DeployRefused("A file came damaged: run the same command again.")
            scratch.replace(self.store / sha)
        sync_folder(self.store)
        return {}

    def install(self) -> dict[str, Any]:
        """Make the release of `request` whole, start it on trial, and make it current."""
        if not all(self._stored(sha, read=False) for sha in self.request["files"]):
            raise DeployRefused("Another deploy to this headband came between: run the same command again.")
        release, made = self._builder().release()
        self._check_battery(release)
        self._system_files(release)
        if self._named("current") == release.name:
            if made:
                self.systemd.stop(SERVICE)  # it ran on what was not whole
            problem = self.systemd.start(SERVICE)
            if problem:
                raise DeployRefused(
                    f"This release is here but not healthy: {problem}.{self.systemd.log(SERVICE)}"
                )
        else:
            self._try(release)
            self._make_current(release)
        self._prune()
        return {"current": release.name}

    # The service

    def _system_files(self, release: Path) -> None:
        if not self.settings.exists():
            write_whole(self.settings, f'[board]\nkind = "{self.request["board"]}"\n'.encode())
        for files, commands in ((USERS, MAKE_USERS), (SYSTEM_FILES, AFTER_SYSTEM_FILES)):
            changed = files is USERS and not _is_user(USER)  # where the power went in between
            for name, (where, mode) in files.items():
                content = (release / "host/service" / name).read_bytes()
                changed |= write_whole(self.prefix / where, content, mode)
            for command in commands if changed else ():
                if shutil.which(command[0]):
                    run(*command)

    def _try(self, release: Path) -> None:
        """Raises `DeployRefused` when it does not become healthy; the one before runs then."""
        before = self._named("current")
        listened = self.systemd.status(SERVICE).startswith("listening")
        unit = self.prefix / "run/systemd/system" / TRIAL
        text = (release / "host/service" / SERVICE).read_text()
        write_whole(unit, trial_unit(text, release.name, back=before is not None).encode())
        self.systemd.reload()
        say(f"starting {self.request['version']} ({release.name}) on trial")
        problem = self.systemd.start(TRIAL)
        status = self.systemd.status(TRIAL)
        if not problem and listened and not status.startswith(("listening", "recording is off")):
            problem = f"it does not listen, as the one before did, but says: {status or 'nothing'}"
        if not problem:
            return
        log = self.systemd.log(TRIAL)
        self.systemd.stop(TRIAL)
        unit.unlink(missing_ok=True)
        self.systemd.reload()
        if before is None:
            raise DeployRefused(
                f"The new release is not healthy ({problem}), and there is none before it.{log}"
            )
        again = self.systemd.start(SERVICE)
        state = f"does not start either ({again})" if again else "runs again"
        raise DeployRefused(
            f"The new release is not healthy ({problem}): back to {before}, which {state}.{log}"
        )

    def _make_current(self, release: Path) -> None:
        before = self._named("current")
        units = self.prefix / "etc/systemd/system"
        for link in (units / SERVICE, units / "multi-user.target.wants" / SERVICE):
            point(link, f"{OPT}/current/host/service/{SERVICE}")
        if before is not None:
            point(self.opt / "previous", f"releases/{before}")
        point(self.opt / "current", f"releases/{release.name}")
        self.systemd.reload()
        problem = self.systemd.start(SERVICE)  # which ends the trial
        (self.prefix / "run/systemd/system" / TRIAL).unlink(missing_ok=True)
        if not problem:
            return
        if before is not None:
            point(self.opt / "current", f"releases/{before}")
            self.systemd.stop(SERVICE)
            self.systemd.reload()
            self.systemd.start(SERVICE)
        raise DeployRefused(
            f"The new release did not start a second time ({problem}): back to {before or 'nothing'}."
        )

    # What is here

    def _check_battery(self, release: Path) -> None:
        """By what a release tells. One that can't be read is said and no more: a deploy may mend that."""
        told = told_by(release, self.settings)
        if told.refused and release.name != "current":
            raise DeployRefused(
                f"{told.refused.rstrip('.')}: this release can't run with that; the headband is as it was."
            )
        battery = told.battery or battery_of_kernel(self.prefix / "sys")
        problem = too_low(battery)
        if problem:
            raise DeployRefused(problem)
        if battery is None and release.name != "current":
            unread = f"the battery can't be read: {told.problem}"
            say(unread if told.problem else "this computer knows of no battery")

    def _named(self, link: str) -> str | None:
        path = self.opt / link
        return Path(os.readlink(path)).name if path.is_symlink() and path.exists() else None

    def _builder(self) -> Builder:
        runs = self.systemd.active(SERVICE)
        return Builder(self.opt, self.store, self.request, self._named("current") if runs else None)

    def _stored(self, sha: str, *, read: bool) -> bool:
        return is_file(self.store / sha, self.request["files"][sha], sha if read else None)

    def _clear_half_done(self) -> None:
        """What a deploy left that was cut short, so that many of them don't fill the disk."""
        for path in (*self.opt.glob(f"*{PART}"), *self.opt.glob(f"*/*{PART}")):
            remove(path)

    def _forget_files(self) -> None:
        """Files of no release that is here, and not of this one."""
        for path in self.store.iterdir():
            if path.name not in self.request["files"] and path.stat().st_nlink == 1:
                path.unlink()

    def _prune(self) -> None:
        """Keep the current release and the one before it, and what they are made of."""
        kept = {name for name in (self._named("current"), self._named("previous")) if name}
        venvs = {Path(os.readlink(link)).name for link in self._links_of(kept)}
        for folder, names in (("releases", kept), ("venvs", venvs)):
            for path in (self.opt / folder).iterdir():
                if path.name not in names:
                    remove(path)
        self._forget_files()

    def _links_of(self, releases: set[str]) -> list[Path]:
        """To their environments."""
        links = (self.opt / "releases" / name / "venv" for name in releases)
        return [link for link in links if link.is_symlink()]


def _is_user(name: str) -> bool:
    try:
        return pwd.getpwnam(name).pw_name == name
    except KeyError:
        return False


def main(verb: str, stream: IO[bytes]) -> int:
    """One call: the request is the stream's first line, the answer the last line that is printed."""
    os.umask(0o022)
    os.nice(10)  # the headband that runs meanwhile goes first
    computer = Computer(json.loads(stream.readline()))
    try:
        computer.opt.mkdir(parents=True, exist_ok=True)
        with open(computer.opt / "lock", "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise DeployRefused("Another deploy to this headband is under way.") from None
            answer = computer.take(stream) if verb == "take" else getattr(computer, verb)()
    except DeployRefused as problem:
        answer = {"refused": str(problem)}
    except OSError as problem:
        answer = {"refused": f"The headband can't write ({problem.strerror}): {problem.filename or OPT}."}
    print(json.dumps(answer), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[-1], sys.stdin.buffer))

"""The part of a deploy that runs on the headband's computer: sent with each call, standard library only.

A power cut at any moment leaves a `current` that starts. Files are kept in `store/` under their SHA-256. A
release is a folder of hard links to them and a link to its venv; it is renamed to its name when it is
complete. A deploy that finds a release checks it against its manifest before it uses it.

A release starts on trial first: as a unit under /run, which does not survive a power cut, with `OnFailure=`
naming the regular service, so that systemd itself starts that one again. A release becomes `current` only
when it has reported that it is ready and still runs `settled_s` later. The unit in /etc is a link through
`current`, so changing `current` changes program and unit together.
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

from host.ship.atomic import PART, has_content, point_link, remove_folder, update_file
from host.ship.building import ReleaseBuilder
from host.ship.charge import battery_of_kernel, release_status, too_low
from host.ship.device_rules import system_file
from host.ship.running import DeployRefused, run, say
from host.ship.supervise import OPT, SERVICE, TRIAL, Systemd, trial_unit
from host.ship.whole import has_file
from models.atomic_file import sync_folder

SPARE_BYTES = 100_000_000
"""Kept free on the disk beside what a release needs."""
USER = "headband"
USERS = {"headband.sysusers": ("etc/sysusers.d/headband.conf", 0o644)}
"""Written before `SYSTEM_FILES`: udev reads new rules at any device event, and drops assignments to a group
that does not exist at that moment.
"""
AFTER_USERS = (["systemd-sysusers", "/etc/sysusers.d/headband.conf"],)
SYSTEM_FILES = {
    "70-headband.rules": ("etc/udev/rules.d/70-headband.rules", 0o644),
    "headband.tmpfiles": ("etc/tmpfiles.d/headband.conf", 0o644),
    "headband.modules": ("etc/modules-load.d/headband.conf", 0o644),
    "headband": ("usr/local/bin/headband", 0o755),
}
AFTER_SYSTEM_FILES = (
    [
        "sh",
        "-c",
        "modprobe -q i2c-dev || true",
    ],  # may be built in; the doctor reports a missing one
    # udev leaves a device for which new rules have nothing as it is: an earlier bus is taken back here.
    [
        "sh",
        "-c",
        f"find /dev -maxdepth 1 -name 'i2c-*' -group {USER} -exec chown root:root {{}} + "
        "-exec chmod 600 {} + 2>/dev/null || true",
    ],
    ["udevadm", "control", "--reload"],
    ["udevadm", "trigger"],
    ["udevadm", "settle", "--timeout=60"],
    ["systemd-tmpfiles", "--create", "/etc/tmpfiles.d/headband.conf"],
)


class DeployTarget:
    """The headband's computer; one method for each verb of a deploy."""

    def __init__(self, request: dict[str, Any]) -> None:
        """`request["prefix"]` is prepended to every absolute path."""
        self.request = request
        self.prefix = Path(request["prefix"])
        self.opt = self.prefix / OPT[1:]
        self.store = self.opt / "store"
        self.settings = self.prefix / "etc/headband/headband.toml"
        self.systemd = Systemd(request["healthy_s"], request["settled_s"])

    def look(self) -> dict[str, Any]:
        """The current release, whether its service runs, and the processor and Python of this computer."""
        current = self._release_of("current")
        return {
            "current": current,
            "runs": current is not None and self.systemd.active(SERVICE),
            "machine": platform.machine(),
            "python": ".".join(platform.python_version_tuple()[:2]),
        }

    def check(self) -> dict[str, Any]:
        """Whether the release of `request` and its environment are complete here, every byte is read; and the
        system's files are as it has them, for the settings that are there now.
        """
        builder = ReleaseBuilder(self.opt, self.store, self.request)
        return {"whole": builder.has_release and builder.has_environment and self._has_system_files()}

    def need(self) -> dict[str, Any]:
        """Which files of `request["files"]` (SHA-256 -> bytes) are missing or damaged here. Files that the
        release will be built from are read to find damage. Raises `DeployRefused` when battery or disk space
        is too low.
        """
        self._check_battery(self.opt / "current")
        self.store.mkdir(parents=True, exist_ok=True)
        self._delete_incomplete()
        builder = self._builder()
        read = builder.inputs()
        files: dict[str, int] = self.request["files"]
        missing = {sha: size for sha, size in files.items() if not self._is_stored(sha, read=sha in read)}
        venv_bytes = 0 if builder.has_environment else self.request["venv_bytes"]
        needed = sum(missing.values()) + venv_bytes + SPARE_BYTES
        if shutil.disk_usage(self.opt).free < needed:
            self._delete_unused_files()
        free = shutil.disk_usage(self.opt).free
        if free < needed:
            raise DeployRefused(
                f"{OPT} has {free / 1e6:.0f} MB free and this release needs {needed / 1e6:.0f} MB: make room "
                "there; the headband is as it was."
            )
        return {"missing": sorted(missing)}

    def take(self, stream: IO[bytes]) -> dict[str, Any]:
        """Stores files from the stream: for each one a line `SHA256 BYTES`, then its bytes."""
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
        """Builds the release of `request`, starts it on trial, and makes it current."""
        if not all(self._is_stored(sha, read=False) for sha in self.request["files"]):
            raise DeployRefused("Another deploy to this headband came between: run the same command again.")
        release, made = self._builder().release()
        self._check_battery(release)
        changed = self._system_files(release)
        if self._release_of("current") == release.name:
            if made or changed:
                self.systemd.stop(SERVICE)  # it runs on an incomplete release, or with other devices
            problem = self.systemd.start(SERVICE)
            if problem:
                raise DeployRefused(
                    f"This release is here but not healthy: {problem}.{self.systemd.log(SERVICE)}"
                )
        else:
            self._try(release)
            self._make_current(release)
        self._delete_old_releases()
        return {"current": release.name}

    # The service

    def _has_system_files(self) -> bool:
        current = self.opt / "current"
        return self.settings.exists() and all(
            has_content(self.prefix / where, system_file(current, name, self.prefix))
            for name, (where, _) in SYSTEM_FILES.items()
        )

    def _system_files(self, release: Path) -> bool:
        """Writes the system's files, and returns whether one had other content."""
        anything = False
        if not self.settings.exists():
            update_file(self.settings, f'[board]\nkind = "{self.request["board"]}"\n'.encode())
        for files, commands in ((USERS, AFTER_USERS), (SYSTEM_FILES, AFTER_SYSTEM_FILES)):
            changed = files is USERS and not _user_exists(USER)  # after a power cut between file and command
            for name, (where, mode) in files.items():
                content = system_file(release, name, self.prefix)
                changed |= update_file(self.prefix / where, content, mode)
            for command in commands if changed else ():
                if shutil.which(command[0]):
                    run(*command)
            anything |= changed
        return anything

    def _try(self, release: Path) -> None:
        """Starts a release on trial. Raises `DeployRefused` when it does not become healthy; then the
        previous one runs.
        """
        before = self._release_of("current")
        listened = self.systemd.status(SERVICE).startswith("listening")
        unit = self.prefix / "run/systemd/system" / TRIAL
        text = (release / "host/service" / SERVICE).read_text()
        update_file(unit, trial_unit(text, release.name, back=before is not None).encode())
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
        before = self._release_of("current")
        units = self.prefix / "etc/systemd/system"
        for link in (units / SERVICE, units / "multi-user.target.wants" / SERVICE):
            point_link(link, f"{OPT}/current/host/service/{SERVICE}")
        if before is not None:
            point_link(self.opt / "previous", f"releases/{before}")
        point_link(self.opt / "current", f"releases/{release.name}")
        self.systemd.reload()
        problem = self.systemd.start(SERVICE)  # the units conflict, so this stops the trial
        (self.prefix / "run/systemd/system" / TRIAL).unlink(missing_ok=True)
        if not problem:
            return
        if before is not None:
            point_link(self.opt / "current", f"releases/{before}")
            self.systemd.stop(SERVICE)
            self.systemd.reload()
            self.systemd.start(SERVICE)
        raise DeployRefused(
            f"The new release did not start a second time ({problem}): back to {before or 'nothing'}."
        )

    # Releases and files

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

    def _release_of(self, link: str) -> str | None:
        path = self.opt / link
        return Path(os.readlink(path)).name if path.is_symlink() and path.exists() else None

    def _builder(self) -> ReleaseBuilder:
        runs = self.systemd.active(SERVICE)
        return ReleaseBuilder(
            self.opt, self.store, self.request, self._release_of("current") if runs else None
        )

    def _is_stored(self, sha: str, *, read: bool) -> bool:
        return has_file(self.store / sha, self.request["files"][sha], sha if read else None)

    def _delete_incomplete(self) -> None:
        """Deletes what interrupted deploys left, so that they do not fill the disk."""
        for path in (*self.opt.glob(f"*{PART}"), *self.opt.glob(f"*/*{PART}")):
            remove_folder(path)

    def _delete_unused_files(self) -> None:
        """Deletes stored files that neither this release nor any installed one uses."""
        for path in self.store.iterdir():
            if path.name not in self.request["files"] and path.stat().st_nlink == 1:
                path.unlink()

    def _delete_old_releases(self) -> None:
        """Deletes everything but the current release, the previous one, their environments and files."""
        kept = {name for name in (self._release_of("current"), self._release_of("previous")) if name}
        venvs = {Path(os.readlink(link)).name for link in self._venv_links(kept)}
        for folder, names in (("releases", kept), ("venvs", venvs)):
            for path in (self.opt / folder).iterdir():
                if path.name not in names:
                    remove_folder(path)
        self._delete_unused_files()

    def _venv_links(self, releases: set[str]) -> list[Path]:
        """The links from releases to their environments."""
        links = (self.opt / "releases" / name / "venv" for name in releases)
        return [link for link in links if link.is_symlink()]


def _user_exists(name: str) -> bool:
    try:
        return pwd.getpwnam(name).pw_name == name
    except KeyError:
        return False


def main(verb: str, stream: IO[bytes]) -> int:
    """Runs one verb. The request is the stream's first line, the answer the last line printed, both JSON."""
    os.umask(0o022)
    os.nice(10)  # the running headband has priority
    target = DeployTarget(json.loads(stream.readline()))
    try:
        target.opt.mkdir(parents=True, exist_ok=True)
        with open(target.opt / "lock", "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise DeployRefused("Another deploy to this headband is under way.") from None
            answer = target.take(stream) if verb == "take" else getattr(target, verb)()
    except DeployRefused as problem:
        answer = {"refused": str(problem)}
    except OSError as problem:
        answer = {"refused": f"The headband can't write ({problem.strerror}): {problem.filename or OPT}."}
    print(json.dumps(answer), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[-1], sys.stdin.buffer))

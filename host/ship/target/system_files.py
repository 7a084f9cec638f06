"""The files that a release brings for the system: users, udev rules, kernel modules, the command. Sent to the
headband's computer: standard library only.

In /etc they are links through `current`: they change with the program in one step, and after every boot they
are those of the release that runs. One of them is made for the settings and the release here, before the
release starts. A release on trial has its rules under /run, which a boot empties.
"""

from __future__ import annotations

import pwd
import shutil
from contextlib import suppress
from pathlib import Path

from host.ship.atomic import has_content, point_link, update_file
from host.ship.running import ProgramFailed, run, say
from host.ship.target.device_rules import I2C_RULES, i2c_bus, i2c_rules
from host.ship.target.supervise import OPT, SERVICE

USER = "headband"
SERVICE_FILES = "host/service"
LINKS = {
    "etc/sysusers.d/headband.conf": "headband.sysusers",
    "etc/udev/rules.d/70-headband.rules": "70-headband.rules",
    f"etc/udev/rules.d/{I2C_RULES}": I2C_RULES,
    "etc/tmpfiles.d/headband.conf": "headband.tmpfiles",
    "etc/modules-load.d/headband.conf": "headband.modules",
}
"""Place -> file of the release."""
UNIT_LINKS = (f"etc/systemd/system/{SERVICE}", f"etc/systemd/system/multi-user.target.wants/{SERVICE}")
"""By the first systemd knows the service, by the second it starts at a boot; `systemctl disable` removes
both.
"""
RULES = "70-headband.rules"
TRIAL_RULES = "run/udev/rules.d/71-headband-trial.rules"
"""Rules of a release on trial; udev obeys them after those in /etc."""
TAKE_BACK = (
    f"find /dev -maxdepth 1 -name 'i2c-*' -group {USER} -exec chown root:root {{}} + "
    "-exec chmod 600 {} + 2>/dev/null || true"
)
COMMAND = "usr/local/bin/headband"
CALLS_COMMAND = f'#!/bin/sh\nexec /bin/sh {OPT}/current/{SERVICE_FILES}/headband "$@"\n'.encode()


class SystemFiles:
    """The system's files on the headband's computer."""

    def __init__(self, prefix: Path) -> None:
        """`prefix` stands for `/`."""
        self._prefix = prefix
        self._current = prefix / OPT[1:] / "current"
        self._trial_rules = prefix / TRIAL_RULES

    def link(self) -> bool:
        """Makes the files those of the current release, whichever that is; returns whether they were not."""
        changed = [point_link(self._prefix / place, _target(name)) for place, name in LINKS.items()]
        return any([*changed, update_file(self._prefix / COMMAND, CALLS_COMMAND, 0o755)])

    def enable(self) -> bool:
        """Has the current release, whichever that is, start at a boot once systemd has reloaded; returns
        whether it did not.
        """
        changed = [point_link(self._prefix / place, _target(SERVICE)) for place in UNIT_LINKS]
        return any(changed)

    @property
    def enabled(self) -> bool:
        """Whether the current release starts at a boot."""
        return all(_links_to(self._prefix / place, _target(SERVICE)) for place in UNIT_LINKS)

    def prepare(self, release: Path) -> bool:
        """Writes a release's rule for the I2C bus that the settings name now; returns whether it was another.
        Raises `DeployRefused` for settings that can't be read.
        """
        rules = i2c_rules(i2c_bus(release, self._prefix))
        return update_file(release / SERVICE_FILES / I2C_RULES, rules.encode())

    @property
    def linked(self) -> bool:
        """Whether the files are those of the current release, with the I2C bus that the settings name now.
        Raises `DeployRefused` for settings that can't be read.
        """
        rules = i2c_rules(i2c_bus(self._current, self._prefix))
        if not has_content(self._current / SERVICE_FILES / I2C_RULES, rules.encode()):
            return False
        with suppress(OSError):
            return (self._prefix / COMMAND).read_bytes() == CALLS_COMMAND and all(
                _links_to(self._prefix / place, _target(name)) for place, name in LINKS.items()
            )
        return False

    def try_out(self, release: Path) -> None:
        """Has the system obey the files of a release on trial as well, until `settle` or the next boot.
        Raises `DeployRefused` for settings that can't be read, and where the system does not obey.
        """
        self.prepare(release)
        if self._obeyed(release):
            return
        # Users first: udev reads new rules at any device event, and drops assignments to a group that does
        # not exist at that moment.
        _call(*_users(release))
        rules = [(release / SERVICE_FILES / name).read_bytes() for name in (RULES, I2C_RULES)]
        update_file(self._trial_rules, b"".join(rules))
        for step in _steps(release):
            _call(*step)

    def settle(self, *, anew: bool = False) -> None:
        """Has the system obey the files of the current release again. anew: also where no trial was. Where a
        program fails, that is only said: a release that is to start afterwards does not stay stopped for it.
        """
        if not anew and not self._trial_rules.exists():
            return
        self._trial_rules.unlink(missing_ok=True)
        if self._current.exists():
            for step in (_users(self._current), *_steps(self._current)):
                try:
                    _call(*step)
                except ProgramFailed as problem:
                    say(
                        f"{problem.program} failed; devices and folders may not be as the release needs them "
                        f"before the next boot:{problem.output}"
                    )

    def _obeyed(self, release: Path) -> bool:
        if self._trial_rules.exists() or not _user_exists(USER):
            return False
        with suppress(OSError):
            return all(
                (release / SERVICE_FILES / name).read_bytes()
                == (self._current / SERVICE_FILES / name).read_bytes()
                for name in LINKS.values()
            )
        return False


Step = tuple[object, ...]
"""A program and its arguments."""


def _users(release: Path) -> Step:
    return ("systemd-sysusers", release / SERVICE_FILES / "headband.sysusers")


def _steps(release: Path) -> list[Step]:
    """What has the system obey the files of a release, once its users are there."""
    return [
        ("sh", "-c", "modprobe -q i2c-dev || true"),  # may be built in; the doctor reports a missing one
        # udev leaves a device for which new rules have nothing as it is: an earlier bus is taken back here.
        ("sh", "-c", TAKE_BACK),
        ("udevadm", "control", "--reload"),
        ("udevadm", "trigger"),
        ("udevadm", "settle", "--timeout=60"),
        ("systemd-tmpfiles", "--create", release / SERVICE_FILES / "headband.tmpfiles"),
    ]


def _target(name: str) -> str:
    return f"{OPT}/current/{SERVICE_FILES}/{name}"


def _links_to(link: Path, target: str) -> bool:
    return link.is_symlink() and link.readlink() == Path(target)


def _call(*words: object) -> None:
    if shutil.which(str(words[0])):
        run(*words)


def _user_exists(name: str) -> bool:
    try:
        return pwd.getpwnam(name).pw_name == name
    except KeyError:
        return False

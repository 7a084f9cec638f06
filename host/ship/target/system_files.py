"""The files that a release brings for the system: users, udev rules, kernel modules, the command. Sent to the
headband's computer: standard library only.
"""

from __future__ import annotations

import pwd
import shutil
from pathlib import Path

from host.ship.atomic import has_content, update_file
from host.ship.device_rules import system_file
from host.ship.running import run

USER = "headband"
USERS = {"headband.sysusers": ("etc/sysusers.d/headband.conf", 0o644)}
"""Written before `FILES`: udev reads new rules at any device event, and drops assignments to a group
that does not exist at that moment.
"""
AFTER_USERS = (["systemd-sysusers", "/etc/sysusers.d/headband.conf"],)
FILES = {
    "70-headband.rules": ("etc/udev/rules.d/70-headband.rules", 0o644),
    "headband.tmpfiles": ("etc/tmpfiles.d/headband.conf", 0o644),
    "headband.modules": ("etc/modules-load.d/headband.conf", 0o644),
    "headband": ("usr/local/bin/headband", 0o755),
}
AFTER_FILES = (
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


def update_system_files(release: Path, prefix: Path) -> bool:
    """Writes the files of a release that differ, and has the system read them; returns whether one differed.
    `prefix` stands for `/`.
    """
    anything = False
    for files, commands in ((USERS, AFTER_USERS), (FILES, AFTER_FILES)):
        changed = files is USERS and not _user_exists(USER)  # after a power cut between file and command
        for name, (where, mode) in files.items():
            changed |= update_file(prefix / where, system_file(release, name, prefix), mode)
        for command in commands if changed else ():
            if shutil.which(command[0]):
                run(*command)
        anything |= changed
    return anything


def has_system_files(release: Path, prefix: Path) -> bool:
    """Whether every file is as the release has it, for the settings that are there now."""
    try:
        return all(
            has_content(prefix / where, system_file(release, name, prefix))
            for name, (where, _) in {**USERS, **FILES}.items()
        )
    except OSError:
        return False


def _user_exists(name: str) -> bool:
    try:
        return pwd.getpwnam(name).pw_name == name
    except KeyError:
        return False

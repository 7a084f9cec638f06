"""The guard on a headband: its program and units are copies, so that a release whose own files are broken is
judged all the same. Sent to the headband's computer: standard library only.

`boot-guard.pyz` of a release holds program and units. The copies are those of the first release, or, where
they are damaged, of the next deploy; afterwards only a release that is good brings its own.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

from host.ship.atomic import has_content, point_link, update_file
from host.ship.target.supervise import OPT, SERVICE
from host.ship.whole import has_file, read_manifest

GUARD = "boot-guard.pyz"
IN_RELEASE = f"host/service/{GUARD}"
UNIT, DROP_IN = "headband-boot-guard.service", "headband-boot-guard.conf"
_UNITS = "etc/systemd/system"
_CHECK_S = 60.0


class GuardFiles:
    """The guard's copies below a folder that stands for `/`."""

    def __init__(self, prefix: Path) -> None:
        self._prefix = prefix
        self.program = prefix / OPT[1:] / GUARD
        self._places = {
            UNIT: prefix / _UNITS / UNIT,
            DROP_IN: prefix / _UNITS / f"{SERVICE}.d" / "boot-guard.conf",
        }

    @property
    def whole(self) -> bool:
        """Whether the guard is here, undamaged, and starts at every boot."""
        with suppress(Exception):  # a damaged archive raises anything
            with zipfile.ZipFile(self.program) as archive:
                if archive.testzip() is not None:
                    return False
                units = {name: archive.read(name) for name in self._places}
            wanted = self._wanted
            return wanted.is_symlink() and all(
                has_content(place, units[name]) for name, place in self._places.items()
            )
        return False

    def install(self, program: Path) -> None:
        """Copies the guard of a release. Raises `OSError`, and `BadZipFile` or `KeyError` for a damaged one,
        before anything has changed.
        """
        content = program.read_bytes()
        with zipfile.ZipFile(program) as archive:
            units = {name: archive.read(name) for name in self._places}
        for name, place in self._places.items():
            update_file(place, units[name])
        point_link(self._wanted, f"../{UNIT}")
        update_file(self.program, content)

    def follow(self, release: Path) -> bool:
        """Takes over the guard of a release that is good, where it is another, undamaged, and runs; returns
        whether it did.
        """
        program, listed = release / IN_RELEASE, read_manifest(release)
        known = listed.files.get(IN_RELEASE) if listed else None
        if known is None or not has_file(program, *known) or has_content(self.program, program.read_bytes()):
            return False
        words = [sys.executable, "-I", "-B", "-S", str(program), "check"]
        try:
            subprocess.run(words, check=True, timeout=_CHECK_S, capture_output=True)
            self.install(program)
        except (OSError, subprocess.SubprocessError, zipfile.BadZipFile, KeyError):
            return False
        return True

    @property
    def _wanted(self) -> Path:
        return self._prefix / _UNITS / "multi-user.target.wants" / UNIT

"""systemd commands of a deploy. Sent to the headband's computer: standard library only."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Sequence

SERVICE = "headband.service"
TRIALS = "headband-trial*.service"
"""Pattern of the units of releases on trial."""
OPT = "/opt/headband"


def trial_name(release: str) -> str:
    """The unit that runs this release on trial and no other: a trial that an interrupted deploy left running
    can't be mistaken for it.
    """
    return f"headband-trial-{release}.service"


def trial_release(unit: str) -> str:
    """The release that a unit of `trial_name` runs."""
    return unit.removeprefix("headband-trial-").removesuffix(".service")


def trial_unit(text: str, release: str, *, back: bool, others: Sequence[str] = ()) -> str:
    """Text of the unit that runs a release on trial instead of the service, made from the service's unit
    `text`. back: when the trial fails, systemd starts the service again; others: units of other trials,
    which end in the same step in which this one starts.
    """
    instead = " ".join([SERVICE, *others])
    lines = [f"Conflicts={instead}", f"After={instead}", *([f"OnFailure={SERVICE}"] if back else [])]
    text = text.partition("[Install]")[0].replace(f"{OPT}/current", f"{OPT}/releases/{release}")
    text = text.replace("Restart=on-failure", "Restart=no")
    return text.replace("[Unit]\n", "\n".join(["[Unit]", *lines, ""]), 1)


class Systemd:
    """Calls `systemctl` and `journalctl`."""

    def __init__(self, healthy_s: float, settled_s: float) -> None:
        """A unit is healthy when it is ready within `healthy_s`, and still runs `settled_s` later."""
        self.healthy_s, self.settled_s = healthy_s, settled_s

    def start(self, unit: str) -> str:
        """Starts a unit that does not run, and waits until it is healthy: returns "", or what is wrong."""
        return self._begin("start", unit)

    def restart(self, unit: str) -> str:
        """As `start`; a unit that runs is stopped first, so that what is on the disk now runs."""
        return self._begin("restart", unit)

    def restart_soon(self, unit: str) -> None:
        """Has a unit restarted, and does not wait for it; called also by what that unit starts."""
        self._ctl("--no-block", "restart", unit)

    def _begin(self, verb: str, unit: str) -> str:
        try:
            code = self._ctl(verb, unit, timeout_s=self.healthy_s).returncode
        except subprocess.TimeoutExpired:
            return f"it was not ready within {self.healthy_s:g} s"
        if code:
            return "it ended before it was ready"
        time.sleep(self.settled_s)
        return "" if self.active(unit) else f"it ended within {self.settled_s:g} s after it was ready"

    def stop(self, unit: str) -> None:
        """Stops a unit; does nothing when it does not run."""
        self._ctl("stop", unit)

    def reload(self) -> None:
        """Makes systemd read the unit files again."""
        self._ctl("daemon-reload")

    def active(self, unit: str) -> bool:
        """Whether a unit runs and is ready."""
        return self._ctl("is-active", "--quiet", unit).returncode == 0

    def status(self, unit: str) -> str:
        """The unit's last status text."""
        return self._ctl("show", "-p", "StatusText", "--value", unit).stdout.strip()

    def log(self, unit: str) -> str:
        """The last lines of the unit's journal, indented for a person; "" without journalctl."""
        if not shutil.which("journalctl"):
            return ""
        words = ["journalctl", "-u", unit, "-n", "12", "-o", "cat", "--no-pager"]
        # What a runtime prints before it ends need not be text.
        found = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
        return "".join(f"\n  | {line}" for line in found.stdout.splitlines())

    def _ctl(self, *words: str, timeout_s: float = 60.0) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["systemctl", *words],
            capture_output=True, text=True, errors="replace", timeout=timeout_s, check=False,
        )  # fmt: skip

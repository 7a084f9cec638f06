"""systemd commands of a deploy. Sent to the headband's computer: standard library only."""

from __future__ import annotations

import shutil
import subprocess
import time

SERVICE, TRIAL = "headband.service", "headband-trial.service"
OPT = "/opt/headband"


def trial_unit(text: str, release: str, *, back: bool) -> str:
    """Text of the unit that runs a release on trial instead of the service, made from the service's unit
    `text`. back: when the trial fails, systemd starts the service again.
    """
    lines = [f"Conflicts={SERVICE}", f"After={SERVICE}", *([f"OnFailure={SERVICE}"] if back else [])]
    text = text.partition("[Install]")[0].replace(f"{OPT}/current", f"{OPT}/releases/{release}")
    text = text.replace("Restart=on-failure", "Restart=no")
    return text.replace("[Unit]\n", "\n".join(["[Unit]", *lines, ""]), 1)


class Systemd:
    """Calls `systemctl` and `journalctl`."""

    def __init__(self, healthy_s: float, settled_s: float) -> None:
        """A unit is healthy when it is ready within `healthy_s`, and still runs `settled_s` later."""
        self.healthy_s, self.settled_s = healthy_s, settled_s

    def start(self, unit: str) -> str:
        """Starts a unit and waits until it is healthy: returns "" then, else what is wrong."""
        try:
            code = self._ctl("start", unit, timeout_s=self.healthy_s).returncode
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
        found = subprocess.run(words, capture_output=True, text=True, check=False)
        return "".join(f"\n  | {line}" for line in found.stdout.splitlines())

    def _ctl(self, *words: str, timeout_s: float = 60.0) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["systemctl", *words], capture_output=True, text=True, timeout=timeout_s, check=False
        )

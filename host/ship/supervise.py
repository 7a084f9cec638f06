"""systemd, as a deploy needs it. Sent to the headband's computer: standard library only."""

from __future__ import annotations

import shutil
import subprocess
import time

SERVICE, TRIAL = "headband.service", "headband-trial.service"
OPT = "/opt/headband"


def trial_unit(text: str, release: str, *, back: bool) -> str:
    """The unit in which a release stands in for the service once, made from its own. `back`: when it ends,
    systemd starts the service again.
    """
    lines = [f"Conflicts={SERVICE}", f"After={SERVICE}", *([f"OnFailure={SERVICE}"] if back else [])]
    text = text.partition("[Install]")[0].replace(f"{OPT}/current", f"{OPT}/releases/{release}")
    text = text.replace("Restart=on-failure", "Restart=no")
    return text.replace("[Unit]\n", "\n".join(["[Unit]", *lines, ""]), 1)


class Systemd:
    """`systemctl` and `journalctl`."""

    def __init__(self, healthy_s: float, settled_s: float) -> None:
        """A unit is healthy when it is ready within `healthy_s`, and still runs `settled_s` later."""
        self.healthy_s, self.settled_s = healthy_s, settled_s

    def start(self, unit: str) -> str:
        """Returns what is wrong with it after a while; "" when it is healthy."""
        try:
            code = self._ctl("start", unit, timeout_s=self.healthy_s).returncode
        except subprocess.TimeoutExpired:
            return f"it was not ready within {self.healthy_s:g} s"
        if code:
            return "it ended before it was ready"
        time.sleep(self.settled_s)
        return "" if self.active(unit) else f"it ended within {self.settled_s:g} s after it was ready"

    def stop(self, unit: str) -> None:
        """Harmless for one that does not run."""
        self._ctl("stop", unit)

    def reload(self) -> None:
        """Read the units anew."""
        self._ctl("daemon-reload")

    def active(self, unit: str) -> bool:
        """Does it run, ready?"""
        return self._ctl("is-active", "--quiet", unit).returncode == 0

    def status(self, unit: str) -> str:
        """What it last said of itself."""
        return self._ctl("show", "-p", "StatusText", "--value", unit).stdout.strip()

    def log(self, unit: str) -> str:
        """Its last words, for a person."""
        if not shutil.which("journalctl"):
            return ""
        words = ["journalctl", "-u", unit, "-n", "12", "-o", "cat", "--no-pager"]
        found = subprocess.run(words, capture_output=True, text=True, check=False)
        return "".join(f"\n  | {line}" for line in found.stdout.splitlines())

    def _ctl(self, *words: str, timeout_s: float = 60.0) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["systemctl", *words], capture_output=True, text=True, timeout=timeout_s, check=False
        )

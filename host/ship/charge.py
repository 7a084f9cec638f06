"""Whether the battery lasts through a deploy, and the release takes the headband's settings. Sent to the
headband's computer: standard library only.
"""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MIN_PERCENT = 30


@dataclass(frozen=True)
class Told:
    """What a release's own `status` says, which knows the microcontroller's gauge and reads the settings."""

    battery: tuple[int, bool] | None = None
    """Percent, and whether it charges; None without a battery, or where it can't be read."""
    problem: str = ""
    """Why it can't be read."""
    refused: str = ""
    """What is wrong with the settings."""


def battery_of_kernel(sysfs: Path) -> tuple[int, bool] | None:
    """Percent and whether it charges, as the kernel knows; None without a battery of the computer's own."""
    for folder in sorted(sysfs.glob("class/power_supply/*")):
        with suppress(OSError, ValueError):
            if _says(folder, "type") == "Battery" and _is_ours(folder):
                return int(_says(folder, "capacity")), _says(folder, "status") in ("Charging", "Full")
    return None


def _is_ours(folder: Path) -> bool:
    """Not a keyboard's, and not a plug of the charger's chip that nothing is in."""
    return _says(folder, "scope", "System") != "Device" and _says(folder, "present", "1") != "0"


def _says(folder: Path, name: str, otherwise: str | None = None) -> str:
    try:
        return (folder / name).read_text().strip()
    except FileNotFoundError:
        if otherwise is None:
            raise
        return otherwise


def told_by(release: Path, settings: Path) -> Told:
    """Asks a release; it says nothing where it is not there or can't."""
    python = release / "venv/bin/python"
    if not python.exists():
        return Told()
    # Of the pack nothing is asked, and one that the service's user brought is not in this user's folder.
    words = [str(python), "-B", "-m", "host", "status", "--json", "--pack", "micro"]
    if settings.exists():
        words += ["--config", str(settings)]
    chosen = {**os.environ, "HEADBAND_CONFIG": str(settings) if settings.exists() else ""}
    try:
        said = subprocess.run(
            words, cwd=release, env=chosen, capture_output=True, text=True, timeout=60, check=False
        )
        if said.returncode == 2:
            return Told(refused=(said.stderr.strip() or "it does not say what is wrong").splitlines()[-1])
        battery = json.loads(said.stdout)["battery"]
        if battery["percent"] is None:
            return Told(problem=battery.get("problem") or "")
        return Told((int(battery["percent"]), bool(battery["charging"])))
    except (OSError, ValueError, KeyError, TypeError, subprocess.TimeoutExpired):
        return Told()


def too_low(battery: tuple[int, bool] | None) -> str | None:
    """A sentence when nothing may be started on it."""
    if battery is None or battery[1] or battery[0] >= MIN_PERCENT:
        return None
    return (
        f"The battery holds {battery[0]} percent and a deploy wants {MIN_PERCENT}: connect the charger; "
        "the headband is as it was."
    )

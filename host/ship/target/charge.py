"""Checks before a deploy: the battery's charge, and that the release accepts the headband's settings. Sent to
the headband's computer: standard library only.
"""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MIN_PERCENT = 30
"""Least battery charge for a deploy without a charger."""


@dataclass(frozen=True)
class ReleaseStatus:
    """Result of a release's `headband status`, which reads the battery gauge and the settings."""

    battery: tuple[int, bool] | None = None
    """Percent, and whether it is charging; None where there is none or it cannot be read."""
    battery_problem: str = ""
    """Why the battery cannot be read; "" otherwise."""
    settings_problem: str = ""
    """What is wrong with the settings; "" when the release accepts them."""


def battery_of_kernel(sysfs: Path) -> tuple[int, bool] | None:
    """Percent, and whether it is charging, from the kernel's power_supply class; None without a battery of
    the computer itself.
    """
    for folder in sorted(sysfs.glob("class/power_supply/*")):
        with suppress(OSError, ValueError):
            if _attribute(folder, "type") == "Battery" and _is_ours(folder):
                return int(_attribute(folder, "capacity")), _attribute(folder, "status") in (
                    "Charging",
                    "Full",
                )
    return None


def _is_ours(folder: Path) -> bool:
    """Whether the battery is the computer's: not a peripheral's (a keyboard), and present at the charger
    chip.
    """
    return _attribute(folder, "scope", "System") != "Device" and _attribute(folder, "present", "1") != "0"


def _attribute(folder: Path, name: str, default: str | None = None) -> str:
    try:
        return (folder / name).read_text().strip()
    except FileNotFoundError:
        if default is None:
            raise
        return default


def release_status(release: Path, settings: Path) -> ReleaseStatus:
    """Runs a release's `headband status`; an empty `ReleaseStatus` where there is no release or it fails."""
    python = release / "venv/bin/python"
    if not python.exists():
        return ReleaseStatus()
    # The pack does not matter here; one that the service's user fetched is not in this user's cache.
    words = [str(python), "-B", "-m", "host", "status", "--json", "--pack", "micro"]
    if settings.exists():
        words += ["--config", str(settings)]
    chosen = {**os.environ, "HEADBAND_CONFIG": str(settings) if settings.exists() else ""}
    try:
        said = subprocess.run(
            words, cwd=release, env=chosen, capture_output=True, text=True, timeout=60, check=False
        )
        if said.returncode == 2:
            return ReleaseStatus(
                settings_problem=(said.stderr.strip() or "it does not say what is wrong").splitlines()[-1]
            )
        battery = json.loads(said.stdout)["battery"]
        if battery["percent"] is None:
            return ReleaseStatus(battery_problem=battery.get("problem") or "")
        return ReleaseStatus((int(battery["percent"]), bool(battery["charging"])))
    except (OSError, ValueError, KeyError, TypeError, subprocess.TimeoutExpired):
        return ReleaseStatus()


def too_low(battery: tuple[int, bool] | None) -> str | None:
    """A sentence when the battery is too low for a deploy, else None."""
    if battery is None or battery[1] or battery[0] >= MIN_PERCENT:
        return None
    return (
        f"The battery holds {battery[0]} percent and a deploy wants {MIN_PERCENT}: connect the charger; "
        "the headband is as it was."
    )

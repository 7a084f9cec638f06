"""Whether the battery lasts through a deploy. Sent to the headband's computer: standard library only."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

MIN_PERCENT = 30


def battery_of_kernel(sysfs: Path) -> tuple[int, bool] | None:
    """Percent and whether it charges, as the kernel knows; None without a battery."""
    for folder in sorted(sysfs.glob("class/power_supply/*")):
        try:
            if (folder / "type").read_text().strip() == "Battery":
                percent = int((folder / "capacity").read_text())
                return percent, (folder / "status").read_text().strip() in ("Charging", "Full")
        except (OSError, ValueError):
            continue
    return None


def battery_of_release(release: Path, settings: Path) -> tuple[int, bool] | None:
    """The same as a release's own `status` says, which knows the microcontroller's gauge."""
    python = release / "venv/bin/python"
    if not python.exists():
        return None
    words = [str(python), "-B", "-m", "host", "status", "--json"]
    if settings.exists():
        words += ["--config", str(settings)]
    try:
        said = subprocess.run(words, cwd=release, capture_output=True, timeout=60, check=False)
        battery = json.loads(said.stdout)["battery"]
        if battery["percent"] is None:
            return None
        return int(battery["percent"]), bool(battery["charging"])
    except (OSError, ValueError, KeyError, TypeError, subprocess.TimeoutExpired):
        return None


def too_low(battery: tuple[int, bool] | None) -> str | None:
    """A sentence when nothing may be started on it."""
    if battery is None or battery[1] or battery[0] >= MIN_PERCENT:
        return None
    return (
        f"The battery holds {battery[0]} percent and a deploy wants {MIN_PERCENT}: connect the charger; "
        "the headband is as it was."
    )

"""Changes to a folder shaped like `/sys` that only tests make."""

from __future__ import annotations

from pathlib import Path


def write_supply(root: Path, name: str, **files: object) -> None:
    """Files of one `power_supply`, by name; those not given stay as they are."""
    folder = root / "class/power_supply" / name
    folder.mkdir(parents=True, exist_ok=True)
    for file, value in files.items():
        (folder / file).write_text(f"{value}\n", encoding="utf-8", errors="surrogateescape")


def set_soc_temperature(root: Path, degrees_c: float) -> None:
    """What every thermal zone reads from now on."""
    for zone in (root / "class/thermal").iterdir():
        (zone / "temp").write_text(f"{round(degrees_c * 1000)}\n")

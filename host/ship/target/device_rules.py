"""udev's rule for the I2C bus, made for one headband: of the I2C buses the user gets the one with the
PMU, not the one with the power supply's chip (PMIC). Sent to the headband's computer: standard library only.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from host.ship.running import DeployRefused

I2C_RULES = "71-headband-i2c.rules"
"""Beside a release's other rules; it is in no manifest, because settings change it."""
DEFAULT_BUS = 1
"""Of a board.toml without `i2c_bus`; as in `hw.linux.wiring`."""
SETTINGS, HOME = "etc/headband/headband.toml", "var/lib/headband"


def i2c_rules(bus: int | None) -> str:
    """The text of the rules that give the service's user the bus of that number, or none."""
    rule = (
        "" if bus is None else f'SUBSYSTEM=="i2c-dev", KERNEL=="i2c-{bus}", GROUP="headband", MODE="0660"\n'
    )
    return f"# Made by a deploy, from {SETTINGS} and board.toml.\n{rule}"


def i2c_bus(release: Path, prefix: Path) -> int | None:
    """Number of the bus with the PMU: `i2c_bus` of the board.toml that the settings name, else of the one
    that the release has for their kind of board. None for an emulated board or a laptop. prefix:
    prepended to every absolute path. Raises `DeployRefused` for settings that can't be read.
    """
    board = _table(prefix / SETTINGS).get("board", {})
    kind, file = str(board.get("kind", "emulated")), str(board.get("file", ""))
    if not kind.startswith("rk"):
        return None
    if file.startswith("~/"):
        path = prefix / HOME / file[2:]
    elif file:
        path = prefix / file.lstrip("/") if file.startswith("/") else release / file
    else:
        path = release / "hw" / kind / "board.toml"
    bus = _table(path).get("i2c_bus", DEFAULT_BUS) if file or path.exists() else DEFAULT_BUS
    if type(bus) is not int or not 0 <= bus <= 255:
        raise DeployRefused(f"i2c_bus in {path} is no number of a bus, 0 to 255; the headband is as it was.")
    return bus


def _table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise DeployRefused(f"{path} can't be read ({problem}); the headband is as it was.") from None

"""udev's rules for the service's user, made for one headband: of the I2C buses the user gets the one with the
PMU, not the one with the power supply's chip (PMIC). Sent to the headband's computer: standard library only.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from host.ship.running import DeployRefused

ANY_BUS = 'SUBSYSTEM=="i2c-dev",'
DEFAULT_BUS = 1
"""Of a board.toml without `i2c_bus`; as in `hw.linux.wiring`."""
SETTINGS, HOME = "etc/headband/headband.toml", "var/lib/headband"


def system_file(release: Path, name: str, prefix: Path) -> bytes:
    """Content of one of the files that a release brings for the system, for this headband.

    prefix: prepended to every absolute path. Raises `OSError`, and `DeployRefused` for settings that can't be
    read.
    """
    content = (release / "host/service" / name).read_bytes()
    if not name.endswith(".rules"):
        return content
    return device_rules(content.decode(), i2c_bus(release, prefix)).encode()


def device_rules(rules: str, bus: int | None) -> str:
    """The text of a release's rules with the number of the bus, or without that line."""
    lines = rules.splitlines(keepends=True)
    if bus is None:
        return "".join(line for line in lines if not line.startswith(ANY_BUS))
    return "".join(line.replace(ANY_BUS, f'{ANY_BUS} KERNEL=="i2c-{bus}",') for line in lines)


def i2c_bus(release: Path, prefix: Path) -> int | None:
    """Number of the bus with the PMU: `i2c_bus` of the board.toml that the settings name, else of the one
    that the release has for their kind of board. None for an emulated board or a laptop. Raises
    `DeployRefused`.
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

"""The processor's temperature from the kernel."""

from __future__ import annotations

from pathlib import Path

SOC_ZONES = ("soc-thermal", "cpu-thermal")  # Rockchip's kernel; mainline


def soc_temperature_c(sysfs_root: Path, zones: tuple[str, ...] = SOC_ZONES) -> float | None:
    """Degrees Celsius of the chip, by the thermal zone's type (one of `zones`) because its number differs;
    None where there is none.
    """
    for zone in sorted((sysfs_root / "class/thermal").glob("thermal_zone*")):
        try:
            if (zone / "type").read_text().strip() in zones:
                return int((zone / "temp").read_text()) / 1000
        except (OSError, ValueError):
            continue
    return None

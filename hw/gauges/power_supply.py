"""The battery as the kernel tells it: the files of a `power_supply` of type Battery, whatever its driver.

Drivers known to differ: `rk817-battery` (mainline), `battery` (Rockchip's kernel), `sbs-<bus>-000b`
(sbs-battery). Units are microvolt, microampere, 0.1 degrees Celsius and percent; a current should be negative
while discharging, but some drivers give its amount only, so the direction comes from `status`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from hw.device import BatteryReading
from hw.gauges.reading import absent, judged
from hw.plausible import Stillness

STILL_S = 600.0
"""A battery that gives 50 mA or more moves some file within that time, or its driver no longer measures."""
MOVING_MA = 50
_CLASS = "class/power_supply"
_IN = ("Charging", "Full")
_ALARMS = {"Overheat": "too hot", "Over voltage": "over-charged", "Dead": "empty"}  # by `health`
_LEVELS = {"Critical": "empty", "Low": "low charge"}  # by `capacity_level`


class PowerSupplyGauge:
    """`hw.device.Gauge` over the files under `sysfs_root`, found anew at each reading: names drift."""

    def __init__(self, sysfs_root: Path, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._root = sysfs_root
        self._still = Stillness(monotonic)

    def read(self) -> BatteryReading:
        """One reading; every fault is in its state."""
        folder = battery_folder(self._root)
        if folder is None:
            return absent("The kernel knows no battery.")
        if _text(folder / "present") == "0":
            return absent("The kernel finds no battery in its place.")
        status = _text(folder / "status")
        percent = _number(folder / "capacity")
        voltage_uv = _number(folder / "voltage_now")
        if status is None or percent is None or voltage_uv is None:
            return absent("The kernel's battery driver gets no answer from its gauge.")
        charging = _outside_power(self._root, status)
        amount_ua = _number(folder / "current_now")
        if amount_ua is None:
            amount_ua = _number(folder / "current_avg")
        current_ma = None if amount_ua is None else _direction(status, charging, amount_ua) // 1000
        temperature_dc = _number(folder / "temp")
        return judged(
            percent=percent,
            voltage_mv=voltage_uv // 1000,
            current_ma=current_ma,
            temperature_c=None if temperature_dc is None else temperature_dc / 10,
            charging=charging,
            alarms=_alarms(folder),
            still_s=self._still.seconds(
                (percent, voltage_uv, amount_ua, temperature_dc),
                must_move=status == "Discharging" and abs(current_ma or 0) >= MOVING_MA,
            ),
            stale_after_s=STILL_S,
        )


def battery_folder(sysfs_root: Path) -> Path | None:
    """The first supply of type Battery that feeds the computer and not some peripheral; None without one."""
    for folder in sorted((sysfs_root / _CLASS).glob("*")):
        if _text(folder / "type") == "Battery" and _text(folder / "scope") != "Device":
            return folder
    return None


def outside_power(sysfs_root: Path) -> bool | None:
    """Is a charger or mains supply online? None when the kernel knows no such supply."""
    online = [
        _text(folder / "online")
        for folder in sorted((sysfs_root / _CLASS).glob("*"))
        if _text(folder / "type") not in (None, "Battery")
    ]
    known = [value for value in online if value is not None]
    return any(value != "0" for value in known) if known else None


def _outside_power(sysfs_root: Path, status: str) -> bool:
    if status in _IN or status == "Discharging":
        return status in _IN
    return bool(outside_power(sysfs_root))  # "Not charging" and "Unknown" leave it open


def _direction(status: str, charging: bool, amount_ua: int) -> int:
    if status == "Charging":
        return abs(amount_ua)
    return -abs(amount_ua) if status == "Discharging" or not charging else amount_ua


def _alarms(folder: Path) -> tuple[str, ...]:
    named = (_ALARMS.get(_text(folder / "health") or ""), _LEVELS.get(_text(folder / "capacity_level") or ""))
    return tuple(dict.fromkeys(name for name in named if name))


def _text(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return None


def _number(path: Path) -> int | None:
    try:
        return int(_text(path) or "")
    except ValueError:
        return None

"""The battery as the kernel reports it: the files of a `power_supply` of type Battery, of any driver.

Drivers known to differ: `rk817-battery` (mainline), `battery` (Rockchip's kernel), `sbs-<bus>-000b`
(sbs-battery). Units are microvolt, microampere, 0.1 degrees Celsius and percent; a current should be negative
while discharging, but some drivers report its absolute value, so the sign comes from `status`. Only a current
that leaves the cell while a charger is connected counts, as long as the driver keeps the rule: the charger is
weaker than the load, of which Rockchip's kernel says "Charging", or the cell is too hot or too cold to be
charged.
Laptops with ACPI may report power in microwatt instead of a current, and may have two batteries, which are
discharged one after the other.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from hw.gauges.reading import absent_reading, checked_reading
from hw.plausible import UnchangedTimer
from hw.supply import BatteryReading

STALE_AFTER_S = 600.0
"""At 50 mA or more some file changes within this time; otherwise the driver does not measure."""
MOVING_MA = 50
LEAVES_UA = 20_000
"""A current out of the cell, and no error of a current of zero."""
_CLASS = "class/power_supply"
_IN = ("Charging", "Full")
_WORKING = ("Charging", "Discharging")
MAINS = BatteryReading(100, None, None, None, charging=True, state="good")
"""Reading of a computer without a battery."""
_ALARMS = {"Overheat": "too hot", "Over voltage": "over-charged", "Dead": "empty"}  # by `health`
_LEVELS = {"Critical": "empty", "Low": "low charge"}  # by `capacity_level`


class PowerSupplyGauge:
    """`hw.supply.Gauge` over the files under `sysfs_root`; they are searched at each reading, because names
    change.
    """

    def __init__(
        self,
        sysfs_root: Path,
        monotonic: Callable[[], float] = time.monotonic,
        *,
        most_cells: int = 1,
        mains: bool = False,
    ) -> None:
        """`most_cells`: largest number of cells in series. `mains`: a computer without a battery is on mains
        power.
        """
        self._root = sysfs_root
        self._most_cells = most_cells
        self._mains = mains
        self._unchanged = UnchangedTimer(monotonic)
        self._unsigned = False
        """The last current while discharging had no sign: the driver breaks the rule."""

    def read(self) -> BatteryReading:
        """One reading; every fault is in its state."""
        there = batteries(self._root)
        if not there:
            return MAINS if self._mains else absent_reading("The kernel knows no battery.")
        plugged = [folder for folder in there if _text(folder / "present") != "0"]
        if not plugged:
            return MAINS if self._mains else absent_reading("The kernel finds no battery in its place.")
        folder = next((each for each in plugged if _text(each / "status") in _WORKING), plugged[0])
        status = _text(folder / "status")
        percent = _charge(folder, plugged)
        voltage_uv = _number(folder / "voltage_now")
        if status is None or percent is None or voltage_uv is None:
            return absent_reading("The kernel's battery driver gets no answer from its gauge.")
        charging = _outside_power(self._root, status)
        amount_ua = _number(folder / "current_now")
        if amount_ua is None:
            amount_ua = _number(folder / "current_avg")
        if amount_ua is None and voltage_uv > 0 and (power_uw := _number(folder / "power_now")) is not None:
            amount_ua = power_uw * 1_000_000 // voltage_uv
        flow_ua = amount_ua or 0
        if status == "Discharging" and abs(flow_ua) > LEAVES_UA:
            self._unsigned = flow_ua > 0
        if status != "Full" and not self._unsigned and flow_ua < -LEAVES_UA:
            charging = False
        current_ma = None if amount_ua is None else _direction(charging, amount_ua, status) // 1000
        temperature_dc = _number(folder / "temp")
        return checked_reading(
            percent=percent,
            voltage_mv=voltage_uv // 1000,
            current_ma=current_ma,
            temperature_c=None if temperature_dc is None else temperature_dc / 10,
            charging=charging,
            alarms=_alarms(folder),
            unchanged_s=self._unchanged.seconds(
                (percent, voltage_uv, amount_ua, temperature_dc),
                must_move=status == "Discharging" and abs(current_ma or 0) >= MOVING_MA,
            ),
            stale_after_s=STALE_AFTER_S,
            most_cells=self._most_cells,
            full_mah=_full_mah(plugged),
        )


def batteries(sysfs_root: Path) -> list[Path]:
    """The supplies of type Battery that power the computer, without those of peripherals."""
    return [
        folder
        for folder in sorted((sysfs_root / _CLASS).glob("*"))
        if _text(folder / "type") == "Battery" and _text(folder / "scope") != "Device"
    ]


def battery_folder(sysfs_root: Path) -> Path | None:
    """The first of `batteries`; None without one."""
    return next(iter(batteries(sysfs_root)), None)


def outside_power(sysfs_root: Path) -> bool | None:
    """Is a charger or mains supply online? None when the kernel knows no such supply."""
    online = [
        _text(folder / "online")
        for folder in sorted((sysfs_root / _CLASS).glob("*"))
        if _text(folder / "type") not in (None, "Battery")
    ]
    known = [value for value in online if value is not None]
    return any(value != "0" for value in known) if known else None


def _charge(folder: Path, plugged: list[Path]) -> int | None:
    """Percent of all batteries together, weighted by their full capacity where the kernel reports it."""
    percents = [_number(each / "capacity") for each in plugged]
    sizes = [_number(each / "energy_full") or _number(each / "charge_full") for each in plugged]
    known = [
        (percent, size)
        for percent, size in zip(percents, sizes if all(sizes) else [1] * len(sizes), strict=True)
        if percent is not None and size is not None and 0 <= percent <= 100 and size > 0
    ]
    if len(plugged) == 1 or not known:
        return _number(folder / "capacity")
    return round(sum(percent * size for percent, size in known) / sum(size for _, size in known))


def _full_mah(plugged: list[Path]) -> int | None:
    """What all batteries together hold when they are full; None where the kernel does not say it as a
    charge.
    """
    full_uah = [_number(each / "charge_full") or 0 for each in plugged]
    return sum(full_uah) // 1000 or None if all(each > 0 for each in full_uah) else None


def _outside_power(sysfs_root: Path, status: str) -> bool:
    if status in _IN or status == "Discharging":
        return status in _IN
    return bool(outside_power(sysfs_root))  # "Not charging" and "Unknown" leave it open


def _direction(charging: bool, amount_ua: int, status: str) -> int:
    if not charging:
        return -abs(amount_ua)
    return abs(amount_ua) if status == "Charging" else amount_ua


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

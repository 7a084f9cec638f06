"""The header of a CSV file of power: quantity and unit of each column.

A column is named `time`, `power`, `current`, `voltage` or `marker`, with its unit behind an underscore, in
brackets or in parentheses: `time_s`, `Current [mA]`, `Timestamp(ms)`. Exports of the Power Profiler
(`Timestamp(ms),Current(uA),D0-D7` or `D0` to `D7` apart) and of PowerTool (`Main(mA)`, `Main Voltage(V)`)
are read without changes. Where the Power Profiler made one row of several samples, an input that was both 0
and 1 in them is an X, and one that is not known a hyphen.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from power.meters.meter import MeterError

_QUANTITIES = {
    "time": "time", "timestamp": "time", "t": "time",
    "power": "power", "main power": "power", "p": "power",
    "current": "current", "main": "current", "main current": "current", "i": "current",
    "voltage": "voltage", "main voltage": "voltage", "v": "voltage",
    "marker": "marker", "digital": "marker",
}  # fmt: skip
_SCALES = {
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9},
    "power": {"w": 1e3, "mw": 1.0, "uw": 1e-3},
    "current": {"a": 1e3, "ma": 1.0, "ua": 1e-3, "na": 1e-6},
    "voltage": {"v": 1e3, "mv": 1.0, "uv": 1e-3},
}
"""Into seconds, milliwatt, milliampere and millivolt."""
_UNIT = re.compile(r"^(.*?)\s*(?:\(([^)]*)\)|\[([^]]*)\]|_([a-z]+))$")


_LEVELS = str.maketrans({"X": "1", "-": "0"})
_INPUT, _INPUTS = re.compile(r"[01X-]"), re.compile(r"[01X-]{8}")


@dataclass(frozen=True)
class Column:
    """A quantity's column, and the factor to its unit here."""

    index: int
    scale: float


@dataclass(frozen=True)
class Columns:
    """The columns that are read."""

    time: Column
    power: Column | None
    current: Column | None
    voltage: Column | None
    marker: Column | None
    marker_bits: tuple[tuple[int, int], ...]
    """(column, bit) where each digital input has a column of its own."""
    marker_digits: int | None
    """The column that holds eight digits, input 0 first."""
    count: int

    def named(self) -> dict[int, str]:
        """What each column that is read holds, by its index."""
        words = {index: f"input D{bit}" for index, bit in self.marker_bits}
        if self.marker_digits is not None:
            words[self.marker_digits] = "input field D0-D7"
        for name in ("time", "power", "current", "voltage", "marker"):
            if (column := getattr(self, name)) is not None:
                words[column.index] = name
        return words

    @functools.cached_property
    def _inputs(self) -> dict[int, re.Pattern[str]]:
        """The form of each column of inputs, by its index."""
        forms = {index: _INPUT for index, _ in self.marker_bits}
        return forms if self.marker_digits is None else {**forms, self.marker_digits: _INPUTS}

    def with_levels(self, row: str, separator: str) -> str:
        """The row with levels alone in its inputs. One that was 0 and 1 counts as 1, as it does where the
        PPK2's meter joins samples (`power.meters.ppk2_samples`), and one that is not known as 0.
        """
        if not self._inputs or not ("X" in row or "-" in row):
            return row
        fields = row.split(separator)
        for index, form in self._inputs.items():
            if index < len(fields) and form.fullmatch(fields[index].strip()):
                fields[index] = fields[index].translate(_LEVELS)
        return separator.join(fields)

    def indices(self) -> list[int]:
        """The indices of all columns that are read, each once."""
        return sorted(self.named())


def parse_header(names: list[str], where: str) -> Columns:
    """The columns by their names. Raises `MeterError` when time, or both power and current, are missing, or
    a unit is.
    """
    found: dict[str, Column] = {}
    bits: list[tuple[int, int]] = []
    digits = None
    for index, name in enumerate(names):
        plain = name.strip().strip('"').lower().replace("µ", "u").replace("μ", "u")
        if re.fullmatch(r"d[0-7]", plain):
            bits.append((index, int(plain[1])))
        elif plain == "d0-d7":
            digits = index
        else:
            quantity, unit = _quantity(plain)
            if quantity is None or quantity in found:
                continue
            if quantity == "marker":
                found[quantity] = Column(index, 1.0)
                continue
            if unit not in _SCALES[quantity]:
                units = " or ".join(f"{quantity}_{unit}" for unit in _SCALES[quantity])
                raise MeterError(f"{where}: the column {name.strip()!r} lacks its unit: call it {units}.")
            found[quantity] = Column(index, _SCALES[quantity][unit])
    if "time" not in found or not {"power", "current"} & set(found):
        raise MeterError(f"{where}: the header must name time_s and power_mw, or time_s and current_ma.")
    return Columns(
        found["time"], found.get("power"), found.get("current"), found.get("voltage"),
        found.get("marker"), tuple(bits), digits, len(names),
    )  # fmt: skip


def _quantity(name: str) -> tuple[str | None, str]:
    match = _UNIT.match(name)
    if match:
        quantity = _QUANTITIES.get(match[1].replace("_", " "))
        if quantity:
            return quantity, (match[2] or match[3] or match[4] or "").strip()
    return _QUANTITIES.get(name.replace("_", " ")), ""

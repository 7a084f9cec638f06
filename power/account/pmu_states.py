"""What the PMU draws in each of its states, modelled, from `power/pmu.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from hw.settings import SettingsError, read_settings
from power.account.energy_model import EnergyError, Number

PMU_FILE = Path(__file__).parents[1] / "pmu.toml"
GOALS_MW = {"listening": 15.0, "off": 0.3}
"""Most that a state may draw."""
LEFT_AT_CUT_OFF_MWH = 160.0
"""2.2 percent of 7.4 Wh, what `firmware.pmu.gauge_cutoff` leaves in a cell."""


@dataclass(frozen=True)
class PmuTable:
    """The file: per state the parts, milliwatts from the cell."""

    host_awake: Mapping[str, Number]
    recording: Mapping[str, Number]
    listening: Mapping[str, Number]
    dozing: Mapping[str, Number]
    off: Mapping[str, Number]


@dataclass(frozen=True)
class PmuState:
    """One state of the PMU."""

    name: str
    parts: Mapping[str, Number]

    @property
    def mw(self) -> float:
        """Sum of the parts, mW."""
        return sum(part.value for part in self.parts.values())

    @property
    def range_mw(self) -> tuple[float, float]:
        """The sum with every part at its low end, and at its high one."""
        lows = [part.value if part.low is None else part.low for part in self.parts.values()]
        highs = [part.value if part.high is None else part.high for part in self.parts.values()]
        return sum(lows), sum(highs)

    @property
    def goal_mw(self) -> float | None:
        """Most it may draw; None where nothing is asked."""
        return GOALS_MW.get(self.name)

    @property
    def verdict(self) -> str:
        """The goal, and whether it is met; empty where nothing is asked."""
        if self.goal_mw is None:
            return ""
        return f"; goal {self.goal_mw:g} mW: {'met' if self.mw <= self.goal_mw else 'not met'}"

    def report(self) -> dict[str, Any]:
        """Every number, for JSON."""
        parts = {name: {"mw": part.value, "source": part.source} for name, part in self.parts.items()}
        named = {"state": self.name, "mw": self.mw, "range_mw": self.range_mw, "goal_mw": self.goal_mw}
        return {**named, "parts": parts}

    def hours(self, mwh: float) -> float:
        """How long that energy lasts in this state."""
        return mwh / self.mw


def pmu_states(path: Path = PMU_FILE) -> dict[str, PmuState]:
    """The states by name. Raises `EnergyError` when the file cannot be read or a number lacks its source."""
    try:
        table: PmuTable = read_settings(PmuTable, path, "table of the PMU's states")
    except SettingsError as error:
        raise EnergyError(str(error)) from None
    return {item.name: PmuState(item.name, getattr(table, item.name)) for item in fields(table)}

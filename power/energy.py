"""Modelled energy: what a stage would cost on the headband's battery, from a table in which every number has
a source.

Nothing here is measured. The result says so (`EnergyModel.kind`), and so must whoever prints it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from power.plan import PowerPlan

DEFAULT_PARAMETERS = Path(__file__).with_name("rk3566.toml")
MW_S_PER_MWH = 3600.0
"""Milliwatt-seconds in a milliwatt-hour."""


class EnergyError(Exception):
    """The parameter file cannot be used; one sentence."""


@dataclass(frozen=True)
class StageLoad:
    """What one stage keeps busy."""

    cores: float | None
    """Busy cores on average; None: as many as the plan allows threads."""
    parts: tuple[str, ...]
    """Names of the parts that are on besides."""
    work: bool
    """Computation, which lasts longer on a slower computer; else it lasts as long as the world does."""


@dataclass(frozen=True)
class EnergyModel:
    """Power of every stage under every plan, in milliwatt at the battery."""

    floor_mw: float
    suspend_mw: float
    pmu_mw: float
    conversion: float
    """Share of the battery's power that reaches CPU and parts, 0..1."""
    slowdown: float
    """Seconds the board needs at full clock for one second of work on the computer that measured it."""
    core_mw_per_mhz_v2: float
    points: tuple[tuple[int, float], ...]
    """Operating points (kHz, volt), rising."""
    parts_mw: Mapping[str, float]
    stages: Mapping[str, StageLoad]
    sources: Mapping[str, str]
    """Where each number comes from, by its dotted name."""
    kind: Literal["modelled"] = "modelled"

    def core_mw(self, khz: int) -> float:
        """One busy core at the highest operating point not above that clock."""
        mhz, volt = self._point(khz)
        return self.core_mw_per_mhz_v2 * mhz * volt**2

    def stage_mw(self, stage: str, plan: PowerPlan) -> float:
        """Power at the battery while the stage runs. Raises `KeyError` for a stage the table does not
        have.
        """
        load = self.stages[stage]
        cores = min(plan.threads, plan.online_cpus) if load.cores is None else load.cores
        behind_converter = cores * self.core_mw(self._khz(plan)) + sum(
            self.parts_mw[part] for part in load.parts
        )
        return self.floor_mw + self.pmu_mw + behind_converter / self.conversion

    def stage_seconds(self, stage: str, seconds: float, plan: PowerPlan) -> float:
        """How long the board would need for a stage that took `seconds` on the computer that measured it."""
        if not self.stages[stage].work:
            return seconds
        return seconds * self.slowdown * self.points[-1][0] / (self._point(self._khz(plan))[0] * 1000)

    def thriftiest_khz(self, threads: int) -> int:
        """The clock at which a piece of work on that many cores costs the least, the floor while it lasts
        included.
        """

        def energy_per_cycle(khz: int) -> float:
            return (self.floor_mw + self.pmu_mw + threads * self.core_mw(khz) / self.conversion) / khz

        return min((khz for khz, _ in self.points), key=energy_per_cycle)

    def _khz(self, plan: PowerPlan) -> int:
        return plan.cpu_max_khz or self.points[-1][0]

    def _point(self, khz: int) -> tuple[float, float]:
        """(MHz, volt) of the highest operating point not above `khz`, or of the lowest."""
        reachable = [point for point in self.points if point[0] <= khz] or [self.points[0]]
        return reachable[-1][0] / 1000, reachable[-1][1]


def load_energy_model(path: Path = DEFAULT_PARAMETERS, *, slowdown: float | None = None) -> EnergyModel:
    """The model of a parameter file. `slowdown` replaces the file's: 1.0 where the seconds come from the
    board itself.

    Raises `EnergyError` when the file cannot be read or a number lacks its source.
    """
    try:
        tables = tomllib.loads(path.read_text())
        values, sources = _sourced(path, {name: tables[name] for name in ("board", "cpu", "parts")})
        model = EnergyModel(
            **values["board"],
            core_mw_per_mhz_v2=values["cpu"]["core_mw_per_mhz_v2"],
            points=tuple(sorted((khz, volt) for khz, volt in values["cpu"]["points"])),
            parts_mw=values["parts"],
            stages={name: _stage(stage) for name, stage in tables["stages"].items()},
            sources=sources,
        )
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise EnergyError(f"{path} is not a usable table of energy parameters ({error}).") from None
    missing = {part for stage in model.stages.values() for part in stage.parts} - set(model.parts_mw)
    if missing:
        raise EnergyError(f"{path} has stages that use unknown parts: {', '.join(sorted(missing))}.")
    return model if slowdown is None else replace(model, slowdown=slowdown)


def _sourced(path: Path, tables: dict[str, Any]) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    values: dict[str, dict[str, Any]] = {}
    sources: dict[str, str] = {}
    for table, entries in tables.items():
        values[table] = {}
        for name, entry in entries.items():
            if not entry.get("source"):
                raise EnergyError(f"{path} gives no source for {table}.{name}.")
            values[table][name] = entry["value"]
            sources[f"{table}.{name}"] = entry["source"]
    return values, sources


def _stage(entry: dict[str, Any]) -> StageLoad:
    cores = entry["cores"]
    return StageLoad(None if cores == "threads" else float(cores), tuple(entry["parts"]), bool(entry["work"]))

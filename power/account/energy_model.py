"""The energy model: power and duration of each stage on the headband, from a table in which every number has
a source.

Nothing here is measured; whoever prints a result has to say so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Literal

from hw.settings import Form, Range, SettingsError, read_settings
from power.policy.plan import PowerPlan

DEFAULT_PARAMETERS = Path(__file__).parents[1] / "rk3566.toml"
LOAD = "load"
"""The stage in which a model is loaded."""
NPU = "_npu"
"""How the name of a stage ends that computes on the NPU."""
DRAWS_AS: Mapping[str, str] = {
    "motion": "vision",
    "recall": "vision",
    "text": "vision",
    "memory": "remember",
}
"""Brick without a stage of its own -> the stage whose power and duration it is taken to have: the motion
brick, the memory's own eye and its text tower work as the vision encoder does.
"""
MW_S_PER_MWH = 3600.0
"""Milliwatt-seconds in a milliwatt-hour."""


class EnergyError(Exception):
    """The parameter file cannot be used; one sentence."""


Value = Annotated[float, Range(0, 10_000_000_000)]


@dataclass(frozen=True)
class Number:
    """One number of a parameter file, in the unit of its name."""

    value: Value
    """0 to 10_000_000_000, between `low` and `high`."""
    source: Annotated[str, Form(r"[\s\S]*\S[\s\S]*", "a text that says where the number comes from")]
    """Where it comes from, or that it is an estimate."""
    low: Value | None = None
    """0 to 10_000_000_000; least plausible value."""
    high: Value | None = None
    """0 to 10_000_000_000; greatest plausible value."""

    def __post_init__(self) -> None:
        low = self.value if self.low is None else self.low
        high = self.value if self.high is None else self.high
        if not low <= self.value <= high:
            raise ValueError("the value is outside its own range")


@dataclass(frozen=True)
class PointsTable:
    """Operating points, with where they come from."""

    value: tuple[
        tuple[
            Annotated[int, Range(100_000, 5_000_000, "kilohertz")], Annotated[float, Range(0.3, 2, "volt")]
        ],
        ...,
    ]
    """Each 100_000 to 5_000_000 kilohertz, 0.3 to 2 volt."""
    source: str

    def __post_init__(self) -> None:
        if not self.value:
            raise ValueError("it needs at least one operating point")


@dataclass(frozen=True)
class BoardTable:
    """`[board]`; the fields are those of `EnergyModel`."""

    floor_mw: Number
    suspend_mw: Number
    pmu_mw: Number
    pmu_asleep_mw: Number
    conversion: Number

    def __post_init__(self) -> None:
        ends = (self.conversion.value, self.conversion.low, self.conversion.high)
        if not all(end is None or 0 < end <= 1 for end in ends):
            raise ValueError("conversion and its range must be shares above 0, 1 at most")


@dataclass(frozen=True)
class CpuTable:
    """`[cpu]`."""

    core_mw_per_mhz_v2: Number
    points: PointsTable


@dataclass(frozen=True)
class StageTable:
    """One of `[stages]`."""

    cores: Annotated[float, Range(0, 64, "cores")] | Literal["threads"]
    """0 to 64 cores busy on average, or as many as the plan allows threads."""
    parts: tuple[str, ...]
    work: bool


@dataclass(frozen=True)
class EnergyTable:
    """The whole parameter file."""

    board: BoardTable
    cpu: CpuTable
    parts: Mapping[str, Number]
    stages: Mapping[str, StageTable]
    longer: Mapping[str, Number] = field(default_factory=dict)
    """By stage: `EnergyModel.longer`."""


@dataclass(frozen=True)
class StageLoad:
    """What one stage keeps busy."""

    cores: float | None
    """Busy cores on average; None: as many as the plan allows threads."""
    parts: tuple[str, ...]
    """Names of the parts that are switched on."""
    work: bool
    """Computation, which takes longer on a slower computer; otherwise the duration is fixed."""


@dataclass(frozen=True)
class EnergyModel:
    """Power of every stage under every plan, in milliwatt at the battery."""

    floor_mw: float
    suspend_mw: float
    pmu_mw: float
    """The microcontroller while the computer is awake."""
    pmu_asleep_mw: float
    """The same while the computer sleeps and the room is quiet."""
    conversion: float
    """Share of the battery's power that reaches CPU and parts, 0..1."""
    core_mw_per_mhz_v2: float
    points: tuple[tuple[int, float], ...]
    """Operating points (kHz, volt), rising."""
    parts_mw: Mapping[str, float]
    stages: Mapping[str, StageLoad]
    longer: Mapping[str, float]
    """Seconds that the board needs at full clock for one second of a stage's work on the computer that
    develops it; a stage that is missing is not run there.
    """
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
        cores = plan.online_cpus if load.cores is None else load.cores
        behind_converter = cores * self.busy_core_mw(plan, (stage,)) + sum(
            self.parts_mw[part] for part in load.parts
        )
        return self.floor_mw + self.pmu_mw + behind_converter / self.conversion

    def stage_seconds(self, stage: str, seconds: float, plan: PowerPlan) -> float:
        """How long the board would need for a stage that took `seconds` on the computer that develops it;
        all of it is taken as the cores' work.
        """
        if not self.stages[stage].work:
            return seconds
        return seconds * self.longer.get(stage, 1.0) * self.slower(plan, (stage,))

    def slower(self, plan: PowerPlan, stages: Iterable[str] = ()) -> float:
        """How many times longer the cores take, while these stages run, than at their full clock."""
        return self.points[-1][0] / (self._point(self._khz(plan, stages))[0] * 1000)

    def busy_core_mw(self, plan: PowerPlan, stages: Iterable[str]) -> float:
        """One busy core while these stages run."""
        return self.core_mw(self._khz(plan, stages))

    def _khz(self, plan: PowerPlan, stages: Iterable[str]) -> int:
        """The clock: that of loading where these stages compute nothing else on the cores."""
        on_cores = (stage for stage in stages if not stage.endswith(NPU) and stage in self.stages)
        computing = {stage for stage in on_cores if self.stages[stage].work}
        limit_khz = plan.load_cpu_max_khz if computing == {LOAD} else plan.cpu_max_khz
        return limit_khz or self.points[-1][0]

    def _point(self, khz: int) -> tuple[float, float]:
        """(MHz, volt) of the highest operating point not above `khz`, or of the lowest."""
        reachable = [point for point in self.points if point[0] <= khz] or [self.points[0]]
        return reachable[-1][0] / 1000, reachable[-1][1]


def read_energy_table(path: Path = DEFAULT_PARAMETERS) -> EnergyTable:
    """The parameter file. Raises `EnergyError` when it cannot be read or a number lacks its source."""
    try:
        table: EnergyTable = read_settings(EnergyTable, path, "table of energy parameters")
    except SettingsError as error:
        raise EnergyError(str(error)) from None
    missing = {part for stage in table.stages.values() for part in stage.parts} - set(table.parts)
    if missing:
        raise EnergyError(f"{path} has stages that use unknown parts: {', '.join(sorted(missing))}.")
    for stage in table.longer:
        if stage not in table.stages or not table.stages[stage].work:
            raise EnergyError(f"{path} says how much longer {stage} takes, which is no stage of work.")
    return table


def load_energy_model(path: Path = DEFAULT_PARAMETERS) -> EnergyModel:
    """The model of a parameter file.

    Raises `EnergyError` when the file cannot be read or a number lacks its source.
    """
    table = read_energy_table(path)
    board = {item.name: getattr(table.board, item.name) for item in fields(table.board)}
    named = {f"board.{name}": number.source for name, number in board.items()}
    named["cpu.core_mw_per_mhz_v2"] = table.cpu.core_mw_per_mhz_v2.source
    named["cpu.points"] = table.cpu.points.source
    named |= {f"longer.{name}": number.source for name, number in table.longer.items()}
    return EnergyModel(
        **{name: number.value for name, number in board.items()},
        core_mw_per_mhz_v2=table.cpu.core_mw_per_mhz_v2.value,
        points=tuple(sorted(table.cpu.points.value)),
        parts_mw={name: number.value for name, number in table.parts.items()},
        stages={
            name: StageLoad(None if stage.cores == "threads" else stage.cores, stage.parts, stage.work)
            for name, stage in table.stages.items()
        },
        longer={name: number.value for name, number in table.longer.items()},
        sources=named | {f"parts.{name}": number.source for name, number in table.parts.items()},
    )

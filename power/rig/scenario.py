"""Scenario files: what the rig does with a headband, and what must come of it. Written as TOML:

about = "One sentence for the report."
repeats = 5
settle_s = 60.0              # quiet before the first step of every repeat
settle_drift = 0.03          # by how much standby power may still move over the end of it, as a share
budgets = ["state.performance/standby"]

[emulated]                   # where power is modelled nothing has to settle and waiting teaches nothing
settle_s = 2.0
wait_scale = 0.1

[[step]]
mode = "performance"         # first bring it into this mode
wait_s = 60.0                # then leave it alone for so long
[[step]]
say = "question.wav"         # or ask: a WAV beside the file
route = "now"                # the route that the question must take
image = "view.png"           # what the camera sees from now on
text = "what colour is it"   # what is said, for whoever has to say it aloud

[expect]                     # work in one repeat: a number, or [least, most]
turns = 5
frames = [80, 130]
[expect.runs]
stt = 5
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hw.text_file import read_text

SCENARIOS = Path(__file__).parents[1] / "scenarios"
MODES = ("performance", "throttled", "cascade")
ROUTES = ("device", "memory", "frames", "now", "open")
_KEYS = {"about", "repeats", "settle_s", "settle_drift", "budgets", "emulated", "step", "expect"}
_STEP_KEYS = {"mode", "wait_s", "say", "route", "image", "text"}
_COUNTED = ("turns", "failures", "frames", "runs", "loads")

Range = tuple[float, float]
"""Least and most, both allowed."""


class ScenarioError(Exception):
    """A scenario that cannot be played; one sentence for the person who wrote it."""


@dataclass(frozen=True)
class Step:
    """One thing that the rig does. Absent things are None or empty."""

    mode: str = ""
    wait_s: float = 0.0
    say: Path | None = None
    route: str = ""
    image: Path | None = None
    text: str = ""


@dataclass(frozen=True)
class Scenario:
    """What is played, how often, and what must come of it."""

    name: str
    about: str
    steps: tuple[Step, ...]
    repeats: int = 5
    settle_s: float = 60.0
    settle_drift: float = 0.03
    """Largest change of standby power over the end of the settling time, as a share of it."""
    emulated_settle_s: float = 5.0
    emulated_wait_scale: float = 1.0
    """By this much the waits are multiplied on the emulated board."""
    expect: Mapping[str, Range] = field(default_factory=dict)
    """Work in one repeat by name: turns, failures, frames, runs.BRICK, loads.BRICK."""
    budgets: tuple[str, ...] = ()
    """Budgets that this scenario must be able to check."""

    @property
    def asked(self) -> tuple[tuple[str, str], ...]:
        """(mode, route) of every question of one repeat, in order."""
        mode, asked = MODES[0], []
        for step in self.steps:
            mode = step.mode or mode
            if step.say is not None:
                asked.append((mode, step.route))
        return tuple(asked)


def find_scenario(name: str) -> Path:
    """The file of a bundled scenario, or the file itself. Raises `ScenarioError`."""
    path = Path(name)
    if path.suffix == ".toml":
        try:
            there = path.is_file()
        except OSError as error:
            raise ScenarioError(f"The scenario {path} cannot be read: {error.strerror}.") from error
        if there:
            return path
        raise ScenarioError(f"The scenario file {path} does not exist.")
    if (bundled := SCENARIOS / f"{name}.toml").is_file():
        return bundled
    raise ScenarioError(f"There is no scenario {name!r}; there are {', '.join(bundled_scenarios())}.")


def bundled_scenarios() -> list[str]:
    """Names of the scenarios that come with the headband."""
    return sorted(path.stem for path in SCENARIOS.glob("*.toml"))


def load_scenario(path: Path) -> Scenario:
    """Reads a scenario. Raises `ScenarioError` for anything that is not one, naming the step at fault."""
    try:
        table = tomllib.loads(read_text(path))
    except OSError as error:
        raise ScenarioError(f"The scenario {path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ScenarioError(f"The scenario {path} is not valid TOML: {error}.") from error
    if unknown := sorted(set(table) - _KEYS):
        raise ScenarioError(f"The scenario {path.name} has the unknown key {unknown[0]}.")
    if not table.get("step"):
        raise ScenarioError(f"The scenario {path.name} has no [[step]].")
    steps = tuple(_step(path, number, row) for number, row in enumerate(table["step"], 1))
    emulated = table.get("emulated", {})
    scenario = Scenario(
        name=path.stem,
        about=str(table.get("about", "")),
        steps=steps,
        repeats=int(table.get("repeats", 5)),
        settle_s=float(table.get("settle_s", 60.0)),
        settle_drift=float(table.get("settle_drift", 0.03)),
        emulated_settle_s=float(emulated.get("settle_s", 5.0)),
        emulated_wait_scale=float(emulated.get("wait_scale", 1.0)),
        expect=_expected(path, table.get("expect", {})),
        budgets=tuple(table.get("budgets", ())),
    )
    if scenario.repeats < 1 or scenario.settle_s <= 0 or scenario.emulated_settle_s <= 0:
        raise ScenarioError(f"The scenario {path.name} needs repeats and settling times above zero.")
    asked = len(scenario.asked)
    if asked and "turns" not in scenario.expect:
        raise ScenarioError(f"The scenario {path.name} asks {asked} questions and expects no [expect] turns.")
    return scenario


def _step(path: Path, number: int, row: dict[str, Any]) -> Step:
    where = f"Step {number} of {path.name}"
    if unknown := sorted(set(row) - _STEP_KEYS):
        raise ScenarioError(
            f"{where} has the unknown key {unknown[0]}; known: {', '.join(sorted(_STEP_KEYS))}."
        )
    if row.get("mode", MODES[0]) not in MODES:
        raise ScenarioError(f"{where} has the mode {row['mode']!r}; there are {', '.join(MODES)}.")
    if "say" in row and row.get("route") not in ROUTES:
        raise ScenarioError(f"{where} says something and needs its route: {', '.join(ROUTES)}.")
    files = {key: (path.parent / row[key]).resolve() for key in ("say", "image") if key in row}
    for file in files.values():
        if not file.is_file():
            raise ScenarioError(f"{where} names {file}, which does not exist.")
    wait_s = row.get("wait_s", 0.0)
    if not isinstance(wait_s, int | float) or wait_s < 0:
        raise ScenarioError(f"{where}: wait_s is a number of seconds, 0 or more.")
    return Step(
        str(row.get("mode", "")),
        float(wait_s),
        files.get("say"),
        str(row.get("route", "")),
        files.get("image"),
        str(row.get("text", "")),
    )


def _expected(path: Path, table: Mapping[str, Any]) -> dict[str, Range]:
    ranges: dict[str, Range] = {}
    for name, value in table.items():
        if name not in _COUNTED:
            raise ScenarioError(
                f"{path.name} expects the unknown count {name}; known: {', '.join(_COUNTED)}."
            )
        entries = (
            {f"{name}.{key}": each for key, each in value.items()}
            if isinstance(value, dict)
            else {name: value}
        )
        for key, each in entries.items():
            low, high = each if isinstance(each, list) and len(each) == 2 else (each, each)
            if not isinstance(low, int | float) or not isinstance(high, int | float):
                raise ScenarioError(f"{path.name} expects {key} as a number or as [least, most].")
            ranges[key] = (float(low), float(high))
    return ranges

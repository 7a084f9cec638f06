"""Scenario files: the rig's steps and their expected result, as TOML:

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
images = ["a.png", "b.png"]  # or: what an emulated camera sees by turns while the question is asked
text = "what colour is it"   # the words of the question, for a person who reads them aloud

[expect]                     # work in one repeat: a number, or [least, most]
turns = 5
answers = [5, 12]            # runs of what answers: language model, or reflex in a pack that has it
frames = [80, 130]
[expect.runs]
stt = 5
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from hw.settings import Range, SettingsError, find_bundled, read_settings
from power.account.routes import ANSWERED_ROUTES, AnsweredRoute
from power.policy.plan import MODES, ModeName

SCENARIOS = Path(__file__).parents[1] / "scenarios"
BrickName = Literal["stt", "vision", "reflex", "motion", "llm", "tts"]

Bounds = tuple[float, float]
"""Lower and upper limit, inclusive."""
Count = Annotated[float, Range(0, 1_000_000)]
Expected = Count | tuple[Count, Count]


class ScenarioError(Exception):
    """A scenario that cannot be played; one sentence for its author."""


@dataclass(frozen=True)
class StepTable:
    """One `[[step]]`."""

    mode: ModeName | None = None
    wait_s: Annotated[float, Range(0, 86_400, "seconds")] = 0.0
    """How long it is left alone, 0 to 86_400 seconds."""
    say: str = ""
    route: AnsweredRoute | None = None
    image: str = ""
    images: tuple[str, ...] = ()
    text: str = ""

    def __post_init__(self) -> None:
        if self.say and self.route is None:
            raise ValueError(f"what says something needs its route: {', '.join(ANSWERED_ROUTES)}")
        if self.images and not self.say:
            raise ValueError("images are seen while a question is asked, and it asks none")


@dataclass(frozen=True)
class EmulatedTable:
    """`[emulated]`."""

    settle_s: Annotated[float, Range(0.1, 86_400, "seconds")] = 5.0
    """Quiet before the first step, 0.1 to 86_400 seconds."""
    wait_scale: Annotated[float, Range(0, 10)] = 1.0
    """Factor of the waits, 0 to 10."""


@dataclass(frozen=True)
class ExpectTable:
    """`[expect]`: work in one repeat, each a number or [least, most], 0 to 1_000_000."""

    turns: Expected | None = None
    """0 to 1_000_000."""
    failures: Expected | None = None
    """0 to 1_000_000."""
    frames: Expected | None = None
    """0 to 1_000_000."""
    answers: Expected | None = None
    """0 to 1_000_000 runs of the language model and of the reflex brick together."""
    runs: Mapping[BrickName, Expected] = field(default_factory=dict)
    """0 to 1_000_000 of each brick."""
    loads: Mapping[BrickName, Expected] = field(default_factory=dict)
    """0 to 1_000_000 of each brick."""

    def bounds(self) -> dict[str, Bounds]:
        """By name: turns, failures, frames, answers, runs.BRICK, loads.BRICK."""
        named: dict[str, Expected | None] = {
            "turns": self.turns,
            "failures": self.failures,
            "frames": self.frames,
            "answers": self.answers,
            **{f"runs.{brick}": each for brick, each in self.runs.items()},
            **{f"loads.{brick}": each for brick, each in self.loads.items()},
        }
        return {
            name: each if isinstance(each, tuple) else (each, each)
            for name, each in named.items()
            if each is not None
        }

    def __post_init__(self) -> None:
        for name, (low, high) in self.bounds().items():
            if low > high:
                raise ValueError(f"{name} must be [least, most], not [{low:g}, {high:g}]")


@dataclass(frozen=True)
class ScenarioTable:
    """A whole scenario file."""

    step: tuple[StepTable, ...] = ()
    about: str = ""
    repeats: Annotated[int, Range(1, 1000, "repeats")] = 5
    """How often the steps are played, 1 to 1000 repeats."""
    settle_s: Annotated[float, Range(0.1, 86_400, "seconds")] = 60.0
    """Quiet before the first step of every repeat, 0.1 to 86_400 seconds."""
    settle_drift: Annotated[float, Range(0, 1)] = 0.03
    """By how much standby power may still move over the end of it, as a share, 0 to 1."""
    budgets: tuple[str, ...] = ()
    emulated: EmulatedTable = field(default_factory=EmulatedTable)
    expect: ExpectTable = field(default_factory=ExpectTable)

    def __post_init__(self) -> None:
        if not self.step:
            raise ValueError("it has no [[step]]")
        asked = sum(bool(step.say) for step in self.step)
        if asked and self.expect.turns is None:
            raise ValueError(f"it asks {asked} questions and expects no [expect] turns")


@dataclass(frozen=True)
class ScenarioStep:
    """One step of the rig. Absent fields are None or empty."""

    mode: str = ""
    wait_s: float = 0.0
    say: Path | None = None
    route: str = ""
    image: Path | None = None
    images: tuple[Path, ...] = ()
    """What an emulated camera sees by turns while the question is asked."""
    text: str = ""


@dataclass(frozen=True)
class Scenario:
    """Steps, repeats and expected work."""

    name: str
    about: str
    steps: tuple[ScenarioStep, ...]
    repeats: int = 5
    settle_s: float = 60.0
    settle_drift: float = 0.03
    """Largest change of standby power over the end of the settling time, as a share of it."""
    emulated_settle_s: float = 5.0
    emulated_wait_scale: float = 1.0
    """Factor of the waits on the emulated board."""
    expect: Mapping[str, Bounds] = field(default_factory=dict)
    """Work in one repeat by name: turns, failures, frames, answers, runs.BRICK, loads.BRICK."""
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
    try:
        return find_bundled(name, SCENARIOS, "scenario")
    except SettingsError as error:
        raise ScenarioError(str(error)) from None


def bundled_scenarios() -> list[str]:
    """Names of the scenarios that come with the headband."""
    return sorted(path.stem for path in SCENARIOS.glob("*.toml"))


def load_scenario(path: Path) -> Scenario:
    """Read a scenario. Raises `ScenarioError`, which names the step at fault."""
    try:
        table: ScenarioTable = read_settings(ScenarioTable, path, "scenario")
    except SettingsError as error:
        raise ScenarioError(str(error)) from error
    return Scenario(
        name=path.stem,
        about=table.about,
        steps=tuple(_step(path, number, step) for number, step in enumerate(table.step, 1)),
        repeats=table.repeats,
        settle_s=table.settle_s,
        settle_drift=table.settle_drift,
        emulated_settle_s=table.emulated.settle_s,
        emulated_wait_scale=table.emulated.wait_scale,
        expect=table.expect.bounds(),
        budgets=table.budgets,
    )


def _step(path: Path, number: int, step: StepTable) -> ScenarioStep:
    def there(name: str) -> Path:
        file = (path.parent / name).resolve()
        try:
            found = file.is_file()
        except (OSError, ValueError):
            found = False
        if not found:
            raise ScenarioError(f"Step {number} of {path.name} names {file}, which does not exist.")
        return file

    return ScenarioStep(
        step.mode or "",
        step.wait_s,
        there(step.say) if step.say else None,
        step.route or "",
        there(step.image) if step.image else None,
        tuple(map(there, step.images)),
        step.text,
    )

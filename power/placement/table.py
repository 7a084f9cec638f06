"""The table of placements: what each task of a brick takes on each processor of a board, by mode and threads.

Values only. `power.twin.placed` fills a table from the twin's numbers (modelled), `headband tune` from a
clock (measured); the rules that read it are `power.placement.choice` and `power.placement.ahead`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, get_args

Place = Literal["cores", "npu", "gpu"]
PLACES: tuple[Place, ...] = get_args(Place)
"""The GPU has no row anywhere: nothing of ours computes there before its outputs are checked on a board."""
Task = Literal["load", "question", "picture", "sentence"]
TASKS: tuple[Task, ...] = get_args(Task)
"""load: until the brick can work. question: the sound of a usual question, or a closed question about a
picture. picture: a picture through the encoder, or taken in by the language model. sentence: the first
sentence of an answer, written or spoken.
"""
Kind = Literal["modelled", "measured"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ModeName = Literal["performance", "throttled", "cascade"]
MODES: tuple[ModeName, ...] = get_args(ModeName)


@dataclass(frozen=True)
class Cost:
    """What one task of a brick takes at one place, in one mode, with so many threads."""

    brick: str
    task: Task
    place: Place
    mode: ModeName
    threads: int
    """Busy cores; of the NPU those beside it."""
    seconds: float
    low_s: float
    high_s: float
    """Range of `seconds`: plausible where modelled, least and greatest where measured."""
    energy_j: float
    """Joules from the battery while it lasts, the awake board included; always modelled, as power is."""
    memory_mib: float
    """Of the brick's process, MiB."""
    kind: Kind
    """Of `seconds`."""
    source: str
    """Where `seconds` come from."""


@dataclass(frozen=True)
class Habits:
    """How the headband is asked, as far as work before the end of a question depends on it."""

    about_view: float
    """Share of questions about what is in view, 0 to 1."""
    spoken_s: float
    """From the beginning of the wake word to the pause that ends a usual question, seconds."""


@dataclass(frozen=True)
class Table:
    """All costs of one pack on one board."""

    board: str
    pack: str
    """Name and version."""
    habits: Habits
    awake_w: tuple[tuple[ModeName, float], ...]
    """Power of the awake board that computes nothing, W at the battery, by mode."""
    costs: tuple[Cost, ...]
    _found: dict[tuple[str, Task, Place, str, int], Cost] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        self._found.update(
            {(each.brick, each.task, each.place, each.mode, each.threads): each for each in self.costs}
        )

    def find(self, brick: str, task: Task, place: Place, mode: str, threads: int) -> Cost | None:
        """The row, or None."""
        return self._found.get((brick, task, place, mode, threads))

    def rows(self, brick: str, place: Place, mode: str) -> Iterator[Cost]:
        """All rows of a brick at a place in a mode."""
        return (
            each for each in self.costs if each.brick == brick and each.place == place and each.mode == mode
        )

    def awake(self, mode: str) -> float:
        """`awake_w` of a mode. Raises KeyError."""
        return dict(self.awake_w)[mode]  # type: ignore[index]

    @property
    def bricks(self) -> tuple[str, ...]:
        """Every brick of which something is known."""
        return tuple(dict.fromkeys(each.brick for each in self.costs))

    def replaced(self, measured: Iterable[Cost]) -> Table:
        """A copy in which these rows stand for those of the same brick, task, place, mode and threads."""
        costs = {
            (each.brick, each.task, each.place, each.mode, each.threads): each
            for each in (*self.costs, *measured)
        }
        return Table(self.board, self.pack, self.habits, self.awake_w, tuple(costs.values()))

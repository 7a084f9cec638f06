"""The motion brick: what happened in the last seconds, from a clip of pictures in the order of time.

A unit is one picture after part of the encoder's blocks. The graph for units mixes each with its neighbours:
groups of channels are shifted from the unit before and the unit after, the differences to the two before are
added through a gate, and each cell is compared with all of theirs, to see where its content was. How far the
whole picture came as the head turned is told from small pictures, for graphs that take it: differences are
also made with the turn taken out, and what is looked at has its place in the room. A unit is finished when
the next one arrives, the last when a question does; every unit costs the same, and nothing is computed again.
The graph for answers reads the finished units, their ages and the question's numbers. The mechanisms are
temporal shift, temporal difference and temporal pooling of MMEdge (E2 to E4). A clip may come at several
depths, as the encoder passes the shallower ones on its way: then the answer is read from the mean of the
logits after each, as their errors differ.

Files: `labels` (`models.pack.motion_files`), `answer`, `unit_03` and so on. Settings:
`models.pack.brick_settings.MotionSettings`. A unit's rows are read where they lie in the ring.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.brick import Activation, BrickError, Context
from models.bricks.reflex_graphs import Extents, Graph
from models.clip import MOST_UNITS, ClipAnswer, ClipQuestion, Forget, Held, SmallPicture, Unit, read_at
from models.pack.motion_files import ClipLabels, labels_fault, unit_key
from models.process.child_main import free_model_memory
from models.process.rss import trim_heap
from models.ring.ring import SlotGone
from models.sensing.registration import shifts_of, turns_of

Rows = NDArray[np.float32]
SHIFTS, TURNS = "shifts", "turns"
"""Inputs of the graphs, which those of earlier packs lack: how far the picture came since the units before,
and since the first.
"""
LEAST_UNITS = 2
"""One picture alone shows no motion."""
_BEFORE = 2
"""A unit reads the units up to two before it."""
_KEPT_SHIFTS = 2 * MOST_UNITS


class _Turns:
    """How far the picture came at each unit of a clip, told once for all depths."""

    def __init__(self) -> None:
        self._small: dict[int, SmallPicture | None] = {}
        self._shifts: dict[int, Rows] = {}

    def take(self, number: int, small: SmallPicture | None) -> None:
        """The small picture of a unit by its number, in the order of time."""
        if number in self._shifts:
            return
        before, earlier = self._small.get(number - 1), self._small.get(number - 2)
        self._shifts[number] = shifts_of(earlier, before, small)
        self._small[number] = small
        self._small.pop(number - _BEFORE, None)
        self._shifts.pop(number - _KEPT_SHIFTS, None)

    def of(self, numbers: range) -> Rows:
        """As `models.sensing.registration.shifts_of`, float32 [units, 2, 3]."""
        return np.stack([self._shifts[number] for number in numbers])


@dataclass
class _Units:
    """The units of a clip after so many blocks."""

    depth: int
    waiting: deque[Rows] = field(default_factory=lambda: deque(maxlen=_BEFORE + 1))
    """The newest unit, which is not finished, and the two before it."""
    features: deque[Rows] = field(default_factory=lambda: deque(maxlen=MOST_UNITS - 1))
    """Of finished units, float32 [cells, features]."""
    taken_s: deque[float] = field(default_factory=lambda: deque(maxlen=MOST_UNITS))
    last: Rows | None = None
    """The newest unit's features, as long as there is none after it."""
    seen: int = 0


@dataclass
class _Clip:
    """The present clip. at: its units by depth, in the order in which they came."""

    number: int
    at: dict[int, _Units] = field(default_factory=dict)
    turns: _Turns = field(default_factory=_Turns)

    @property
    def whole(self) -> list[_Units]:
        """Those depths that have all units of the clip, the deepest last."""
        most = max(each.seen for each in self.at.values())
        return sorted((each for each in self.at.values() if each.seen == most), key=lambda each: each.depth)


class MotionBrick:
    """The brick. Requests are `Unit`, answered by one `Held`, `ClipQuestion`, answered by one `ClipAnswer`,
    and `Forget`.
    """

    def __init__(self, options: Mapping[str, Any], context: Context) -> None:
        self._options, self._context = options, context
        self._shape = int(options["tokens"]), int(options["width"])
        self._finished = int(options["cells"]), int(options["features"])
        self._units: dict[int, Graph] = {}
        self._answers: Graph | None = None
        self._clip: _Clip | None = None

    def load(self) -> None:
        path = Path(self._options["labels"])
        if fault := labels_fault(path):
            raise BrickError(fault)
        self._labels = ClipLabels.read(path)
        for name in ("least", "least_low", "least_high"):
            if unknown := set(self._options.get(name, {})) - set(self._labels.families):
                raise BrickError(f"{name} names the family '{min(unknown)}', which {path.name} lacks.")
        self._answers = self._loaded("answer")
        takes: dict[str, Extents] = {
            "features": (None, *self._finished),
            "ages_s": (None,),
            "question": (3,),
        }
        if self._answers.takes(TURNS):
            takes[TURNS] = (None, 2)
        self._answers.require(
            takes,
            {"logits": (len(self._labels.labels),)},
        )
        self._try_highest(path.name)
        for depth in read_at(self._options, int(self._options["depth"])):
            self._graph(depth)

    def execute(self, request: Unit | ClipQuestion | Forget) -> Iterator[Held | ClipAnswer]:
        match request:
            case Unit():
                yield self._take(request)
            case ClipQuestion():
                yield self._answer(request)
            case Forget():
                if self._clip is not None and self._clip.number == request.clip:
                    self._clip = None
            case _:
                raise BrickError(f"The motion brick has no answer to a {type(request).__name__}.")

    def release(self) -> None:
        self._units, self._answers, self._clip = {}, None, None
        free_model_memory()

    def _take(self, unit: Unit) -> Held:
        rows = self._rows(unit.activation)
        depth = unit.activation.depth
        self._graph(depth)
        clip = self._clip
        if clip is None or clip.number != unit.clip:
            clip = _Clip(unit.clip)
        units = clip.at.setdefault(depth, _Units(depth))
        if units.waiting:
            units.features.append(self._feature(clip, units, rows))
        clip.turns.take(units.seen, unit.small)
        units.waiting.append(rows)
        units.taken_s.append(unit.taken_s)
        units.last, units.seen = None, units.seen + 1
        self._clip = clip
        return Held(clip.number, units.seen, len(units.features))

    def _feature(self, clip: _Clip, units: _Units, after: Rows | None) -> Rows:
        """The features of the newest unit, float32 [cells, features]; `after`: the next one, None at the end
        of the clip. Raises Cancelled.
        """
        now = units.waiting[-1]
        before = units.waiting[-2] if len(units.waiting) > 1 else now
        earlier = units.waiting[-3] if len(units.waiting) > _BEFORE else now
        following = now if after is None else after
        feeds: dict[str, NDArray[Any]] = {
            "earlier": earlier[None],
            "before": before[None],
            "now": now[None],
            "after": following[None],
        }
        graph = self._graph(units.depth)
        if graph.takes(SHIFTS):
            feeds[SHIFTS] = clip.turns.of(range(units.seen - 1, units.seen))
        features: Rows = graph.run(feeds, ["features"])[0][0]
        return features

    def _answer(self, question: ClipQuestion) -> ClipAnswer:
        try:
            numbers = self._labels.question(question.family, question.thing, question.other)
        except ValueError as error:
            raise BrickError(str(error)) from None
        clip = self._clip
        if clip is None or clip.number != question.clip:
            raise BrickError("The motion brick has no unit of this clip.")
        whole = clip.whole
        deepest = whole[-1]
        if deepest.seen < LEAST_UNITS:
            return ClipAnswer("", 0.0, deepest.seen, deepest.depth, reasons=("one picture shows no motion",))
        most = max(LEAST_UNITS, question.units)
        logits = np.mean([self._logits(clip, each, numbers, most) for each in whole], axis=0)
        allowed = self._labels.allowed(question.family, question.thing, question.other)
        chances = _softmax(logits[[self._labels.labels.index(label) for label in allowed]])
        best = int(np.argmax(chances))
        dropped = deepest.seen - len(deepest.taken_s)
        reasons = (f"{dropped} earlier units are no longer kept",) if dropped else ()
        distribution = dict(zip(allowed, map(float, chances), strict=True))
        read = min(most, len(deepest.taken_s))
        return ClipAnswer(allowed[best], float(chances[best]), read, deepest.depth, distribution, reasons)

    def _logits(
        self, clip: _Clip, units: _Units, question: tuple[int, int, int], most: int
    ) -> NDArray[np.float32]:
        """Of all labels, float32 [labels], from so many units at most, the newest."""
        if units.last is None:
            units.last = self._feature(clip, units, None)
        features = np.stack([*units.features, units.last])[-most:]
        taken_s = np.array(units.taken_s)[-most:]
        feeds: dict[str, NDArray[Any]] = {
            "features": features,
            "ages_s": (taken_s[-1] - taken_s).astype(np.float32),
            "question": np.array(question, np.int64),
        }
        assert self._answers is not None
        if self._answers.takes(TURNS):
            feeds[TURNS] = turns_of(clip.turns.of(range(units.seen - len(features), units.seen)))
        logits: NDArray[np.float32] = self._answers.run(feeds, ["logits"])[0]
        return logits

    def _rows(self, activation: Activation) -> Rows:
        """A copy of a unit's rows, float32 [tokens, width]. Raises BrickError."""
        trained_on, encoder = self._options.get("encoder", ""), activation.encoder.rpartition(" ")[2]
        if trained_on and trained_on != encoder:
            raise BrickError(
                f"The unit is of the encoder {encoder}, and the motion brick reads {trained_on}."
            )
        if activation.depth not in self._options["depths"]:
            known = ", ".join(map(str, self._options["depths"]))
            raise BrickError(
                f"The motion brick reads units of {known} blocks, and not of {activation.depth}."
            )
        rows: Rows
        try:
            if activation.slot is None:
                given = np.empty((0, 0)) if activation.rows is None else activation.rows
                rows = np.array(given, np.float32)
            elif self._context.ring is None:
                raise BrickError("The unit lies in a ring that this process can't see.")
            else:
                with self._context.ring.peek(activation.slot) as there:
                    rows = np.array(there, np.float32)
        except SlotGone as error:
            raise BrickError("The unit was dropped before it could be read.") from error
        if rows.shape != self._shape:
            raise BrickError(
                f"The unit's rows are {list(rows.shape)}, and the motion brick reads {list(self._shape)}."
            )
        return rows

    def _graph(self, depth: int) -> Graph:
        """The graph for units of a depth, loaded with its first use. Raises BrickError."""
        if depth not in self._units:
            graph = self._loaded(unit_key(depth))
            names = ("earlier", "before", "now", "after")
            takes: dict[str, Extents] = dict.fromkeys(names, (None, *self._shape))
            if graph.takes(SHIFTS):
                takes[SHIFTS] = (None, 2, 3)
            graph.require(takes, {"features": (None, *self._finished)})
            self._units[depth] = graph
        return self._units[depth]

    def _loaded(self, key: str) -> Graph:
        graph = Graph(Path(self._options[key]), self._context, arena=bool(self._options.get("arena", False)))
        trim_heap()  # what was read of the file is of no use once it is a session
        return graph

    def _try_highest(self, name: str) -> None:
        """Raises BrickError where the graph for answers does not know the last family and thing."""
        assert self._answers is not None
        numbers = [len(self._labels.families), len(self._labels.things), len(self._labels.things)]
        feeds: dict[str, NDArray[Any]] = {
            "features": np.zeros((LEAST_UNITS, *self._finished), np.float32),
            "ages_s": np.zeros(LEAST_UNITS, np.float32),
            "question": np.array(numbers, np.int64),
        }
        if self._answers.takes(TURNS):
            feeds[TURNS] = np.zeros((LEAST_UNITS, 2), np.float32)
        try:
            self._answers.run(feeds, ["logits"])
        except Exception as error:
            raise BrickError(
                f"{self._answers.path.name} does not know all families and things of {name}."
            ) from error


def _softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    scaled = np.exp(np.asarray(logits, np.float64) - float(logits.max()))
    chances: NDArray[np.float64] = scaled / scaled.sum()
    return chances


def create(options: Mapping[str, Any], context: Context) -> MotionBrick:
    """The brick, not yet loaded."""
    return MotionBrick(options, context)

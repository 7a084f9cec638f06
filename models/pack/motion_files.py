"""The files of a motion brick in a pack: `labels`, which families of questions it answers and how; `answer`,
a graph for all depths; `unit_03` and so on, a graph for units of each depth; and where the pack chooses how a
clip is looked at, `choice` (`models.sensing.choice_file`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

CHOICE = "choice"
_LONGEST_BYTES = 1 << 20


def unit_key(depth: int) -> str:
    """The key of the graph for units that have passed `depth` blocks."""
    return f"unit_{depth:02}"


@dataclass(frozen=True)
class ClipLabels:
    """The table `labels`. families: the labels that each may answer; things: what a question may name;
    labels: of the answer's logits, in order. A family's or thing's number is its position, from 1; 0 is none.
    """

    families: Mapping[str, tuple[str, ...]]
    things: tuple[str, ...]
    labels: tuple[str, ...]

    @classmethod
    def read(cls, path: Path) -> ClipLabels:
        """Raises OSError, or ValueError with the end of a sentence."""
        with path.open(encoding="utf-8") as stream:
            table = json.loads(stream.read(_LONGEST_BYTES))
        if not isinstance(table, dict):
            raise ValueError("it is no table")
        things, labels = (_words(table, key) for key in ("things", "labels"))
        families = table.get("families")
        if not isinstance(families, dict) or not families:
            raise ValueError("it has no table of families")
        made = {name: _words(families, name) for name in families}
        for name, group in made.items():
            if unknown := set(group) - set(labels):
                raise ValueError(f"family {name!r} answers {min(unknown)!r}, which is no label")
        return cls(made, things, labels)

    def question(self, family: str, thing: str, other: str) -> tuple[int, int, int]:
        """The numbers of a question. Raises ValueError with a sentence for a name that the table lacks."""
        if family not in self.families:
            raise ValueError(f"The motion brick answers no questions of the family '{family}'.")
        for name in (thing, other):
            if name and name not in self.things:
                raise ValueError(f"The motion brick does not know the thing '{name}'.")
        numbers = [self.things.index(name) + 1 if name else 0 for name in (thing, other)]
        return list(self.families).index(family) + 1, numbers[0], numbers[1]

    def allowed(self, family: str, thing: str, other: str) -> tuple[str, ...]:
        """The labels that may answer a question; of two named things no third comes first."""
        group = self.families[family]
        if not (family == "first" and thing and other):
            return group
        return tuple(each for each in group if each in (thing, other) or each not in self.things)


def _words(table: Mapping[str, object], key: str) -> tuple[str, ...]:
    words = table.get(key)
    if not isinstance(words, list) or not words or not all(isinstance(word, str) and word for word in words):
        raise ValueError(f"it has no list {key!r}")
    if len(set(words)) < len(words):
        raise ValueError(f"its list {key!r} has something twice")
    return tuple(words)


def labels_fault(path: Path) -> str:
    """Why a table of labels can't be used, in one sentence; empty where it can."""
    try:
        ClipLabels.read(path)
    except (OSError, ValueError, RecursionError) as error:
        return f"The labels {path} can't be used by the motion brick: {error}."
    return ""

"""Questions about pictures as training sees them, and their shards on disk.

A `Source` gives shards by part: "train"; "score", held back from it for the exit scores; "validation", on
which thresholds are chosen. A shard has the eye's rows of its pictures, and its examples name a picture each.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from models.bricks.closed_sentence import AnswerTable
from models.train.reflex.labels import Label


@dataclass(frozen=True)
class Example:
    """picture: its number in the shard. label: form and values of the true answer. cause: number of the cause
    why there is none, 0 where there is one. answer: the true sentence. scores: value of the form's first
    blank -> how right it is, 0 to 1, where several answers are (the label has the best one); empty where only
    one is right.
    """

    picture: int
    question: str
    label: Label
    cause: int
    answer: str = ""
    family: str = ""
    scores: tuple[tuple[int, float], ...] = ()
    unseen: str = ""


@dataclass(frozen=True, eq=False)
class Shard:
    """rows: float16 [pictures, tokens, width]."""

    rows: NDArray[np.float16]
    examples: tuple[Example, ...]


class Source(Protocol):
    """Where examples come from."""

    @property
    def table(self) -> AnswerTable:
        """The answers that its labels refer to."""
        ...

    @property
    def words(self) -> tuple[str, ...]:
        """The vocabulary of its questions, without the entries for padding and unknown words."""
        ...

    def count(self, part: str) -> int:
        """Shards of a part."""
        ...

    def shard(self, part: str, number: int) -> Shard:
        """One shard, the same at every call."""
        ...


def write_shard(shard: Shard, folder: Path, name: str) -> None:
    """`name`.npy and `name`.json, the second one last: a shard without it is incomplete."""
    folder.mkdir(parents=True, exist_ok=True)
    rows, about = folder / f"{name}.part.npy", folder / f"{name}.part.json"
    np.save(rows, shard.rows)
    os.replace(rows, folder / f"{name}.npy")
    about.write_text(json.dumps([asdict(example) for example in shard.examples]), encoding="utf-8")
    os.replace(about, folder / f"{name}.json")


def read_shard(folder: Path, name: str) -> Shard | None:
    """A shard that `write_shard` wrote, its rows mapped from the file; None where there is none."""
    try:
        stored = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    examples = tuple(
        Example(
            item["picture"],
            item["question"],
            Label(**item["label"]),
            item["cause"],
            item["answer"],
            item["family"],
            tuple((int(value), float(score)) for value, score in item["scores"]),
            item["unseen"],
        )
        for item in stored
    )
    return Shard(np.load(folder / f"{name}.npy", mmap_mode="r"), examples)


def all_shards(source: Source, part: str, most: int | None = None) -> list[Shard]:
    """The shards of a part, made where they are missing. most: at most so many."""
    count = source.count(part)
    return [source.shard(part, number) for number in range(count if most is None else min(most, count))]

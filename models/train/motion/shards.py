"""Shards of clips in files: the facts that are stored of every clip, and the command line that writes the
shards that are missing.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.train.world.clips.values import ClipQuestion

_ARRAYS = ("times_s", "kinds", "moved")


@dataclass(frozen=True, eq=False, kw_only=True)
class ClipFacts:
    """What is known of a clip beside its pictures. times_s: float32 [views]. mix: what is unseen of it
    (`mixes`). kinds: uint8 [views, cells], the number of the kind of thing in each cell, from 1, 0 for none.
    moved: float16 [views, cells, 2], how far that thing has moved in the room since the view before, in parts
    of the picture's width to the right and down.
    """

    times_s: NDArray[np.float32]
    event: str
    turned: bool
    questions: tuple[ClipQuestion, ...]
    mix: str
    kinds: NDArray[np.uint8]
    moved: NDArray[np.float16]


class FactsOfShard:
    """Collects the facts of a shard's clips as arrays to store, while their pictures go."""

    def __init__(self) -> None:
        self._told: list[dict[str, object]] = []
        self._arrays: dict[str, list[NDArray[np.generic]]] = {name: [] for name in _ARRAYS}

    def add(self, clip: ClipFacts) -> None:
        """The next clip of the shard."""
        asked = [vars(question) for question in clip.questions]
        self._told.append({"event": clip.event, "turned": clip.turned, "mix": clip.mix, "asked": asked})
        for name, arrays in self._arrays.items():
            arrays.append(getattr(clip, name))

    def arrays(self) -> dict[str, object]:
        """Name in the file -> array. units: int64 [clips], views of each clip."""
        return {
            "about": json.dumps(self._told),
            "units": np.array([len(each) for each in self._arrays["times_s"]]),
            **{name: np.concatenate(arrays) for name, arrays in self._arrays.items()},
        }


def facts_in(stored: Mapping[str, Any]) -> Iterator[tuple[slice, dict[str, Any]]]:
    """For each clip of a stored shard: its views among those of all clips, and the fields of `ClipFacts`."""
    arrays = {name: stored[name] for name in _ARRAYS}
    told, units = json.loads(str(stored["about"])), stored["units"]
    for end, count, each in zip(np.cumsum(units), units, told, strict=True):
        here = slice(int(end - count), int(end))
        asked = tuple(ClipQuestion(**question) for question in each["asked"])
        yield (
            here,
            {
                "event": each["event"],
                "turned": each["turned"],
                "questions": asked,
                "mix": each["mix"],
                **{name: array[here] for name, array in arrays.items()},
            },
        )


def store(path: Path, **arrays: object) -> None:
    """Writes arrays, atomically."""
    unfinished = path.with_suffix(f".{os.getpid()}.part.npz")
    np.savez(unfinished, **arrays)  # type: ignore[arg-type]
    os.replace(unfinished, path)


def write_missing(
    options: argparse.Namespace,
    path: Callable[[Path, str, int], Path],
    write: Callable[[Path, str, int], None],
) -> None:
    """Writes the shards of the arguments that are missing."""
    for number in range(options.first, options.first + options.count):
        if not path(options.out, options.split, number).exists():
            begun_s = time.monotonic()
            write(options.out, options.split, number)
            print(f"{options.split} {number}: {time.monotonic() - begun_s:.1f} s", flush=True)


def shard_arguments(text: str | None) -> argparse.ArgumentParser:
    """Which shards a command writes."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--split", default="train")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1)
    return parser

"""What the counting plugin saw of a program: instructions by class, bytes moved, lines of memory that no
cache had.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from power.board_cost.decode import decode
from power.board_cost.pipeline import block_cycles

_CLASSES = {
    "dot_product": "dot_product", "float": "vector", "float_divide": "vector", "float_root": "vector",
    "compare": "vector", "multiply_add": "vector", "vector_multiply": "vector", "vector_add": "vector",
    "vector_shift": "vector", "vector_move": "vector", "logic": "vector", "permute": "vector",
    "across": "vector",
    "to_general": "vector", "from_general": "vector",
}  # fmt: skip

_RARE_SHARE = 1e-6
"""Of all instructions: a block below this is not taken apart but counts as scalar, a cycle each."""


class CountsError(Exception):
    """The plugin's file is missing or is not what it writes, in one sentence."""


@dataclass(frozen=True)
class Counts:
    """One region of a program, one thread."""

    instructions: int
    scalar: int
    vector: int
    dot_product: int
    loads: int
    stores: int
    load_bytes: int
    store_bytes: int
    cycles: float
    """Of the pipeline alone, with every access in the first cache."""
    level1_stream: int
    """Lines read that the first cache lacked and that follow others: a prefetcher fetches such ahead of
    time.
    """
    level1_random: int
    """Other lines read that it lacked."""
    level1_store: int
    """Lines written that it lacked."""
    memory_stream: int
    """Of each of those, the lines that the shared cache lacked as well."""
    memory_random: int
    memory_store: int

    def times(self, factor: float) -> Counts:
        """The counts of that many of these, or of a part."""
        return Counts(**{name: type(value)(value * factor) for name, value in self.__dict__.items()})

    def plus(self, other: Counts) -> Counts:
        """Both, one after the other."""
        return Counts(**{name: value + getattr(other, name) for name, value in self.__dict__.items()})


def read_counts(path: Path) -> list[Counts]:
    """The regions of a file that the plugin wrote, in order. Raises `CountsError`."""
    try:
        lines = path.read_text().splitlines()
    except OSError as error:
        raise CountsError(f"The counting plugin left nothing at {path}: {error.strerror}.") from None
    if not lines:
        raise CountsError(f"The counting plugin left nothing in {path}: the program marked no region.")
    try:
        return [parse_counts(json.loads(line)) for line in lines]
    except (ValueError, KeyError, TypeError) as error:
        raise CountsError(f"{path} is not what the counting plugin writes ({error}).") from None


def parse_counts(region: dict) -> Counts:  # type: ignore[type-arg]
    """The counts of one region: a JSON object of the plugin."""
    total = dict.fromkeys(("scalar", "vector", "dot_product", "load", "store"), 0)
    cycles, load_bytes, store_bytes = 0.0, 0, 0
    rare = sum(executed * len(text) for _, executed, text in region["blocks"]) / 8 * _RARE_SHARE
    for _, executed, text in region["blocks"]:
        if executed * len(text) / 8 < rare:
            total["scalar"] += executed * len(text) // 8
            cycles += executed * len(text) / 8
            continue
        words = tuple(int(text[at : at + 8], 16) for at in range(0, len(text), 8))
        cycles += executed * block_cycles(words)
        for word in words:
            each = decode(word)
            kind = each.kind.split("_")[0]
            total[kind if kind in ("load", "store") else _CLASSES.get(each.kind, "scalar")] += executed
            load_bytes += executed * each.load_bytes
            store_bytes += executed * each.store_bytes
    return Counts(
        instructions=sum(total.values()), scalar=total["scalar"], vector=total["vector"],
        dot_product=total["dot_product"], loads=total["load"], stores=total["store"], load_bytes=load_bytes,
        store_bytes=store_bytes, cycles=cycles, level1_stream=region["level1_stream"],
        level1_random=region["level1_random"], level1_store=region["level1_store"],
        memory_stream=region["last_stream"], memory_random=region["last_random"],
        memory_store=region["last_store"],
    )  # fmt: skip

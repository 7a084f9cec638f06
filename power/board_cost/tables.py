"""The twin's tables of what was counted, as text."""

from __future__ import annotations

from collections.abc import Iterable

from power.board_cost.bricks import Cost

MOST_CORES = 4
_HEAD = """\
# What the packs' work takes on an RK3566, in seconds on four cores at full clocks: modelled from counts.
# `./justw board-cost --write` writes this file, a test holds it to the counts. What was not counted is in
# parameters.toml. low, high: the model's errors on published figures that it was not fitted to.
# memory: share of the time that the memory's rate sets; wait: share that no clock changes; the cores set the
# rest. cores: the most that it can use, where those are fewer than four.
"""


def tables(costs: Iterable[Cost]) -> str:
    """The file's text, from the costs of those pieces of work that the twin has."""
    packs: dict[str, list[str]] = {}
    for each in costs:
        numbers = {
            "value": each.ms / 1e3, "low": each.low_ms / 1e3, "high": each.high_ms / 1e3,
            "memory": each.spent.memory_ms / each.ms, "wait": each.spent.wait_ms / each.ms,
        }  # fmt: skip
        words = ", ".join(f"{key} = {number:.4g}" for key, number in numbers.items())
        if each.brick.cores < MOST_CORES:
            words += f", cores = {each.brick.cores}"
        source = f"./justw board-cost: {each.brick.title}"
        for wanted in each.brick.twin:
            pack, name = wanted.split(".")
            packs.setdefault(pack, []).append(f'{name} = {{ {words}, source = "{source}" }}')
    return "\n".join(
        [_HEAD, *(f"[pack.{pack}]\n" + "\n".join(lines) + "\n" for pack, lines in packs.items())]
    )

"""End of speech to first word with two packs, alternating in one run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

import numpy as np

from models.pack.catalogue import Pack
from tests.eval.cost import latency
from tests.eval.cost.latency_report import Series
from tests.eval.eye.page import Lacks, Table

MODES = tuple(latency.PERCENT)
_ROUNDS = 3
_NEEDED = ("stt", "vision", "llm", "tts")


async def _turns(pack: Pack, mode: str, number: int, into: Series) -> None:
    async with latency.worn(pack, mode) as (headband, board, taken):
        for turn in range(number + 1):
            await latency.ours(headband, board, taken, Series() if turn == 0 else into)


def alternating(pack: Pack, against: Pack, turns: int, mode: str) -> tuple[Series, Series]:
    """So many turns of either, in rounds, after one to warm up in each."""
    new, old = Series(), Series()
    rounds = _ROUNDS if turns >= _ROUNDS else 1
    for number in range(rounds):
        share = turns * (number + 1) // rounds - turns * number // rounds
        for one, into in ((against, old), (pack, new)) if number % 2 else ((pack, new), (against, old)):
            asyncio.run(_turns(one, mode, share, into))
    return new, old


def without(pack: Pack, brick: str) -> Pack:
    """The pack as it would be without a brick. Raises Lacks where it cannot hear, see, answer and speak, or
    lacks the brick anyway.
    """
    if missing := [name for name in (*_NEEDED, brick) if name not in pack.bricks]:
        raise Lacks(f"Pack '{pack.name}' has no {missing[0]} brick.")
    return replace(pack, bricks={name: spec for name, spec in pack.bricks.items() if name != brick})


def ratio(new_s: Sequence[float], old_s: Sequence[float]) -> str:
    """New median over old with a 95 % bootstrap interval."""
    rng = np.random.default_rng(0)
    new, old = (np.median(rng.choice(each, (4000, len(each))), axis=1) for each in (new_s, old_s))
    low, high = np.quantile(new / old, (0.025, 0.975))
    return f"{median(new_s) / median(old_s):.3f} [{low:.3f}, {high:.3f}]"


def report(pack: Pack, against: Pack, turns: int, modes: Sequence[str] = MODES) -> list[Table]:
    """The table. Raises Lacks for a pack that cannot hear, see, answer and speak."""
    for each in (pack, against):
        if missing := [name for name in _NEEDED if name not in each.bricks]:
            raise Lacks(f"Pack '{each.name}' has no {missing[0]} brick, so it has no first word.")
    rows = []
    for mode in modes:
        new, old = alternating(pack, against, turns, mode)
        rows.append((
            mode, f"{median(new.latency_s):.3f} s", f"{median(old.latency_s):.3f} s",
            ratio(new.latency_s, old.latency_s), f"{new.peak_mib:.0f}, {old.peak_mib:.0f} MiB",
        ))  # fmt: skip
    columns = ("mode", "new", "old", "new / old", "peak, new and old")
    title = f"End of speech to first word, {pack.name} {pack.version} (new), {against.name} (old)"
    return [
        Table(title, columns, rows, [f"Medians of {turns} turns each, alternating; intervals by bootstrap."])
    ]

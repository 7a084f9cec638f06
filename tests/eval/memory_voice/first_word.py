"""End of speech to first word: a question to the memory beside one about the present view, in each mode."""

from __future__ import annotations

import asyncio
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from host.app.headband import Headband
from host.config import JournalConfig
from host.turn.turn import Turn
from hw.emulated.board import EmulatedBoard, emulated_board
from models.pack.catalogue import Pack
from tests.eval.cost import latency
from tests.eval.cost.latency_report import Series
from tests.eval.eye.first_word import ratio
from tests.eval.eye.page import Table
from tests.eval.memory_voice.asking import stored
from tests.eval.memory_voice.days import WornDay

MODES = tuple(latency.PERCENT)
THINGS = ("cup", "bag", "wallet", "glasses", "bottle", "book")
MEMORY, LIVE = "where did i put my {thing}", "what room is this"
"""While the memory is on "where is my cup" asks the memory as well, and "do you see my cup" may."""
GOAL = 1.5


@asynccontextmanager
async def _remembering(
    pack: Pack, mode: str, day: WornDay, folder: Path
) -> AsyncIterator[tuple[Headband, EmulatedBoard, asyncio.Queue[Turn]]]:
    """A listening headband in real time that remembers a day, and its turns."""
    turns: asyncio.Queue[Turn] = asyncio.Queue()

    def observe(event: str, fields: dict[str, Any]) -> None:
        if event == "turn":
            turns.put_nowait(fields["turn"])

    config = replace(
        latency.CONFIG,
        answer=replace(latency.CONFIG.answer, fixed_route=""),
        journal=JournalConfig(path=str(folder / "journal.jsonl")),
    )
    board = emulated_board(
        battery_percent=latency.PERCENT[mode], sound_card=False, key_file=folder / "memory.key"
    )
    board.camera.show(day.pictures[-1])
    async with Headband(board, pack, config, observe=observe) as headband:
        await stored(headband, day, len(day.kept), day.until(1.0)[0].now_s)
        headband.intake._worn = lambda: False
        headband.memory.switch(True)
        listening = asyncio.create_task(headband.run())
        await headband.bricks.settled()
        yield headband, board, turns
        headband.stop()
        await listening
    await board.close()


async def _mode(pack: Pack, mode: str, day: WornDay, turns: int) -> dict[str, Series]:
    """Turns of both kinds, alternating; the first of each is not counted, nor one that took another route."""
    found: dict[str, Series] = defaultdict(Series)
    with tempfile.TemporaryDirectory() as folder:
        async with _remembering(pack, mode, day, Path(folder)) as (headband, board, taken):
            for number in range(turns + 1):
                thing = THINGS[number % len(THINGS)]
                for route, text in (("memory", MEMORY), ("now", LIVE)):
                    one = Series()
                    turn = await latency.ours(headband, board, taken, one, text.format(thing=thing))
                    if number and turn.decision.route == route:
                        found[route].silence_s += one.silence_s
                        found[route].work_s += one.work_s
    return found


def report(pack: Pack, day: WornDay, turns: int, modes: Sequence[str] = MODES) -> Table:
    """The table."""
    rows = []
    for mode in modes:
        found = asyncio.run(_mode(pack, mode, day, turns))
        memory, live = found["memory"], found["now"]
        if not memory.work_s or not live.work_s:
            rows.append((mode, "-", "-", "-", f"{len(memory.work_s)}, {len(live.work_s)}"))
            continue
        rows.append((
            mode, _shown(memory), _shown(live), ratio(memory.latency_s, live.latency_s),
            f"{len(memory.work_s)}, {len(live.work_s)}",
        ))  # fmt: skip
    columns = ("mode", "memory", "present view", f"ratio (goal {GOAL})", "turns")
    notes = ["Medians, of which work after the endpoint; alternating in one run; intervals by bootstrap."]
    return Table(
        f"End of speech to first word, a memory of {len(day.kept)} views, pack {pack.name}",
        columns,
        rows,
        notes,
    )


def _shown(series: Series) -> str:
    return f"{median(series.latency_s):.3f} s, {median(series.work_s):.3f}"

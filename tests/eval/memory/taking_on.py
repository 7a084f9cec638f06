"""How long a headband takes for a stored view at full depth: from its picture, and from its activation.

Measured is what a question does with the views that it takes on, through the bricks' processes and the sealed
store on the disk, one by one and several together; all ways of some views come one after the other, in turns.
Drawn pictures of 224 pixels: a camera's larger ones take longer to send, read and scale. CPU time is that of
the main process and of all bricks'; wall time has what other programs take of the processor.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from host.app.open_board import open_board
from host.config import BoardConfig, ListenConfig, MemoryConfig
from host.memory.client import MemoryClient
from host.memory.values import Moment, Placed
from host.sensing.kept_views import KeptViews
from host.turn.recalling.deepening import TOGETHER
from host.turn.recalling.view_places import ViewPlaces
from host.turn.view_encoder import ViewEncoder
from models.brick import Activation, Embed, Encode
from models.pack.catalogue import Pack
from models.process.bricks import Bricks
from models.process.residency import Residency
from tests.eval.eye.page import Table
from tests.eval.eye.pieces import Rgb

WARM_UP = 2
"""Groups of views whose times do not count."""
WHOLE, PICTURE, PLACE = "a new view, fully at once", "from its picture", "its place written"


def begun_at(depth: int) -> str:
    """The name of a way."""
    return f"from its activation after block {depth}"


def together(way: str) -> str:
    """The name of a way that has several views in one request."""
    return f"{way}, {TOGETHER} together"


Times = dict[str, list[tuple[float, float]]]
"""Wall and CPU time in milliseconds by way, of a view of each group in order."""


def times(pack: Pack, pictures: Sequence[Rgb], depths: Sequence[int]) -> Times:
    """What each way takes."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_times(pack, pictures, depths, Path(folder)))


async def _times(pack: Pack, pictures: Sequence[Rgb], depths: Sequence[int], folder: Path) -> Times:
    board, bricks = open_board(BoardConfig(), key_file=folder / "memory.key"), Bricks(pack)
    memory = MemoryClient(bricks, folder, board.key_page, MemoryConfig(), _now)
    kept = KeptViews(bricks.discard)
    eye = ViewEncoder(bricks, kept, time.monotonic, _unobserved, ListenConfig())
    encoder = ViewPlaces(bricks, kept, eye, _unobserved)
    found: Times = {}

    async def timed(way: str, each: Sequence[Callable[[], Awaitable[Any]]]) -> None:
        pids = [os.getpid(), *bricks.pids().values()]
        began_ms, began_cpu_ms = 1000 * time.perf_counter(), _cpu_ms(pids)
        for work in each:
            await work()
        wall_ms, cpu_ms = 1000 * time.perf_counter() - began_ms, _cpu_ms(pids) - began_cpu_ms
        found.setdefault(way, []).append((wall_ms / TOGETHER, cpu_ms / TOGETHER))

    try:
        await bricks.apply(Residency("resident"))
        await bricks.settled()
        stored: dict[int, list[int]] = {}
        for depth in (0, *depths):
            stored[depth] = [await _stored(bricks, memory, rgb, depth, depths[0]) for rgb in pictures]
        for first in range(0, len(pictures) - TOGETHER + 1, TOGETHER):
            some = slice(first, first + TOGETHER)
            ways: dict[str, list[Callable[[], Awaitable[Any]]]] = {
                WHOLE: [partial(encoder.place_stored, [rgb]) for rgb in pictures[some]]
            }
            for depth, numbers in stored.items():
                way = begun_at(depth) if depth else PICTURE
                ways[way] = [partial(_taken_on, memory, encoder, [each], depth) for each in numbers[some]]
                ways[together(way)] = [partial(_taken_on, memory, encoder, numbers[some], depth)]
            turned = first // TOGETHER % len(ways)
            order = list(ways.items())
            for way, each in order[turned:] + order[:turned]:
                await timed(way, each)
            (place,) = await encoder.place_stored(pictures[first : first + 1])
            apart, at_once = stored[depths[0]][some], stored[depths[-1]][some]
            await timed(PLACE, [partial(memory.place, {each: place}, memory.opened) for each in apart])
            places = dict.fromkeys(at_once, place)
            await timed(together(PLACE), [partial(memory.place, places, memory.opened)])
    finally:
        await bricks.close()
        await board.close()
    return found


async def _stored(bricks: Bricks, memory: MemoryClient, rgb: Rgb, depth: int, first: int) -> int:
    """Remembers a picture as placed after so many blocks, with its activation there; for depth 0 after the
    `first` and without one. Its number.
    """
    (made,) = [each async for each in bricks.run("vision", Encode((rgb,), depth or first))]
    (place,) = [each async for each in bricks.run("vision", Embed((made,)))]
    activation = Activation(depth, made.encoder, bricks.rows(made)) if depth else None
    bricks.discard(made)
    return await memory.remember(rgb, _now(), "new", place, activation=activation)


async def _taken_on(
    memory: MemoryClient, encoder: ViewPlaces, numbers: Sequence[int], depth: int
) -> Sequence[Placed]:
    """Reads and places views. depth: at which they have an activation; 0 without one."""
    stored = list((await memory.begun(numbers, encoder.identity)).values())
    assert all((each.depth if isinstance(each, Activation) else 0) == depth for each in stored)
    return await encoder.place_stored(stored)


def _cpu_ms(pids: Sequence[int]) -> float:
    """CPU time of all threads of these processes."""
    files = (file for pid in pids for file in Path(f"/proc/{pid}/task").glob("*/schedstat"))
    return sum(int(file.read_text().split()[0]) for file in files) / 1e6


def _now() -> Moment:
    return Moment("boot", time.monotonic(), time.time())


def _unobserved(event: str, fields: dict[str, Any]) -> None:
    """Nothing is told of what is timed."""


def table(found: Times) -> Table:
    """Median and spread of each way, and against pictures one by one, group by group."""
    ms = {way: np.array(each[WARM_UP:]) for way, each in found.items()}
    rows = []
    for way, each in ms.items():
        against = ["", ""]
        if way != PICTURE and not way.startswith(PLACE):
            shares = 100 * (each / ms[PICTURE] - 1)
            against = [_spread(column, "{:+.0f}", " %") for column in shares.T]
        wall, cpu = (_spread(column, "{:.2f}", " ms") for column in each.T)
        rows.append((way, cpu, against[1], wall, against[0]))
    columns = ("a view", "CPU time", "against its picture", "wall time", "against its picture")
    notes = [
        f"Of a view, over {len(ms[PICTURE])} groups of {TOGETHER}: median, and between which four in five "
        "lie. A place written is synced to the disk."
    ]
    return Table("Time for a stored view at full depth", columns, rows, notes)


def _spread(values: NDArray[np.float64], form: str, unit: str) -> str:
    low, middle, high = (form.format(each) for each in np.quantile(values, (0.1, 0.5, 0.9)))
    return f"{middle}{unit} [{low}, {high}]"

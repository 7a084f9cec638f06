"""How long a headband takes for one stored view at full depth: from its picture, and from its activation.

Measured is what a question does for each view that it takes on, through the bricks' processes and the sealed
store on the disk; both ways of one view come one after the other, in turns. Drawn pictures of 224 pixels: a
camera's larger ones take longer to send, read and scale. CPU time is that of the main process and of all
bricks'; wall time has what other programs take of the processor.
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
from host.memory.values import Moment
from host.sensing.kept_views import KeptViews
from host.turn.view_encoder import ViewEncoder
from models.brick import Activation, Embed, Encode, Recall
from models.pack.catalogue import Pack
from models.process.bricks import Bricks
from models.process.residency import Residency
from tests.eval.eye.page import Table
from tests.eval.eye.pieces import Rgb

WARM_UP = 5
"""Views whose times do not count."""
WHOLE, PICTURE, KEPT = "a new view, fully at once", "from its picture", "its place written, both ways"


def begun_at(depth: int) -> str:
    """The name of a way."""
    return f"from its activation after block {depth}"


Times = dict[str, list[tuple[float, float]]]
"""Wall and CPU time in milliseconds by way, of each picture in order."""


def times(pack: Pack, pictures: Sequence[Rgb], depths: Sequence[int]) -> Times:
    """What each way takes."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_times(pack, pictures, depths, Path(folder)))


async def _times(pack: Pack, pictures: Sequence[Rgb], depths: Sequence[int], folder: Path) -> Times:
    board, bricks = open_board(BoardConfig(), key_file=folder / "memory.key"), Bricks(pack)
    memory = MemoryClient(bricks, folder, board.key_page, MemoryConfig(), _now)
    encoder = ViewEncoder(bricks, KeptViews(bricks.discard), time.monotonic, _unobserved, ListenConfig())
    found: Times = {WHOLE: [], PICTURE: [], **{begun_at(d): [] for d in depths}, KEPT: []}

    async def timed(way: str, work: Callable[[], Awaitable[Any]]) -> Any:
        pids = [os.getpid(), *bricks.pids().values()]
        began_ms, began_cpu_ms = 1000 * time.perf_counter(), _cpu_ms(pids)
        answer = await work()
        found[way].append((1000 * time.perf_counter() - began_ms, _cpu_ms(pids) - began_cpu_ms))
        return answer

    try:
        await bricks.apply(Residency("resident"))
        await bricks.settled()
        numbers = {depth: [await _stored(bricks, memory, rgb, depth) for rgb in pictures] for depth in depths}
        for at, rgb in enumerate(pictures):
            ways = [
                (WHOLE, partial(encoder.place_stored, rgb)),
                (PICTURE, partial(_from_picture, memory, encoder, numbers[depths[0]][at])),
                *((begun_at(d), partial(_from_activation, memory, encoder, numbers[d][at])) for d in depths),
            ]
            turned = at % len(ways)
            places = [await timed(way, work) for way, work in ways[turned:] + ways[:turned]]
            for depth in depths:
                await timed(KEPT, partial(memory.place, numbers[depth][at], places[0], memory.opened))
    finally:
        await bricks.close()
        await board.close()
    return found


async def _stored(bricks: Bricks, memory: MemoryClient, rgb: Rgb, depth: int) -> int:
    """Remembers a picture with its activation after so many blocks; its number."""
    (begun,) = [each async for each in bricks.run("vision", Encode((rgb,), depth))]
    (place,) = [each async for each in bricks.run("vision", Embed((begun,)))]
    activation = Activation(depth, begun.encoder, bricks.rows(begun))
    bricks.discard(begun)
    return await memory.remember(rgb, _now(), "new", place, activation=activation)


async def _from_picture(memory: MemoryClient, encoder: ViewEncoder, number: int) -> Recall:
    rgb = await memory.picture(number)
    assert rgb is not None
    return await encoder.place_stored(rgb)


async def _from_activation(memory: MemoryClient, encoder: ViewEncoder, number: int) -> Recall:
    begun = await memory.begun(number, encoder.identity)
    assert isinstance(begun, Activation)
    return await encoder.place_stored(begun)


def _cpu_ms(pids: Sequence[int]) -> float:
    """CPU time of all threads of these processes."""
    files = (file for pid in pids for file in Path(f"/proc/{pid}/task").glob("*/schedstat"))
    return sum(int(file.read_text().split()[0]) for file in files) / 1e6


def _now() -> Moment:
    return Moment("boot", time.monotonic(), time.time())


def _unobserved(event: str, fields: dict[str, Any]) -> None:
    """Nothing is told of what is timed."""


def table(found: Times) -> Table:
    """Median and spread of each way, and against the picture's, view by view."""
    ms = {way: np.array(each[WARM_UP:]) for way, each in found.items()}
    rows = []
    for way, each in ms.items():
        against = ["", ""]
        if way not in (PICTURE, KEPT):
            shares = 100 * (each / ms[PICTURE] - 1)
            against = [_spread(column, "{:+.0f}", " %") for column in shares.T]
        wall, cpu = (_spread(column, "{:.2f}", " ms") for column in each.T)
        rows.append((way, wall, against[0], cpu, against[1]))
    columns = ("view", "wall time", "against its picture", "CPU time", "against its picture")
    notes = [
        f"Of {len(ms[PICTURE])} views: median, and between which four in five lie. A place written is "
        "synced to the disk."
    ]
    return Table("Time for one view at full depth", columns, rows, notes)


def _spread(values: NDArray[np.float64], form: str, unit: str) -> str:
    low, middle, high = (form.format(each) for each in np.quantile(values, (0.1, 0.5, 0.9)))
    return f"{middle}{unit} [{low}, {high}]"

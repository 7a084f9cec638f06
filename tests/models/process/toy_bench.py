"""Runs toy bricks, and checks that no process, file or task remains."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from models.brick import Sentence
from models.process.bricks import Bricks
from models.process.forkserver import ForkServer
from models.process.residency import BrickEvent, Residency
from models.process.rss import tree
from tests.kept_fork_server import KeptForkServer, spare_server
from tests.models.process.toy_brick import toy_pack

CASCADE = Residency("one_at_a_time")
PRELOAD = ("numpy", "tests.models.process.toy_brick")
"""Imported once by the server, instead of by the process of each toy."""
LIMIT_S = 60.0
"""Ends a scenario that hangs; twenty turns take 9 s beside other work."""


class ToyServer(KeptForkServer):
    """One that has imported what toys need, and that goes on from one scenario to the next."""

    def __init__(self) -> None:
        ForkServer.__init__(self, PRELOAD)
        self._made_with = None


def own_server() -> ForkServer:
    """One that starts and ends with its scenario."""
    return ForkServer(PRELOAD)


async def start_spare() -> None:
    """Leave a server for the scenario, so that its files are open before it already."""
    server = ToyServer()
    await server.ready()
    await server.stop()


def run_bricks(
    scenario: Callable[[Bricks, list[BrickEvent]], Awaitable[None]],
    residency: Residency = CASCADE,
    *,
    server: Callable[[], ForkServer] = ToyServer,
    **toys: dict[str, Any],
) -> list[BrickEvent]:
    """Run a scenario with toy bricks, then check that no child process, file or event-loop task remains."""
    events: list[BrickEvent] = []

    async def main() -> None:
        bricks = Bricks(toy_pack(**toys), on_event=events.append, server=server())
        await bricks.apply(residency)
        try:
            await asyncio.wait_for(scenario(bricks, events), LIMIT_S)
        finally:
            await asyncio.wait_for(bricks.close(), LIMIT_S)

    if server is ToyServer:
        asyncio.run(start_spare())
    gc.collect()  # what earlier tests left would otherwise be closed in between
    before, files = tree(), open_files()
    asyncio.run(main())
    assert set(tree()) <= {*before, *spare_server()}
    assert open_files() - files == Counter()
    return events


def open_files() -> Counter[str]:
    """What this process has open, by kind: "pipe", "socket", or a path."""
    found = Counter[str]()
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # the listing itself
            found[os.readlink(f"/proc/self/fd/{number}").partition(":")[0]] += 1
    return found


async def say(bricks: Bricks, name: str, text: str) -> list[str]:
    """The words that a toy brick answers with."""
    return [chunk.text async for chunk in bricks.run(name, Sentence(text))]


async def until(condition: Callable[[], object]) -> None:
    """Wait for a condition that depends on other processes."""
    while not condition():  # noqa: ASYNC110  no event of this loop tells it
        await asyncio.sleep(0.005)

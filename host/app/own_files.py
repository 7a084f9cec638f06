"""Has the files of the release that runs read in the background, once a day: a disk loses bits silently, and
between two deploys, which may be years apart, nobody else reads what is not used.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from host.app.headband import Headband
from host.app.probation import FOLDER
from host.session.events import ProgramDamaged

READS = "host.ship.read_back"
"""The module that reads them, in a process of its own with the lowest priority."""
FIRST_S, EVERY_S = 1800.0, 86_400.0
"""Awake from the start of the service to the first reading, and between readings."""


async def damaged_files(release: Path) -> list[str]:
    """Names of damaged files of a release, the first few; none where nothing can be read now."""
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", READS, str(release),
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
    except OSError:
        return []
    try:
        said, _ = await process.communicate()
        return [str(name) for name in json.loads(said)]
    except asyncio.CancelledError:
        process.kill()
        raise
    except ValueError:
        return []


class OwnFiles:
    """The files of one release."""

    def __init__(
        self, release: Path | None, find: Callable[[Path], Awaitable[list[str]]] = damaged_files
    ) -> None:
        """release: None where there is none, as on a laptop. find: returns the names of damaged files."""
        self._release, self._find = release, find

    @asynccontextmanager
    async def watched(self, headband: Headband) -> AsyncIterator[None]:
        """Has them read within the block."""
        task = asyncio.create_task(self._watch(headband))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def _watch(self, headband: Headband) -> None:
        """Until damaged files are found: tells journal and wearer, once in each start."""
        if self._release is None:
            return
        await headband.board.clock.sleep(FIRST_S)
        while not (damaged := await self._find(self._release)):
            await headband.board.clock.sleep(EVERY_S)
        headband.journal.write("program_damaged", files=damaged)
        headband.queue.post(ProgramDamaged())


def own_files(environment: Mapping[str, str]) -> OwnFiles:
    """Those of the release that the service's unit names; none elsewhere."""
    folder = environment.get(FOLDER, "")
    return OwnFiles(Path(folder).resolve() if folder else None)

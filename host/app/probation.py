"""Tells the guard how a start of the service goes, and lets a release that is not known to be good answer its
built-in question (`host.boot.counting`).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from host.app.headband import Headband
from host.app.self_test import SelfTest
from host.boot.counting import PASSED, STEADY_S, Count, Proof
from host.boot.records import PROOF, read_count, release_to_go_back_to, write_proof
from host.session.announcements import WENT_BACK
from hw.device import Clock

FAILED = "its self-test failed"
FOLDER = "HEADBAND_RELEASE"
"""The environment's name for the folder that the unit starts: `current`, or in a trial that of a release."""


class Probation:
    """One start of a release: an observer of the headband, and a task beside it."""

    def __init__(self, count: Count, proof: Path | None, fallback: bool) -> None:
        """proof: the file to write; None writes nothing. fallback: there is a release to go back to."""
        self._count, self._path, self._fallback = count, proof, fallback
        self._proof = Proof(count.release, count.start)
        self._listens = asyncio.Event()
        self.failed = False
        """The self-test has failed, and another release may do better: the service ends with a fault."""

    @property
    def went_back(self) -> bool:
        """Whether the wearer has to be told that another release gave way to this one."""
        return bool(self._count.refused) and not self._count.told

    def observe(self, event: str, fields: Mapping[str, Any]) -> None:
        """An observer of the headband."""
        if event in ("listening", "recording_off"):
            self._listens.set()
            self._reached(listens=True)
        elif event == "transition" and fields["cause"] == WENT_BACK.cause and fields["to"]:
            self._reached(told=True)

    @asynccontextmanager
    async def of(self, headband: Headband) -> AsyncIterator[None]:
        """Writes what a headband reaches within the block, and has it tested if its release is not good."""
        tasks = [asyncio.create_task(self._steady(headband.board.clock))]
        if self._path is not None and self._count.standing(self._count.release) != "good":
            tasks.append(asyncio.create_task(self._try(headband)))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            for ended in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(ended, Exception):
                    raise ended

    def stopped(self) -> None:
        """The service ends because it was asked to."""
        if not self.failed:
            self._reached(stopped=True)

    async def _steady(self, clock: Clock) -> None:
        await clock.sleep(STEADY_S)
        self._reached(steady=True)

    async def _try(self, headband: Headband) -> None:
        await self._listens.wait()
        problem = await SelfTest(headband.tools, lambda: headband.state.at_rest).run()
        headband.journal.write("self_test", passed=not problem, problem=problem)
        self._reached(self_test=problem or PASSED)
        if problem and self._fallback:
            self.failed = True
            headband.stop(FAILED)

    def _reached(self, **reached: Any) -> None:
        proof = replace(self._proof, **reached)
        if self._path is None or proof == self._proof:
            return
        self._proof = proof
        with suppress(OSError):
            write_proof(self._path, proof)


def this_start(environment: Mapping[str, str]) -> tuple[Count, Path | None, bool]:
    """The count that this start of the service belongs to, the file for its proof, and whether there is a
    release to go back to; no file in a trial, and where nobody counts. The unit names the folder that it
    starts: Python resolves links, so its modules do not tell `current` from a release on trial.
    """
    folder, state = Path(environment.get(FOLDER, "")), environment.get("STATE_DIRECTORY", "")
    opt = folder.parent
    count = read_count(opt)
    try:
        release = json.loads((folder / "release.json").read_text())["id"]
    except (OSError, ValueError, KeyError, TypeError):
        return Count(), None, False
    if count is None or not state or count.release != release:
        return Count(), None, False
    return count, Path(state) / PROOF, release_to_go_back_to(opt, count) is not None

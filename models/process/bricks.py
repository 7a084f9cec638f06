"""Moves bricks through load -> execute -> release under the residency that the power plan asks for.

`Bricks` holds one child process at most per brick. Residency is the only thing a mode changes about bricks.
Everything runs on one event loop; nothing here blocks it.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.brick import BrickError, Embedding
from models.pack.catalogue import Pack
from models.process.child_handle import Worker, WorkerDied
from models.process.forkserver import ForkServer
from models.process.process_pool import Keeper
from models.process.residency import ABANDONED_TICKS, BrickBusy, BrickEvent, BrickFailed, BrickSlot, Residency
from models.ring.ring import Ring

RING_SLOTS = 4
DEFAULT_TIMEOUT_S = 60.0


def _ignore(event: BrickEvent) -> None:
    """For an application that doesn't follow events."""


class Bricks:
    """The bricks of one pack. Make it inside the event loop that uses it."""

    def __init__(
        self,
        pack: Pack,
        *,
        on_event: Callable[[BrickEvent], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        threads: int = 2,
        server: ForkServer | None = None,
    ) -> None:
        self.pack = pack
        self._holdings = {name: BrickSlot(spec) for name, spec in pack.bricks.items()}
        vision = pack.bricks["vision"].options if {"vision", "llm"} <= set(pack.bricks) else {}
        tokens, width = int(vision.get("tokens", 0)), int(vision.get("width", 0))
        ring = Ring.create(RING_SLOTS, tokens, width) if tokens and width else None
        self._keeper = Keeper(self._holdings, server or ForkServer(), ring, on_event or _ignore, clock)
        self._keeper.threads = threads
        self._closed = False

    @property
    def threads(self) -> int:
        """CPU threads a brick may use; ONNX Runtime bricks take the number when they load."""
        return self._keeper.threads

    @threads.setter
    def threads(self, threads: int) -> None:
        self._keeper.threads = threads

    @property
    def residency(self) -> Residency:
        """The residency in force."""
        return self._keeper.room.residency

    @property
    def at_work(self) -> bool:
        """Does anybody wait for a process: to start, to compute, or to end?"""
        return self._keeper.server.changing or any(
            holding.starting is not None
            or holding.releasing is not None
            or (holding.worker is not None and holding.worker.owes)
            for holding in self._holdings.values()
        )

    async def apply(self, residency: Residency) -> None:
        """Take on another residency: bricks it has no room for are released, those it keeps begin to load."""
        self._keeper.room.residency = residency
        self._keeper.room.changed()
        await self._keeper.room.trim()
        if residency.kind == "resident":
            self._keeper.background(self._load_all())
        elif not residency.keep_fork_server:
            await self._stop_idle_server()

    async def start(self) -> None:
        """Start the fork server and, when resident, begin to load every brick; see `settled`."""
        if self.residency.kind == "resident" or self.residency.keep_fork_server:
            self._keeper.server.start()
        if self.residency.kind == "resident":
            self._keeper.background(self._load_all())

    async def settled(self) -> None:
        """Wait until everything begun in the background has ended: loads, releases, cancellations."""
        while self._keeper.tasks:
            await asyncio.wait(set(self._keeper.tasks))

    async def close(self) -> None:
        """Release everything and end the fork server. Returns when no child is left. May be called twice."""
        self._closed = True
        for holding in self._holdings.values():
            if holding.worker is not None and holding.busy.locked():
                holding.worker.kill()
            if holding.loading is not None:
                holding.loading.cancel()
        await self.settled()
        for holding in self._holdings.values():
            await self._keeper.release(holding)
        await self._keeper.server.stop()
        self._keeper.close_ring()

    def fit_together(self, *names: str) -> bool:
        """Whether the residency lets these bricks be in memory at the same time."""
        residency = self.residency
        if residency.kind == "one_at_a_time":
            return False
        need_mib = sum(self._holdings[name].need_mib for name in names)
        return residency.memory_ceiling_mib is None or need_mib <= residency.memory_ceiling_mib

    def prepare(self, name: str) -> None:
        """Begin to load a brick in the background, if the residency has room for it now; else do nothing."""
        holding = self._holdings[name]
        if self._closed or holding.wanted:
            return
        if self.residency.kind == "one_at_a_time" and not self._keeper.room.fits(holding):
            return
        self._keeper.begin_load(holding, None)

    async def run(
        self, name: str, request: object, *, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> AsyncGenerator[Any, None]:
        """Chunks of the brick's answer; loads the brick when needed, waits while another run holds it.

        Closing the iterator early (or cancelling the task) stops the brick at once. timeout_s: longest wait
        for one chunk. Raises BrickFailed when the process dies or the model is unusable, BrickError (in one
        sentence) when the brick refuses the request, BrickBusy instead of a wait that would never end.
        """
        holding, keeper = self._holdings[name], self._keeper
        await self._take(holding)
        left_working: Worker | None = None
        try:
            if self._closed:
                raise BrickFailed(name, "load", "the headband is stopping")
            worker = await keeper.loaded(holding)
            start_s = keeper.clock()
            left_working = worker
            try:
                async with contextlib.aclosing(worker.execute(request, self.threads, timeout_s)) as chunks:
                    async for chunk in chunks:
                        yield chunk
                left_working = None
            except WorkerDied as error:
                left_working = None
                keeper.bury(holding, worker, start_s, str(error))
                raise BrickFailed(name, "execute", str(error)) from error
            except BrickError:
                left_working = None
                raise
            finally:
                if holding.worker is worker:
                    keeper.report(holding, worker, "execute", start_s)
        finally:
            holding.holder = None
            if left_working is not None:
                keeper.background(self._settle(holding, left_working))
            else:
                self._finish(holding)

    async def release(self, name: str) -> None:
        """Release one brick; returns when its process is reaped. A brick in use is released after its run."""
        holding = self._holdings[name]
        if holding.loading is not None and not holding.busy.locked():
            holding.loading.cancel()
            await asyncio.wait([holding.loading])
        await self._take(holding)
        try:
            await self._keeper.release(holding)
        finally:
            holding.holder = None
            self._finish(holding)

    async def release_all(self, wanted: Callable[[], bool] = lambda: False) -> None:
        """End of a turn: no child is left, and no fork server when the residency doesn't keep it. As soon as
        `wanted` is true somebody needs the bricks again, and the rest is left alone.
        """
        for name in self._holdings:
            if wanted():
                return
            await self.release(name)
        await self.settled()
        if wanted():
            return
        if self._keeper.ring is not None:
            self._keeper.ring.vacate()
        if not self.residency.keep_fork_server:
            await self._stop_idle_server()

    def pids(self) -> dict[str, int]:
        """Processes by brick name, those still loading included; "fork_server" too while it runs."""
        workers = {name: h.worker or h.starting for name, h in self._holdings.items()}
        pids = {name: worker.pid for name, worker in workers.items() if worker is not None}
        pids["fork_server"] = self._keeper.server.pid or 0
        return {name: pid for name, pid in pids.items() if pid}

    def memory_mib(self) -> dict[str, float]:
        """Largest memory of its own that each brick's process has had so far, MiB; 0 for one never loaded."""
        return {name: holding.measured_mib for name, holding in self._holdings.items()}

    def rows(self, embedding: Embedding) -> NDArray[np.float32]:
        """A private copy of an embedding's rows, float32 [tokens, width]; they stay. Raises SlotGone."""
        if embedding.rows is not None:
            return embedding.rows
        assert self._keeper.ring is not None and embedding.slot is not None
        return self._keeper.ring.read(embedding.slot).astype(np.float32, copy=False)

    def discard(self, embedding: Embedding) -> None:
        """Say that nobody will read an embedding; harmless when it was read."""
        if self._keeper.ring is not None and embedding.slot is not None:
            self._keeper.ring.discard(embedding.slot)

    async def _take(self, holding: BrickSlot) -> None:
        """Wait for the brick's turn, and become its holder."""
        task = asyncio.current_task()
        patience = ABANDONED_TICKS
        while holding.busy.locked() and holding.holder is task and patience:
            patience -= 1
            await asyncio.sleep(0)
        if holding.busy.locked() and holding.holder is task:
            raise BrickBusy(f"this task's own run of {holding.spec.name} has not ended")
        holding.waiting += 1
        try:
            await holding.busy.acquire()
        finally:
            holding.waiting -= 1
        holding.holder = task

    def _finish(self, holding: BrickSlot) -> None:
        """End of a turn on a brick: let the next one have it, or send it away."""
        holding.busy.release()
        self._keeper.room.changed()
        if not holding.waiting and holding.idle:
            if self.residency.kind == "one_at_a_time":
                self._keeper.begin_release(holding)
            elif self.residency.memory_ceiling_mib is not None:
                self._keeper.background(self._keeper.room.trim())

    async def _settle(self, holding: BrickSlot, worker: Worker) -> None:
        """After an early end: stop the child's work, then free the brick for the next run."""
        start_s = self._keeper.clock()
        try:
            await worker.settle()
        except WorkerDied as error:
            self._keeper.bury(holding, worker, start_s, str(error))
        finally:
            self._finish(holding)

    async def _load_all(self) -> None:
        """Load every brick, one after another, in the pack's order."""
        for holding in self._holdings.values():
            if self._closed or self.residency.kind != "resident":
                return
            with contextlib.suppress(BrickFailed):
                await self._keeper.loaded(holding)

    async def _stop_idle_server(self) -> None:
        if not any(holding.wanted for holding in self._holdings.values()):
            await self._keeper.server.stop()

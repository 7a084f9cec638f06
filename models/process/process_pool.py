"""Gives bricks their processes and takes them back: the work under `Bricks`, without its policy."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Literal

from models.process.child_handle import Worker, WorkerDied
from models.process.forkserver import ForkServer
from models.process.residency import BrickEvent, BrickFailed, BrickSlot, MemoryBudget
from models.ring.ring import Ring


class Keeper:
    """Loads, releases and buries the processes behind holdings, within their room, and reports each event."""

    def __init__(
        self,
        holdings: Mapping[str, BrickSlot],
        server: ForkServer,
        ring: Ring | None,
        on_event: Callable[[BrickEvent], None],
        clock: Callable[[], float],
    ) -> None:
        self.server = server
        self.ring = ring
        self.clock = clock
        self.threads = 1
        self.room = MemoryBudget(holdings, self.release)
        self.tasks: set[asyncio.Task[Any]] = set()
        self._on_event = on_event

    async def loaded(self, holding: BrickSlot) -> Worker:
        """The brick's live worker, loading it when needed; concurrent callers share one load."""
        if holding.releasing is not None:
            await asyncio.shield(holding.releasing)
        if holding.worker is not None and not holding.worker.dead.is_set():
            holding.last_used_s = self.clock()
            return holding.worker
        loading = holding.loading or self.begin_load(holding, asyncio.current_task())
        try:
            return await asyncio.shield(loading)
        except asyncio.CancelledError:
            if loading.cancelled():
                raise BrickFailed(holding.spec.name, "load", "its load was called off") from None
            raise

    def begin_load(self, holding: BrickSlot, asker: asyncio.Task[Any] | None) -> asyncio.Task[Worker]:
        """Load in the background. asker: the task that will wait for it, None when nobody does yet."""
        holding.loading = self.background(self._load(holding, asker))
        return holding.loading

    async def _load(self, holding: BrickSlot, asker: asyncio.Task[Any] | None) -> Worker:
        worker = Worker(holding.spec, self.server)
        start_s = self.clock()
        try:
            await self.room.make(holding, asker)
            start_s = self.clock()
            holding.starting = worker
            await worker.start(self.ring.fds if self.ring is not None else (), self.threads)
            worker.on_death = lambda: self._on_death(holding, worker)
            holding.worker, holding.last_used_s = worker, self.clock()
            self.report(holding, worker, "load", start_s)
            return worker
        except WorkerDied as error:
            self.bury(holding, worker, start_s, str(error))
            raise BrickFailed(holding.spec.name, "load", str(error)) from error
        except asyncio.CancelledError:
            await worker.reaped()
            raise
        finally:
            holding.loading = holding.starting = None
            holding.admitted = False
            self.room.changed()

    def begin_release(self, holding: BrickSlot) -> asyncio.Task[None]:
        """Release in the background."""
        holding.releasing = self.background(self._send_away(holding))
        return holding.releasing

    async def release(self, holding: BrickSlot) -> None:
        """Release a loaded brick and wait until it is reaped."""
        if holding.worker is not None or holding.releasing is not None:
            await asyncio.shield(holding.releasing or self.begin_release(holding))

    async def _send_away(self, holding: BrickSlot) -> None:
        worker, start_s = holding.worker, self.clock()
        if worker is not None:
            worker.on_death = None
            await worker.release()
            self.report(holding, worker, "release", start_s)
        holding.worker = holding.releasing = None
        self.room.changed()

    def _on_death(self, holding: BrickSlot, worker: Worker) -> None:
        """A child died while nobody used it."""
        if holding.worker is worker and holding.idle:
            self.background(self._bury_idle(holding, worker))

    async def _bury_idle(self, holding: BrickSlot, worker: Worker) -> None:
        self.bury(holding, worker, self.clock(), await worker.cause_of_death())

    def bury(self, holding: BrickSlot, worker: Worker, start_s: float, reason: str) -> None:
        """Forget a dead child, say so, and have it reaped."""
        if holding.worker is worker:
            holding.worker = None
        peak_mib = worker.usage.peak_rss_mib if worker.usage else None
        self._on_event(
            BrickEvent(holding.spec.name, "died", start_s, self.clock(), worker.pid, peak_mib, reason)
        )
        self.background(worker.reaped())
        self.room.changed()

    def report(
        self, holding: BrickSlot, worker: Worker, kind: Literal["load", "execute", "release"], start_s: float
    ) -> None:
        """Tell that a stage which began at `start_s` has just ended."""
        usage = worker.usage
        if usage is not None:
            holding.measured_mib = max(holding.measured_mib, usage.own_mib)
        peak_mib = usage.peak_rss_mib if usage else None
        self._on_event(BrickEvent(holding.spec.name, kind, start_s, self.clock(), worker.pid, peak_mib))

    def background(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run work beside the callers; an error in it shows when a brick is needed, not here."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self._forget)
        return task

    def close_ring(self) -> None:
        """Let go of the ring."""
        if self.ring is not None:
            self.ring.close()
            self.ring = None

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self.tasks.discard(task)
        if not task.cancelled():
            task.exception()

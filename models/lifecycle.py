"""Moves bricks through load -> execute -> release under the residency that the power plan asks for.

`Bricks` holds one child process at most per brick. Residency is the only thing a mode changes about bricks.
Everything runs on one event loop; nothing here blocks it.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from models.brick import BrickError, Embedding
from models.forkserver import ForkServer
from models.pack import Pack
from models.residency import BrickBusy, BrickEvent, BrickFailed, Holding, Residency, Room
from models.ring import Ring
from models.worker import Worker, WorkerDied

__all__ = ["BrickBusy", "BrickEvent", "BrickFailed", "Bricks", "Residency"]

RING_SLOTS = 4
DEFAULT_TIMEOUT_S = 60.0


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
        """threads: CPU threads a brick may use; the attribute may be changed between runs."""
        self.pack = pack
        self.threads = threads
        self._on_event = on_event or (lambda event: None)
        self._clock = clock
        self._server = server or ForkServer()
        self._holdings = {name: Holding(spec) for name, spec in pack.bricks.items()}
        self._room = Room(self._holdings, self._release)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._ring = self._make_ring()
        self._closed = False

    @property
    def residency(self) -> Residency:
        """The residency in force."""
        return self._room.residency

    async def apply(self, residency: Residency) -> None:
        """Take on another residency: bricks it has no room for are released, those it keeps begin to load."""
        self._room.residency = residency
        self._room.changed()
        await self._room.trim()
        if residency.kind == "resident":
            self._background(self._load_all())
        elif not residency.keep_fork_server:
            await self._stop_idle_server()

    async def start(self) -> None:
        """Start the fork server and, when resident, begin to load every brick; returns at once (see `settled`)."""
        if self.residency.kind == "resident" or self.residency.keep_fork_server:
            self._server.start()
        if self.residency.kind == "resident":
            self._background(self._load_all())

    async def settled(self) -> None:
        """Wait until everything begun in the background has ended: loads, releases, cancellations."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))

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
            await self._release(holding)
        await self._server.stop()
        if self._ring is not None:
            self._ring.close()
            self._ring = None

    def prepare(self, name: str) -> None:
        """Begin to load a brick in the background, if the residency has room for it now; else do nothing."""
        holding = self._holdings[name]
        if self._closed or holding.occupied:
            return
        cascade = self.residency.kind == "one_at_a_time"
        if cascade and not (self.residency.prefetch and self._room.fits(holding)):
            return
        self._begin_load(holding, None)

    async def run(
        self, name: str, request: object, *, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> AsyncIterator[Any]:
        """Chunks of the brick's answer; loads the brick when needed, waits its turn when another run holds it.

        Closing the iterator early (or cancelling the task) stops the brick at once. timeout_s: longest wait for
        one chunk. Raises BrickFailed when the process dies or the model is unusable, BrickError (in one
        sentence) when the brick refuses the request, BrickBusy instead of a wait that would never end.
        """
        holding = self._holdings[name]
        await self._take(holding)
        left_working: Worker | None = None
        try:
            worker = await self._loaded(holding)
            start_s = self._clock()
            left_working = worker
            try:
                async with contextlib.aclosing(worker.execute(request, self.threads, timeout_s)) as chunks:
                    async for chunk in chunks:
                        yield chunk
                left_working = None
            except WorkerDied as error:
                left_working = None
                self._bury(holding, worker, start_s, str(error))
                raise BrickFailed(name, "execute", str(error)) from error
            except BrickError:
                left_working = None
                raise
            finally:
                if holding.worker is worker:
                    self._report(holding, worker, "execute", start_s)
        finally:
            holding.holder = None
            if left_working is not None:
                self._background(self._settle(holding, left_working))
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
            await self._release(holding)
        finally:
            holding.holder = None
            self._finish(holding)

    async def release_all(self) -> None:
        """End of a turn: no child is left, and no fork server when the residency doesn't keep it."""
        for name in self._holdings:
            await self.release(name)
        await self.settled()
        if self._ring is not None:
            self._ring.vacate()
        if not self.residency.keep_fork_server:
            await self._stop_idle_server()

    def pids(self) -> dict[str, int]:
        """Processes by brick name, those still loading included; "fork_server" too while it runs."""
        workers = {name: h.worker or h.starting for name, h in self._holdings.items()}
        pids = {name: worker.pid for name, worker in workers.items() if worker is not None and worker.pid}
        if self._server.pid is not None:
            pids["fork_server"] = self._server.pid
        return pids

    def rows(self, embedding: Embedding) -> NDArray[np.float32]:
        """A private copy of an embedding's rows, float32 [tokens, width]; they stay usable. Raises SlotGone."""
        if embedding.rows is not None:
            return embedding.rows
        assert self._ring is not None and embedding.slot is not None
        return self._ring.read(embedding.slot)

    def discard(self, embedding: Embedding) -> None:
        """Say that nobody will read an embedding; harmless when it was read."""
        if self._ring is not None and embedding.slot is not None:
            self._ring.discard(embedding.slot)

    def _make_ring(self) -> Ring | None:
        vision = self._holdings.get("vision")
        options = vision.spec.options if vision else {}
        if "llm" not in self._holdings or not {"tokens", "width"} <= set(options):
            return None
        return Ring.create(RING_SLOTS, int(options["tokens"]), int(options["width"]))

    async def _take(self, holding: Holding) -> None:
        """Wait for the brick's turn, and become its holder."""
        task = asyncio.current_task()
        if holding.busy.locked() and holding.holder is task:
            raise BrickBusy(f"this task's own run of {holding.spec.name} has not ended")
        holding.waiting += 1
        try:
            await holding.busy.acquire()
        finally:
            holding.waiting -= 1
        holding.holder = task

    def _finish(self, holding: Holding) -> None:
        """End of a turn on a brick: let the next one have it, or send it away."""
        holding.busy.release()
        self._room.changed()
        if not holding.waiting and holding.idle:
            if self.residency.kind == "one_at_a_time":
                self._begin_release(holding)
            elif self.residency.memory_ceiling_mib is not None:
                self._background(self._room.trim())

    async def _settle(self, holding: Holding, worker: Worker) -> None:
        """After an early end: stop the child's work, then free the brick for the next run."""
        start_s = self._clock()
        try:
            await worker.settle()
        except WorkerDied as error:
            self._bury(holding, worker, start_s, str(error))
        finally:
            self._finish(holding)

    async def _load_all(self) -> None:
        """Load every brick, one after another, in the pack's order."""
        for holding in self._holdings.values():
            if self._closed or self.residency.kind != "resident":
                return
            with contextlib.suppress(BrickFailed):
                await self._loaded(holding)

    async def _loaded(self, holding: Holding) -> Worker:
        """The brick's live worker, loading it when needed; concurrent callers share one load."""
        if holding.releasing is not None:
            await asyncio.shield(holding.releasing)
        if holding.worker is not None and not holding.worker.dead.is_set():
            holding.last_used_s = self._clock()
            return holding.worker
        loading = holding.loading or self._begin_load(holding, asyncio.current_task())
        try:
            return await asyncio.shield(loading)
        except asyncio.CancelledError:
            if loading.cancelled():
                raise BrickFailed(holding.spec.name, "load", "its load was called off") from None
            raise

    def _begin_load(self, holding: Holding, asker: asyncio.Task[Any] | None) -> asyncio.Task[Worker]:
        holding.loading = self._background(self._load(holding, asker))
        return holding.loading

    async def _load(self, holding: Holding, asker: asyncio.Task[Any] | None) -> Worker:
        worker = Worker(holding.spec, self._server)
        start_s = self._clock()
        try:
            await self._room.make(holding, asker)
            start_s = self._clock()
            holding.starting = worker
            await worker.start(self._ring.fd if self._ring is not None else None, self.threads)
            worker.on_death = lambda: self._on_death(holding, worker)
            holding.worker, holding.last_used_s = worker, self._clock()
            self._report(holding, worker, "load", start_s)
            return worker
        except WorkerDied as error:
            self._bury(holding, worker, start_s, str(error))
            raise BrickFailed(holding.spec.name, "load", str(error)) from error
        except asyncio.CancelledError:
            await worker.reaped()
            raise
        finally:
            holding.loading = holding.starting = None
            self._room.changed()

    def _begin_release(self, holding: Holding) -> asyncio.Task[None]:
        holding.releasing = self._background(self._send_away(holding))
        return holding.releasing

    async def _release(self, holding: Holding) -> None:
        """Release a loaded brick and wait until it is reaped."""
        if holding.worker is not None or holding.releasing is not None:
            await asyncio.shield(holding.releasing or self._begin_release(holding))

    async def _send_away(self, holding: Holding) -> None:
        worker, start_s = holding.worker, self._clock()
        if worker is not None:
            worker.on_death = None
            await worker.release()
            self._report(holding, worker, "release", start_s)
        holding.worker = holding.releasing = None
        self._room.changed()

    async def _stop_idle_server(self) -> None:
        if not any(holding.occupied for holding in self._holdings.values()):
            await self._server.stop()

    def _on_death(self, holding: Holding, worker: Worker) -> None:
        """A child died while nobody used it."""
        if holding.worker is worker and holding.idle:
            self._background(self._bury_idle(holding, worker))

    async def _bury_idle(self, holding: Holding, worker: Worker) -> None:
        self._bury(holding, worker, self._clock(), await worker.cause_of_death())

    def _bury(self, holding: Holding, worker: Worker, start_s: float, reason: str) -> None:
        """Forget a dead child, say so, and have it reaped."""
        if holding.worker is worker:
            holding.worker = None
        peak_mib = worker.usage.peak_rss_mib if worker.usage else None
        self._on_event(
            BrickEvent(holding.spec.name, "died", start_s, self._clock(), worker.pid, peak_mib, reason)
        )
        self._background(worker.reaped())
        self._room.changed()

    def _report(
        self, holding: Holding, worker: Worker, kind: Literal["load", "execute", "release"], start_s: float
    ) -> None:
        usage = worker.usage
        if usage is not None:
            holding.measured_mib = max(holding.measured_mib, usage.own_mib)
        peak_mib = usage.peak_rss_mib if usage else None
        self._on_event(BrickEvent(holding.spec.name, kind, start_s, self._clock(), worker.pid, peak_mib))

    def _background(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        return task

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()

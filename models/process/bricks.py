"""Runs bricks through load -> execute -> release under the residency that the power plan sets.

`Bricks` has at most one child process per brick. Residency is the only property of bricks that depends on the
mode. Everything runs on one event loop; nothing here blocks it.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.brick import Activation, BrickError, BrickSpec, Embedding
from models.pack.catalogue import Pack
from models.process.child_handle import Worker, WorkerDied
from models.process.detours import Detours
from models.process.forkserver import ForkServer
from models.process.other_work import OtherWork
from models.process.process_pool import ProcessPool
from models.process.residency import (
    BrickEvent,
    BrickFailed,
    BrickSlot,
    LoadCalledOff,
    Residency,
    streamed_if_too_large,
)
from models.process.rows_ring import ring_of

DEFAULT_TIMEOUT_S = 60.0


def _ignore(event: object) -> None:
    """Default for `on_event`, and for `on_loading`, which `ProcessPool.note_work` calls."""


class Bricks:
    """The bricks of one pack. Construct it inside the event loop that uses it. A brick that the pack lacks
    may be named: there is nothing to prepare or release, and to run it fails.
    """

    def __init__(
        self,
        pack: Pack,
        *,
        on_event: Callable[[BrickEvent], None] | None = None,
        on_loading: Callable[[bool], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        threads: int = 2,
        shared_cores: bool = False,
        server: ForkServer | None = None,
    ) -> None:
        """shared_cores: other programs may keep cores busy, and a request gets no more threads than find one
        that is free.
        """
        self.pack = pack
        self._slots = {name: BrickSlot(spec) for name, spec in pack.bricks.items()}
        told = on_event or _ignore, on_loading or _ignore
        self._pool = ProcessPool(self._slots, server or ForkServer(), ring_of(pack), *told, clock)
        self._pool.threads = threads
        self._pool.other_work = OtherWork(self._pool.processes) if shared_cores else None
        self._detours = Detours(pack.bricks, pack.on_cores)
        self._closed = False
        self._when_needed: frozenset[str] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        """The pack's bricks and those added."""
        return tuple(self._slots)

    def add(self, spec: BrickSpec) -> None:
        """Adds a brick that is not of the pack, to be loaded when it is needed. Harmless when repeated."""
        self._slots.setdefault(spec.name, BrickSlot(spec))

    @property
    def threads(self) -> int:
        """The most CPU threads that a brick may use; ONNX Runtime bricks take the number when they load."""
        return self._pool.threads

    def limit_threads(self, most: int, by_brick: Mapping[str, int] | None = None) -> None:
        """Set the most threads that any brick may use, and for those that are named fewer."""
        self._pool.threads, self._pool.threads_by_brick = most, dict(by_brick or {})

    def prefer(self, on_cores: Collection[str], patience_s: Mapping[str, float]) -> None:
        """Which bricks compute on the cores although the pack places them elsewhere, from their next process
        on, and how long an answer from elsewhere may take before it counts as stuck; see `Detours`.
        """
        self._detours.prefer(on_cores, patience_s)

    @property
    def residency(self) -> Residency:
        """The residency in force."""
        return self._pool.budget.residency

    @property
    def busy(self) -> bool:
        """Is a process being started or ended, or computing?"""
        return self._pool.server.changing or any(
            slot.starting is not None
            or slot.releasing is not None
            or (slot.worker is not None and slot.worker.awaiting_message)
            for slot in self._slots.values()
        )

    def load_when_needed(self, names: Collection[str]) -> None:
        """From now on these bricks, and no others, wait for their use, whatever the residency keeps: those of
        them that are loaded are released after their work, and others that it keeps begin to load.
        """
        before, self._when_needed = self._when_needed, frozenset(names)
        for name in self._when_needed - before:
            if name in self._slots and self._slots[name].wanted:
                self._pool.background(self._release_for_now(name))
        if before - self._when_needed and self.residency.kind == "resident":
            self._pool.background(self._load_all())

    async def release_unkept(self) -> None:
        """Release those of `load_when_needed`, which were used for once."""
        for name in self._when_needed & set(self._slots):
            await self.release(name)

    async def apply(self, residency: Residency) -> None:
        """Set the residency: release bricks that exceed it or that it wants loaded in another way, and start
        to load those that it keeps.
        """
        self._pool.budget.residency = residency
        for name in self.pack.bricks:
            self._slots[name].use(self._spec(name))
            if self._slots[name].outdated:
                self._pool.background(self._release_for_now(name))
        self._pool.budget.notify()
        await self._pool.budget.trim()
        if residency.kind == "resident":
            self._pool.background(self._load_all())
        elif not residency.keep_fork_server:
            await self._stop_idle_server()

    async def start(self) -> None:
        """Start the fork server and, when resident, begin to load every brick; see `settled`."""
        if self.residency.kind == "resident" or self.residency.keep_fork_server:
            self._pool.server.start()
        if self.residency.kind == "resident":
            self._pool.background(self._load_all())

    async def settled(self) -> None:
        """Wait until everything begun in the background has ended: loads, releases, cancellations."""
        while self._pool.tasks:
            await asyncio.wait(set(self._pool.tasks))

    async def close(self) -> None:
        """Release everything and end the fork server. Returns when no child is left. May be called twice."""
        self._closed = self._pool.closing = True
        for slot in self._slots.values():
            if slot.worker is not None and slot.busy.locked():
                slot.worker.kill()
            if slot.loading is not None:
                slot.loading.cancel()
        self._pool.stop_reading()
        await self.settled()
        for slot in self._slots.values():
            await self._pool.release(slot)
        await self._pool.server.stop()
        self._pool.close_ring()

    def fit_together(self, *names: str) -> bool:
        """Whether the residency lets these bricks be in memory at the same time."""
        return self._pool.budget.beside_each_other(self._slots_of(names))

    def prepare(self, name: str, *, beside: Collection[str] = ()) -> None:
        """Begin to load a brick in the background, unless it is the one too many for one at a time; then its
        files are read ahead. `beside`: bricks that are needed first, so that it has to fit with those too.
        """
        slot = self._slots.get(name)
        if slot is None or self._closed or slot.wanted:
            return
        asked = beside or self.residency.kind == "one_at_a_time"
        if asked and not self._pool.budget.fits(slot, self._slots_of(beside)):
            self.read_ahead(name)
            return
        self._pool.begin_load(slot)

    def read_ahead(self, name: str) -> None:
        """Have the system read a brick's files as soon as nothing else loads, if the residency permits that
        and they were not since its last load: then its load waits for no disk.
        """
        if name in self._slots and self.residency.prefetch and not self._closed:
            self._pool.begin_reading(self._slots[name])

    async def run(
        self, name: str, request: object, *, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> AsyncGenerator[Any, None]:
        """Chunks of the brick's answer; loads the brick when needed, waits while another run holds it.

        Closing the iterator early (or cancelling the task) stops the brick at once. timeout_s: longest wait
        for one chunk. A brick that the pack places elsewhere and that fails there goes on, on the cores,
        within this request. Raises BrickFailed when the pack lacks the brick, the process dies or the model
        is unusable, BrickError (in one sentence) when the brick refuses the request, BrickBusy instead of a
        wait that would never end.
        """
        if name not in self._slots:
            raise BrickFailed(name, "load", f"pack '{self.pack.name}' has no such brick")
        slot, given = self._slots[name], False
        try:
            async with contextlib.aclosing(self._run(slot, request, timeout_s)) as chunks:
                async for chunk in chunks:
                    given = True
                    yield chunk
            return
        except LoadCalledOff:
            raise
        except BrickFailed as error:
            if self._closed or not self._detours.begin(slot.tried, self._pool.clock()) or given:
                raise
            self._pool.report_move(slot, error.reason)
        async with contextlib.aclosing(self._run(slot, request, timeout_s)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def _run(self, slot: BrickSlot, request: object, timeout_s: float) -> AsyncGenerator[Any, None]:
        """One attempt of `run`, at the brick's present place."""
        name, pool = slot.spec.name, self._pool
        await slot.take()
        left_working: Worker | None = None
        try:
            if self._closed:
                raise BrickFailed(name, "load", "the headband is stopping")
            await self._bring_to_its_place(slot)
            worker = await pool.loaded(slot)
            start_s = pool.clock()
            left_working = worker
            try:
                patience_s = self._detours.patience_s(worker.spec, timeout_s)
                execution = worker.execute(request, pool.threads_now(name), patience_s)
                async with contextlib.aclosing(execution) as chunks:
                    async for chunk in chunks:
                        yield chunk
                left_working = None
                self._detours.worked(worker.spec)
            except WorkerDied as error:
                left_working = None
                pool.discard_dead(slot, worker, start_s, str(error))
                raise BrickFailed(name, "execute", str(error)) from error
            except BrickError:
                left_working = None
                raise
            finally:
                if slot.worker is worker:
                    pool.report(slot, worker, "execute", start_s)
        finally:
            slot.holder = None
            if left_working is not None:
                pool.background(self._cancel_and_free(slot, left_working))
            else:
                self._finish(slot)

    async def release(self, name: str) -> None:
        """Release one brick; returns when its process is reaped. A brick in use is released after its run."""
        if name not in self._slots:
            return
        slot = self._slots[name]
        if slot.loading is not None and not slot.busy.locked():
            slot.loading.cancel()
            await slot.called_off()
        await slot.take()
        try:
            await self._pool.release(slot)
        finally:
            slot.holder = None
            self._finish(slot)

    async def release_all(self, wanted: Callable[[], bool] = lambda: False) -> None:
        """End of a turn: release every brick, drop the live rows in the ring, and stop the fork server when
        the residency does not keep it. Stops as soon as `wanted` returns true, because the bricks are needed
        again.
        """
        for name in self.names:
            if wanted():
                return
            await self.release(name)
        self._pool.stop_reading()
        await self.settled()
        if wanted():
            return
        if self._pool.ring is not None:
            if not any(slot.wanted for slot in self._slots.values()):
                self._pool.ring.drop_live()
            self._pool.ring.vacate()
        if not self.residency.keep_fork_server:
            await self._stop_idle_server()

    def pids(self) -> dict[str, int]:
        """Processes by brick name, those still loading included; "fork_server" too while it runs."""
        workers = {name: h.worker or h.starting for name, h in self._slots.items()}
        pids = {name: worker.pid for name, worker in workers.items() if worker is not None}
        pids["fork_server"] = self._pool.server.pid or 0
        return {name: pid for name, pid in pids.items() if pid}

    def memory_mib(self) -> dict[str, float]:
        """Largest memory of its own that each brick's process has had so far, MiB; 0 for one never loaded."""
        return {name: slot.measured_mib for name, slot in self._slots.items()}

    def rows(self, embedding: Embedding | Activation) -> NDArray[np.float32]:
        """A private copy of the rows, float32 [tokens, width]; they stay. Raises SlotGone."""
        if embedding.rows is not None:
            return embedding.rows.astype(np.float32, copy=False)
        assert self._pool.ring is not None and embedding.slot is not None
        return self._pool.ring.read(embedding.slot).astype(np.float32, copy=False)

    def put(self, rows: NDArray[np.float32]) -> Embedding:
        """Rows, float32 [tokens, width], in a slot of the ring, as an eye puts a picture's there; by value
        where they do not fit. The caller discards them.
        """
        ring = self._pool.ring
        slot = None if ring is None else ring.allocate(*rows.shape)
        if slot is None:
            return Embedding(rows=rows)
        slot.array[:] = rows
        return Embedding(slot=slot.commit())

    def holds(self, encoded: Embedding | Activation) -> bool:
        """Whether the rows can be read now: false once their slot was read, dropped or discarded."""
        if encoded.slot is None:
            return True
        return self._pool.ring is not None and self._pool.ring.holds(encoded.slot)

    def still_has(self, encoded: Embedding | Activation) -> bool:
        """Whether the rows are still there, also while a brick reads them."""
        if encoded.slot is None:
            return True
        return self._pool.ring is not None and self._pool.ring.still_has(encoded.slot)

    def discard(self, chunk: object) -> None:
        """Free the slot of the rows, at the end of the run that reads them where one does; no effect when it
        was read, or on what has none.
        """
        self._pool.free(chunk)

    def _slots_of(self, names: Collection[str]) -> list[BrickSlot]:
        """The slots of those bricks that there are; others take no memory."""
        return [self._slots[name] for name in names if name in self._slots]

    def _spec(self, name: str) -> BrickSpec:
        """How a brick of the pack is loaded now."""
        specs = {each: self._detours.spec(each, self._pool.clock()) for each in self.pack.bricks}
        others = (other for each, other in specs.items() if each != name)
        return streamed_if_too_large(specs[name], others, self.residency.memory_ceiling_mib)

    async def _bring_to_its_place(self, slot: BrickSlot) -> None:
        """Release a process at another place than the brick's present one, or that is outdated otherwise."""
        if slot.spec.name in self.pack.on_cores:
            slot.use(self._spec(slot.spec.name))
        if slot.outdated:
            await self._pool.release(slot)

    def _finish(self, slot: BrickSlot) -> None:
        """End of a run: hand the brick to the next waiting run, or release it."""
        slot.busy.release()
        self._pool.run_ended(slot)
        if not slot.waiting and slot.idle:
            if self.residency.kind == "one_at_a_time":
                self._pool.begin_release(slot)
            elif self.residency.memory_ceiling_mib is not None:
                self._pool.background(self._pool.budget.trim())

    async def _cancel_and_free(self, slot: BrickSlot, worker: Worker) -> None:
        """After an early end: stop the child's work, then free the brick for the next run."""
        start_s = self._pool.clock()
        try:
            for chunk in await worker.cancel_and_wait():
                self._pool.free(chunk)
        except WorkerDied as error:
            self._pool.discard_dead(slot, worker, start_s, str(error))
        finally:
            self._finish(slot)

    async def _load_all(self) -> None:
        """Load every brick that is kept, one after another, in the pack's order."""
        for name, slot in list(self._slots.items()):
            if self._closed or self.residency.kind != "resident":
                return
            if name in self._when_needed:
                continue
            with contextlib.suppress(BrickFailed):
                await self._pool.loaded(slot)

    async def _release_for_now(self, name: str) -> None:
        """Release a brick that is not kept as it is, after its run; what is kept by then is loaded again."""
        await self.release(name)
        if name not in self._when_needed:
            await self._load_all()

    async def _stop_idle_server(self) -> None:
        if not any(slot.wanted for slot in self._slots.values()):
            await self._pool.server.stop()

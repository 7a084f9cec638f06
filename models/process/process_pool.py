"""Starts and ends the processes of bricks: the mechanism below `Bricks`, without its policy."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Literal

from models.process.child_handle import Worker, WorkerDied
from models.process.forkserver import ForkServer
from models.process.other_work import OtherWork
from models.process.processor_time import processor_seconds
from models.process.read_ahead import files_of, read_ahead
from models.process.residency import BrickEvent, BrickFailed, BrickSlot, LoadCalledOff, MemoryBudget
from models.ring.free_rows import free_rows
from models.ring.ring import Ring


class ProcessPool:
    """Loads, releases and cleans up the processes of brick slots within the memory budget, and reports each
    event.
    """

    def __init__(
        self,
        slots: Mapping[str, BrickSlot],
        server: ForkServer,
        ring: Ring | None,
        on_event: Callable[[BrickEvent], None],
        on_loading: Callable[[bool], None],
        clock: Callable[[], float],
    ) -> None:
        self.server = server
        self.ring = ring
        self.clock = clock
        self.threads = 1
        """The most that any brick may use."""
        self.threads_by_brick: Mapping[str, int] = {}
        """Fewer, for those that are named."""
        self.other_work: OtherWork | None = None
        """Who says how many of them have a core to themselves; None: all have."""
        self.budget = MemoryBudget(slots, self.release)
        self.tasks: set[asyncio.Task[Any]] = set()
        self._slots = slots
        self._loads: set[asyncio.Task[Any]] = set()
        self._on_loading = on_loading
        self._only_loading = False
        self._on_event = on_event
        self._unwanted: list[object] = []
        """Rows that were to be freed while a brick read them."""
        self.closing = False
        """Every child ends, also one that works."""

    def note_work(self) -> None:
        """Called whenever a load or a run begins or ends: tells when bricks begin to be loaded while none
        computes on the cores, and when that is over.
        """
        slots = self._slots.values()
        only_loading = any(slot.starting for slot in slots) and not any(slot.on_cores for slot in slots)
        if only_loading is not self._only_loading:
            self._only_loading = only_loading
            self._on_loading(only_loading)

    def run_ended(self, slot: BrickSlot) -> None:
        """Called after a run: the brick is free, or its process ended after its last answer."""
        self.note_work()
        unwanted, self._unwanted = self._unwanted, []
        for chunk in unwanted:
            self.free(chunk)
        if slot.worker is not None and slot.worker.dead.is_set():
            self._on_death(slot, slot.worker)
        self.budget.notify()

    def threads_of(self, name: str) -> int:
        """Threads that a brick may use."""
        return min(self.threads, self.threads_by_brick.get(name, self.threads))

    def threads_now(self, name: str) -> int:
        """The same for one request, as the cores are that other programs leave."""
        threads = self.threads_of(name)
        return threads if self.other_work is None else self.other_work.free(threads)

    def processes(self) -> list[int]:
        """Numbers of this process, of the bricks' and of the one that starts them."""
        workers = [slot.worker or slot.starting for slot in self._slots.values()]
        found = [os.getpid(), self.server.pid, *(worker.pid for worker in workers if worker is not None)]
        return [pid for pid in found if pid]

    async def loaded(self, slot: BrickSlot) -> Worker:
        """The brick's live worker, loading it when needed; concurrent callers share one load."""
        if slot.releasing is not None:
            await asyncio.shield(slot.releasing)
        await slot.called_off()
        if slot.worker is not None and not slot.worker.dead.is_set():
            slot.last_used_s = self.clock()
            self.note_work()
            return slot.worker
        if slot.loading is not None:
            self.budget.notify()  # one that waits for room is waited for now
        loading = slot.loading or self.begin_load(slot)
        try:
            return await asyncio.shield(loading)
        except asyncio.CancelledError:
            if loading.cancelled():
                raise LoadCalledOff(slot.spec.name, "load", "its load was called off") from None
            raise

    def begin_load(self, slot: BrickSlot) -> asyncio.Task[Worker]:
        """Load in the background."""
        slot.loading = self.background(self._load(slot))
        self._loads.add(slot.loading)
        slot.loading.add_done_callback(self._loads.discard)
        return slot.loading

    async def _load(self, slot: BrickSlot) -> Worker:
        worker = Worker(slot.spec, self.server)
        slot.tried = slot.spec
        start_s = self.clock()
        try:
            await self.budget.admit(slot)
            residency, start_s = self.budget.residency, self.clock()
            slot.starting = worker
            self.note_work()
            ring_fds = self.ring.fds if self.ring is not None else ()
            await worker.start(ring_fds, self.threads_of(slot.spec.name))
            worker.on_death = lambda: self._on_death(slot, worker)
            slot.worker, slot.last_used_s, slot.reading = worker, self.clock(), None
            self.report(slot, worker, "load", start_s)
            if self.budget.residency != residency:  # as it is now, it may keep less
                self.background(self.budget.trim())
            return worker
        except WorkerDied as error:
            self.discard_dead(slot, worker, start_s, str(error))
            raise BrickFailed(slot.spec.name, "load", str(error)) from error
        except asyncio.CancelledError:
            await worker.reaped()
            raise
        finally:
            slot.loading = slot.starting = None
            slot.admitted = False
            self.note_work()
            self.budget.notify()

    def begin_reading(self, slot: BrickSlot) -> None:
        """Have the system read a brick's files in the background, unless it is loaded or they were read."""
        if not slot.wanted and slot.reading is None:
            slot.reading = self.background(self._read_ahead(slot))

    async def _read_ahead(self, slot: BrickSlot) -> None:
        while self._loads:  # what loads now is needed first
            await asyncio.wait(self._loads)
        await read_ahead(files_of(slot.spec))

    def stop_reading(self) -> None:
        """End all reading ahead."""
        for slot in self._slots.values():
            if slot.reading is not None:
                slot.reading.cancel()
                slot.reading = None

    def begin_release(self, slot: BrickSlot) -> asyncio.Task[None]:
        """Release in the background."""
        slot.releasing = self.background(self._release_process(slot))
        return slot.releasing

    async def release(self, slot: BrickSlot) -> None:
        """Release a loaded brick and wait until it is reaped."""
        if slot.worker is not None or slot.releasing is not None:
            await asyncio.shield(slot.releasing or self.begin_release(slot))

    async def _release_process(self, slot: BrickSlot) -> None:
        worker, start_s = slot.worker, self.clock()
        if worker is not None:
            worker.on_death = None
            await worker.release()
            self.report(slot, worker, "release", start_s)
        slot.worker = slot.releasing = None
        self.budget.notify()

    def _on_death(self, slot: BrickSlot, worker: Worker) -> None:
        """A child died while nobody used it."""
        if slot.worker is worker and slot.idle:
            slot.worker = None
            self.background(self._discard_idle(slot, worker))

    async def _discard_idle(self, slot: BrickSlot, worker: Worker) -> None:
        self.discard_dead(slot, worker, self.clock(), await worker.cause_of_death())

    def discard_dead(self, slot: BrickSlot, worker: Worker, start_s: float, reason: str) -> None:
        """Remove a dead child from its slot, report it, and reap it; one that `closing` killed is no news."""
        if slot.worker is worker:
            slot.worker = None
        peak_mib = worker.usage.peak_rss_mib if worker.usage else None
        died = BrickEvent(
            slot.spec.name, "died", start_s, self.clock(), worker.pid, peak_mib, reason,
            place=worker.spec.placement,
        )  # fmt: skip
        if not self.closing:
            self._on_event(died)
        self.background(worker.reaped())
        self.budget.notify()

    def report(
        self, slot: BrickSlot, worker: Worker, kind: Literal["load", "execute", "release"], start_s: float
    ) -> None:
        """Report that a stage which began at `start_s` has ended."""
        usage = worker.usage
        if usage is not None and worker.spec == slot.spec:
            slot.measured_mib = max(slot.measured_mib, usage.own_mib)
        peak_mib = usage.peak_rss_mib if usage else None
        computed_s, before_s = processor_seconds(worker.pid), worker.computed_s
        worker.computed_s = computed_s or before_s
        processor_s = None if computed_s is None else computed_s - before_s
        self._on_event(
            BrickEvent(
                slot.spec.name, kind, start_s, self.clock(), worker.pid, peak_mib, processor_s=processor_s,
                place=worker.spec.placement,
            )
        )  # fmt: skip

    def report_move(self, slot: BrickSlot, why: str) -> None:
        """Report that the cores go on with a request, because the brick's own place failed."""
        now_s = self.clock()
        self._on_event(BrickEvent(slot.spec.name, "moved", now_s, now_s, 0, None, why))

    def background(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run work as a task; its errors are raised when the brick is needed, not here."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self._forget)
        return task

    def free(self, chunk: object) -> None:
        """Free the slot of a chunk of an answer; again after each run, while a brick reads it."""
        if not free_rows(self.ring, chunk):
            self._unwanted.append(chunk)

    def close_ring(self) -> None:
        """Close the ring."""
        if self.ring is not None:
            self.ring.close()
            self.ring = None

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self.tasks.discard(task)
        if not task.cancelled():
            task.exception()

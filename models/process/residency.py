"""Residency of bricks: how long they stay loaded, and the memory budget that admits them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from models.brick import BrickSpec, Placement
from models.process.child_handle import Worker

Stage = Literal["load", "execute", "release"]
_ABANDONED_TICKS = 5
"""Passes of the event loop within which asyncio closes an iterator that its task left by `break`."""


@dataclass(frozen=True)
class Residency:
    """How long bricks stay in memory."""

    kind: Literal["resident", "budgeted", "one_at_a_time"] = "resident"
    """resident: all loaded and kept; budgeted: least recently used released above the ceiling; one_at_a_time:
    released after each use
    """
    memory_ceiling_mib: int | None = None
    """limit of the bricks' total memory, MiB; None: no limit"""
    prefetch: bool = False
    """one_at_a_time: the next brick may load while the current one works, if both fit the ceiling or, without
    one, what the largest brick takes alone; where they do not, the files of the next one are read ahead
    """
    keep_fork_server: bool = True
    """False: the fork server ends after each turn"""


@dataclass(frozen=True)
class BrickEvent:
    """Something that happened to a brick; times on the lifecycle's clock, seconds."""

    brick: str
    kind: Literal["load", "execute", "release", "died", "moved"]
    """moved: its own place failed, and the cores go on with the request"""
    start_s: float
    end_s: float
    pid: int
    peak_rss_mib: float | None
    """largest resident set of the brick's process so far, pages shared with the fork server included"""
    detail: str = ""
    """for "died" and "moved": why"""
    processor_s: float | None = None
    """what its process computed since its event before, seconds; None where that is not known"""
    place: Placement = Placement.CPU
    """where its process computes"""


class BrickFailed(Exception):
    """A brick's process died or its model can't be used. The next run starts a fresh process."""

    def __init__(self, brick: str, stage: Stage, reason: str) -> None:
        super().__init__(f"The {brick} brick failed at {stage}: {reason.rstrip('.')}.")
        self.brick, self.stage, self.reason = brick, stage, reason


class LoadCalledOff(BrickFailed):
    """Its load was cancelled, which says nothing about the brick."""


class BrickBusy(Exception):
    """A task waits for memory or a brick that it holds itself."""


def streamed_if_too_large(
    spec: BrickSpec, others: Iterable[BrickSpec], memory_ceiling_mib: int | None
) -> BrickSpec:
    """The brick with its weights streamed, if its pack says what it needs then (`streamed_mib`) and it would
    not fit below the ceiling beside the largest other brick; otherwise the brick as it is.
    """
    streamed_mib = int(spec.options.get("streamed_mib", 0))
    beside_mib = max((other.memory_mib for other in others), default=0)
    if not streamed_mib or memory_ceiling_mib is None or spec.memory_mib + beside_mib <= memory_ceiling_mib:
        return spec
    return replace(spec, memory_mib=streamed_mib, options={**spec.options, "stream": True})


@dataclass(eq=False)
class BrickSlot:
    """State of one brick in the main process."""

    spec: BrickSpec
    """how its next process is loaded"""
    tried: BrickSpec = field(init=False)
    """how its last one was"""
    busy: asyncio.Lock = field(default_factory=asyncio.Lock)
    """held by the run in work"""
    waiting: int = 0
    """runs that wait for `busy`"""
    holder: asyncio.Task[Any] | None = None
    """the task whose run holds `busy`"""
    worker: Worker | None = None
    """the loaded process"""
    starting: Worker | None = None
    """the process that is loading"""
    loading: asyncio.Task[Worker] | None = None
    admitted: bool = False
    """the memory budget has admitted its load"""
    releasing: asyncio.Task[None] | None = None
    reading: asyncio.Task[None] | None = None
    """its files are read ahead, or were since its last load"""
    last_used_s: float = 0.0
    measured_mib: float = 0.0
    """largest memory of its own that a process of this brick had, loaded as `spec` says"""

    def __post_init__(self) -> None:
        self.tried = self.spec

    @property
    def need_mib(self) -> float:
        """Declared or measured memory, whichever is larger."""
        return max(float(self.spec.memory_mib), self.measured_mib)

    def use(self, spec: BrickSpec) -> None:
        """Load the brick in this way from the next process on."""
        if spec != self.spec:
            self.spec, self.measured_mib = spec, 0.0

    async def take(self) -> None:
        """Wait until no run holds the brick, then hold it. Raises BrickBusy where this task does already."""
        task = asyncio.current_task()
        ticks_left = _ABANDONED_TICKS
        while self.busy.locked() and self.holder is task and ticks_left:
            ticks_left -= 1
            await asyncio.sleep(0)
        if self.busy.locked() and self.holder is task:
            raise BrickBusy(f"this task's own run of {self.spec.name} has not ended")
        self.waiting += 1
        try:
            await self.busy.acquire()
        finally:
            self.waiting -= 1
        self.holder = task

    async def called_off(self) -> None:
        """Wait for the end of a load that was called off, if there is one; another may begin then."""
        loading = self.loading
        if loading is not None and loading.cancelling():
            await asyncio.wait([loading])
            if self.loading is loading:  # it was called off before it had begun
                self.loading = None

    @property
    def wanted(self) -> bool:
        """Loaded, loading, or waiting for room to load."""
        return self.worker is not None or self.loading is not None

    @property
    def occupied(self) -> bool:
        """A process of this brick exists or is about to."""
        return self.worker is not None or self.admitted

    @property
    def outdated(self) -> bool:
        """Loaded in another way than its next process: elsewhere, or with its weights streamed or not."""
        return self.worker is not None and self.worker.spec != self.spec

    @property
    def on_cores(self) -> bool:
        """Loaded, and a run has it compute on the cores."""
        worker = self.worker
        return worker is not None and self.busy.locked() and worker.spec.placement is Placement.CPU

    @property
    def idle(self) -> bool:
        """Loaded, and nobody uses it."""
        return self.worker is not None and self.releasing is None and not self.busy.locked()


class MemoryBudget:
    """Decides which bricks may be in memory together, and which is released first."""

    def __init__(
        self, slots: Mapping[str, BrickSlot], release: Callable[[BrickSlot], Awaitable[None]]
    ) -> None:
        self.residency = Residency()
        self._slots = slots
        self._release = release
        self._changed = asyncio.Event()

    def notify(self) -> None:
        """Called after a load, release or end of a run: wakes tasks that wait for memory."""
        self._changed.set()
        self._changed = asyncio.Event()

    def others(self, slot: BrickSlot) -> list[BrickSlot]:
        """The other bricks that occupy memory."""
        return [h for h in self._slots.values() if h is not slot and h.occupied]

    def fits(self, slot: BrickSlot, beside: Collection[BrickSlot] = ()) -> bool:
        """Whether a brick fits beside all others that are loaded or loading, and beside these."""
        others = [h for h in self._slots.values() if h is not slot and (h.wanted or h in beside)]
        return self._fits_beside(slot, others)

    def beside_each_other(self, slots: list[BrickSlot]) -> bool:
        """Whether these may be in memory together, and nothing else."""
        return not slots or self._fits_beside(slots[0], slots[1:])

    def _fits_beside(self, slot: BrickSlot, others: list[BrickSlot]) -> bool:
        """Alone, a brick always fits."""
        if not others:
            return True
        ceiling: float | None = self.residency.memory_ceiling_mib
        if self.residency.kind == "one_at_a_time":
            if len(others) > 1 or not self.residency.prefetch:
                return False
            if ceiling is None:  # two small ones need no more memory than the largest does by itself
                ceiling = max(h.need_mib for h in self._slots.values())
        return ceiling is None or slot.need_mib + sum(h.need_mib for h in others) <= ceiling

    async def admit(self, slot: BrickSlot) -> None:
        """Admit a brick: release idle ones, least recently used first, and wait for busy ones, until it fits.

        When the task whose run waits for it itself holds all of those, one_at_a_time raises BrickBusy;
        otherwise the ceiling is exceeded, because an answer over budget is better than none.
        """
        ticks_left = _ABANDONED_TICKS
        while not self._fits_beside(slot, others := self.others(slot)):
            changed = self._changed
            leaving = [h for h in others if h.releasing is not None]
            if not self._fits_beside(slot, [h for h in others if h not in leaving]):
                victim = self.least_recently_used(slot)
                if victim is not None:
                    await self._release(victim)
                    continue
            asker = slot.holder
            if asker is not None and not leaving and all(h.holder is asker for h in others):
                if ticks_left:
                    ticks_left -= 1
                    await asyncio.sleep(0)
                    continue
                if self.residency.kind != "one_at_a_time":
                    break
                names = " and ".join(h.spec.name for h in others)
                raise BrickBusy(f"{slot.spec.name} has no room until this task's own run of {names} ends")
            await changed.wait()
        slot.admitted = True

    async def trim(self) -> None:
        """Release idle bricks until the rest conforms to the residency."""
        while self._over():
            victim = self.least_recently_used(None)
            if victim is None:
                return
            await self._release(victim)

    def least_recently_used(self, besides: BrickSlot | None) -> BrickSlot | None:
        """The idle brick that was used longest ago."""
        idle = [h for h in self._slots.values() if h is not besides and h.idle]
        return min(idle, key=lambda h: h.last_used_s, default=None)

    def _over(self) -> bool:
        if self.residency.kind == "one_at_a_time":
            return True
        present = [h for h in self._slots.values() if h.occupied and h.releasing is None]
        ceiling = self.residency.memory_ceiling_mib
        return ceiling is not None and len(present) > 1 and sum(h.need_mib for h in present) > ceiling

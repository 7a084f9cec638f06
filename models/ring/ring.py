"""Token-aware ring in shared memory: image rows pass from one process to another without a copy on our side.

A slot goes FREE -> ALLOCATED_FOR_WRITE -> READY_TO_READ -> ALLOCATED_FOR_READ -> FREE. The producer fills the
slot where it lies, the consumer binds the same memory as its input. A `SlotRef` is sent to the consumer, or
`take` gives the oldest unread rows to a process that shares only the ring. The slot states are those of
NanoMind's token-aware buffer (design, section 3).

A killed process cannot block a slot. Every change happens under a lock that the kernel releases when its
holder dies, stores the owner first and the single state word last, so a process killed at any point leaves
either the old state or a state whose dead owner is known: a slot being written becomes free, one being read
becomes readable again.

There is no busy waiting and no lost wake-up. Two eventfds signal that a slot may have become readable, or
free; they are signalled before the state is stored, and cleared only under the lock by a process that found
nothing. A kill between signal and store causes at most one needless check. A waiting process also watches the
owners of slots in use, and wakes when one of them dies.

A full ring drops its oldest unread live frame. Live rows past their deadline are not delivered, and their
slot counts as free, so rows whose request was cancelled at the moment of its answer do not occupy a slot for
ever. A frame meant for memory is never dropped.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import os
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from models.brick import SlotRef
from models.ring.header import DTYPES, Fill, Header, SlotState, create_file
from models.ring.owner import Lock, alive, sleep_until, this_process

RECLAIM_S = 0.1
"""Interval at which a consumer that always finds rows checks for slots of dead owners, s."""

_Slot = TypeVar("_Slot")
FREE, WRITING, READY, READING = SlotState


class SlotGone(Exception):
    """The referenced rows were already read, dropped or discarded."""


class WriteSlot:
    """A slot being filled. array: [tokens, width], the slot's own memory."""

    def __init__(self, ring: Ring, fill: Fill) -> None:
        self.ref = fill.ref
        self.array = ring.view(fill.ref)
        self._ring = ring

    def commit(self) -> SlotRef:
        """The rows are complete: make them readable."""
        self._ring.move(self.ref, WRITING, READY)
        return self.ref

    def abandon(self) -> None:
        """Free the slot without its rows."""
        self._ring.move(self.ref, WRITING, FREE)


class ReadSlot:
    """A slot being read. array: [tokens, width], the slot's own memory; valid until `release`."""

    def __init__(self, ring: Ring, fill: Fill) -> None:
        self.ref = fill.ref
        self.memory = fill.memory
        self.array = ring.view(fill.ref)
        self._ring = ring

    def release(self, *, keep: bool = False) -> None:
        """Done reading. keep: leave the rows readable, for a consumer that stopped early."""
        self._ring.move(self.ref, READING, READY if keep else FREE)


class Ring:
    """The ring as one process sees it. Safe between processes and between threads."""

    def __init__(self, memory_fd: int, readable_fd: int, room_fd: int) -> None:
        """The ring's memory file and its two eventfds; this object owns them from now on.

        Raises ValueError for another file.
        """
        self.fds = (memory_fd, readable_fd, room_fd)
        self._map = mmap.mmap(memory_fd, os.fstat(memory_fd).st_size)
        self._header = Header(self._map)
        self.slots, self.slot_bytes = self._header.slots, self._header.slot_bytes
        self._readable_fd, self._room_fd = readable_fd, room_fd
        self._lock = Lock(memory_fd)
        self._reclaimed_s = 0.0

    @classmethod
    def create(cls, slots: int, tokens: int, width: int, dtype: str = "float32") -> Ring:
        """A new ring of `slots` slots, each for up to tokens x width values of this type."""
        memory_fd = create_file(slots, tokens * width * DTYPES[dtype].itemsize)
        flags = os.EFD_CLOEXEC | os.EFD_NONBLOCK
        return cls(memory_fd, os.eventfd(0, flags), os.eventfd(0, flags))

    @classmethod
    def attach(cls, fds: tuple[int, ...]) -> Ring:
        """The ring behind the files (`Ring.fds`, in that order) received from the process that created it."""
        return cls(*fds)

    def close(self) -> None:
        """Close the files. The mapping is freed with the last array that refers to it."""
        self._lock.close()
        for fd in self.fds:
            os.close(fd)

    def allocate(
        self,
        tokens: int,
        width: int,
        *,
        memory: bool = False,
        dtype: str = "float32",
        deadline_s: float = math.inf,
        timeout_s: float = 0.0,
    ) -> WriteSlot | None:
        """A slot to fill with [tokens, width] rows of float32 or float16; None when they do not fit, or when
        no slot may be dropped and none becomes free within `timeout_s`.

        memory: the rows are meant for memory, so they may not be dropped before they are read. deadline_s:
        when live rows that are still unread become useless, on time.monotonic().
        """
        if tokens * width * DTYPES[dtype].itemsize > self.slot_bytes:
            return None

        def begin(index: int) -> WriteSlot:
            self._header.set_owner(index, *this_process())
            self._header.set_state(index, WRITING)
            return WriteSlot(self, self._header.begin_fill(index, tokens, width, dtype, memory, deadline_s))

        return self._wait_for(self._find_room, begin, self._room_fd, timeout_s)

    def take(self, timeout_s: float = 0.0) -> ReadSlot | None:
        """Start reading the oldest unread rows; waits up to `timeout_s` for some, then returns None."""
        return self._wait_for(self._find_unread, self._begin_read, self._readable_fd, timeout_s)

    def acquire(self, ref: SlotRef) -> ReadSlot:
        """Start reading. Raises SlotGone when these rows are gone or expired, or while a live process reads
        them.
        """
        with self._lock:
            self._require(ref, READY)
            return self._begin_read(ref.index)

    def read(self, ref: SlotRef) -> NDArray[Any]:
        """A private copy of the rows, which stay readable. Raises SlotGone."""
        slot = self.acquire(ref)
        rows = slot.array.copy()
        slot.release(keep=True)
        return rows

    @contextlib.contextmanager
    def peek(self, ref: SlotRef) -> Iterator[NDArray[Any]]:
        """The rows where they lie, [tokens, width], read beside any reader. The slot's state does not change,
        so it may be freed and refilled meanwhile. Raises SlotGone, also at the end, for rows that are gone.
        """
        self._require_rows(ref)
        yield self.view(ref)
        self._require_rows(ref)

    def holds(self, ref: SlotRef) -> bool:
        """Whether these rows can be read now."""
        with self._lock:
            try:
                self._require(ref, READY)
            except SlotGone:
                return False
            return True

    def still_has(self, ref: SlotRef) -> bool:
        """Whether these rows are in their slot, also while somebody reads them."""
        try:
            self._require_rows(ref)
        except SlotGone:
            return False
        return True

    def discard(self, ref: SlotRef) -> None:
        """Free unread rows; no effect on rows that are gone or being read."""
        with contextlib.suppress(SlotGone):
            self.move(ref, READY, FREE)

    def move(self, ref: SlotRef, present: SlotState, after: SlotState) -> None:
        """Change the state of a slot that this process holds. Raises SlotGone when it does not hold it."""
        with self._lock:
            self._require(ref, present)
            self._let_go(ref.index, after)

    def states(self) -> list[SlotState]:
        """State of every slot, those of dead owners and of rows past their deadline reclaimed."""
        with self._lock:
            self._reclaim()
            return [SlotState(state) for state in self._header.states()]

    def drop_live(self) -> None:
        """Free all unread live rows, which nobody will read."""
        with self._lock:
            for index, state in enumerate(self._reclaim()):
                if state == READY and self._header.droppable(index):
                    self._let_go(index, FREE)

    def vacate(self) -> bool:
        """Return the memory of the free slots to the system, so that nothing is left of what they held; True
        when all are free.
        """
        with self._lock:
            states = self._reclaim()
            for index in (index for index, state in enumerate(states) if state == FREE):
                at = self._header.data_at + index * self.slot_bytes
                self._map.madvise(mmap.MADV_REMOVE, at, self.slot_bytes)
            return not any(states)

    def view(self, ref: SlotRef) -> NDArray[Any]:
        """The slot's memory as [tokens, width]."""
        at = self._header.data_at + ref.index * self.slot_bytes
        return np.ndarray((ref.tokens, ref.width), DTYPES[ref.dtype], self._map, at)

    def _wait_for(
        self,
        find: Callable[[], int | None],
        begin: Callable[[int], _Slot],
        event_fd: int,
        timeout_s: float,
    ) -> _Slot | None:
        """Wait until `find` returns a slot, then begin with it; None on time-out."""
        until_s = time.monotonic() + timeout_s
        while True:
            with self._lock:
                index = find()
                if index is not None:
                    return begin(index)
                with contextlib.suppress(BlockingIOError):
                    os.eventfd_read(event_fd)
                owners = {self._header.owner(index) for index in self._busy()}
            if not sleep_until(event_fd, owners, until_s):
                return None

    def _begin_read(self, index: int) -> ReadSlot:
        self._header.set_owner(index, *this_process())
        self._header.set_state(index, READING)
        return ReadSlot(self, self._header.fill(index))

    def _let_go(self, index: int, after: SlotState) -> None:
        """Store a state without an owner, after signalling the processes that may wait for it."""
        if after == READY:
            os.eventfd_write(self._readable_fd, 1)
        if after == FREE or self._header.droppable(index):
            os.eventfd_write(self._room_fd, 1)
        self._header.set_state(index, after)

    def _require(self, ref: SlotRef, state: SlotState) -> None:
        if not 0 <= ref.index < self.slots:
            raise SlotGone(f"there is no slot {ref.index}")
        if state == READY and self._header.state(ref.index) == READING:
            self._reclaim()
        there = self._header.state(ref.index) == state and self._header.sequence(ref.index) == ref.sequence
        if not there or (state == READY and self._header.expired(ref.index, time.monotonic_ns())):
            raise SlotGone(f"the rows of slot {ref.index}, sequence {ref.sequence} are gone")

    def _require_rows(self, ref: SlotRef) -> None:
        """Raises SlotGone unless these rows are in their slot, read by somebody or not."""
        with self._lock:
            reading = 0 <= ref.index < self.slots and self._header.state(ref.index) == READING
            if not reading or self._header.sequence(ref.index) != ref.sequence:
                self._require(ref, READY)

    def _find_unread(self) -> int | None:
        found = self._oldest_unread()
        if found is None or time.monotonic() > self._reclaimed_s + RECLAIM_S:
            self._reclaim()
            found = self._oldest_unread()
        return found

    def _oldest_unread(self) -> int | None:
        now_ns = time.monotonic_ns()
        unread = [index for index, state in enumerate(self._header.states()) if state == READY]
        return self._oldest([index for index in unread if not self._header.expired(index, now_ns)])

    def _find_room(self) -> int | None:
        states = self._header.states()
        if FREE not in states:
            states = self._reclaim()
        if FREE in states:
            return states.index(FREE)
        return self._oldest(
            [i for i, state in enumerate(states) if state == READY and self._header.droppable(i)]
        )

    def _oldest(self, indices: list[int]) -> int | None:
        """The slot of the lowest sequence number."""
        return min(indices, key=self._header.sequence, default=None)

    def _busy(self) -> list[int]:
        return [index for index, state in enumerate(self._header.states()) if state in (WRITING, READING)]

    def _reclaim(self) -> list[int]:
        """Free the slots of dead owners and of expired live rows; returns the states after that."""
        self._reclaimed_s = time.monotonic()
        for index in self._busy():
            if not alive(*self._header.owner(index)):
                self._let_go(index, FREE if self._header.state(index) == WRITING else READY)
        now_ns = time.monotonic_ns()
        for index, state in enumerate(self._header.states()):
            if state == READY and self._header.expired(index, now_ns):
                self._let_go(index, FREE)
        return self._header.states()

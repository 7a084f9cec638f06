"""Token-aware ring in shared memory: image rows pass from one process to another without a copy on our side.

A slot goes FREE -> ALLOCATED_FOR_WRITE -> READY_TO_READ -> ALLOCATED_FOR_READ -> FREE. The producer fills the
slot where it lies, the consumer binds the same memory as its input. Which slot is meant travels as a
`SlotRef`, or not at all: `take` gives the oldest unread rows to a process that shares only the ring.
The slot states are those of NanoMind's token-aware buffer (design, section 3).

Nobody can wedge a slot. Every change happens under a lock that the kernel takes back when its holder dies,
names its owner first and ends with the store of the one state word, so a process killed at any point leaves
either the old state or one whose dead owner is known: a slot being written becomes free, one being read
becomes readable again.

Nobody spins, and nobody sleeps through anything. Two eventfds say that something may have become readable, or
free; they are signalled before the state is stored and taken back only under the lock, by a process that
found nothing. So a kill between signal and store costs a needless look, never a wake-up. A sleeper also
watches the owners of slots in use, and wakes when one of them dies.

A full ring drops its oldest unread live frame. Live rows past their deadline are gone at once: nobody is
given them, and their slot counts as free. So rows that were forgotten, because a request was cancelled at the
moment of its answer, hold neither a slot nor memory for ever. A frame meant for memory is never dropped.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import os
import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from models.brick import SlotRef
from models.ring.header import DTYPES, Fill, Header, SlotState, create_file
from models.ring.owner import Lock, alive, sleep_until, this_process

RECLAIM_S = 0.1
"""A consumer that always finds something to read looks for dead owners' slots this often, s."""

_Slot = TypeVar("_Slot")
FREE, WRITING, READY, READING = SlotState


class SlotGone(Exception):
    """The rows a reference names were read, dropped or discarded already."""


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
        """The rows won't be completed."""
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
        """Let go of the files. The mapping goes with the last array that looks into it."""
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
        """A slot to fill with [tokens, width] rows of float32 or float16; None when they don't fit, or when
        nothing may be dropped and nothing becomes free within `timeout_s`, asleep meanwhile.

        memory: the rows are meant for memory, so they may not be dropped before they are read.
        deadline_s: when live rows that are still unread become useless, on time.monotonic().
        """
        if tokens * width * DTYPES[dtype].itemsize > self.slot_bytes:
            return None

        def begin(index: int) -> WriteSlot:
            self._header.set_owner(index, *this_process())
            self._header.set_state(index, WRITING)
            return WriteSlot(self, self._header.begin_fill(index, tokens, width, dtype, memory, deadline_s))

        return self._wait_for(self._find_room, begin, self._room_fd, timeout_s)

    def take(self, timeout_s: float = 0.0) -> ReadSlot | None:
        """Start reading the oldest unread rows, asleep until there are some; None when `timeout_s` passes."""
        return self._wait_for(self._find_unread, self._begin_read, self._readable_fd, timeout_s)

    def acquire(self, ref: SlotRef) -> ReadSlot:
        """Start reading. Raises SlotGone when these rows are gone or too old, or while someone alive reads
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

    def discard(self, ref: SlotRef) -> None:
        """Free rows that nobody will read; rows that are gone already, or being read, are left alone."""
        with contextlib.suppress(SlotGone):
            self.move(ref, READY, FREE)

    def move(self, ref: SlotRef, present: SlotState, after: SlotState) -> None:
        """Finish what this process began with a slot. Raises SlotGone when it isn't its own any more."""
        with self._lock:
            self._require(ref, present)
            self._let_go(ref.index, after)

    def states(self) -> list[SlotState]:
        """State of every slot, those of dead owners and of rows past their deadline reclaimed."""
        with self._lock:
            self._reclaim()
            return [SlotState(state) for state in self._header.states()]

    def vacate(self) -> bool:
        """Give the slots' memory back to the system if all are free; True when it did."""
        with self._lock:
            self._reclaim()
            if any(self._header.states()):
                return False
            self._map.madvise(mmap.MADV_REMOVE, self._header.data_at, self.slots * self.slot_bytes)
            return True

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
        """Begin with a slot as soon as there is one."""
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
        """Store a state without an owner, after telling those who may sleep until then."""
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
        """Take slots from dead owners, and those of live rows that came too late; the states after that."""
        self._reclaimed_s = time.monotonic()
        for index in self._busy():
            if not alive(*self._header.owner(index)):
                self._let_go(index, FREE if self._header.state(index) == WRITING else READY)
        now_ns = time.monotonic_ns()
        for index, state in enumerate(self._header.states()):
            if state == READY and self._header.expired(index, now_ns):
                self._let_go(index, FREE)
        return self._header.states()

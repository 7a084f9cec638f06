"""Token-aware ring in shared memory: image rows pass from one process to another without a copy on our side.

A slot goes FREE -> ALLOCATED_FOR_WRITE -> READY_TO_READ -> ALLOCATED_FOR_READ -> FREE. The producer fills the
slot where it lies, the consumer binds the same memory as its input, and only a `SlotRef` travels.
The slot states are those of NanoMind's token-aware buffer (design, section 3).

Nobody can wedge a slot. Every change happens under a record lock that the kernel drops when its holder dies,
names its owner first and ends with the store of the one state byte, so a process killed at any point leaves
either the old state or one whose dead owner is known: a slot being written becomes free, one being read
becomes readable again. An owner is a pid with its start time, so a reused pid is no owner.

A full ring drops its oldest unread live frame; a frame meant for memory is never dropped.
"""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
import threading
from collections.abc import Iterator
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from models.brick import SlotRef

_MAGIC = 0x48425247
_PAGE = mmap.PAGESIZE
_ROW_BYTES = 4
_RING = np.dtype([("magic", "<u4"), ("slots", "<u4"), ("slot_bytes", "<u8"), ("sequence", "<u8")], align=True)
_SLOT = np.dtype(
    {
        "names": ["sequence", "owner_start", "owner_pid", "tokens", "width", "memory", "state"],
        "formats": ["<u8", "<u8", "<u4", "<u4", "<u4", "u1", "u1"],
        "offsets": [0, 8, 16, 20, 24, 28, 29],
        "itemsize": 64,
    }
)


class SlotState(IntEnum):
    """Where a slot is in its life."""

    FREE = 0
    ALLOCATED_FOR_WRITE = 1
    READY_TO_READ = 2
    ALLOCATED_FOR_READ = 3


class SlotGone(Exception):
    """The rows a reference names were read, dropped or discarded already."""


def _start_ticks(pid: int) -> int:
    """When a process started (kernel ticks); 0 for one that is gone or a zombie."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return 0
    return 0 if fields[0] in (b"Z", b"X") else int(fields[19])


class WriteSlot:
    """A slot being filled. array: float32 [tokens, width], the slot's own memory."""

    def __init__(self, ring: Ring, ref: SlotRef) -> None:
        self.ref = ref
        self.array = ring.view(ref)
        self._ring = ring

    def commit(self) -> SlotRef:
        """The rows are complete: make them readable."""
        self._ring.move(self.ref, SlotState.ALLOCATED_FOR_WRITE, SlotState.READY_TO_READ)
        return self.ref

    def abandon(self) -> None:
        """The rows won't be completed."""
        self._ring.move(self.ref, SlotState.ALLOCATED_FOR_WRITE, SlotState.FREE)


class ReadSlot:
    """A slot being read. array: float32 [tokens, width], the slot's own memory; valid until `release`."""

    def __init__(self, ring: Ring, ref: SlotRef) -> None:
        self.ref = ref
        self.array = ring.view(ref)
        self._ring = ring

    def release(self, *, keep: bool = False) -> None:
        """Done reading. keep: leave the rows readable, for a consumer that stopped early."""
        state = SlotState.READY_TO_READ if keep else SlotState.FREE
        self._ring.move(self.ref, SlotState.ALLOCATED_FOR_READ, state)


class Ring:
    """The ring as one process sees it. Safe between processes and between threads."""

    def __init__(self, fd: int) -> None:
        """fd: the ring's memory file; this object owns it from now on. Raises ValueError for another file."""
        self.fd = fd
        size = os.fstat(fd).st_size
        self._map = mmap.mmap(fd, size)
        head = np.frombuffer(self._map, _RING, 1)
        if int(head["magic"][0]) != _MAGIC:
            raise ValueError("not a ring")
        self.slots = int(head["slots"][0])
        self.slot_bytes = int(head["slot_bytes"][0])
        self._next = head["sequence"]
        self._headers = np.frombuffer(self._map, _SLOT, self.slots, 64)
        self._state = self._headers["state"]
        self._data_at = _round_up(64 + self.slots * _SLOT.itemsize)
        self._thread_lock = threading.Lock()
        self._pid = 0
        self._start = 0

    @classmethod
    def create(cls, slots: int, tokens: int, width: int) -> Ring:
        """A new ring of `slots` slots, each for up to tokens x width float32 values."""
        slot_bytes = _round_up(tokens * width * _ROW_BYTES)
        fd = os.memfd_create("headband-ring")
        os.ftruncate(fd, _round_up(64 + slots * _SLOT.itemsize) + slots * slot_bytes)
        with mmap.mmap(fd, 64) as start:
            start[: _RING.itemsize] = np.array([(_MAGIC, slots, slot_bytes, 0)], _RING).tobytes()
        return cls(fd)

    @classmethod
    def attach(cls, fd: int) -> Ring:
        """The ring behind a file received from the process that created it."""
        return cls(fd)

    def close(self) -> None:
        """Let go of the file. The mapping goes with the last array that looks into it."""
        os.close(self.fd)

    def allocate(self, tokens: int, width: int, *, memory: bool = False) -> WriteSlot | None:
        """A slot to fill with [tokens, width] rows; None when they don't fit or nothing may be dropped.

        memory: the rows are meant for memory, so they may not be dropped before they are read.
        """
        if tokens * width * _ROW_BYTES > self.slot_bytes:
            return None
        with self._locked():
            index = self._find_room()
            if index is None:
                return None
            self._own(index)
            self._state[index] = SlotState.ALLOCATED_FOR_WRITE
            header = self._headers[index]
            header["tokens"], header["width"], header["memory"] = tokens, width, memory
            self._next[0] += 1
            sequence = int(self._next[0])
            header["sequence"] = sequence
        return WriteSlot(self, SlotRef(index, sequence, tokens, width))

    def acquire(self, ref: SlotRef) -> ReadSlot:
        """Start reading. Raises SlotGone when these rows are gone, or while someone alive reads them."""
        with self._locked():
            self._reclaim()
            self._require(ref, SlotState.READY_TO_READ)
            self._own(ref.index)
            self._state[ref.index] = SlotState.ALLOCATED_FOR_READ
        return ReadSlot(self, ref)

    def read(self, ref: SlotRef) -> NDArray[np.float32]:
        """A private copy of the rows, which stay readable. Raises SlotGone."""
        slot = self.acquire(ref)
        rows = slot.array.copy()
        slot.release(keep=True)
        return rows

    def discard(self, ref: SlotRef) -> None:
        """Free rows that nobody will read; rows that are gone already, or being read, are left alone."""
        with self._locked(), contextlib.suppress(SlotGone):
            self._reclaim()
            self._require(ref, SlotState.READY_TO_READ)
            self._state[ref.index] = SlotState.FREE

    def move(self, ref: SlotRef, present: SlotState, after: SlotState) -> None:
        """Finish what this process began with a slot. Raises SlotGone when it isn't its own any more."""
        with self._locked():
            self._require(ref, present)
            self._state[ref.index] = after

    def states(self) -> list[SlotState]:
        """State of every slot, dead owners' slots reclaimed."""
        with self._locked():
            self._reclaim()
            return [SlotState(int(state)) for state in self._state]

    def vacate(self) -> bool:
        """Give the slots' memory back to the system if all are free; True when it did."""
        with self._locked():
            self._reclaim()
            if self._state.any():
                return False
            self._map.madvise(mmap.MADV_REMOVE, self._data_at, self.slots * self.slot_bytes)
            return True

    def view(self, ref: SlotRef) -> NDArray[np.float32]:
        """The slot's memory as [tokens, width]."""
        at = self._data_at + ref.index * self.slot_bytes
        return np.frombuffer(self._map, np.float32, ref.tokens * ref.width, at).reshape(ref.tokens, ref.width)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        with self._thread_lock:
            fcntl.lockf(self.fd, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.lockf(self.fd, fcntl.LOCK_UN)

    def _own(self, index: int) -> None:
        pid = os.getpid()
        if pid != self._pid:
            self._pid, self._start = pid, _start_ticks(pid)
        header = self._headers[index]
        header["owner_pid"], header["owner_start"] = pid, self._start

    def _require(self, ref: SlotRef, state: SlotState) -> None:
        if not 0 <= ref.index < self.slots:
            raise SlotGone(f"there is no slot {ref.index}")
        if self._state[ref.index] != state or int(self._headers[ref.index]["sequence"]) != ref.sequence:
            raise SlotGone(f"the rows of slot {ref.index}, sequence {ref.sequence} are gone")

    def _find_room(self) -> int | None:
        for _ in range(2):
            free = np.flatnonzero(self._state == SlotState.FREE)
            if free.size:
                return int(free[0])
            if not self._reclaim():
                break
        unread = np.flatnonzero((self._state == SlotState.READY_TO_READ) & (self._headers["memory"] == 0))
        if not unread.size:
            return None
        return int(unread[np.argmin(self._headers["sequence"][unread])])

    def _reclaim(self) -> bool:
        """Take slots from dead owners; True when that freed one."""
        freed = False
        for index in np.flatnonzero(self._state % 2):
            header = self._headers[index]
            start = int(header["owner_start"])
            if start and _start_ticks(int(header["owner_pid"])) == start:
                continue
            writing = self._state[index] == SlotState.ALLOCATED_FOR_WRITE
            self._state[index] = SlotState.FREE if writing else SlotState.READY_TO_READ
            freed = freed or writing
        return bool(freed)


def _round_up(size: int) -> int:
    return -(-size // _PAGE) * _PAGE

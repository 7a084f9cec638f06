"""The ring's memory file: one page or more of header, then the slots, each a whole number of pages.

The header is an array of 64-bit words in the machine's byte order. A word is aligned and stored by one
instruction, so a process killed at any point leaves each word either old or new.

    word 0..3        magic; number of slots; bytes of a slot; sequence number last given out
    word 8 + 8 i..   slot i: state, owner's pid, owner's start, sequence, tokens, width, kind, deadline

`state` is a `SlotState`. The owner is the process that writes or reads the slot: its pid, and when it started
in kernel ticks. `sequence` says which fill of the slot this is; `tokens` and `width` are its rows' shape.
`kind` is the type of the values (bits 0 to 7, an index into DTYPES) and, in bit 8, whether the rows are meant
for memory. `deadline` is CLOCK_MONOTONIC in ns, 0 for none; live rows past it may be dropped.
"""

from __future__ import annotations

import math
import mmap
import os
import struct
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from models.brick import SlotRef

DTYPES = {name: np.dtype(name) for name in ("float32", "float16")}
_KINDS = tuple(DTYPES)
_MAGIC = 0x4842_5247
_PAGE = mmap.PAGESIZE
_WORD = 8
_RING_WORDS = _SLOT_WORDS = 8
_LAST_SEQUENCE = 3
_STATE, _OWNER, _, _FILL, _, _, _KIND, _DEADLINE_NS = range(_SLOT_WORDS)
_OWNER_WORDS, _FILL_WORDS = struct.Struct("@2Q"), struct.Struct("@5Q")
_MEMORY = 1 << 8


class SlotState(IntEnum):
    """States of a slot."""

    FREE = 0
    ALLOCATED_FOR_WRITE = 1
    READY_TO_READ = 2
    ALLOCATED_FOR_READ = 3


class Fill(NamedTuple):
    """Description of the rows in a slot."""

    ref: SlotRef
    memory: bool


def create_file(slots: int, slot_bytes: int) -> int:
    """A memory file for a ring of empty slots of at least so many bytes."""
    fd = os.memfd_create("headband-ring")
    size = _round_up(slot_bytes)
    os.ftruncate(fd, _data_at(slots) + slots * size)
    os.pwrite(fd, np.array([_MAGIC, slots, size], np.uint64).tobytes(), 0)
    return fd


class Header:
    """The header of a mapped ring. Not locked: callers hold the ring's lock."""

    def __init__(self, memory: mmap.mmap) -> None:
        """Raises ValueError for memory that isn't a ring."""
        words = memoryview(memory)[: len(memory) // _WORD * _WORD].cast("Q")
        self.slots, self.slot_bytes = int(words[1]), int(words[2])
        self.data_at = _data_at(self.slots)
        if words[0] != _MAGIC or len(memory) != self.data_at + self.slots * self.slot_bytes:
            raise ValueError("not a ring")
        self._memory = memory
        self._words = words[: _RING_WORDS + self.slots * _SLOT_WORDS]
        self._states = self._words[_RING_WORDS + _STATE :: _SLOT_WORDS]

    def states(self) -> list[int]:
        """State of every slot."""
        return self._states.tolist()

    def state(self, index: int) -> int:
        return self._states[index]

    def set_state(self, index: int, state: SlotState) -> None:
        self._states[index] = state

    def sequence(self, index: int) -> int:
        return self._words[_at(index) + _FILL]

    def owner(self, index: int) -> tuple[int, int]:
        """pid and start of the process that last took the slot."""
        pid, start = _OWNER_WORDS.unpack_from(self._memory, _WORD * (_at(index) + _OWNER))
        return pid, start

    def set_owner(self, index: int, pid: int, start: int) -> None:
        """To be called before storing a state with an owner."""
        _OWNER_WORDS.pack_into(self._memory, _WORD * (_at(index) + _OWNER), pid, start)

    def droppable(self, index: int) -> bool:
        """Whether unread rows may be overwritten: live ones may, those for memory may not."""
        return not self._words[_at(index) + _KIND] & _MEMORY

    def expired(self, index: int, now_ns: int) -> bool:
        """Whether the rows are live and past their deadline."""
        return 0 < self._words[_at(index) + _DEADLINE_NS] < now_ns and self.droppable(index)

    def begin_fill(
        self, index: int, tokens: int, width: int, dtype: str, memory: bool, deadline_s: float
    ) -> Fill:
        """Describe the rows to come, under a sequence number that no other fill has."""
        sequence = self._words[_LAST_SEQUENCE] + 1
        self._words[_LAST_SEQUENCE] = sequence
        kind = _KINDS.index(dtype) | (_MEMORY if memory else 0)
        deadline_ns = 0 if deadline_s == math.inf else max(1, round(deadline_s * 1e9))
        at = _WORD * (_at(index) + _FILL)
        _FILL_WORDS.pack_into(self._memory, at, sequence, tokens, width, kind, deadline_ns)
        return Fill(SlotRef(index, sequence, tokens, width, dtype), memory)

    def fill(self, index: int) -> Fill:
        at = _WORD * (_at(index) + _FILL)
        sequence, tokens, width, kind, _ = _FILL_WORDS.unpack_from(self._memory, at)
        ref = SlotRef(index, sequence, tokens, width, _KINDS[kind & 0xFF])
        return Fill(ref, bool(kind & _MEMORY))


def _at(index: int) -> int:
    return _RING_WORDS + index * _SLOT_WORDS


def _data_at(slots: int) -> int:
    return _round_up(_WORD * (_RING_WORDS + slots * _SLOT_WORDS))


def _round_up(size: int) -> int:
    return -(-size // _PAGE) * _PAGE

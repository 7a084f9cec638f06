"""The ring: random schedules, threads and processes, and a kill of either side."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from models.brick import SlotRef
from models.ring import ReadSlot, Ring, SlotGone, SlotState, WriteSlot

SLOTS, TOKENS, WIDTH = 3, 4, 8


def fill(slot: WriteSlot) -> SlotRef:
    """Rows whose every value is the slot's sequence number."""
    slot.array[:] = slot.ref.sequence
    return slot.commit()


def allocate(ring: Ring, *, memory: bool = False) -> WriteSlot:
    slot = ring.allocate(TOKENS, WIDTH, memory=memory)
    assert slot is not None
    return slot


class RingMachine(RuleBasedStateMachine):
    """Any order of calls: what is read is what was written, memory frames survive, slots are never lost."""

    writing = Bundle("writing")
    ready = Bundle("ready")
    reading = Bundle("reading")

    def __init__(self) -> None:
        super().__init__()
        self.ring = Ring.create(SLOTS, TOKENS, WIDTH)
        self.expected: dict[int, tuple[int, bool]] = {}
        self.busy = 0

    def teardown(self) -> None:
        self.ring.close()

    @rule(target=writing, memory=st.booleans())
    def allocate(self, memory: bool) -> tuple[WriteSlot | None, bool]:
        slot = self.ring.allocate(TOKENS, WIDTH, memory=memory)
        kept = sum(kind for _, kind in self.expected.values())
        live = sorted(sequence for sequence, kind in self.expected.values() if not kind)
        if slot is None:
            assert self.busy + kept == SLOTS
            return None, memory
        if self.busy + len(self.expected) == SLOTS:
            assert self.expected.pop(slot.ref.index) == (live[0], False)
        self.busy += 1
        return slot, memory

    @rule(target=ready, item=consumes(writing))
    def commit(self, item: tuple[WriteSlot | None, bool]) -> SlotRef | None:
        slot, memory = item
        if slot is None:
            return None
        self.busy -= 1
        self.expected[slot.ref.index] = (slot.ref.sequence, memory)
        return fill(slot)

    @rule(item=consumes(writing))
    def abandon(self, item: tuple[WriteSlot | None, bool]) -> None:
        if item[0] is not None:
            self.busy -= 1
            item[0].abandon()

    @rule(target=reading, ref=consumes(ready))
    def acquire(self, ref: SlotRef | None) -> tuple[ReadSlot, bool] | None:
        if ref is None:
            return None
        sequence, memory = self.expected.get(ref.index, (0, False))
        if sequence != ref.sequence:
            with pytest.raises(SlotGone):
                self.ring.acquire(ref)
            return None
        slot = self.ring.acquire(ref)
        del self.expected[ref.index]
        self.busy += 1
        assert (slot.array == ref.sequence).all()
        return slot, memory

    @rule(item=consumes(reading), keep=st.booleans())
    def release(self, item: tuple[ReadSlot, bool] | None, keep: bool) -> None:
        if item is None:
            return
        slot, memory = item
        assert (slot.array == slot.ref.sequence).all()
        slot.release(keep=keep)
        self.busy -= 1
        if keep:
            self.expected[slot.ref.index] = (slot.ref.sequence, memory)

    @invariant()
    def every_slot_is_accounted_for(self) -> None:
        states = self.ring.states()
        assert states.count(SlotState.READY_TO_READ) == len(self.expected)
        assert sum(state % 2 for state in states) == self.busy


TestRing = RingMachine.TestCase
TestRing.settings = settings(
    max_examples=40, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)


def test_rows_are_the_slot_itself_and_survive_the_process_that_wrote_them():
    ring = Ring.create(SLOTS, TOKENS, WIDTH)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        ref = fill(allocate(Ring.attach(os.dup(ring.fd))))
        os.write(write, bytes([ref.index, ref.sequence]))
        os._exit(0)
    index, sequence = os.read(read, 2)
    os.waitpid(child, 0)
    slot = ring.acquire(SlotRef(index, sequence, TOKENS, WIDTH))
    assert slot.array.base is not None and not slot.array.flags.owndata
    assert (slot.array == sequence).all()
    slot.release()
    assert ring.states() == [SlotState.FREE] * SLOTS
    os.close(read)
    os.close(write)
    ring.close()


@pytest.mark.parametrize("reading", [False, True])
def test_a_killed_owner_never_wedges_a_slot(reading: bool):
    ring = Ring.create(1, TOKENS, WIDTH)
    ref = fill(allocate(ring)) if reading else None
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        other = Ring.attach(os.dup(ring.fd))
        _kept = other.acquire(ref) if ref is not None else other.allocate(TOKENS, WIDTH)
        os.write(tell, b"x")
        signal.pause()
    os.read(ready, 1)
    busy = SlotState.ALLOCATED_FOR_READ if reading else SlotState.ALLOCATED_FOR_WRITE
    assert ring.states() == [busy]
    assert ring.allocate(TOKENS, WIDTH) is None
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if ref is not None:
        ring.acquire(ref).release()
    assert fill(allocate(ring)).sequence > 0
    for fd in (ready, tell):
        os.close(fd)
    ring.close()


def test_kills_at_random_moments_leave_a_ring_that_works():
    ring = Ring.create(2, TOKENS, WIDTH)
    random = np.random.default_rng(1)
    for _ in range(30):
        child = os.fork()
        if child == 0:
            other = Ring.attach(os.dup(ring.fd))
            while True:
                slot = other.allocate(TOKENS, WIDTH)
                if slot is not None:
                    other.acquire(fill(slot)).release(keep=bool(slot.ref.sequence % 2))
        threading.Event().wait(float(random.uniform(0.0, 0.01)))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        ref = fill(allocate(ring))
        assert (ring.read(ref) == ref.sequence).all()
        ring.discard(ref)
    ring.close()


def test_a_full_ring_drops_the_oldest_live_frame_and_never_a_memory_frame():
    ring = Ring.create(3, TOKENS, WIDTH)
    kept = fill(allocate(ring, memory=True))
    oldest, newer = fill(allocate(ring)), fill(allocate(ring))
    latest = fill(allocate(ring))
    with pytest.raises(SlotGone):
        ring.read(oldest)
    assert all((ring.read(ref) == ref.sequence).all() for ref in (kept, newer, latest))
    fill(allocate(ring, memory=True))
    fill(allocate(ring, memory=True))
    assert ring.allocate(TOKENS, WIDTH) is None
    assert (ring.read(kept) == kept.sequence).all()
    ring.close()


def test_rows_that_do_not_fit_are_refused_and_freed_memory_is_returned():
    ring = Ring.create(2, 256, 256)
    assert ring.allocate(257, 256) is None
    ref = fill(allocate(ring))
    assert not ring.vacate()
    ring.discard(ref)
    ring.discard(ref)
    assert ring.vacate()
    assert os.fstat(ring.fd).st_blocks * 512 <= 4096
    ring.close()


def test_another_file_is_no_ring():
    fd = os.memfd_create("other")
    os.ftruncate(fd, 4096)
    with pytest.raises(ValueError, match=r"not a ring"):
        Ring(fd)
    os.close(fd)

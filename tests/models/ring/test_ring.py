"""The ring: its rows, its policy for dropping them, and waiting processes."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from models.brick import SlotRef
from models.ring.header import SlotState
from models.ring.ring import Ring, SlotGone, WriteSlot
from tests.eval.ring.stress import stress
from tests.models.ring.ring_players import SLOTS, TOKENS, WIDTH, Player, attach, fill, whole
from tests.models.ring.ring_witness import ring_pages

ROWS = (729, 896)
"""Rows and width of one picture for the standard pack's decoder."""


@pytest.fixture
def ring() -> Iterator[Ring]:
    ring = Ring.create(SLOTS, TOKENS, WIDTH)
    yield ring
    ring.close()


@pytest.fixture
def player(ring: Ring) -> Iterator[Player]:
    player = Player(ring)
    yield player
    player.end()


def allocate(ring: Ring, *, memory: bool = False, deadline_s: float = math.inf) -> WriteSlot:
    slot = ring.allocate(TOKENS, WIDTH, memory=memory, deadline_s=deadline_s)
    assert slot is not None
    return slot


def test_rows_are_looked_at_beside_a_reader_and_only_as_long_as_they_are_there(ring: Ring) -> None:
    def refilled(ring: Ring) -> None:
        for _ in range(SLOTS):
            allocate(ring).commit()

    def looked_at(ref: SlotRef) -> bool:
        with ring.peek(ref) as rows:
            return bool((rows == 3).all())

    slot = allocate(ring)
    slot.array[:] = 3
    with pytest.raises(SlotGone):
        looked_at(slot.ref)
    ref = slot.commit()
    assert looked_at(ref) and ring.holds(ref)
    reading = ring.acquire(ref)
    assert looked_at(ref)
    reading.release(keep=True)
    with pytest.raises(SlotGone), ring.peek(ref):
        ring.discard(ref)
    with pytest.raises(SlotGone):
        looked_at(ref)
    for absent in (replace(ref, index=-1), replace(ref, index=SLOTS), replace(ref, sequence=99)):
        with pytest.raises(SlotGone):
            looked_at(absent)
    late = allocate(ring, deadline_s=time.monotonic() - 1).commit()
    with pytest.raises(SlotGone):
        looked_at(late)
    again = allocate(ring)
    again.array[:] = 3
    ref = again.commit()
    with pytest.raises(SlotGone), ring.peek(ref):
        refilled(ring)


def produce_traced(ring: Ring, go_fd: int, tell_fd: int) -> None:
    """The producer of the next test: reports whether its rows are in the ring and whether it allocated no
    memory for them; on request, their contents.
    """
    tracemalloc.start()
    slot = ring.allocate(*ROWS, dtype="float16")
    assert slot is not None
    slot.array[:] = 1.5
    slot.commit()
    small = tracemalloc.get_traced_memory()[1] < slot.array.nbytes // 20
    inside = any(slot.array.ctypes.data in pages for pages in ring_pages())
    os.write(tell_fd, bytes([inside, small]))
    os.read(go_fd, 1)
    os.write(tell_fd, bytes([int(slot.array[0, 0])]))
    signal.pause()


def test_rows_pass_without_a_copy_on_our_side():
    """The arrays of both processes are the ring's pages: a value stored by one is at once seen by the other,
    and neither allocates memory for rows.
    """
    ring = Ring.create(2, *ROWS, "float16")
    to_child, to_parent = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        try:
            produce_traced(attach(ring), to_child[0], to_parent[1])
        finally:
            os._exit(1)
    os.close(to_parent[1])
    assert tuple(os.read(to_parent[0], 2)) == (True, True)
    tracemalloc.start()
    taken = ring.take()
    taken_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken is not None and taken.array.dtype == np.float16 and taken.array.shape == ROWS
    assert (taken.array == 1.5).all() and taken.array.flags.c_contiguous
    assert taken_bytes < taken.array.nbytes // 20
    start, end = taken.array.ctypes.data, taken.array.ctypes.data + taken.array.nbytes - 1
    assert any(start in pages and end in pages for pages in ring_pages())
    taken.array[0, 0] = 7.0
    os.write(to_child[1], b"x")
    assert os.read(to_parent[0], 1) == bytes([7]), "the producer's array is the consumer's"
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    for fd in (*to_child, to_parent[0]):
        os.close(fd)
    ring.close()


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_slot_holds_rows_of_either_type(dtype: str):
    ring = Ring.create(1, TOKENS, WIDTH, "float32")
    slot = ring.allocate(TOKENS, WIDTH, dtype=dtype)
    assert slot is not None and slot.array.dtype == dtype
    slot.array[:] = np.arange(TOKENS * WIDTH).reshape(TOKENS, WIDTH)
    ref = slot.commit()
    assert ref.dtype == dtype
    assert (ring.read(ref) == np.arange(TOKENS * WIDTH).reshape(TOKENS, WIDTH)).all()
    ring.close()


def test_rows_that_do_not_fit_are_refused_and_freed_memory_is_returned():
    ring = Ring.create(2, 256, 256, "float16")
    assert ring.allocate(257, 256, dtype="float16") is None
    assert ring.allocate(256, 256, dtype="float32") is None
    ref = fill(allocate(ring))
    assert not ring.vacate()
    ring.discard(ref)
    ring.discard(ref)
    assert ring.vacate()
    assert os.fstat(ring.fds[0]).st_blocks * 512 <= 4096
    ring.close()


def test_nothing_is_left_of_rows_once_their_memory_is_returned():
    ring = Ring.create(3, TOKENS, WIDTH)
    kept, gone = fill(allocate(ring)), fill(allocate(ring))
    ring.discard(gone)
    assert ring.view(gone).any()
    assert not ring.vacate()
    assert not ring.view(gone).any() and (ring.read(kept) == kept.sequence).all()
    ring.close()


def test_another_file_is_no_ring():
    fd = os.memfd_create("other")
    os.ftruncate(fd, 4096)
    with pytest.raises(ValueError, match=r"not a ring"):
        Ring(fd, -1, -1)
    os.close(fd)


def test_a_full_ring_drops_the_oldest_live_frame_and_never_a_memory_frame(ring: Ring):
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


def test_live_rows_past_their_deadline_are_nobodys_and_hold_no_slot(ring: Ring):
    kept = fill(allocate(ring, memory=True, deadline_s=time.monotonic() - 1.0))
    soon_s = time.monotonic() + 0.5
    late = fill(allocate(ring, deadline_s=soon_s))
    good = fill(allocate(ring, deadline_s=soon_s + 1000.0))
    slot = ring.acquire(late)
    time.sleep(soon_s + 0.1 - time.monotonic())
    assert (slot.array == late.sequence).all()  # who reads already, reads to the end
    slot.release(keep=True)
    with pytest.raises(SlotGone):
        ring.read(late)
    first, second = ring.take(), ring.take()
    assert first is not None and first.ref == kept and first.memory
    assert second is not None and second.ref == good
    assert ring.take() is None
    for taken in (first, second):
        taken.release()
    assert ring.vacate()


def test_a_consumer_sleeps_until_another_process_has_rows_for_it(ring: Ring, player: Player):
    player.tell("asleep", 30.0)
    time.sleep(0.3)
    ref = fill(allocate(ring))
    taken, used_s = player.answer()
    assert taken == (ref, True)
    assert used_s < 0.05, "it slept"


def test_waiting_ends_when_its_time_is_up(ring: Ring):
    start_s = time.monotonic()
    assert ring.take(0.05) is None
    for _ in range(SLOTS):
        fill(allocate(ring, memory=True))
    assert ring.allocate(TOKENS, WIDTH, timeout_s=0.05) is None
    assert time.monotonic() - start_s >= 0.1


def test_a_consumer_wakes_when_the_one_that_reads_dies(ring: Ring, player: Player):
    ref = fill(allocate(ring))
    assert player.ask("take") == (ref, True)
    killer = threading.Timer(0.1, player.end)
    killer.start()
    slot = ring.take(30.0)
    assert slot is not None and slot.ref == ref and whole(slot)
    killer.join()


@pytest.mark.parametrize("death", [False, True])
def test_a_producer_sleeps_until_there_is_room(ring: Ring, player: Player, death: bool):
    ref = player.ask("allocate", True, math.inf)
    for _ in range(SLOTS - 1):
        fill(allocate(ring, memory=True))
    actor = threading.Timer(0.1, player.end) if death else threading.Timer(0.1, player.tell, ("abandon", ref))
    actor.start()
    slot = ring.allocate(TOKENS, WIDTH, memory=True, timeout_s=30.0)
    assert slot is not None and slot.ref.index == ref.index
    actor.join()


def test_a_sleeping_producer_takes_the_room_of_a_live_frame(ring: Ring, player: Player):
    live = player.ask("allocate", False, math.inf)
    for _ in range(SLOTS - 1):
        fill(allocate(ring, memory=True))
    actor = threading.Timer(0.1, player.tell, ("commit", live))
    actor.start()
    slot = ring.allocate(TOKENS, WIDTH, timeout_s=30.0)
    assert slot is not None and slot.ref.index == live.index
    actor.join()


def test_one_of_several_sleepers_gets_each_fill(ring: Ring):
    sleepers = [Player(ring) for _ in range(3)]
    for sleeper in sleepers:
        sleeper.tell("take", 30.0)
    refs = {fill(allocate(ring, memory=True)) for _ in range(SLOTS)}
    assert {sleeper.answer()[0] for sleeper in sleepers} == refs
    for sleeper in sleepers:
        sleeper.end()


def test_many_slots_between_many_processes_arrive_whole_and_once():
    figures = stress(3000)
    assert figures.slots == 3000 and figures.lost == figures.twice == figures.torn == 0


def test_threads_share_an_attachment_and_attachments_share_a_process(ring: Ring):
    """Many threads over two attachments: every number arrives once."""
    rings = [ring, attach(ring)]
    got: list[int] = []

    def consume(ring: Ring) -> None:
        while (slot := ring.take(30.0)) is not None:
            value = int(slot.array[0, 0])
            slot.release()
            if value < 0:
                return
            got.append(value)

    consumers = [threading.Thread(target=consume, args=(rings[i % 2],)) for i in range(4)]
    for thread in consumers:
        thread.start()
    for value in [*range(200), *([-1] * len(consumers))]:
        slot = rings[value % 2].allocate(TOKENS, WIDTH, memory=True, timeout_s=30.0)
        assert slot is not None
        slot.array[:] = value
        slot.commit()
    for thread in consumers:
        thread.join()
    assert sorted(got) == list(range(200))
    assert ring.states() == [SlotState.FREE] * SLOTS
    rings[1].close()


def test_late_rows_do_not_hide_those_of_a_reader_that_died(ring: Ring, player: Player):
    kept = fill(allocate(ring, memory=True))
    assert player.ask("take") == (kept, True)
    fill(allocate(ring, deadline_s=time.monotonic() - 1.0))
    player.end()
    slot = ring.take()
    assert slot is not None and slot.ref == kept

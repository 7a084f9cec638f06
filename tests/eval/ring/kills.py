"""Kills of the processes at both ends of a ring at random times: is a slot ever lost, or its data torn?"""

from __future__ import annotations

import mmap
import multiprocessing
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from models.ring.header import Header, SlotState
from models.ring.ring import Ring
from tests.models.ring.ring_players import SLOTS, TOKENS, WIDTH, attach, fill, whole

_FORK = multiprocessing.get_context("fork")
_LONGEST_LIFE_S = 0.003
_PATIENCE_S = 5.0
_PASSED, _TORN = range(2)


@dataclass(frozen=True)
class KillFigures:
    """The effects of the kills."""

    kills: int = 0
    in_hand: int = 0
    """slots that the killed processes were writing or reading"""
    passed: int = 0
    """fills that went through the ring between kills"""
    wedged: int = 0
    """slots that could not be filled and read afterwards"""
    torn: int = 0
    """fills that were read and were not what was written"""


def _produce(ring: Ring, counts: mmap.mmap) -> None:
    while True:
        slot = ring.allocate(TOKENS, WIDTH, memory=True, timeout_s=_PATIENCE_S)
        assert slot is not None
        if slot.ref.sequence % 8:
            fill(slot)
        else:
            slot.abandon()


def _consume(ring: Ring, counts: mmap.mmap) -> None:
    figures = np.frombuffer(counts, np.uint64)
    while True:
        slot = ring.take(_PATIENCE_S)
        assert slot is not None
        if not whole(slot):
            figures[_TORN] += 1
        slot.release(keep=not slot.ref.sequence % 7)
        figures[_PASSED] += 1


def _live(work: Callable[[Ring, mmap.mmap], None], ring: Ring, counts: mmap.mmap, born_fd: int) -> None:
    own = attach(ring)
    os.write(born_fd, b"x")
    work(own, counts)


def _probe(ring: Ring) -> tuple[int, int]:
    """Numbers of slots that cannot be filled and read, and of torn fills, without other processes at the
    ring.
    """
    torn = 0
    while (unread := ring.take()) is not None:
        torn += not whole(unread)
        unread.release()
    fills = 0
    while fills < SLOTS and (room := ring.allocate(TOKENS, WIDTH, memory=True)) is not None:
        fill(room)
        fills += 1
    reads = 0
    while (taken := ring.take()) is not None:
        reads += whole(taken)
        taken.release()
    freed = ring.states().count(SlotState.FREE)
    return SLOTS - min(fills, reads, freed), torn


def kill_at_random(kills: int, seed: int) -> KillFigures:
    """Kills producers and consumers of a ring at independent random times, `kills` in total."""
    rng = np.random.default_rng(seed)
    ring = Ring.create(SLOTS, TOKENS, WIDTH)
    header = Header(mmap.mmap(ring.fds[0], os.fstat(ring.fds[0]).st_size))
    counts = mmap.mmap(-1, mmap.PAGESIZE)
    figures = KillFigures()
    born, tell = os.pipe()
    while figures.kills < kills:
        workers = [
            _FORK.Process(target=_live, args=(work, ring, counts, tell), daemon=True)
            for work in (_produce, _consume)
        ]
        for worker in workers:
            worker.start()
        for _ in workers:
            os.read(born, 1)
        for which in rng.permutation(2):
            time.sleep(rng.uniform(0.0, _LONGEST_LIFE_S))
            workers[which].kill()
            workers[which].join()
        busy = SlotState.ALLOCATED_FOR_WRITE, SlotState.ALLOCATED_FOR_READ
        in_hand = sum(state in busy for state in header.states())
        wedged, torn = _probe(ring)
        figures = replace(
            figures,
            kills=figures.kills + len(workers),
            in_hand=figures.in_hand + in_hand,
            wedged=figures.wedged + wedged,
            torn=figures.torn + torn,
        )
        for worker in workers:
            worker.close()
    passed, torn_read = np.frombuffer(counts, np.uint64)[: _TORN + 1].tolist()
    for fd in (born, tell):
        os.close(fd)
    ring.close()
    return replace(figures, passed=passed, torn=figures.torn + torn_read)

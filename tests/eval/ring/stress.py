"""Many small slots between several producers and consumers: is any lost, torn or delivered twice?"""

from __future__ import annotations

import mmap
import multiprocessing
import time
import zlib
from dataclasses import dataclass

import numpy as np

from models.ring.ring import Ring
from tests.models.ring.ring_players import attach

_FORK = multiprocessing.get_context("fork")
_SLOTS, _TOKENS, _WIDTH = 32, 4, 16
_PATIENCE_S = 60.0
_PRODUCER, _SERIAL, _CHECKSUM, _PAYLOAD = range(4)


@dataclass(frozen=True)
class StressFigures:
    """The outcome of the slots."""

    slots: int
    lost: int
    twice: int
    torn: int
    seconds: float


def _produce(ring: Ring, producer: int, count: int) -> None:
    """`count` fills, each with its producer, its serial number, random words, and their checksum."""
    own = attach(ring)
    words = np.random.default_rng(producer).integers(0, 2**32, _TOKENS * _WIDTH, np.uint32)
    for serial in range(count):
        slot = own.allocate(_TOKENS, _WIDTH, memory=True, timeout_s=_PATIENCE_S)
        assert slot is not None, "no room came"
        words[_PAYLOAD:] += np.uint32(2_654_435_761)
        words[_PRODUCER], words[_SERIAL] = producer, serial
        words[_CHECKSUM] = _checksum(words)
        slot.array.view(np.uint32).reshape(-1)[:] = words
        slot.commit()


def _consume(ring: Ring, arrivals: mmap.mmap, torn: mmap.mmap, shape: tuple[int, int]) -> None:
    """Counts the fills that arrive, until one of a single word, which marks the end."""
    own = attach(ring)
    counts = np.frombuffer(arrivals, np.uint8, shape[0] * shape[1]).reshape(shape)
    while True:
        slot = own.take(_PATIENCE_S)
        assert slot is not None, "no rows came"
        if slot.ref.tokens == 1:
            slot.release()
            return
        words = slot.array.view(np.uint32).reshape(-1)
        if words[_CHECKSUM] == _checksum(words) and words[_PRODUCER] < shape[0] and words[_SERIAL] < shape[1]:
            counts[words[_PRODUCER], words[_SERIAL]] += 1
        else:
            np.frombuffer(torn, np.uint64)[0] += 1
        slot.release()


def _checksum(words: np.ndarray) -> int:
    return zlib.crc32(words[_PAYLOAD:].data, int(words[_PRODUCER]) << 24 ^ int(words[_SERIAL]))


def stress(slots: int, producers: int = 3, consumers: int = 3) -> StressFigures:
    """Passes at least `count` slots, none of which may be dropped, between processes."""
    each = -(-slots // producers)
    shape = (producers, each)
    ring = Ring.create(_SLOTS, _TOKENS, _WIDTH)
    arrivals = [mmap.mmap(-1, producers * each) for _ in range(consumers)]
    torn = [mmap.mmap(-1, mmap.PAGESIZE) for _ in range(consumers)]
    start_s = time.monotonic()
    sources = [_FORK.Process(target=_produce, args=(ring, i, each), daemon=True) for i in range(producers)]
    sinks = [
        _FORK.Process(target=_consume, args=(ring, arrivals[i], torn[i], shape), daemon=True)
        for i in range(consumers)
    ]
    for process in sources + sinks:
        process.start()
    for process in sources:
        process.join()
    for _ in sinks:
        last = ring.allocate(1, 1, memory=True, timeout_s=_PATIENCE_S)
        assert last is not None
        last.commit()
    for process in sinks:
        process.join()
    if any(process.exitcode for process in sources + sinks):
        raise RuntimeError("a process of the stress run ended early")
    total = sum(np.frombuffer(memory, np.uint8).astype(np.uint16) for memory in arrivals)
    assert isinstance(total, np.ndarray)
    seconds = time.monotonic() - start_s
    torn_count = sum(int(np.frombuffer(memory, np.uint64)[0]) for memory in torn)
    ring.close()
    return StressFigures(
        producers * each, int((total == 0).sum()), int((total > 1).sum()), torn_count, seconds
    )

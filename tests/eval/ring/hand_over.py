"""Hand-over of a picture's rows between processes: by the ring, a serialising queue, or a pipe of raw bytes.

The latency is the time from complete rows in the producer to an array in the consumer. Allocating a slot
before the rows are made, which only the ring needs, is measured separately. Processor time is that of all
threads of both processes for allocation and hand-over, without making and checking the rows. Between pictures
the producer sleeps, so that caches are cold, as at the rate of a camera. If the system permits it, both
processes run at high priority, so that other load on the computer has less effect.
"""

from __future__ import annotations

import contextlib
import mmap
import multiprocessing
import os
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from models.ring.ring import Ring
from tests.models.ring.ring_players import attach

SHAPE = (729, 896)
DTYPE = "float16"
_FORK = multiprocessing.get_context("fork")
_WARM_UP = 10
_PAUSE_S = 0.004
_NICENESS = -15
_BEGIN_NS, _ROOM_NS, _END_NS, _SEND_CPU_NS, _RECEIVE_CPU_NS, _CHECKSUM = range(6)


class Transport(Protocol):
    """A way of transport for rows, created before the fork and used by both processes."""

    def part(self, producer: bool) -> None:
        """Called once in each process."""

    def room(self) -> NDArray[Any]:
        """The array in which the producer makes the rows."""

    def send(self) -> None:
        """The rows are complete."""

    def receive(self) -> NDArray[Any]:
        """The rows as an array of the consumer."""

    def done(self) -> None:
        """The consumer has finished with the rows."""


class ByRing:
    """The rows are made in the slot, and read there."""

    def __init__(self) -> None:
        self._ring = Ring.create(4, *SHAPE, DTYPE)

    def part(self, producer: bool) -> None:
        self._ring = attach(self._ring)

    def room(self) -> NDArray[Any]:
        slot = self._ring.allocate(*SHAPE, dtype=DTYPE)
        assert slot is not None
        self._writing = slot
        return slot.array

    def send(self) -> None:
        self._writing.commit()

    def receive(self) -> NDArray[Any]:
        slot = self._ring.take(60.0)
        assert slot is not None
        self._reading = slot
        return slot.array

    def done(self) -> None:
        self._reading.release()


class ByQueue:
    """multiprocessing.Queue: pickled by a thread of the producer, through a pipe, and unpickled."""

    def __init__(self) -> None:
        self._queue: Any = _FORK.Queue()
        self._rows = np.empty(SHAPE, DTYPE)

    def part(self, producer: bool) -> None:
        pass

    def room(self) -> NDArray[Any]:
        return self._rows

    def send(self) -> None:
        self._queue.put(self._rows)

    def receive(self) -> NDArray[Any]:
        rows: NDArray[Any] = self._queue.get()
        return rows

    def done(self) -> None:
        pass


class ByPipe:
    """os.pipe with the raw bytes, read into an existing array."""

    def __init__(self) -> None:
        self._read_fd, self._write_fd = os.pipe()
        self._rows = np.empty(SHAPE, DTYPE)

    def part(self, producer: bool) -> None:
        os.close(self._read_fd if producer else self._write_fd)

    def room(self) -> NDArray[Any]:
        return self._rows

    def send(self) -> None:
        left = self._rows.data.cast("B")
        while left:
            left = left[os.write(self._write_fd, left) :]

    def receive(self) -> NDArray[Any]:
        left = self._rows.data.cast("B")
        while left:
            left = left[os.readv(self._read_fd, [left]) :]
        return self._rows

    def done(self) -> None:
        pass


TRANSPORTS: dict[str, type[Transport]] = {"ring": ByRing, "queue": ByQueue, "pipe": ByPipe}


@contextlib.contextmanager
def _cpu(record: NDArray[np.int64], field: int) -> Iterator[None]:
    start_ns = time.process_time_ns()
    yield
    record[field] += time.process_time_ns() - start_ns


def _prefer() -> None:
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, _NICENESS)


def _produce(transport: Transport, records: NDArray[np.int64], received_fd: int) -> None:
    _prefer()
    transport.part(producer=True)
    rows = np.random.default_rng(0).standard_normal(SHAPE).astype(DTYPE)
    for number, record in enumerate(records):
        rows[0] = number % 1024
        time.sleep(_PAUSE_S)
        with _cpu(record, _SEND_CPU_NS):
            start_ns = time.monotonic_ns()
            room = transport.room()
            record[_ROOM_NS] = time.monotonic_ns() - start_ns
        room[:] = rows
        record[_CHECKSUM] = zlib.crc32(rows.data)
        with _cpu(record, _SEND_CPU_NS):
            record[_BEGIN_NS] = time.monotonic_ns()
            transport.send()
            os.read(received_fd, 1)


def _consume(transport: Transport, records: NDArray[np.int64], tell_fd: int) -> None:
    _prefer()
    transport.part(producer=False)
    for record in records:
        with _cpu(record, _RECEIVE_CPU_NS):
            rows = transport.receive()
            record[_END_NS] = time.monotonic_ns()
        if zlib.crc32(rows.data) != record[_CHECKSUM]:
            raise RuntimeError("the rows that arrived are not those that were sent")
        with _cpu(record, _RECEIVE_CPU_NS):
            del rows
            transport.done()
        os.write(tell_fd, b"x")


@dataclass(frozen=True)
class HandOvers:
    """Times of many hand-overs of one kind, ms each."""

    times_ms: NDArray[np.float64]
    """from rows made to rows in the consumer's hands"""
    room_ms: NDArray[np.float64]
    """finding room before"""
    cpu_ms: float
    """mean processor time of both sides"""


def hand_over(name: str, count: int) -> HandOvers:
    """Measures `count` hand-overs by one of TRANSPORTS. Raises RuntimeError for wrong rows."""
    transport = TRANSPORTS[name]()
    shape = (count + _WARM_UP, 8)
    memory = mmap.mmap(-1, shape[0] * shape[1] * 8)
    records = np.frombuffer(memory, np.int64).reshape(shape)
    received_fd, tell_fd = os.pipe()
    sides = [
        _FORK.Process(target=_produce, args=(transport, records, received_fd), daemon=True),
        _FORK.Process(target=_consume, args=(transport, records, tell_fd), daemon=True),
    ]
    for side in sides:
        side.start()
    for side in sides:
        side.join()
    if any(side.exitcode for side in sides):
        raise RuntimeError(f"a side of the {name} ended early")
    os.close(received_fd)
    os.close(tell_fd)
    rest = records[_WARM_UP:].astype(np.float64) / 1e6
    cpu_ms = float((rest[:, _SEND_CPU_NS] + rest[:, _RECEIVE_CPU_NS]).mean())
    return HandOvers(rest[:, _END_NS] - rest[:, _BEGIN_NS], rest[:, _ROOM_NS], cpu_ms)

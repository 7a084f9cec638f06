"""Ownership of slots and of the ring's lock, and its recovery when the owner dies.

An owner is a pid with its start time, so a reused pid is another owner. The kernel releases the lock when its
holder dies.
"""

from __future__ import annotations

import fcntl
import functools
import math
import os
import select
import threading
import time
import weakref
from collections.abc import Iterable
from typing import ClassVar

_STATE, _THREADS, _START = 0, 17, 19
"""Fields of /proc/PID/stat, counted after the name (proc(5))."""


def start_ticks(pid: int) -> int:
    """When a process started (kernel ticks); 0 for one whose last thread has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return 0
    ended = fields[_STATE] in (b"Z", b"X") and int(fields[_THREADS]) <= 1
    return 0 if ended else int(fields[_START])


@functools.cache
def this_process() -> tuple[int, int]:
    """pid and start of the caller."""
    return os.getpid(), start_ticks(os.getpid())


def alive(pid: int, start: int) -> bool:
    """Whether the process that took something still runs."""
    return start != 0 and start_ticks(pid) == start


def sleep_until(event_fd: int, owners: Iterable[tuple[int, int]], until_s: float) -> bool:
    """Wait until the event is signalled or one of these owners other than the caller ends; False at `until_s`
    (monotonic).
    """
    left_s = until_s - time.monotonic()
    if left_s <= 0.0:
        return False
    poll = select.poll()
    poll.register(event_fd, select.POLLIN)
    pidfds: list[int] = []
    try:
        for pid, start in owners:
            if (pid, start) == this_process():
                continue
            try:
                pidfds.append(os.pidfd_open(pid))
            except ProcessLookupError:
                return True
            if not alive(pid, start):
                return True
            poll.register(pidfds[-1], select.POLLIN)
        return bool(poll.poll(None if math.isinf(left_s) else math.ceil(left_s * 1e3)))
    finally:
        for pidfd in pidfds:
            os.close(pidfd)


class Lock:
    """Mutual exclusion between threads and processes that share a file; released when the holder dies.

    flock(2) belongs to an open file description, so every Lock opens the file anew: then two of them exclude
    each other in one process as well, and no other use of the file can drop a lock. A forked child would
    share its parent's description, so it gets one of its own.
    """

    _all: ClassVar[weakref.WeakSet[Lock]] = weakref.WeakSet()

    def __init__(self, fd: int) -> None:
        self._open(fd)
        Lock._all.add(self)

    def close(self) -> None:
        Lock._all.discard(self)
        os.close(self._fd)

    def __enter__(self) -> None:
        self._threads.acquire()
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX)
        except BaseException:
            self._threads.release()
            raise

    def __exit__(self, *_: object) -> None:
        fcntl.flock(self._fd, fcntl.LOCK_UN)
        self._threads.release()

    def _open(self, fd: int) -> None:
        self._fd = os.open(f"/proc/self/fd/{fd}", os.O_RDWR | os.O_CLOEXEC)
        self._threads = threading.Lock()

    @classmethod
    def after_fork(cls) -> None:
        """In a forked child: replace the parent's locks by new ones."""
        for lock in cls._all:
            parents = lock._fd
            lock._open(parents)
            os.close(parents)


os.register_at_fork(after_in_child=this_process.cache_clear)
os.register_at_fork(after_in_child=Lock.after_fork)

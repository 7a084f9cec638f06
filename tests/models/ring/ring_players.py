"""Processes that share only a ring and execute calls on it until they are killed."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import sys
import time
from types import FrameType
from typing import Any

from models.brick import SlotRef
from models.ring.ring import ReadSlot, Ring, SlotGone, WriteSlot

SLOTS, TOKENS, WIDTH = 3, 4, 8


def attach(ring: Ring) -> Ring:
    """The same ring, attached as by another process."""
    return Ring.attach(tuple(os.dup(fd) for fd in ring.fds))


def fill(slot: WriteSlot) -> SlotRef:
    """Rows whose every value is the slot's sequence number."""
    slot.array[:] = slot.ref.sequence
    return slot.commit()


def whole(slot: ReadSlot) -> bool:
    """Whether the rows are those that `fill` wrote."""
    return bool((slot.array == slot.ref.sequence).all())


def signal_after(lines: int, number: signal.Signals) -> None:
    """Have this process killed, or stopped, after so many lines of the ring's code."""

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal lines
        if "/models/ring" not in frame.f_code.co_filename or "/tests/" in frame.f_code.co_filename:
            return None
        if lines == 0:
            os.kill(os.getpid(), number)
        lines -= 1
        return trace

    sys.settrace(trace)


class Died(Exception):
    """The player was killed before it answered."""


class Player:
    """One process with a ring of its own. Each method is one call there.

    die_after: lines of the ring's code until it is killed. stop_after: lines until it is stopped.
    """

    def __init__(self, ring: Ring, *, inherit: bool = False) -> None:
        """inherit: use the forked copy of the ring itself."""
        self._pipe, theirs = multiprocessing.Pipe()
        self.pid = os.fork()
        if self.pid == 0:
            self._pipe.close()
            try:
                _play(ring if inherit else attach(ring), theirs)
            finally:
                os._exit(1)
        theirs.close()

    def tell(
        self, order: str, *arguments: object, die_after: int | None = None, stop_after: int | None = None
    ) -> None:
        """Begin a call; `answer` has its result."""
        self._pipe.send((order, arguments, die_after, stop_after))

    def answers(self, within_s: float) -> bool:
        """Whether the call has ended, or the process has died."""
        return self._pipe.poll(within_s)

    def stops(self) -> bool:
        """Wait until the process is stopped; False if the call ends first."""
        while os.waitpid(self.pid, os.WNOHANG | os.WUNTRACED) == (0, 0):
            if self.answers(0.001):
                return False
        return True

    def answer(self) -> Any:
        """The result of the call. Raises Died."""
        try:
            return self._pipe.recv()
        except (EOFError, ConnectionResetError):
            self.end()
            raise Died from None

    def ask(self, order: str, *arguments: object, die_after: int | None = None) -> Any:
        self.tell(order, *arguments, die_after=die_after)
        return self.answer()

    def end(self) -> None:
        """Kill the process, unless it is already dead."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self._pipe.close()
            self.pid = 0


class _Hands:
    """The calls of a player, and the slots that it holds."""

    def __init__(self, ring: Ring) -> None:
        self.ring = ring
        self.writing: dict[SlotRef, WriteSlot] = {}
        self.reading: dict[SlotRef, ReadSlot] = {}

    def allocate(self, memory: bool, deadline_s: float, timeout_s: float = 0.0) -> SlotRef | None:
        slot = self.ring.allocate(TOKENS, WIDTH, memory=memory, deadline_s=deadline_s, timeout_s=timeout_s)
        if slot is None:
            return None
        self.writing[slot.ref] = slot
        return slot.ref

    def commit(self, ref: SlotRef) -> None:
        fill(self.writing.pop(ref))

    def abandon(self, ref: SlotRef) -> None:
        self.writing.pop(ref).abandon()

    def take(self, timeout_s: float = 0.0) -> tuple[SlotRef, bool] | None:
        return self._begin(self.ring.take(timeout_s))

    def acquire(self, ref: SlotRef) -> tuple[SlotRef, bool] | None:
        try:
            return self._begin(self.ring.acquire(ref))
        except SlotGone:
            return None

    def release(self, ref: SlotRef, keep: bool) -> bool:
        slot = self.reading.pop(ref)
        intact = whole(slot)
        slot.release(keep=keep)
        return intact

    def asleep(self, timeout_s: float) -> tuple[tuple[SlotRef, bool] | None, float]:
        """The result of `take`, and the processor time of this process for it, s."""
        start_s = time.process_time()
        taken = self.take(timeout_s)
        return taken, time.process_time() - start_s

    def cycle(self) -> None:
        """Everything that can happen to a slot."""
        self.abandon(self._must(self.allocate(False, 1.0)))
        self.commit(self._must(self.allocate(False, 1.0)))
        assert self.take() is None  # too late
        for keep in (True, False):
            self.commit(self._must(self.allocate(keep, math.inf)))
            taken = self.take()
            assert taken is not None
            self.release(taken[0], keep)

    def _must(self, ref: SlotRef | None) -> SlotRef:
        assert ref is not None
        return ref

    def _begin(self, slot: ReadSlot | None) -> tuple[SlotRef, bool] | None:
        if slot is None:
            return None
        self.reading[slot.ref] = slot
        return slot.ref, whole(slot)


def _play(ring: Ring, pipe: Any) -> None:
    hands = _Hands(ring)
    while True:
        order, arguments, die_after, stop_after = pipe.recv()
        if die_after is not None:
            signal_after(die_after, signal.SIGKILL)
        elif stop_after is not None:
            signal_after(stop_after, signal.SIGSTOP)
        answer = getattr(hands, order)(*arguments)
        sys.settrace(None)
        pipe.send(answer)

"""What runs inside a brick's process: load one brick, answer requests, release, end.

Main sends   ("load", spec, threads) ("execute", id, request, threads) ("cancel", id) ("release",)
Child sends  ("loaded", usage) ("chunk", id, chunk) ("done", id, outcome, text, usage) ("failed", text, usage)
             ("released", usage)
where outcome is "ok", "cancelled" or "refused", and usage is the child's memory so far.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import queue
import socket
import sys
import threading
import traceback
from typing import Any

from models.brick import Brick, BrickBroken, BrickError, BrickSpec, Cancelled, Context
from models.process.framed_messages import BlockingChannel, MainGone
from models.process.process_title import set_process_name
from models.process.rss import UsageMeter, trim_heap
from models.ring.free_rows import free_rows
from models.ring.ring import Ring


class _Inbox:
    """Receives messages on a thread of the child, so that a cancellation arrives while native code works."""

    def __init__(self, channel: BlockingChannel, context: Context) -> None:
        self._channel = channel
        self._context = context
        self._cancelled_id = 0
        self._working_id = 0
        self._orders: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True, name="inbox").start()

    def next_order(self) -> tuple[Any, ...]:
        return self._orders.get()

    def begin(self, request_id: int) -> None:
        self._working_id = request_id

    def cancelled(self) -> bool:
        return self._cancelled_id >= self._working_id > 0

    def _listen(self) -> None:
        while True:
            try:
                message = self._channel.receive()
            except MainGone:
                os._exit(0)
            if message[0] == "cancel":
                self._cancelled_id = message[1]
                if self.cancelled() and self._context.on_cancel is not None:
                    self._context.on_cancel()
            else:
                self._orders.put(message)


def serve_brick(sock: socket.socket, ring_fds: tuple[int, ...]) -> None:
    """The child's whole life: load one brick, answer requests, release. Never returns.

    ring_fds: the ring's files; none when there is no ring.
    """
    channel = BlockingChannel(sock)
    ring = Ring.attach(ring_fds) if ring_fds else None
    context = Context(ring=ring)
    meter = UsageMeter()
    inbox = _Inbox(channel, context)
    context.cancelled = inbox.cancelled
    brick: Brick | None = None
    while True:
        order = inbox.next_order()
        _clear_log()
        try:
            if order[0] == "load":
                spec: BrickSpec = order[1]
                set_process_name(f"brick-{spec.name}")
                context.threads = order[2]
                brick = importlib.import_module(spec.module).create(spec.options, context)
                brick.load()
                channel.send("loaded", meter.read())
            elif order[0] == "release":
                if brick is not None:
                    brick.release()
                channel.send("released", meter.read())
                os._exit(0)
            elif brick is not None:
                _, request_id, request, context.threads = order
                inbox.begin(request_id)
                outcome, text = _answer(brick, request, request_id, channel, inbox, ring)
                channel.send("done", request_id, outcome, text, meter.read())
        except MainGone:
            os._exit(0)
        except BaseException:
            _fail(channel, meter)


def _answer(
    brick: Brick,
    request: object,
    request_id: int,
    channel: BlockingChannel,
    inbox: _Inbox,
    ring: Ring | None,
) -> tuple[str, str]:
    """Run one request to its end; (outcome, sentence)."""
    try:
        if inbox.cancelled():
            return "cancelled", ""
        for chunk in brick.execute(request):
            if inbox.cancelled():
                free_rows(ring, chunk)
                return "cancelled", ""
            channel.send("chunk", request_id, chunk)
    except Cancelled:
        return "cancelled", ""
    except BrickBroken:
        raise
    except BrickError as error:
        return "refused", str(error)
    return "ok", ""


def _fail(channel: BlockingChannel, meter: UsageMeter) -> None:
    """Tell main why and end: a brick that raised is in an unknown state."""
    traceback.print_exc()
    error = sys.exc_info()[1]
    reason = str(error) if isinstance(error, BrickError) else f"{type(error).__name__}: {error}"
    with contextlib.suppress(MainGone):
        channel.send("failed", reason, meter.read())
    os._exit(1)


def _clear_log() -> None:
    """Standard error is a file in memory that holds only the present stage's messages."""
    with contextlib.suppress(OSError):
        os.ftruncate(2, 0)
        os.lseek(2, 0, os.SEEK_SET)


def free_model_memory() -> None:
    """End of every `release()`: native libraries give memory back to malloc, and this to the system."""
    gc.collect()
    trim_heap()

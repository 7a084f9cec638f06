"""The main process's handle on one brick's process; models/process/child_main.py is the other side, with the
messages.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import AsyncGenerator, Callable
from typing import Any

from models.brick import BrickError, BrickSpec
from models.process.forkserver import ForkServer, ForkServerDied
from models.process.framed_messages import encode, receive
from models.process.process_title import last_line
from models.process.rss import Usage

CANCEL_GRACE_S = 2.0
"""How long a child may take to notice a cancellation before it is killed."""
RELEASE_GRACE_S = 3.0
"""How long a child may take to free its model before it is killed; a kill returns the memory just as well."""
REAP_GRACE_S = 10.0
"""How long the fork server may take to tell of a child's end before it counts as stuck and is killed."""

LOAD_GRACE_S = 120.0
"""How long a fork and a load may take; an SD card reads a large model at a few MiB/s."""


class WorkerDied(Exception):
    """The child ended before it was told to; the message says why."""


class Worker:
    """The main process's handle on one child. Every method raises WorkerDied when the child has ended."""

    def __init__(self, spec: BrickSpec, server: ForkServer) -> None:
        self.spec = spec
        self.pid = 0
        self.usage: Usage | None = None
        """the child's memory, as it last reported"""
        self.computed_s = 0.0
        """its processor time when its last event was reported"""
        self.dead = asyncio.Event()
        """set the moment the child's end of the channel closes, or sends what is no message"""
        self.on_death: Callable[[], None] | None = None
        """called at that moment"""
        self._server = server
        self._writer: asyncio.StreamWriter | None = None
        self._messages: asyncio.Queue[tuple[Any, ...] | None] = asyncio.Queue()
        self._listener: asyncio.Task[None] | None = None
        self._log_fd = -1
        self._request_id = 0
        self._failure = ""
        self.awaiting_message = False
        """a caller waits for the child's next message"""

    async def start(self, ring_fds: tuple[int, ...], threads: int) -> None:
        """Fork the child and have it load its model. Cancelling this kills the child."""
        try:
            async with asyncio.timeout(LOAD_GRACE_S):
                await self._start(ring_fds, threads)
        except TimeoutError:
            if not self.pid:
                self._server.kill()
            self.kill()
            raise WorkerDied(f"did not load within {LOAD_GRACE_S:g} s") from None
        except OSError as error:  # no memory, or too many open files
            self.kill()
            raise WorkerDied(f"its process can't be started ({error.strerror or error})") from error
        except asyncio.CancelledError:
            self.kill()
            raise

    async def _start(self, ring_fds: tuple[int, ...], threads: int) -> None:
        self._log_fd = os.memfd_create(f"log-{self.spec.name}")
        ours, theirs = socket.socketpair()
        try:
            self.pid = await self._server.spawn(theirs.fileno(), self._log_fd, ring_fds)
        except ForkServerDied as error:
            ours.close()
            raise WorkerDied(str(error)) from error
        except (asyncio.CancelledError, OSError):
            ours.close()
            raise
        finally:
            theirs.close()
        reader, self._writer = await asyncio.open_connection(sock=ours)
        self._listener = asyncio.create_task(self._listen(reader))
        self._send("load", self.spec, threads)
        await self._expect("loaded")

    async def execute(self, request: object, threads: int, timeout_s: float) -> AsyncGenerator[Any, None]:
        """Chunks of one answer. Raises BrickError for a refused request. After an early stop: `settle`."""
        self._request_id += 1
        self._send("execute", self._request_id, request, threads)
        while True:
            try:
                async with asyncio.timeout(timeout_s):
                    message = await self._next()
            except TimeoutError:
                self.kill()
                raise WorkerDied(f"gave no answer within {timeout_s:g} s") from None
            if message[0] == "chunk" and message[1] == self._request_id:
                yield message[2]
            elif message[0] == "done" and message[1] == self._request_id:
                self._note(message[4])
                if message[2] == "refused":
                    raise BrickError(message[3])
                return
            elif message[0] == "failed":
                raise await self._failed(message)

    async def cancel_and_wait(self) -> list[Any]:
        """Cancel the request in work and wait until the child is idle; kills one that doesn't stop. Returns
        the chunks that it still gave, which nobody has read.
        """
        unread: list[Any] = []
        try:
            self._send("cancel", self._request_id)
            async with asyncio.timeout(CANCEL_GRACE_S):
                while True:
                    message = await self._next()
                    if message[0] == "chunk" and message[1] == self._request_id:
                        unread.append(message[2])
                    if message[0] == "done" and message[1] == self._request_id:
                        self._note(message[4])
                        return unread
                    if message[0] == "failed":
                        raise await self._failed(message)
        except TimeoutError:
            self.kill()
            raise WorkerDied(f"did not stop within {CANCEL_GRACE_S:g} s") from None

    async def release(self) -> None:
        """Have the child free its model and end; returns when it is reaped. Never raises WorkerDied."""
        try:
            self._send("release")
            async with asyncio.timeout(RELEASE_GRACE_S):
                await self._expect("released")
                await self.dead.wait()
        except (WorkerDied, TimeoutError):
            self.kill()
        await self.reaped()

    def kill(self) -> None:
        """End the child at once; its memory returns to the system."""
        if self.pid and not self.dead.is_set():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    async def reaped(self) -> int | None:
        """Wait until the child is gone altogether; its exit code (negative: signal), None when not known. A
        fork server that does not tell it in time is killed.
        """
        status: int | None = None
        try:
            async with asyncio.timeout(REAP_GRACE_S):
                status = await self._server.exit_status(self.pid) if self.pid else None
        except TimeoutError:
            self._server.kill()
        self._close()
        return status

    async def cause_of_death(self) -> str:
        """One sentence about why the child ended, after `dead` is set."""
        words = last_line(self._log_fd) if self._log_fd >= 0 else ""
        status: int | None = None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.05):
                status = await self.reaped()
        if status is not None and status < 0:
            reason = f"its process was ended by {signal.Signals(-status).name}"
        elif status is not None:
            reason = f"its process ended with code {status}"
        else:
            reason = "its process ended"
        return self._failure or (f"{reason}: {words}" if words else reason)

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                self._messages.put_nowait(await receive(reader))
        except EOFError:
            pass
        except Exception as error:  # unpickling raises anything; what follows cannot be understood either
            self._failure = f"it sent a message that can't be read ({type(error).__name__})"
            self.kill()
        self.dead.set()
        self._messages.put_nowait(None)
        if self.on_death is not None:
            self.on_death()

    async def _next(self) -> tuple[Any, ...]:
        self.awaiting_message = True
        try:
            message = await self._messages.get()
        finally:
            self.awaiting_message = False
        if message is None:
            self._messages.put_nowait(None)
            raise WorkerDied(await self.cause_of_death())
        return message

    async def _expect(self, kind: str) -> None:
        while (message := await self._next())[0] != kind:
            if message[0] == "failed":
                raise await self._failed(message)
        self._note(message[1])

    async def _failed(self, message: tuple[Any, ...]) -> WorkerDied:
        self._failure = message[1]
        self._note(message[2])
        await self.reaped()
        return WorkerDied(message[1])

    def _note(self, usage: Usage) -> None:
        self.usage = usage

    def _send(self, *message: Any) -> None:
        if self._writer is None or self.dead.is_set():
            raise WorkerDied(self._failure or "its process ended")
        self._writer.write(encode(message))

    def _close(self) -> None:
        self._server.forget(self.pid)
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        if self._log_fd >= 0:
            os.close(self._log_fd)
            self._log_fd = -1

"""A fork server that has imported the model runtimes, so that a brick's process starts in milliseconds.

This is the main process's side; models/process/server_main.py is the server's. Unlike the fork server of
`multiprocessing`, starting a child does not block the event loop, there is no resource-tracker process, and
`__main__` is not imported again in each child.

Lifetimes: the server ends when the main process closes the socket or dies; a child is killed by the kernel
when the server ends. So no process outlives the main process, whichever is killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from models.process.process_title import last_line
from models.process.server_main import MESSAGE_BYTES

PRELOAD = (
    "numpy", "_pywhispercpp", "llama_cpp.llama_cpp", "onnxruntime", "json", "pathlib", "unicodedata", "wave",
)  # fmt: skip
"""Modules that bricks need. A missing one isn't fatal: the brick that needs it says so at load. piper is
under the GPL, so only the voice's own process imports it; the last four are most of what that takes.
"""

ENVIRONMENT = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "1000", "OPENBLAS_NUM_THREADS": "1"}
"""OpenMP threads spin for a few microseconds before they sleep: longer spinning starves other processes on a
small board, and none makes a token take a third longer. The runtimes read these variables at import.
"""


class ForkServerDied(Exception):
    """The fork server ended while a request was open, or the system let it start no process; the next request
    tries again, with a fresh server after an end.
    """


class ForkServer:
    """The main process's handle: starts the server on demand, again after a death. One event loop only."""

    def __init__(
        self, preload: Sequence[str] = PRELOAD, environment: Mapping[str, str] = ENVIRONMENT
    ) -> None:
        self._preload = tuple(preload)
        self._environment = dict(environment)
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._log_fd = -1
        self._numbers = 0
        self._spawning: dict[int, asyncio.Future[int]] = {}
        self._exits: dict[int, asyncio.Future[int | None]] = {}
        self._ready = asyncio.Event()
        self._stopping = False

    @property
    def pid(self) -> int | None:
        """The server's process, None when it isn't running."""
        return self._process.pid if self._process and self._control else None

    @property
    def changing(self) -> bool:
        """Is the server being stopped?"""
        return self._stopping

    def start(self) -> None:
        """Start the server unless it runs; returns at once, while it still imports. Raises OSError."""
        if self._control is not None:
            return
        self.kill()  # one that is being stopped may still import, and would only end after that
        self._reap_server()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        root = str(Path(__file__).parents[2])
        code = (
            "import sys; from models.process.server_main import serve; serve(int(sys.argv[1]), sys.argv[2:])"
        )
        path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
        log_fd = -1
        try:
            log_fd = os.memfd_create("forkserver-log")
            self._process = subprocess.Popen(
                [sys.executable, "-c", code, str(theirs.fileno()), *self._preload],
                env={**os.environ, **self._environment, "PYTHONPATH": path},
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log_fd,
            )
        except OSError:
            ours.close()
            if log_fd >= 0:
                os.close(log_fd)
            raise
        finally:
            theirs.close()
        self._log_fd = log_fd
        self._control = ours
        self._ready.clear()
        asyncio.get_running_loop().add_reader(ours, self._on_message, ours)

    async def ready(self) -> None:
        """Wait until the runtimes are imported. Raises ForkServerDied."""
        self.start()
        await self._ready.wait()
        if self._control is None:
            raise ForkServerDied(self._death_reason())

    async def spawn(self, channel_fd: int, log_fd: int, ring_fds: tuple[int, ...] = ()) -> int:
        """Fork a child that serves a brick on these files; its pid. Raises ForkServerDied."""
        self.start()
        assert self._control is not None
        self._numbers += 1
        answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._spawning[self._numbers] = answer
        fds = [channel_fd, log_fd, *ring_fds]
        try:
            socket.send_fds(self._control, [json.dumps({"spawn": self._numbers}).encode()], fds)
        except OSError as error:
            self._on_death()
            answer.cancel()
            raise ForkServerDied(self._death_reason()) from error
        return await answer

    async def exit_status(self, pid: int) -> int | None:
        """Wait until a child is reaped: exit code, negative for a signal, None when the server died first."""
        return await asyncio.shield(self._exits[pid]) if pid in self._exits else None

    def forget(self, pid: int) -> None:
        """Drop the exit status of a child."""
        self._exits.pop(pid, None)

    def kill(self) -> None:
        """End a server that doesn't answer, and every child with it; the next request starts a fresh one."""
        if self._process is not None:
            self._process.kill()
        self._on_death()

    async def stop(self) -> None:
        """End the server and every child left; returns when the server is reaped."""
        process = self._process
        self._on_death()
        if process is None:
            return
        loop = asyncio.get_running_loop()
        with contextlib.suppress(ProcessLookupError):
            pidfd = os.pidfd_open(process.pid)
            gone = asyncio.Event()
            loop.add_reader(pidfd, gone.set)
            self._stopping = True
            try:
                async with asyncio.timeout(2.0):
                    await gone.wait()
            except TimeoutError:
                process.kill()
            finally:
                self._stopping = False
                loop.remove_reader(pidfd)
                os.close(pidfd)
        if self._process is process:
            self._reap_server()

    def _reap_server(self) -> None:
        """Reap the ended server and drop its log."""
        if self._process is not None:
            self._process.wait()
            os.close(self._log_fd)
            self._process, self._log_fd = None, -1

    def _death_reason(self) -> str:
        words = last_line(self._log_fd) if self._log_fd >= 0 else ""
        return f"the fork server ended{': ' + words if words else ''}"

    def _on_message(self, control: socket.socket) -> None:
        try:
            data = control.recv(MESSAGE_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            if control is self._control:
                self._on_death()
            return
        message: dict[str, Any] = json.loads(data)
        if "ready" in message:
            self._ready.set()
        elif "spawned" in message:
            pid = message["pid"]
            exited = self._exits[pid] = asyncio.get_running_loop().create_future()
            answer = self._spawning.pop(message["spawned"])
            if answer.done():  # called off meanwhile: nobody will ask how the child ended
                exited.add_done_callback(lambda _: self.forget(pid))
            else:
                answer.set_result(pid)
        elif "refused" in message:
            answer = self._spawning.pop(message["refused"])
            if not answer.done():
                answer.set_exception(ForkServerDied(f"the system starts no process ({message['why']})"))
        elif (future := self._exits.get(message["exited"])) is not None and not future.done():
            future.set_result(message["status"])

    def _on_death(self) -> None:
        if self._control is None:
            return
        asyncio.get_running_loop().remove_reader(self._control)
        self._control.close()
        self._control = None
        self._ready.set()
        for answer in self._spawning.values():
            if not answer.done():
                answer.set_exception(ForkServerDied(self._death_reason()))
        for exit_future in self._exits.values():
            if not exit_future.done():
                exit_future.set_result(None)
        self._spawning.clear()
        self._exits.clear()

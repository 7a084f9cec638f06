"""What runs inside the fork server: import the runtimes, then fork a child for each request.

Main sends    {"spawn": number} with the child's files
Server sends  {"ready": true} {"spawned": number, "pid": pid} {"exited": pid, "status": exit status}
              {"refused": number, "why": the system's words}

Each is one JSON message on the control socket. Neither this nor what a child runs needs asyncio, so that the
server starts without it.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import importlib.util
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Sequence

from models.process.process_title import set_process_name

MESSAGE_BYTES = 4096
"""Size limit of a message."""
_BINDING_ONLY = ("llama_cpp",)
"""Packages of which bricks use one module that calls the library. Their `__init__` imports chat formats,
templates and a database, a fifth of the server's start; a headband's packages lack it (`host.packages`).
"""
_PR_SET_PDEATHSIG = 1


def _child(server_pid: int, fds: Sequence[int]) -> None:
    """Become one brick's process. fds: channel, log, and the ring's three if there is one."""
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != server_pid:
            os._exit(1)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(fds[1], 2)
        os.close(fds[1])
        from models.process.child_main import serve_brick

        serve_brick(socket.socket(fileno=fds[0]), tuple(fds[2:]))
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        os._exit(1)
    os._exit(0)


def serve(control_fd: int, modules: Sequence[str]) -> None:
    """The server process: import, then fork on request until the control socket closes."""
    control = socket.socket(fileno=control_fd)
    set_process_name("headband-forks")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    os.set_blocking(wake_read, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake_write)
    preload(modules)
    importlib.import_module("models.process.child_main")
    gc.collect()
    gc.freeze()
    control.send(json.dumps({"ready": True}).encode())
    poll = select.poll()
    poll.register(control, select.POLLIN)
    poll.register(wake_read, select.POLLIN)
    while True:
        ready = {fd for fd, _ in poll.poll()}
        if wake_read in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(wake_read, 4096)
            _reap(control)
        if control.fileno() in ready:
            data, fds, _, _ = socket.recv_fds(control, MESSAGE_BYTES, 5)
            if not data:
                os._exit(0)
            server_pid, number = os.getpid(), json.loads(data)["spawn"]
            try:
                pid = os.fork()
                answer = {"spawned": number, "pid": pid}
            except OSError as error:  # no memory, or too many processes; the other children live on
                pid, answer = -1, {"refused": number, "why": error.strerror}
            if pid == 0:
                control.close()
                os.close(wake_read)
                os.close(wake_write)
                _child(server_pid, fds)
            for fd in fds:
                os.close(fd)
            control.send(json.dumps(answer).encode())


def preload(modules: Sequence[str]) -> None:
    """Import those that are installed."""
    for name in modules:
        package = name.partition(".")[0]
        if package in _BINDING_ONLY and package not in sys.modules:
            spec = importlib.util.find_spec(package)
            if spec is not None:
                sys.modules[package] = importlib.util.module_from_spec(spec)
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def _reap(control: socket.socket) -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        control.send(json.dumps({"exited": pid, "status": os.waitstatus_to_exitcode(status)}).encode())

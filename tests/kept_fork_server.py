"""A fork server that goes on from one test to the next. It keeps nothing of a test's: what a brick leaves
behind ends with the brick's own process. Importing the runtimes again takes a sixth of a scene's time.
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from models.process.forkserver import ENVIRONMENT, PRELOAD, ForkServer

BRICKS = (
    *(f"models.bricks.{name}" for name in ("eye.vision", "llm", "motion", "reflex", "stt", "text", "tts")),
    "tests.host.fake_speech",
)
"""Elsewhere each brick's own process imports its module; here the server has them all, which saves a tenth of
a headband's start.
"""

_CHANGES = ("PYTEST_CURRENT_TEST",)
"""Variables that differ from test to test and that no brick reads."""


@dataclass(frozen=True)
class _Spare:
    """A server without children that nobody uses."""

    made_with: object
    process: subprocess.Popen[bytes]
    control: socket.socket
    log_fd: int
    ready: bool


class KeptForkServer(ForkServer):
    """Takes over the server that was stopped last, if it was started with the same settings and in the same
    folder, and leaves its own to the next unless it has died or a child of it lives.
    """

    _spare: _Spare | None = None

    def __init__(
        self, preload: Sequence[str] = PRELOAD, environment: Mapping[str, str] = ENVIRONMENT
    ) -> None:
        super().__init__((*preload, *BRICKS), environment)
        self._made_with: object = None

    def start(self) -> None:
        """As of `ForkServer`."""
        if self._control is not None:
            return
        variables = {name: value for name, value in os.environ.items() if name not in _CHANGES}
        self._made_with = (self._preload, self._environment, variables, os.getcwd())
        spare, KeptForkServer._spare = KeptForkServer._spare, None
        if spare is not None and (spare.made_with != self._made_with or spare.process.poll() is not None):
            spare.control.close()
            spare.process.wait()
            os.close(spare.log_fd)
            spare = None
        if spare is None:
            super().start()
            return
        self._reap_server()
        self._process, self._control, self._log_fd = spare.process, spare.control, spare.log_fd
        self._ready = asyncio.Event()
        if spare.ready:
            self._ready.set()
        asyncio.get_running_loop().add_reader(self._control, self._on_message, self._control)

    async def stop(self) -> None:
        """As of `ForkServer`, as far as its user can tell."""
        control, process = self._control, self._process
        lives = process is not None and process.poll() is None
        childless = not self._spawning and all(exit_status.done() for exit_status in self._exits.values())
        if control is None or process is None or not (lives and childless) or KeptForkServer._spare:
            await super().stop()
            return
        asyncio.get_running_loop().remove_reader(control)
        KeptForkServer._spare = _Spare(self._made_with, process, control, self._log_fd, self._ready.is_set())
        self._process = self._control = None
        self._log_fd = -1
        self._exits.clear()
        self._ready.set()


def spare_server() -> set[int]:
    """The process that waits for the next test, if there is one."""
    spare = KeptForkServer._spare
    return set() if spare is None else {spare.process.pid}

"""How `headband run` with devices ends when a signal asks for it."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Literal

from host.terminal.early_stop import was_asked

STOP_GRACE_S = 8.0
"""How long a service that is to stop may go on with what it says: systemd kills it 20 s after the signal."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopSignals:
    """Handles SIGINT and SIGTERM from the start of its block until the event loop closes; the task enters the
    block that runs the headband. During the start the first signal cancels the task, also one that was kept
    for a service before the block; while the headband runs the first has it end after what it says, and the
    second cancels the task. The headband then releases what it holds; the third signal, and each after it,
    cancels that too. A task that a signal has cancelled leaves the block without an error; after the block,
    signals do nothing.
    """

    def __init__(self, stop: Callable[[str], None], grace_s: float | None) -> None:
        """stop: has the headband end after what it says; gets the cause. grace_s: after how long the task is
        cancelled if the headband runs still; None: never.
        """
        self._stop, self._grace_s = stop, grace_s
        self._stage: Literal["starts", "runs", "ends"] = "starts"
        self._received = 0
        self._cancelled = False
        self._task: asyncio.Task[object] | None = None
        self._grace_ends: asyncio.TimerHandle | None = None

    def __enter__(self) -> StopSignals:
        self._task = asyncio.current_task()
        for number in _SIGNALS:  # the loop removes them as it closes
            asyncio.get_running_loop().add_signal_handler(number, self._receive, number)
        if was_asked():
            self._receive(signal.SIGTERM)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._task = None
        return self._cancelled and kind is asyncio.CancelledError

    @contextmanager
    def while_it_runs(self) -> Iterator[None]:
        """Within this block the headband has started and does not end yet."""
        self._stage = "runs"
        try:
            yield
        finally:
            self._stage = "ends"
            if self._grace_ends is not None:
                self._grace_ends.cancel()

    def _receive(self, number: signal.Signals) -> None:
        self._received += 1
        if self._stage == "runs" and self._received == 1:
            self._stop(f"{number.name} was sent")
            if self._grace_s is not None:
                self._grace_ends = asyncio.get_running_loop().call_later(self._grace_s, self._cancel)
        elif self._stage != "ends" or self._received > 2:
            self._cancel()

    def _cancel(self) -> None:
        if self._task is not None:
            self._stage, self._cancelled = "ends", True
            self._task.cancel()

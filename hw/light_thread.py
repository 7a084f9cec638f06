"""A thread for a light whose device may keep its caller waiting."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from hw.device import LightPattern


class LightThread:
    """Calls `show` in a thread, with the latest pattern: those that were set meanwhile are passed over."""

    def __init__(self, show: Callable[[LightPattern], None]) -> None:
        """`show` raises nothing."""
        self._show = show
        self._thread = ThreadPoolExecutor(1, "light")
        self._lock = threading.Lock()
        self._wanted: LightPattern | None = None
        self._showing: Future[None] | None = None

    @property
    def superseded(self) -> bool:
        """Does a newer pattern wait for the end of `show`?"""
        return self._wanted is not None

    def set(self, pattern: LightPattern) -> None:
        """Show the pattern; returns at once."""
        with self._lock:
            waits = self._wanted is not None
            self._wanted = pattern
            if not waits:
                self._showing = self._thread.submit(self._run)

    def settled(self) -> None:
        """Return when the last pattern has been shown, or could not be."""
        if self._showing is not None:
            self._showing.result()

    def _run(self) -> None:
        with self._lock:
            pattern, self._wanted = self._wanted, None
        if pattern is not None:
            self._show(pattern)

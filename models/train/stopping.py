"""Ends a training after the step that is under way, so that it can be gone on with."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@dataclass
class Stopping:
    """signal: the one that asked to stop; 0 before."""

    signal: int = 0

    def __bool__(self) -> bool:
        return self.signal != 0

    @property
    def status(self) -> int:
        """The exit status of a program that the signal ended."""
        return 128 + self.signal


@contextmanager
def stopping() -> Iterator[Stopping]:
    """Notes SIGTERM and Ctrl-C in place of ending at once; the second Ctrl-C ends at once."""
    asked = Stopping()

    def ask(number: int, _: object) -> None:
        asked.signal = number
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = {number: signal.signal(number, ask) for number in _SIGNALS}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

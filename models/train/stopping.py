"""Ends a training after the step that is under way, so that it can be gone on with, and the processes of a
training with it.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
STOPPED = tuple(128 + number for number in _SIGNALS)
"""Exit statuses of programs that these ended."""
_Made = TypeVar("_Made")


class _GivenUp(BaseException):
    """Ends what can be given up, past `except Exception`."""


@dataclass
class Stopping:
    """signal: the one that asked to stop; 0 before."""

    signal: int = 0
    _at_once: bool = False

    def __bool__(self) -> bool:
        return self.signal != 0

    @property
    def status(self) -> int:
        """The exit status of a program that the signal ended."""
        return 128 + self.signal

    def asked(self, number: int) -> None:
        """Notes a signal, and ends what `unless` runs."""
        self.signal = number
        if self._at_once:
            self._at_once = False
            raise _GivenUp

    def unless(self, work: Callable[[], _Made]) -> _Made | None:
        """What `work` makes; None where a signal ends it. For what can be given up, such as waiting."""
        try:
            self._at_once = True
            return None if self else work()
        except _GivenUp:
            return None
        finally:
            self._at_once = False

    def ended(self, sentence: str) -> SystemExit:
        """What to raise, with the signal's status, after this sentence is printed."""
        print(sentence, file=sys.stderr, flush=True)
        return SystemExit(self.status)


@contextmanager
def stopping() -> Iterator[Stopping]:
    """Notes SIGTERM and Ctrl-C in place of ending at once; the second Ctrl-C ends at once."""
    asked = Stopping()

    def ask(number: int, _: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        asked.asked(number)

    before = {number: signal.signal(number, ask) for number in _SIGNALS}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def ended_by_its_parent(_: int) -> None:
    """Start of a process that makes batches: Ctrl-C is its parent's affair, which ends it."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def helper(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Starts a process that Ctrl-C in the terminal does not reach: who started it ends it."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return subprocess.Popen(command)
    finally:
        signal.signal(signal.SIGINT, before)


def run_to_its_end(command: Sequence[str], environment: dict[str, str] | None = None) -> int:
    """Runs a training, hands SIGTERM on to it, and waits until it has stopped by itself: its exit status, as
    a shell tells it. Ctrl-C in the terminal reaches the training without this.
    """
    running: subprocess.Popen[bytes] | None = None
    asked = False

    def hand_on(number: int, _: object) -> None:
        nonlocal asked
        asked = True
        if running is not None:
            running.send_signal(number)

    before = {
        signal.SIGTERM: signal.signal(signal.SIGTERM, hand_on),
        signal.SIGINT: signal.signal(signal.SIGINT, lambda *_: None),
    }
    try:
        running = subprocess.Popen(command, env=environment)
        if asked:
            running.terminate()
        status = running.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return status if status >= 0 else 128 - status

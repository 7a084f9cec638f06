"""What every command does around its work: it ends without a traceback, and leaves nothing behind.

Ctrl-C, SIGTERM, SIGHUP and a reader that leaves (`headband demo | head`) all end it in the same way: the work
is cancelled, as asyncio does it for Ctrl-C, and what it holds is given back; a second signal does not wait
for all of that. The exit status is 128 and the signal's number, as a shell has it.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NoReturn

from hw.scratch import remove_all_scratch_folders

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _Ending:
    """Why a program ends before its work is done: the exit status; None while nothing ends it."""

    status: int | None = None


def program(prepared: Callable[[], Callable[[], int]]) -> NoReturn:
    """Runs a command as a process, until it or a signal ends it. `prepared` reads the arguments, imports what
    the command needs and returns its work; a signal kills the process meanwhile, as it holds nothing yet.
    """
    ending = _Ending()
    _open_standard_streams()
    sys.stdout = _text(_Output(1, ending), sys.stdout)
    sys.stderr = _text(_Diagnostics(2, "w", closefd=False), sys.stderr)
    sys.unraisablehook = _unraisable
    status = 128 + signal.SIGINT
    try:
        try:
            work = prepared()
            with _signals(ending):
                try:
                    status = work()
                finally:
                    remove_all_scratch_folders()
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        pass
    except SystemExit as leaving:  # argparse, which has said why
        status = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    sys.exit(status if ending.status is None else ending.status)


@contextlib.contextmanager
def _signals(ending: _Ending) -> Iterator[None]:
    """Each of `_SIGNALS` that is not ignored (nohup, a shell's background) raises KeyboardInterrupt, or
    cancels asyncio's main task as Ctrl-C does.
    """

    def end(number: int, _: FrameType | None) -> None:
        ending.status = 128 + number
        _interrupt()

    taken = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    try:
        for number in taken:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else end)
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _interrupt() -> None:
    """As if Ctrl-C had been pressed, also where that is ignored."""
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, signal.SIG_DFL):
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)


def _unraisable(problem: sys.UnraisableHookArgs) -> None:
    """Ctrl-C inside what cannot raise, such as a finaliser, is one a moment later."""
    if problem.exc_type is KeyboardInterrupt:
        signal.raise_signal(signal.SIGINT)
    else:
        sys.__unraisablehook__(problem)


class _Output(io.FileIO):
    """Standard output. When nobody reads it or it cannot be written, what comes goes nowhere, and the command
    ends: without a word, or with one sentence.
    """

    def __init__(self, descriptor: int, ending: _Ending) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self._ending = ending

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        try:
            return super().write(data) or 0
        except BlockingIOError:
            raise
        except OSError as error:
            _to_nowhere(self.fileno())
            if isinstance(error, BrokenPipeError):
                self._ending.status = 128 + signal.SIGPIPE
            else:
                self._ending.status = 1
                print(f"Standard output cannot be written ({error.strerror}).", file=sys.stderr)
            _interrupt()
            return len(data)


class _Diagnostics(io.FileIO):
    """Standard error. What cannot be written is lost, and changes nothing else."""

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        with contextlib.suppress(OSError):
            return super().write(data) or 0
        return len(data)


def _open_standard_streams() -> None:
    """No file that is opened later becomes a standard stream because that was closed."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            _to_nowhere(descriptor)


def _to_nowhere(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere != descriptor:
        os.dup2(nowhere, descriptor)
        os.close(nowhere)


def _text(raw: io.FileIO, before: object) -> io.TextIOWrapper:
    """The stream of text over `raw`; what its encoding lacks is written as an escape."""
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=getattr(before, "encoding", None) or "utf-8",
        errors="backslashreplace",
        line_buffering=raw.isatty() or raw.fileno() == 2,
    )

"""Runs a command as a process: it ends without a traceback, and releases what it holds.

Ctrl-C, SIGTERM, SIGHUP and a closed output pipe (`headband demo | head`) end it in the same way: the work is
cancelled, as asyncio does for Ctrl-C, and its resources are released; a second signal skips the rest of that.
The exit status is 128 plus the signal's number, as in a shell. `headband run` with devices handles Ctrl-C and
SIGTERM itself (`host.app.stop_signals`), as a service from the beginning (`host.terminal.early_stop`).
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NoReturn

from host.terminal.early_stop import keep
from hw.scratch import remove_all_scratch_folders

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _Ending:
    """The exit status of a program that ends early; None until something ends it."""

    status: int | None = None


def program(prepare: Callable[[], Callable[[], int]]) -> NoReturn:
    """Runs a command and ends the process with its exit status. `prepare` reads the arguments, imports what
    the command needs and returns its work; a signal before that kills the process, which holds nothing yet.
    """
    ending = _Ending()
    _open_standard_streams()
    sys.stdout = _text(_Output(1, ending), sys.stdout)
    sys.stderr = _text(_Diagnostics(2, "w", closefd=False), sys.stderr)
    sys.unraisablehook = _unraisable
    status = 128 + signal.SIGINT
    try:
        try:
            gc.disable()  # imports leave next to nothing to collect, and looking takes a fifth of their time
            work = prepare()
            gc.enable()
            with _signals(ending):
                try:
                    status = work()
                finally:
                    remove_all_scratch_folders()
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        pass
    except SystemExit as leaving:  # argparse has printed why
        status = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    sys.exit(status if ending.status is None else ending.status)


@contextlib.contextmanager
def _signals(ending: _Ending) -> Iterator[None]:
    """Each of `_SIGNALS` that is neither ignored (nohup, a shell's background) nor kept for a service raises
    KeyboardInterrupt, or cancels asyncio's main task as Ctrl-C does.
    """

    def end(number: int, _: FrameType | None) -> None:
        ending.status = 128 + number
        _interrupt()

    handled = [number for number in _SIGNALS if signal.getsignal(number) not in (signal.SIG_IGN, keep)]
    try:
        for number in handled:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else end)
        yield
    finally:
        for number in handled:
            signal.signal(number, signal.SIG_DFL)


def _interrupt() -> None:
    """Acts as Ctrl-C, also where SIGINT is ignored."""
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, signal.SIG_DFL):
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)


def _unraisable(problem: sys.UnraisableHookArgs) -> None:
    """Repeats a Ctrl-C that arrived where no exception can be raised, such as in a finaliser."""
    if problem.exc_type is KeyboardInterrupt:
        signal.raise_signal(signal.SIGINT)
    else:
        sys.__unraisablehook__(problem)


class _Output(io.FileIO):
    """Standard output. When its reader has gone or it cannot be written, further output is discarded and the
    command ends: silently for a closed pipe, otherwise with one sentence.
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
            _discard(self.fileno())
            if isinstance(error, BrokenPipeError):
                self._ending.status = 128 + signal.SIGPIPE
            else:
                self._ending.status = 1
                print(f"Standard output cannot be written ({error.strerror}).", file=sys.stderr)
            _interrupt()
            return len(data)


class _Diagnostics(io.FileIO):
    """Standard error. Output that cannot be written is discarded without an error."""

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        with contextlib.suppress(OSError):
            return super().write(data) or 0
        return len(data)


def _open_standard_streams() -> None:
    """Opens closed standard streams, so that no file opened later gets their descriptors."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            _discard(descriptor)


def _discard(descriptor: int) -> None:
    null_device = os.open(os.devnull, os.O_RDWR)
    if null_device != descriptor:
        os.dup2(null_device, descriptor)
        os.close(null_device)


def _text(raw: io.FileIO, before: object) -> io.TextIOWrapper:
    """A text stream over `raw`; characters that its encoding lacks are written as escapes."""
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=getattr(before, "encoding", None) or "utf-8",
        errors="backslashreplace",
        line_buffering=raw.isatty() or raw.fileno() == 2,
    )

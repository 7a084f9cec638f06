"""A SIGTERM to a service whose event loop does not handle signals yet is kept for the loop, which ends the
service as one that was asked to stop; else the boot guard would take it for a start that failed.
"""

import _signal  # type: ignore[import-not-found]  # built in: `signal` takes a few milliseconds

_kept: list[int] = []


def keep_sigterm() -> None:
    """Keeps the first SIGTERM from here on, unless it is ignored; a second one kills the process."""
    if _signal.getsignal(_signal.SIGTERM) is _signal.SIG_DFL:
        _signal.signal(_signal.SIGTERM, keep)


def keep(number: int, _: object) -> None:
    """The handler."""
    _kept.append(number)
    _signal.signal(number, _signal.SIG_DFL)


def was_asked() -> bool:
    """Whether a SIGTERM was kept."""
    return bool(_kept)

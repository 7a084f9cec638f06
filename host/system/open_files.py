"""Lets this process and those that it starts open as many files as a headband needs."""

from __future__ import annotations

import errno
import resource

NEEDED = 64
"""Files open at once, sockets and pipes included: a headband with all its bricks has about 40."""


def allow_open_files() -> None:
    """Raises the limit to what is needed, where the system lets it. Raises `OSError` where it does not: a
    headband that lacks one in the middle of a question waits for its answer for ever.
    """
    limit, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY or limit >= NEEDED:
        return
    if most != resource.RLIM_INFINITY and most < NEEDED:
        raise OSError(
            errno.EMFILE, f"it may have {most} files open at once and needs {NEEDED} (ulimit -n {NEEDED})"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (NEEDED, most))

"""Sound and pictures are in memory only, also when a program of the headband crashes."""

from __future__ import annotations

import resource

_NO_CORE_BYTES = 1
"""The kernel writes no core file shorter than its head, and hands none at all to a collector such as
systemd-coredump or apport where the limit is 1, as it does for 0 (fs/coredump.c).
"""


def leave_no_core() -> None:
    """No memory of this process and of those that it starts reaches the disk when one of them crashes."""
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    limit = _NO_CORE_BYTES if most == resource.RLIM_INFINITY else min(most, _NO_CORE_BYTES)
    resource.setrlimit(resource.RLIMIT_CORE, (limit, most))

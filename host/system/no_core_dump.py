"""Disables core dumps: sound and pictures do not reach the disk when a process of the headband crashes."""

from __future__ import annotations

import resource

_NO_CORE_BYTES = 1
"""Size limit of core files. With 1 the kernel writes no file, because its header is larger, and does not call
a collector such as systemd-coredump or apport either, which it does for 0 (fs/coredump.c).
"""


def disable_core_dumps() -> None:
    """Disables core dumps of this process and of processes that it starts."""
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    limit = _NO_CORE_BYTES if most == resource.RLIM_INFINITY else min(most, _NO_CORE_BYTES)
    resource.setrlimit(resource.RLIMIT_CORE, (limit, most))

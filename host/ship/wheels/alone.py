"""One at a time makes a folder of the cache, which all checkouts of a person share."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone(folder: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Waits until nobody else makes this folder. What was missing before may be there then. The kernel gives
    the lock back however its holder ends; a file system without locks lets everybody in.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_name(f"{folder.name}.lock"), "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"another deploy here is making {folder}: waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        except OSError:
            pass
        yield

"""What is being worked for, so that the energy ledger can tell remembering, and looking on, from answering.

A brick's event is told in the task that asked for its work, or in one that this task began.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MEMORY = "memory"
"""The wearer has the view remembered."""
CLIP = "clip"
"""A question is being spoken, and may ask what happened in the last seconds."""
_PURPOSE: ContextVar[str] = ContextVar("purpose", default="")


@contextmanager
def working_for(purpose: str) -> Iterator[None]:
    """Within the body this task, and the tasks that it begins there, work for that."""
    token = _PURPOSE.set(purpose)
    try:
        yield
    finally:
        _PURPOSE.reset(token)


def purpose() -> str:
    """What the present task works for; "" for the session."""
    return _PURPOSE.get()

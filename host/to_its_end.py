"""Work that an interruption does not end."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

_T = TypeVar("_T")


async def to_its_end(work: Coroutine[Any, Any, _T]) -> _T:
    """The result of `work`, which runs to its end also where the caller is cancelled meanwhile; the caller
    then ends after it. For what must not be done by half, as a write in a thread that goes on anyway.
    """
    working = asyncio.create_task(work)
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.wait([working])
        if not working.cancelled():
            working.exception()  # nobody is left to raise it to
        raise

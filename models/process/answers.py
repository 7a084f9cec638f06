"""All chunks of one answer, or none."""

from __future__ import annotations

import contextlib
from typing import Any

from models.process.bricks import Bricks


async def answers(bricks: Bricks, name: str, request: object) -> list[Any]:
    """All chunks that the brick gives to a request, in order. Where that fails or is cancelled, no rows of it
    stay in the ring. Raises as `Bricks.run`.
    """
    made: list[Any] = []
    try:
        async with contextlib.aclosing(bricks.run(name, request)) as chunks:
            async for chunk in chunks:
                made.append(chunk)
    except BaseException:
        for each in made:
            bricks.discard(each)
        raise
    return made

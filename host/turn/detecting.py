"""Asks the object detector which things a picture shows, with which the answers about it are checked."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from host.answers.seen.check import Checked, checked, checked_change
from host.observe.timeline import Span
from host.turn.time_limit import in_time, latest_s
from host.turn.tools import Tools
from models.brick import BrickError, Embedding
from models.detection import Detect, Detection
from models.process.residency import BrickBusy, BrickFailed


async def things_in(rows: Embedding, tools: Tools) -> Detection | None:
    """What the picture of these rows shows; None where the pack has no detector, where the brick that runs it
    is not in use now, and where it fails or is late: then nothing is checked.
    """
    if not tools.detects:
        return None
    began_s, found = tools.timeline.clock(), None
    with contextlib.suppress(BrickFailed, BrickError, BrickBusy):
        found = await in_time(latest_s(tools), _detected(rows, tools), tools)
    told = {"candidates": 0 if found is None else len(found.candidates)}
    tools.timeline.add(Span("turn", "detector", began_s, tools.timeline.clock(), told))
    return found


async def _detected(rows: Embedding, tools: Tools) -> Detection | None:
    found = None
    async with contextlib.aclosing(tools.bricks.run("reflex", Detect(rows))) as chunks:
        async for chunk in chunks:
            found = chunk if isinstance(chunk, Detection) else None
    return found


async def things_in_all(images: Sequence[Embedding], tools: Tools) -> tuple[Detection, ...]:
    """The same of one picture or of two that are compared; none where one of them is not known."""
    found = [await things_in(rows, tools) for rows in images[:2]]
    return tuple(each for each in found if each is not None) if all(found) else ()


def check(sentence: str, question: str, seen: Sequence[Detection], tools: Tools) -> Checked | None:
    """What the detector makes of an answer about a picture, or about two, the older first; None where it can
    say nothing of it.
    """
    if not seen:
        return None
    began_s = tools.timeline.clock()
    compared = len(seen) > 1
    found = (
        checked_change(sentence, question, seen[0], seen[1])
        if compared
        else checked(sentence, question, seen[0])
    )
    if found is not None:
        fields = {"agrees": round(found.agrees, 3), "share": round(found.share, 3)}
        tools.timeline.add(Span("turn", "checked", began_s, tools.timeline.clock(), fields))
        tools.observe("checked", fields)
    return found

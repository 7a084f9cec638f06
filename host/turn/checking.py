"""Checks answers about a picture: by the things that the object detector sees, and by the words that the
text reader reads.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from host.answers.seen.check import Checked, Verdict, checked
from host.answers.seen.evidence import Evidence, weighed
from host.answers.seen.written import as_read, asks_what_is_written, is_cut_off
from host.observe.timeline import Span
from host.sensing.view_gate import Rgb
from host.turn.time_limit import in_time, latest_s
from host.turn.tools import Tools
from models.brick import BrickError, Embedding
from models.detection import Detect, Detection
from models.process.answers import answers
from models.process.residency import BrickBusy, BrickFailed
from models.reading import Read, Reading


async def things_in(rows: Embedding, tools: Tools, until_s: float | None = None) -> Detection | None:
    """What the picture of these rows shows; None where the pack has no detector, where the brick that runs it
    is not in use now, and where it fails or is late: then nothing is checked. until_s: as of `in_time`; None:
    as long as `latest_s` says.
    """
    if not tools.detects:
        return None
    began_s = tools.timeline.clock()
    found: Detection | None = await _asked(Detect(rows), tools, until_s)
    told = {"candidates": 0 if found is None else len(found.candidates)}
    tools.timeline.add(Span("turn", "detector", began_s, tools.timeline.clock(), told))
    return found


async def _asked(request: Detect | Read, tools: Tools, until_s: float | None = None) -> Any:
    """The reflex brick's one answer; None where it fails, is not in use now or is late."""
    latest = latest_s(tools) if until_s is None else until_s
    with contextlib.suppress(BrickFailed, BrickError, BrickBusy):
        given = await in_time(latest, answers(tools.bricks, "reflex", request), tools)
        return given[0] if given else None
    return None


async def things_in_all(images: Sequence[Embedding], tools: Tools) -> tuple[Detection, ...]:
    """The same of one picture or of two that are compared; none where one of them is not known."""
    found = [await things_in(rows, tools) for rows in images[:2]]
    return tuple(each for each in found if each is not None) if all(found) else ()


def check(sentence: str, question: str, seen: Detection | None, tools: Tools) -> Checked | None:
    """What the detector makes of an answer about a picture; None where it can say nothing of it."""
    if seen is None:
        return None
    began_s = tools.timeline.clock()
    found = checked(sentence, question, seen)
    _tell(found, began_s, tools)
    return found


def weigh(said: str, probability: float, question: str, evidence: Evidence, tools: Tools) -> Verdict | None:
    """What becomes of the language model's answer, of words of that least probability, by the evidence; None
    where that decides nothing.
    """
    began_s, pack = tools.timeline.clock(), tools.bricks.pack
    result = weighed(said, probability, question, evidence, pack.detection, pack.reading)
    _tell(result.found, began_s, tools)
    return result.verdict


def _tell(found: Checked | None, began_s: float, tools: Tools) -> None:
    if found is not None:
        fields = {"agrees": round(found.agrees, 3), "share": round(found.share, 3)}
        tools.timeline.add(Span("turn", "checked", began_s, tools.timeline.clock(), fields))
        tools.observe("checked", fields)


def to_be_read(question: str, tools: Tools) -> bool:
    """Whether the text reader has a part in the answer to this question: it asks what is written, and the
    pack has a reader, whose brick is in use now.
    """
    return tools.reads and asks_what_is_written(question)


async def words_in(rgb: Rgb, tools: Tools) -> Reading | None:
    """What is written in a picture; None where the brick fails or is late: then an answer stays as it is."""
    began_s = tools.timeline.clock()
    found: Reading | None = await _asked(Read(rgb), tools)
    told = {"words": 0 if found is None else len(found.words)}
    tools.timeline.add(Span("turn", "reader", began_s, tools.timeline.clock(), told))
    tools.observe("read", told)
    return found


def corrected(
    said: str, probability: float, reading: Reading | None, seen: Detection | None, tools: Tools
) -> Verdict | None:
    """An answer of words of that least probability, with the word that is read in place of its own; None
    where the reading decides nothing.
    """
    table = tools.bricks.pack.reading
    if reading is None or table is None:
        return None
    return as_read(said.strip(), probability, reading, table.given_from, seen)


def cut_off(said: str, reading: Reading | None, seen: Detection | None, tools: Tools) -> bool:
    """Whether what is read goes on beyond the border, and is no part of the word of the answer."""
    table = tools.bricks.pack.reading
    if reading is None or table is None:
        return False
    return is_cut_off(said.strip(), reading, table.given_from, seen)

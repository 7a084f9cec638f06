"""What is said after "I do not see your keys here" while the memory is on: when and where they were seen."""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncGenerator
from dataclasses import replace

from host.answers.recollection import Recollection
from host.answers.sureness import Sureness
from host.language.router import plain_words
from host.memory.values import MemoryProblem
from host.turn.question import Question
from host.turn.recalling.memory_answer import where_seen
from host.turn.tools import Tools
from models.brick import BrickError
from models.caution import Caution
from models.process.residency import BrickBusy, BrickFailed

_SOUGHT = re.compile(
    r"(?:(?:do|can) you (?:see|find|spot)|is|are|any sign of) "
    r"(?P<thing>(?:my|our) [a-z' ]+?)"
    r"(?: (?:here|there|anywhere|somewhere|around|now|in view|in the picture|"
    r"(?:on|in|under|behind|by|near|next to) (?:the|this|that|my) .+))*"
)
"""A question about the view that looks for a thing of the wearer's. "Where are my keys" is the memory's."""
_ABSENT = re.compile(
    r"\b(?:(?:do not|don't|cannot|can't|can not) (?:see|find|spot)|"
    r"(?:is|are) (?:not|nowhere) (?:here|there|visible|in view|in sight|in the picture|to be seen)|"
    r"there (?:is|are) no)\b"
)
_THAT = re.compile(r"\b(?:see|find|spot) (?:that|it|them)(?: here| anywhere)?$")


def thing_sought(question: str) -> str:
    """The wearer's thing that a question about the view looks for, "my keys"; "" for none."""
    found = _SOUGHT.fullmatch(plain_words(question))
    return found["thing"] if found else ""


def says_absent(answer: str, thing: str) -> bool:
    """Whether an answer says that the thing is not in view, and not only that nothing can be seen."""
    name = thing.split()[-1].rstrip("s")
    return any(
        _ABSENT.search(part) and (name in part or _THAT.search(part))
        for part in re.split(r"[.!?;]", answer.lower())
    )


async def with_seen_earlier(
    pieces: AsyncGenerator[str, None], question: Question, tools: Tools, caution: Caution
) -> AsyncGenerator[str, None]:
    """The pieces of an answer about the view. Where they say that the wearer's thing is not there, and the
    memory has a view in which the language model finds it, that is told as well, and "and before that" asks
    on from it. Not with room for one brick only, where each look would load eye and language model anew.
    """
    said = []
    async with contextlib.aclosing(pieces):
        async for piece in pieces:
            said.append(piece)
            yield piece
    assert question.turn is not None
    thing = thing_sought(question.turn.question)
    if not thing or not says_absent(" ".join(said), thing) or not _may(tools):
        return
    told = await _seen(thing, Sureness.of(tools.bricks.pack.caution_levels, caution), tools)
    if told is not None:
        question.turn = replace(question.turn, recalled=told)
        yield told.sentence


def _may(tools: Tools) -> bool:
    plan = tools.power.plan
    alone = plan.residency == "one_at_a_time"
    return tools.memory.on and tools.memory.exists and plan.recall_looks > 0 and not alone


async def _seen(thing: str, sureness: Sureness, tools: Tools) -> Recollection | None:
    with contextlib.suppress(MemoryProblem, BrickFailed, BrickError, BrickBusy):
        told = await where_seen(thing, sureness, tools)
        return told if told.told else None
    return None

"""Answers a question about the last seconds from the clip of pictures that was kept while it was spoken."""

from __future__ import annotations

from dataclasses import dataclass, replace

from host.answers.motion import (
    NOT_BY_SIGHT,
    NOTHING,
    READ,
    TOO_DARK,
    ClipTold,
    asked_first,
    clip_asked,
    sentence,
    told,
)
from host.sensing.view_gate import Rgb
from host.turn.clip.look import ClipLook
from host.turn.tools import Tools
from host.turn.turn import Turn
from models.brick import BrickError
from models.caution import Caution
from models.process.residency import BrickBusy, BrickFailed

READ_QUESTION = "what does the sign say"
"""What is asked about the sharpest picture, in the words that every pack knows."""


@dataclass(frozen=True)
class ClipResult:
    """What became of such a question. sentence: the answer, "" where another answers. told: what that rests
    on. picture: the one that has to be read, for a question about words.
    """

    sentence: str = ""
    told: ClipTold | None = None
    picture: Rgb | None = None


async def by_clip(turn: Turn, look: ClipLook | None, tools: Tools, caution: Caution) -> ClipResult:
    """The answer of the motion brick; an empty result where it is not asked or fails."""
    asked = clip_asked(turn.decision)
    if asked is None or look is None:
        return ClipResult()
    if asked.unknown:
        return ClipResult(NOT_BY_SIGHT)
    if asked.family == READ:
        return ClipResult(picture=look.sharpest())
    options = tools.bricks.pack.bricks["motion"].options
    least = options.get(f"least_{caution}") or options["least"]
    try:
        first = asked_first(asked)
        answer = await look.ask(first)
        if first != asked and answer.label not in ("", NOTHING) and answer.probability >= least[first.family]:
            asked = replace(asked, thing=answer.label)
            answer = await look.ask(asked)
        else:
            asked = first
    except (BrickFailed, BrickError, BrickBusy) as error:
        tools.observe("clip", {"problem": str(error)})
        return ClipResult()
    said = TOO_DARK if look.dark else sentence(asked, answer, least)
    return ClipResult(said, told(answer, dark=look.dark))

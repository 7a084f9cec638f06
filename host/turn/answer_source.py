"""Where an answer comes from: a sentence of the headband's own, reflex, or the language model."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace

from host.language.meaning import THE_REST
from host.language.misheard.unknown_words import asked_back
from host.turn.answer_player import AnswerPlayer
from host.turn.checking import things_in_all
from host.turn.clip.answer import READ_QUESTION, by_clip
from host.turn.question import Question
from host.turn.recalling.seen_earlier import with_seen_earlier
from host.turn.reflex_answer import by_reflex
from host.turn.steps import NOT_CAUGHT, NOT_CAUGHT_REST, Thought, see, whole
from host.turn.tools import Tools
from host.turn.turn import Turn
from models.caution import Caution
from models.detection import Detection
from models.pack.chain import EYE


async def answer_of(
    question: Question, turn: Turn, thought: Thought, player: AnswerPlayer, tools: Tools, caution: Caution
) -> AsyncGenerator[str, None]:
    """What is said, in pieces; `question.turn` becomes the turn with who says it. Raises `BrickFailed` or
    `BrickError` when the picture cannot be encoded.
    """
    match turn.decision.route:
        case "unclear":
            rest, usual = turn.decision.intent == THE_REST, tools.bricks.pack.usual_wording
            said = asked_back(turn.question if rest else turn.transcript, usual)
            return whole(said or (NOT_CAUGHT_REST if rest else NOT_CAUGHT))
        case "memory":
            told = await question.recollection.told(turn, question.look, caution)
            question.turn = replace(turn, answered_by="device", recalled=told)
            return whole(told.sentence)
        case "device":
            question.turn = replace(turn, answered_by="device")
            return whole(question.sentence)
        case "open":
            question.turn = replace(turn, answered_by="language model")
            return thought.pieces(turn.question, (), None, player)
    clip = await by_clip(turn, question.clip, tools, caution)
    if clip.told is not None:
        question.turn = replace(turn, answered_by="motion", clip=clip.told, views=clip.told.units)
        question.look.answered()
        return whole(clip.sentence)
    if clip.picture is not None:
        rows = await question.look.rows_of_picture(clip.picture)
        question.turn = replace(turn, answered_by="language model", views=1)
        return thought.pieces(READ_QUESTION, (rows,), None, player, picture=clip.picture)
    turn = question.turn = await by_reflex(turn, question.look, tools, caution)
    if turn.closed is not None and turn.closed.sentence:
        question.turn = replace(turn, answered_by="reflex")
        return with_seen_earlier(whole(turn.closed.sentence), question, tools, caution)
    tools.bricks.prepare("llm", beside=(EYE,))
    images = await see(turn, question.look, tools)
    if isinstance(images, str):
        question.turn = replace(turn, answered_by="device")
        return whole(images)
    question.turn = replace(turn, answered_by="language model", views=len(images))
    if turn.closed is not None and len(images) == 1:  # what failed or was late then is not asked again
        seen: tuple[Detection, ...] = (turn.closed.detection,) if turn.closed.detection else ()
    else:
        seen = await things_in_all(images, tools)
    pieces = thought.pieces(turn.question, images, question.look, player, seen)
    return with_seen_earlier(pieces, question, tools, caution)

"""What the language model makes of a stored view, and how well that view fits the words of a question."""

from __future__ import annotations

from functools import partial

from host.answers import memory_replies as replies
from host.answers.sureness import Sureness
from host.memory.episodes import Nearness
from host.memory.values import Match, Row
from host.sensing.view_gate import Rgb
from host.turn.looking_again import answer_about, may_look_again, supported
from host.turn.tools import Tools
from models.brick import Completion, Prompt


def nearness(tools: Tools) -> Nearness:
    """What cosines mean in the pack's recall space."""
    return Nearness.of(tools.bricks.pack.bricks["text"].options)


def sure_of(told: Match, best: Match, tools: Tools) -> str:
    """How sure, in words: by how nearly the view that is told of fits as well as the best."""
    return replies.sureness(told.score, best.score, nearness(tools).about_as_well)


async def seen_in(match: Match, thing: str, sureness: Sureness, tools: Tools) -> str | None:
    """What the language model finds of the thing in a view, which fits the words as well; None: it is not
    there, the model is not sure enough, or the view is gone. Where it hesitates, other looks at the same
    picture count too.
    """
    question = replies.question_about(thing)
    rgb = await tools.memory.picture(match.row.number)
    said = None if rgb is None else await told_of(rgb, question, tools)
    if rgb is None or said is None or not replies.tells_of(said.text, thing):
        return None
    probability = said.probability
    if may_look_again(said.text, probability, tools):
        ask = partial(told_of, question=question, tools=tools)
        probability = await supported(said.text, probability, rgb, tools, ask)
    return said.text.strip() if probability >= sureness.backed_from else None


async def asked_about(row: Row, question: str, tools: Tools) -> Completion | None:
    """The language model's answer about a stored picture; None without the picture."""
    rgb = await tools.memory.picture(row.number)
    return None if rgb is None else await told_of(rgb, question, tools)


async def told_of(rgb: Rgb, question: str, tools: Tools) -> Completion | None:
    """The language model's answer about a picture."""
    return await answer_about(rgb, Prompt(question, max_tokens=tools.power.plan.answer_max_tokens), tools)

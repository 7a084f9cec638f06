"""What the language model makes of a stored view, and how well that view fits the words of a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from host.answers import memory_replies as replies
from host.answers.seen.check import Checked, decided
from host.answers.sureness import Sureness
from host.memory.episodes import SHOWS_FROM, Nearness, shows
from host.memory.things import things_of
from host.memory.values import Match, Row
from host.sensing.view_gate import Rgb
from host.turn.checking import check, corrected, cut_off, things_in, to_be_read, words_in
from host.turn.looking_again import answer_about, answer_from, may_look_again, supported
from host.turn.recalling.last_shown import BorneOut, Found
from host.turn.tools import Tools
from models.brick import Completion, Prompt
from models.detection import Detection
from models.pack.brick_settings import DetectionTable


@dataclass(frozen=True)
class Described:
    """What is said of a view. probability: how far it can be relied on; borne_out: the share of the object
    detector's scenes in which it is so, 1 where nothing is checked.
    """

    text: str
    probability: float
    borne_out: float = 1.0


def nearness(tools: Tools) -> Nearness:
    """What cosines mean in the pack's recall space."""
    return Nearness.of(tools.bricks.pack.bricks["text"].options)


def remembered(tools: Tools) -> BorneOut:
    """From which share of the object detector's scenes a view is told of."""
    tables = tools.bricks.pack.detection
    return BorneOut() if tables is None else BorneOut(tables.remembered_from, tables.remembered_least)


def sure_of(told: Match, found: Sequence[Match], tools: Tools) -> str:
    """How sure, in words: by how nearly the view that is told of fits as well as the best of those found."""
    best_score = found[0].score
    if told.seen is None:
        return replies.sureness(told.score, best_score, nearness(tools).about_as_well)
    best = max(shows(match, best_score) for match in found)
    return replies.sureness(shows(told, best_score), best, max(0.01, best - SHOWS_FROM))


async def seen_in(match: Match, thing: str, sureness: Sureness, tools: Tools) -> Found | None:
    """What the language model finds of the thing in a view, which fits the words as well; None: it is not
    there, the model is not sure enough, or the view is gone.
    """
    rgb = await tools.memory.picture(match.row.number)
    return None if rgb is None else await found_in(rgb, thing, sureness, tools)


async def found_in(
    rgb: Rgb, thing: str, sureness: Sureness, tools: Tools, *, only_if_detected: bool = False
) -> Found | None:
    """The same of a picture. Where the model hesitates, other looks at the same picture count too; a
    neighbour in which the object detector does not believe is left out. only_if_detected: the model is not
    asked where the detector tells of such things, and hardly sees this one.
    """
    question = replies.question_about(thing)
    said, found = await checked_answer(rgb, question, tools, thing if only_if_detected else "")
    if said is None or not replies.tells_of(said.text, thing):
        return None
    text, tables = said.text.strip(), tools.bricks.pack.detection
    if found is None or tables is None:
        return Found(text) if await _backed(said, question, rgb, sureness, tools) else None
    if not _settled(found, tables) and not await _backed(said, question, rgb, sureness, tools):
        return None
    return Found(found.without_doubtful_neighbour(text, tables), found.plainly)


async def _backed(said: Completion, question: str, rgb: Rgb, sureness: Sureness, tools: Tools) -> bool:
    """Whether the model is sure enough of what it said; where it hesitates, other looks count too."""
    probability = said.probability
    if may_look_again(said.text, probability, tools):
        ask = partial(told_of, question=question, tools=tools)
        probability = await supported(said.text, probability, rgb, tools, ask)
    return probability >= sureness.backed_from


def _settled(found: Checked, tables: DetectionTable) -> bool:
    """Whether other looks at the picture would decide nothing: the object detector bears the answer out, or
    hardly sees the thing, so that the view is told of only where no other shows it.
    """
    return found.plainly >= tables.things.backs_from or found.plainly < tables.remembered_from


async def described(row: Row, question: str, tools: Tools) -> Described | None:
    """What is said of a stored picture when that is asked; None without the picture."""
    rgb = await tools.memory.picture(row.number)
    said, found = (None, None) if rgb is None else await checked_answer(rgb, question, tools)
    if said is None:
        return None
    text = said.text.strip()
    verdict, tables = None, tools.bricks.pack.detection
    if found is not None and tables is not None:
        verdict = decided(text, said.probability, found, tables)
    borne_out = 1.0 if found is None else found.plainly
    if verdict is None:
        return Described(text, said.probability, borne_out)
    return Described(verdict.said, verdict.probability, verdict.probability if verdict.final else borne_out)


async def checked_answer(
    rgb: Rgb, question: str, tools: Tools, sought: str = ""
) -> tuple[Completion | None, Checked | None]:
    """The language model's answer about a picture, and what the object detector makes of it; None where it
    can say nothing of it. sought: as of `answer_and_things`.
    """
    answer, seen = await answer_and_things(rgb, question, tools, sought)
    if answer is None or seen is None:
        return answer, None
    return answer, check(answer.text.strip(), question, seen, tools)


async def answer_and_things(
    rgb: Rgb, question: str, tools: Tools, sought: str = ""
) -> tuple[Completion | None, Detection | None]:
    """The language model's answer about a picture, and what the object detector sees there. sought: a thing
    without which the model is not asked; "": it is asked in any case.
    """
    rows = await tools.view_encoder.rows_of(rgb)
    try:
        seen = await things_in(rows, tools)
        if sought and seen is not None and not _shows(seen, sought, tools):
            return None, seen
        return await answer_from(rows, _prompt(question, tools), tools), seen
    finally:
        tools.bricks.discard(rows)  # where nothing has read it


def _shows(seen: Detection, sought: str, tools: Tools) -> bool:
    """Whether the object detector sees the thing, or tells nothing of such things."""
    name, _ = tools.view_places.named_in(sought)
    probable = (each.probability for each in things_of(seen) if each.name == name)
    return not name or next(probable, 0.0) >= remembered(tools).at_once_from


async def asked_about(row: Row, question: str, tools: Tools) -> Completion | None:
    """The language model's answer about a stored picture; None without the picture."""
    rgb = await tools.memory.picture(row.number)
    return None if rgb is None else await told_of(rgb, question, tools)


async def written_in(row: Row, question: str, tools: Tools) -> Completion | None:
    """The language model's answer to a question about what is written in a stored picture, with the word that
    the text reader reads; None without the picture. Of a word that goes on beyond the border, and that is not
    the answer's, the answer says nothing.
    """
    rgb = await tools.memory.picture(row.number)
    if rgb is None:
        return None
    if not to_be_read(question, tools):
        return await told_of(rgb, question, tools)
    said, seen = await answer_and_things(rgb, question, tools)
    if said is None:
        return None
    reading = await words_in(rgb, tools)
    read = corrected(said.text, said.probability, reading, seen, tools)
    if read is not None:
        return replace(said, text=read.said, probability=read.probability)
    return replace(said, probability=0.0) if cut_off(said.text, reading, seen, tools) else said


async def told_of(rgb: Rgb, question: str, tools: Tools) -> Completion | None:
    """The language model's answer about a picture."""
    return await answer_about(rgb, _prompt(question, tools), tools)


def _prompt(question: str, tools: Tools) -> Prompt:
    return Prompt(question, max_tokens=tools.power.plan.answer_max_tokens)

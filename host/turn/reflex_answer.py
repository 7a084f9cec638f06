"""Asks the reflex brick, which answers closed questions about one picture without the language model.

It works on the rows that the language model would read; meanwhile a language model that is in memory goes on
to take them in, so that a question which is handed over has lost no time. Where a wrong answer may do harm, a
second picture is taken while the first is answered, unless the plan allows one picture per question only.
Whatever goes wrong here is noted, and the language model is asked.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from host.answers.absent import naming_what_is_absent
from host.answers.reflex import ClosedResult, closed, matters, matters_by_answer
from host.answers.seen.unclear import said_instead
from host.observe.timeline import Span
from host.turn.checking import check, corrected, things_in, to_be_read, words_in
from host.turn.early.look import EarlyLook
from host.turn.time_limit import in_time, latest_s
from host.turn.tools import Tools
from host.turn.turn import Turn
from hw.device import DeviceError
from models.brick import BrickError, Embedding
from models.caution import Caution
from models.closed_question import ClosedAnswer, ClosedQuestion
from models.process.residency import BrickBusy, BrickFailed

TOO_SLOW = "The reflex brick had no answer in time."
_Ask = Callable[[Embedding], Coroutine[Any, Any, ClosedAnswer]]


async def by_reflex(turn: Turn, look: EarlyLook, tools: Tools, caution: Caution) -> Turn:
    """The turn with what the reflex brick makes of its question; unchanged where it is not asked: in a pack
    without it, for other than closed questions about the present view, and without a picture. Raises
    `BrickFailed` or `BrickError` when the picture cannot be encoded.
    """
    if turn.decision.route != "now" or not tools.asks_reflex or not closed(turn.question):
        return turn
    began_s, ask = tools.timeline.clock(), partial(_ask, turn.question, caution, tools)
    if tools.reflex_has_own_eye:
        rows, problem = await _rows_of_its_own_eye(look, tools)
    else:
        rows, problem = await look.rows_at_once(), ""
        began_s = tools.timeline.clock()
    if rows is not None:
        until_s = latest_s(tools)
        detection = await things_in(rows, tools, until_s)
        result = await _result(ask, matters(turn.question), rows, until_s, tools)
        result = _checked(replace(result, detection=detection), turn.question, caution, tools)
        result = _of_unclear(await _as_read(result, turn.question, look, tools), look)
    elif problem:
        result = ClosedResult(problem=problem)
    else:
        return turn
    ended_s = tools.timeline.clock()
    result = replace(result, seconds=ended_s - began_s)
    if tools.bricks.pack.usual_wording:  # another pack's question may ask of a thing that no list here names
        result = naming_what_is_absent(result, turn.question)
    fields = as_fields(result)
    tools.timeline.add(Span("turn", "reflex", began_s, ended_s, fields))
    tools.observe("reflex", fields)
    if not result.sentence:
        return replace(turn, closed=result)
    look.answered()
    return replace(turn, closed=result, views=1 if result.agreed is None else 2)


def _checked(result: ClosedResult, question: str, caution: Caution, tools: Tools) -> ClosedResult:
    """The result with what the object detector makes of it: an answer that it contradicts is handed over to
    the language model, and a guess that it bears out is given.
    """
    answer, tables = result.answer, tools.bricks.pack.detection
    if answer is None or tables is None or answer.advice or result.matters or not answer.guess:
        return result
    found = check(answer.guess, question, result.detection, tools)
    if found is None:
        return result
    result = replace(result, checked=found)
    table = tables.things if found.about == "things" else tables.shapes
    least: float = getattr(table.gives_from, caution)
    if answer.understood >= least and found.sentence and found.share >= least:
        sure = min(answer.understood, found.share)
        if found.sentence == answer.guess:
            sure = max(answer.confidence, sure)
        told = f"answered: so in {found.share:.0%} of the scenes that the object detector holds possible"
        given = _reworded(answer, found.sentence)
        return replace(result, answer=replace(given, confidence=sure, reasons=(*answer.reasons, told)))
    if answer.text and found.agrees < table.doubts_below:
        return replace(result, answer=replace(answer, text=""))
    if answer.text == answer.guess:
        told = found.without_doubtful_neighbour(answer.text, tables)
        return replace(result, answer=_reworded(answer, told))
    return result


def _reworded(answer: ClosedAnswer, sentence: str) -> ClosedAnswer:
    """The answer as that sentence, with those of its values that the sentence has."""
    if sentence == answer.guess:
        return replace(answer, text=sentence)
    words = sentence.lower()
    values = {
        name: value
        for name, value in answer.values.items()
        if re.search(rf"\b{re.escape(value.lower())}", words)
    }
    return replace(answer, text=sentence, guess=sentence, values=values)


async def _as_read(result: ClosedResult, question: str, look: EarlyLook, tools: Tools) -> ClosedResult:
    """The result with what the text reader makes of it: an answer that says what is read there is sure, as
    two networks agree; one that says otherwise is handed over to the language model, whose answer is checked
    in the same way.
    """
    answer = result.answer
    if answer is None or not answer.text or answer.advice or look.view is None:
        return result
    if not to_be_read(question, tools):
        return result
    words = await words_in(look.view.rgb, tools)
    read = corrected(answer.text, 0.0, words, result.detection, tools)
    if read is None:
        return result
    if read.said.lower() == answer.text.lower():
        return replace(result, read_alike=True)
    return replace(result, answer=replace(answer, text=""))


def _of_unclear(result: ClosedResult, look: EarlyLook) -> ClosedResult:
    """The result where nothing can be made out in the picture, and the brick does not say so. What it only
    guesses is handed over. Its own probability that there is an answer gives way to what is measured.
    """
    answer, cause = result.answer, "" if look.view is None else look.view.quality.cause
    if answer is None or not (told := said_instead(answer.text, cause)):
        return result
    reasons = (*answer.reasons, f"the picture is measured to be {cause}")
    advice = replace(answer, text=told, advice=True, cause=cause, answerable=0.0, reasons=reasons)
    return replace(result, answer=advice)


async def _rows_of_its_own_eye(look: EarlyLook, tools: Tools) -> tuple[Embedding | None, str]:
    """The rows of a brick that reads another eye than the language model, which is asked where these fail or
    are late, with the reason; neither where there is no picture.
    """
    try:
        rows = await in_time(latest_s(tools), look.closed_rows(), tools)
    except (BrickFailed, BrickError, BrickBusy) as error:
        return None, str(error)
    return rows, TOO_SLOW if rows is None and look.view is not None else ""


def as_fields(result: ClosedResult) -> dict[str, Any]:
    """What journal, trace and reports say of it: no word of the question or the answer."""
    answer = result.answer
    fields: dict[str, Any] = {"handed_over": not result.sentence, "ms": round(result.seconds * 1000, 1)}
    if result.problem:
        fields["problem"] = result.problem
    if result.matters:
        fields["agreed"] = result.agreed
    if result.read_alike:
        fields["read"] = True
    if result.checked is not None:
        fields["agrees"] = round(result.checked.agrees, 3)
    if answer is None:
        return fields
    return {
        **fields,
        "layer": answer.layer,
        "confidence": round(answer.confidence, 4),
        "answerable": round(answer.answerable, 4),
        "cause": answer.cause,
        "advice": answer.advice,
        "kept": answer.kept,
        "reasons": list(answer.reasons),
        "layers_ms": [round(each, 2) for each in answer.layers_ms],
    }


async def _result(ask: _Ask, critical: bool, rows: Embedding, until_s: float, tools: Tools) -> ClosedResult:
    """The answer from these rows until then, compared with that from a second picture where a wrong one may
    do harm: where the question is `critical`, or the answer proves to be.
    """
    async with _second_picture(tools, wanted=critical) as second:
        try:
            answer = await in_time(until_s, ask(rows), tools)
        except (BrickFailed, BrickError, BrickBusy) as error:
            return ClosedResult(problem=str(error))
        if answer is None:
            return ClosedResult(problem=TOO_SLOW)
        critical = critical or matters_by_answer(answer.values)
        if not critical or not answer.text or answer.advice:
            return ClosedResult(answer, critical)
        again = await in_time(until_s, _again(ask, second), tools)
    if again is None:
        return ClosedResult(answer, critical)
    agreed = again.text == answer.text
    return ClosedResult(max((answer, again), key=_confidence), critical, agreed)


def _confidence(answer: ClosedAnswer) -> float:
    return answer.confidence if answer.text and not answer.advice else 0.0


class _SecondPicture:
    """A second picture of the view and its rows, which are given back at the end."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._work: asyncio.Task[Embedding | None] | None = None
        self._lent: Any = None
        self._alone: Embedding | None = None
        """What only the reflex brick reads."""

    def begin(self) -> None:
        """Begins to take and encode it, once, where the plan allows more than one picture per question."""
        if self._work is None and self._tools.power.plan.second_picture:
            self._work = asyncio.create_task(self._look())

    async def rows(self) -> Embedding | None:
        """Its rows; None where there is none."""
        self.begin()
        return None if self._work is None else await asyncio.shield(self._work)

    async def end(self) -> None:
        """Ends the work on it."""
        if self._work is not None:
            self._work.cancel()
            await asyncio.wait([self._work])
        if self._lent is not None:
            self._tools.view_encoder.give_back(*self._lent)
        if self._alone is not None:
            self._tools.bricks.discard(self._alone)

    async def _look(self) -> Embedding | None:
        with contextlib.suppress(DeviceError, BrickFailed, BrickError):
            view = await self._tools.recent_views.look()
            if self._tools.reflex_has_own_eye:
                self._alone = await self._tools.view_places.rows(view.rgb)
                return self._alone
            encoded = await self._tools.view_encoder.rows(view, own=True)
            self._lent = view, encoded
            assert isinstance(encoded.data, Embedding)
            return encoded.data
        return None


@asynccontextmanager
async def _second_picture(tools: Tools, *, wanted: bool) -> AsyncIterator[_SecondPicture]:
    second = _SecondPicture(tools)
    if wanted:
        second.begin()
    try:
        yield second
    finally:
        await second.end()


async def _again(ask: _Ask, second: _SecondPicture) -> ClosedAnswer | None:
    rows = await second.rows()
    if rows is None:
        return None
    with contextlib.suppress(BrickFailed, BrickError, BrickBusy):
        return await ask(rows)
    return None


async def _ask(question: str, caution: Caution, tools: Tools, rows: Embedding) -> ClosedAnswer:
    """Raises `BrickFailed` or `BrickError`."""
    budget, pack = tools.power.plan.reflex, tools.bricks.pack.bricks["reflex"].options
    request = ClosedQuestion(
        question,
        rows,
        caution,
        certainty=_towards_one(pack.get("exit_score"), budget.certainty),
        keep=_towards_one(pack.get("keep"), budget.keep),
        explain=True,
    )
    answer: ClosedAnswer | None = None
    async with contextlib.aclosing(tools.bricks.run("reflex", request)) as chunks:
        async for chunk in chunks:
            answer = chunk
    if not isinstance(answer, ClosedAnswer):
        raise BrickFailed("reflex", "execute", "it gave no answer")
    return answer


def _towards_one(number: float | None, share: float) -> float | None:
    """The pack's number, moved by `share` of its distance from 1; None: the pack's own."""
    return None if number is None or share <= 0 else number + (1 - number) * min(1.0, share)

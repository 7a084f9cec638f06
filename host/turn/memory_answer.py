"""Answers from what was seen earlier: text tower -> ranked views -> the language model looks at them again.

What the headband says about a thing comes from a stored picture in which the language model finds it, never
from the ranking alone; where the plan leaves no room for another look, the answer says so.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from host.answers import memory_replies as replies
from host.language.router import plain_words
from host.memory.values import Match, MemoryProblem, Row
from host.turn.early_look import EarlyLook
from host.turn.tools import Tools
from host.turn.turn import Turn
from models.brick import BrickError, Completion, Embedding, Frame, Phrase, Prompt, Recall
from models.process.residency import BrickFailed
from power.policy.plan import PowerPlan

CANDIDATES, THROTTLED_CANDIDATES = 10, 3
"""Views that the language model looks at again, at most."""
CONFIRMING = 2
"""Views that show the thing, the last ones first, after which no further one is looked at."""
LISTED = 3
"""Views that are described when the wearer asks what was seen."""


@dataclass(frozen=True)
class _Seen:
    """A view in which the language model finds the thing."""

    match: Match
    answer: str


def candidates(plan: PowerPlan) -> int:
    """How many views are looked at again; 0: none, because one brick at a time is in memory."""
    if plan.residency == "one_at_a_time":
        return 0
    return CANDIDATES if plan.residency == "resident" else THROTTLED_CANDIDATES


async def by_memory(turn: Turn, look: EarlyLook, tools: Tools) -> str:
    """The spoken answer to a question or command of the memory; a fault of the store is one sentence."""
    intent, slots = turn.decision.intent, turn.decision.slots
    rest = plain_words(str(slots.get("rest", "")))
    memory = tools.memory
    try:
        if intent == "keep":
            return await _keep(rest, look, tools)
        if not memory.exists:
            return memory.impossible or (replies.NOTHING_THEN if memory.on else replies.OFF)
        match intent:
            case "forget_everything":
                await memory.forget_everything()
                return replies.FORGOTTEN_ALL
            case "forget_today":
                since_s, _, _ = replies.times_of("today", await memory.time_s())
                return replies.forgotten(await memory.forget_since(since_s=since_s))
            case "forget_last":
                seconds = float(slots.get("span_one") or slots["number"] * slots["unit"])
                return replies.forgotten(await memory.forget_since(ago_s=seconds))
            case "looked_at":
                return await _looked_at(rest, tools)
        return await _where(rest, tools)
    except MemoryProblem as problem:
        return str(problem)


async def _keep(name: str, look: EarlyLook, tools: Tools) -> str:
    memory = tools.memory
    if memory.impossible:
        return memory.impossible
    view = look.view
    if view is None:
        return replies.NO_VIEW
    exits = tools.view_encoder.exits
    place = None
    if exits and tools.power.plan.residency != "one_at_a_time":
        with suppress(BrickError, BrickFailed):  # it can be placed later, from its picture
            place = await tools.view_encoder.place(view, exits[-1])
    await memory.remember(view.rgb, memory.now(), "kept", place, kept=True, name=name)
    return replies.kept(name)


async def _where(rest: str, tools: Tools) -> str:
    thing = replies.thing_of(rest)
    if not thing:
        return replies.NOTHING_THEN
    now_s = await tools.memory.time_s()
    since_s, until_s, said = replies.times_of(rest, now_s)
    place = await _one(tools, "text", Phrase(thing))
    assert isinstance(place, Recall)
    count = candidates(tools.power.plan)
    matches = await tools.memory.find(place, max(count, 2), since_s, until_s)
    named = [match for match in matches if match.row.name and thing.endswith(match.row.name)]
    if named:
        when = replies.at_time(named[0].row.time_s, now_s)
        return f"I kept the view that you called {replies.yours(named[0].row.name)} {when}."
    today_s, _, today = replies.times_of("today", now_s)
    if not said and all(match.row.time_s >= (today_s or 0.0) for match in matches):
        said = today
    if not matches:
        return replies.not_seen(thing, said)
    if not count:
        return replies.perhaps(thing, matches[0].row.time_s, now_s)
    found: list[_Seen] = []
    for match in sorted(
        matches, key=lambda match: -match.row.time_s
    ):  # the last place is the one that counts
        seen = await _seen_in(match, thing, tools)
        found += [seen] if seen is not None else []
        if len(found) == CONFIRMING:
            break
    if not found:
        return replies.not_seen(thing, said)
    following = matches[1].score if len(matches) > 1 else None
    sure = replies.sureness(matches[0].score, following, len(found))
    last = found[0]
    return replies.seen(thing, last.answer, last.match.row.time_s, now_s, sure)


async def _seen_in(match: Match, thing: str, tools: Tools) -> _Seen | None:
    """What the language model finds of the thing in a view; None: it is not there, or the view is gone."""
    answer = await _asked(match.row, replies.question_about(thing), tools)
    return _Seen(match, answer) if answer is not None and replies.tells_of(answer, thing) else None


async def _looked_at(rest: str, tools: Tools) -> str:
    now_s = await tools.memory.time_s()
    since_s, until_s, said = replies.times_of(rest, now_s)
    rows = await tools.memory.rows(since_s, until_s)
    if not rows:
        return replies.NOTHING_THEN
    if not candidates(tools.power.plan):
        return (
            f"I remember {len(rows)} views{f' of {said}' if said else ''}, the last {_ago(rows[-1], now_s)}."
        )
    step = max(1, len(rows) // LISTED)
    told = []
    for row in rows[-1::-step][:LISTED]:
        answer = await _asked(row, "what do you see", tools)
        if answer is not None:
            told.append(f"{_ago(row, now_s).capitalize()}: {answer}")
    return " ".join(told) or replies.NOTHING_THEN


def _ago(row: Row, now_s: float) -> str:
    return replies.at_time(row.time_s, now_s)


async def _asked(row: Row, question: str, tools: Tools) -> str | None:
    """The language model's answer about a stored picture; None without the picture."""
    rgb = await tools.memory.picture(row.number)
    if rgb is None:
        return None
    rows = await _one(tools, "vision", Frame(rgb))
    assert isinstance(rows, Embedding)
    tokens = tools.power.plan.answer_max_tokens
    try:
        told = await _one(tools, "llm", Prompt(question, (rows,), max_tokens=tokens))
    finally:
        tools.bricks.discard(rows)  # where a fault left it unread
    return told.text.strip() if isinstance(told, Completion) else None


async def _one(tools: Tools, brick: str, request: object) -> object:
    """The last chunk of a brick's answer."""
    result: object = None
    async for chunk in tools.bricks.run(brick, request):
        result = chunk
    return result

"""Answers from what was seen earlier: text tower -> ranked views -> the language model looks at them again.

What the headband says about a thing comes from a stored picture in which the language model finds it, never
from the ranking alone; where the plan leaves no room for another look, the answer says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from host.answers import memory_replies as replies
from host.answers.recollection import Recollection
from host.answers.reflex import thinking
from host.answers.spots import same_spot
from host.answers.sureness import Sureness
from host.answers.timer_replies import span
from host.answers.unlooked import not_known
from host.language.classifier import forgetting
from host.language.past.times import times_of
from host.language.past.untold import untold_time
from host.language.router import plain_words
from host.language.usual.view import usual_names
from host.memory.episodes import episodes, worth_a_look
from host.memory.values import MemoryProblem, Row
from host.turn.early.look import EarlyLook
from host.turn.recalling import kept_names
from host.turn.recalling.deepening import CANDIDATES, query_of, recalled
from host.turn.recalling.earlier import Shows, last_elsewhere
from host.turn.recalling.last_shown import last_shown
from host.turn.recalling.present_view import seen_now
from host.turn.recalling.sign_answer import said_by_sign
from host.turn.recalling.stored_view import described, nearness, remembered, seen_in, sure_of
from host.turn.recalling.without_look import (
    perhaps_before,
    perhaps_looked_at,
    perhaps_there,
    seems_elsewhere,
    spot_seen,
)
from host.turn.tools import Tools
from host.turn.turn import Turn
from models.brick import BrickError
from models.caution import Caution
from models.process.residency import BrickFailed

BEFORE_S = 60.0
"""What was seen so much earlier is another look, not the same one."""
THINGS_ASKED = "what do you see"
LISTED = 3
"""Views that are described when the wearer asks what was seen; each is chosen from as many neighbours as the
plan's looks allow.
"""
_BEFORE_NOW = re.compile(r"\b(?:before|previously)\b")
_HAS_PREPOSITION = re.compile(
    r"(?:on|at|in|since|before|after|during|about|around|by|towards|over|within|ever since|all|"
    r"(?:just|right) (?:before|after)|less than|more than|under|at least|exactly)\b"
)


async def by_memory(turn: Turn, look: EarlyLook, tools: Tools, caution: Caution) -> Recollection:
    """The answer to a question or command of the memory; a fault of the store is one sentence."""
    intent, slots = turn.decision.intent, turn.decision.slots
    rest = plain_words(str(slots.get("rest", "")))
    memory = tools.memory
    sureness = Sureness.of(tools.bricks.pack.caution_levels, caution)
    try:
        if intent == "keep":
            return Recollection(await _keep(rest, bool(slots.get("unheard")), look, tools))
        if not memory.exists:
            return Recollection(memory.impossible or (replies.NOTHING_THEN if memory.on else replies.OFF))
        match intent:
            case "forget_everything":
                await memory.forget_everything()
                return Recollection(replies.FORGOTTEN_ALL)
            case "forget_today":
                since_s, _, _ = times_of("today", await memory.time_s())
                return Recollection(replies.forgotten(await memory.forget_since(since_s=since_s)))
            case "forget_last":
                seconds = float(slots.get("span_one") or slots["number"] * slots["unit"])
                count = await memory.forget_since(ago_s=seconds)
                return Recollection(replies.forgotten(count, f"the last {span(seconds).removeprefix('1 ')}"))
            case "forget_times":
                since_s, until_s, said = times_of(rest, await memory.time_s())
                if since_s is None:
                    return Recollection(replies.FORGOTTEN_NOTHING)
                count = await memory.forget_since(since_s=since_s, until_s=until_s)
                return Recollection(replies.forgotten_of(count, said))
            case forgetting.BY_TIME:
                return Recollection(replies.FORGETS_BY_TIME)
            case kept_names.PARKED:
                return Recollection(memory.impossible or replies.NOT_PARKED)
            case "before":
                return await _before(turn.recalled, sureness, tools)
        unknown = untold_time(plain_words(turn.transcript), await memory.time_s())
        told = await _answered(turn, rest, None if unknown else look, sureness, tools)
        return replace(told, sentence=replies.time_unknown(told.sentence)) if unknown else told
    except MemoryProblem as problem:
        return Recollection(str(problem))


async def _answered(
    turn: Turn, rest: str, look: EarlyLook | None, sureness: Sureness, tools: Tools
) -> Recollection:
    """The answer to a question that may name a time. look: as of `where_seen`."""
    match turn.decision.intent:
        case "looked_at":
            return Recollection(await _looked_at(rest, THINGS_ASKED, str, sureness, tools))
        case "where_i_was" if not replies.thing_of(rest):  # else when the wearer was last in a place
            ask = "what room is this"
            return Recollection(await _looked_at(rest, ask, replies.you_were, sureness, tools))
        case "said":
            return await said_by_sign(rest, sureness, tools)
    return await where_seen(rest, sureness, tools, look)


async def _keep(name: str, unheard: bool, look: EarlyLook, tools: Tools) -> str:
    memory = tools.memory
    if memory.impossible:
        return memory.impossible
    view = await look.viewed()
    if view is None:
        return replies.NO_VIEW
    exits = tools.view_places.exits
    place = None
    if exits and tools.power.plan.residency != "one_at_a_time":
        with suppress(BrickError, BrickFailed):  # it can be placed later, from its picture
            place = await tools.view_places.place(view, exits[-1])
    await memory.remember(view.rgb, memory.now(), "kept", place, kept=True, name=name)
    return replies.kept(name, unheard)


async def where_seen(
    rest: str, sureness: Sureness, tools: Tools, look: EarlyLook | None = None
) -> Recollection:
    """Where and when a thing was seen last. rest: the thing, and a time in words; look: at what is in view
    now, which is told of where it shows the thing and no time is asked about that is over. Raises
    MemoryProblem, `BrickFailed` or `BrickError`.
    """
    asked = replies.thing_of(rest)
    if replies.names_nothing(asked):
        return Recollection(replies.THING_UNHEARD)
    thing = usual_names(asked) if tools.bricks.pack.usual_wording else asked
    now_s = await tools.memory.time_s()
    since_s, until_s, said = times_of(rest, now_s)
    named = [row for row in await tools.memory.named(since_s, until_s) if replies.is_called(asked, row.name)]
    if named:  # wherever its picture ranks, and whether it is placed yet
        latest = max(named, key=lambda row: (row.time_s, row.number))
        when = replies.at_time(latest.time_s, now_s)
        return Recollection(f"I kept the view that you called {replies.yours(latest.name)} {when}.")
    if look is not None and replies.goes_on(said) and not _BEFORE_NOW.search(rest):
        now = await seen_now(thing, look, sureness, tools)
        if now is not None:
            sure = replies.sureness_in_view(now.borne_out)
            sentence = replies.in_view(thing, now.text, sure)
            return Recollection(sentence, thing, now.text, now_s, 1, 1, sure, in_view=True)
    looks = tools.power.plan.recall_looks
    query = None if looks else await query_of(thing, tools)
    matches = await recalled(thing, since_s, until_s, tools, query)
    today_s, _, today = times_of("today", now_s)
    if not said and tools.memory.on and all(match.row.time_s >= (today_s or 0.0) for match in matches):
        said = today
    _, colour = tools.view_places.named_in(thing)
    views = worth_a_look(matches, nearness(tools), colour_asked=bool(colour))
    if not views:
        return Recollection(replies.not_seen(thing, said), thing, since_s=since_s)
    if query is not None:
        if views[0].seen is None and query.unknown:
            return Recollection(not_known(thing, said), thing, since_s=since_s)
        return perhaps_there(views[0], thing, now_s)
    look_again = partial(seen_in, thing=thing, sureness=sureness, tools=tools)
    last = await last_shown(views, looks, look_again, remembered(tools))
    if last.shown is None:
        return Recollection(replies.not_seen(thing, said), thing, looked=last.looked, since_s=since_s)
    match, found = last.shown
    sure = replies.NOT_VERY_SURE if last.doubtful else sure_of(match, matches, tools)
    last_s = match.row.time_s
    sentence = replies.seen(thing, found.text, last_s, now_s, sure)
    spot = spot_seen(match)
    return Recollection(sentence, thing, found.text, last_s, last.looked, last.agreeing, sure, spot=spot)


async def _before(told: Recollection | None, sureness: Sureness, tools: Tools) -> Recollection:
    """Where the thing of the last answer was before: the last earlier view that shows it elsewhere; where it
    was not seen in the time that was asked about, the last one before that time.
    """
    if told is None or not told.thing:
        return Recollection(replies.ASK_FIRST)
    thing, now_s = told.thing, await tools.memory.time_s()
    until_s = told.since_s if told.time_s is None else told.time_s - BEFORE_S
    if until_s is None:
        return Recollection(replies.not_seen(thing, "before that"), thing)
    matches = await recalled(thing, None, until_s, tools)
    views, looks = episodes(matches, nearness(tools)), tools.power.plan.recall_looks
    if views and not looks:
        return perhaps_before(views, told, now_s, every=len(matches) < CANDIDATES)
    spots: dict[int, str] = {}

    async def look(number: int) -> Shows:
        found = await seen_in(views[number], thing, sureness, tools)
        if found is None:
            return "nothing"
        spots[number] = found.text
        if told.told and same_spot(found.text, told.told):
            return "same"
        return "elsewhere" if found.borne_out >= remembered(tools).least else "nothing"

    likely = [number for number, view in enumerate(views) if seems_elsewhere(view, told)]
    found = await last_elsewhere(len(views), looks, look, likely)
    if found.elsewhere is not None:
        match, seen = views[found.elsewhere], spots[found.elsewhere]
        time_s, sure = match.row.time_s, sure_of(match, matches, tools)
        sentence = replies.seen(thing, seen, time_s, now_s, sure, before=True)
        return Recollection(sentence, thing, seen, time_s, found.looked, 1, sure, spot=spot_seen(match))
    if not found.same:
        return Recollection(replies.not_seen(thing, "before that"), thing, looked=found.looked)
    first_s = views[found.same[-1]].row.time_s
    first = found.same[-1] == len(views) - 1 and len(matches) < CANDIDATES
    sentence = replies.same_before(thing, first_s, now_s, first=first)
    agreeing = len(found.same)
    return Recollection(sentence, thing, told.told, first_s, found.looked, agreeing, spot=told.spot)


async def _looked_at(
    rest: str, question: str, told_as: Callable[[str], str], sureness: Sureness, tools: Tools
) -> str:
    """What the language model says to the question about views spread over that time, each that of a few
    neighbours of which language model and object detector are surest; it looks no further where both are.
    Where things are asked for, the view in which the detector found them most surely comes first. told_as:
    how an answer is told, "" for one that tells nothing. The same is told once, of the latest view.
    """
    now_s, looks = await tools.memory.time_s(), tools.power.plan.recall_looks
    since_s, until_s, said = times_of(rest, now_s)
    rows = await tools.memory.rows(since_s, until_s)
    if not rows:
        return replies.NOTHING_THEN
    if not looks:
        if question == THINGS_ASKED:
            perhaps = await perhaps_looked_at(since_s, until_s, now_s, LISTED, tools)
            if perhaps:
                return perhaps
        views = f"{len(rows)} view{'' if len(rows) == 1 else 's'}"
        of = said if not said or _HAS_PREPOSITION.match(said) else f"of {replies.with_article(said)}"
        return f"{f'I remember {views} {of}'.strip()}, the last {_ago(rows[-1], now_s)}."
    step, most = max(1, len(rows) // LISTED), max(1, looks // LISTED)
    surest = await tools.memory.surest(LISTED, since_s, until_s) if question == THINGS_ASKED else ()
    told, doubtful = dict[str, str](), ""
    for last in range(len(rows) - 1, -1, -step)[:LISTED]:
        part = rows[max(0, last - step + 1) : last + 1]
        first = [row for row in surest if row in part]
        neighbours = [*first, *(row for row in part[-most:][::-1] if row not in first)][:most]
        probability, when, text = await _surest(neighbours, question, told_as, sureness, now_s, tools)
        sentence = f"{when.capitalize()}: {text}"
        if text and probability >= sureness.given_from:
            told.setdefault(text, sentence)
        elif text:
            doubtful = doubtful or sentence
    return " ".join(told.values()) or doubtful or replies.NOTHING_THEN


async def _surest(
    rows: Sequence[Row],
    question: str,
    told_as: Callable[[str], str],
    sureness: Sureness,
    now_s: float,
    tools: Tools,
) -> tuple[float, str, str]:
    """How far what is said of one of these views can be relied on, when that was, and what is told of it."""
    best, surest = (0.0, "", ""), -1.0
    for row in rows:
        answer = await described(row, question, tools)
        text = "" if answer is None else told_as(answer.text)
        if answer is None or not text or answer.probability * answer.borne_out <= surest:
            continue
        surest = answer.probability * answer.borne_out
        sure = answer.probability >= sureness.sure_from
        best = (answer.probability, _ago(row, now_s), text if sure else thinking(text))
        if sure and answer.borne_out >= remembered(tools).at_once_from:
            break
    return best


def _ago(row: Row, now_s: float) -> str:
    return replies.at_time(row.time_s, now_s)

"""What a sign said that was seen earlier."""

from __future__ import annotations

from host.answers import memory_replies as replies
from host.answers.readings import Readings
from host.answers.recollection import Recollection
from host.answers.sureness import Sureness
from host.language.past.times import times_of
from host.memory.values import Match
from host.turn.recalling.deepening import recalled
from host.turn.recalling.stored_view import asked_about, nearness, read_in, sure_of
from host.turn.tools import Tools

MOST_VIEWS = 6
"""In which a sign is read."""


async def said_by_sign(rest: str, sureness: Sureness, tools: Tools) -> Recollection:
    """What a sign said that was seen, "sign at the shop this morning": the language model reads it in the
    nearest views that show one, and is asked which room that is: the one that is named, else that of the
    nearest. A sign hangs where it hangs, so the nearest views count, not the latest, and what is read in most
    of them is told. One that fits but could not be read was seen all the same.
    """
    asked = replies.thing_of(rest)
    kind, place = asked.split()[0], replies.place_in(asked)
    sign = f"{kind} in the {place}" if place else asked
    now_s = await tools.memory.time_s()
    since_s, until_s, said = times_of(rest, now_s)
    matches = await recalled(f"the {sign}", since_s, until_s, tools)
    views, looks = matches, tools.power.plan.recall_looks
    if not views:
        return Recollection(replies.not_seen(f"the {sign}", said), f"the {sign}", since_s=since_s)
    if not looks:
        time_s = views[0].row.time_s
        sentence = replies.perhaps(f"the {sign}", time_s, now_s)
        return Recollection(sentence, f"the {sign}", time_s=time_s, sure="not sure")
    unread: Match | None = None
    readings = Readings[Match]()
    looked, seen_in, there = 0, 0, place
    for match in views[:looks]:
        looked += 1
        read = await read_in(match.row, f"what does the {kind} say", tools)
        if not read or not replies.reads(read[0].text):
            continue
        if read[0].probability < sureness.given_from and match.score < nearness(tools).fits_from:
            continue
        hangs = place or kind == "sign"  # a label goes where its thing goes
        where = await asked_about(match.row, "what room is this", tools) if hangs else None
        room = "" if where is None else replies.room_named(where.text)
        if there and room and room != there:
            continue
        unread, there = unread or match, there or room
        for each in read:
            if replies.reads(each.text):
                readings.add(each.text.strip(), each.probability, match)
        seen_in += 1
        if readings.settled or seen_in == MOST_VIEWS:
            break
    best = readings.best(sureness.given_from)
    if best is not None:
        text, match, agreeing = best
        time_s, told = match.row.time_s, sure_of(match, matches[0], tools)
        sentence = replies.sign_seen(sign, text, time_s, now_s, told)
        return Recollection(sentence, f"the {sign}", text, time_s, looked, agreeing, told)
    if unread is not None:
        sentence = replies.sign_unread(sign, unread.row.time_s, now_s)
        return Recollection(sentence, f"the {sign}", time_s=unread.row.time_s, looked=looked, agreeing=1)
    return Recollection(replies.not_seen(f"the {sign}", said), f"the {sign}", looked=looked, since_s=since_s)

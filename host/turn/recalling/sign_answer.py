"""What a sign said that was seen earlier."""

from __future__ import annotations

from collections.abc import Sequence

from host.answers import memory_replies as replies
from host.answers.recollection import Recollection
from host.answers.spots import usual_place
from host.answers.sureness import Sureness
from host.answers.unlooked import perhaps
from host.language.past.times import times_of
from host.memory.values import Match
from host.turn.recalling.deepening import recalled
from host.turn.recalling.stored_view import asked_about, nearness, sure_of, written_in
from host.turn.tools import Tools

_SIGN, _SIGN_FROM = "sign", 0.3
"""The object detector's probability of a sign from which a view counts as one that shows it."""
_SIGN_WEIGHS = 0.2
"""That probability beside the cosine, where views are ranked: a sign that is cut off or far away is found
less surely. Both are chosen on validation days, where 0.3 to 0.7 and 0.1 to 0.4 do as well.
"""


async def said_by_sign(rest: str, sureness: Sureness, tools: Tools) -> Recollection:
    """What a sign said that was seen, "sign at the shop this morning": the language model reads it in the
    nearest view that shows one, and is asked which room that is where a room is named. A sign hangs where it
    hangs, so the nearest view counts, not the latest. One that fits but could not be read was seen all the
    same.
    """
    asked = replies.thing_of(rest)
    if replies.names_nothing(asked):
        return Recollection(replies.THING_UNHEARD)
    kind, place = asked.split()[0], replies.place_in(asked)
    sign = f"the {asked}"
    now_s = await tools.memory.time_s()
    since_s, until_s, said = times_of(rest, now_s)
    phrase = f"the {kind} in the {place}" if place else sign
    matches = await recalled(phrase, since_s, until_s, tools)
    looks = tools.power.plan.recall_looks
    views = _showing(matches, kind, place)
    if place and not looks:  # nobody asks which room it is
        fits_from = nearness(tools).fits_from
        views = [match for match in views if _place_seen(match) or match.score >= fits_from]
    if not views:
        return Recollection(replies.not_seen(sign, said), sign, since_s=since_s)
    if not looks:
        time_s = views[0].row.time_s
        return Recollection(perhaps(sign, time_s, now_s), sign, time_s=time_s, sure="not sure")
    unread: Match | None = None
    for looked, match in enumerate(views[:looks], 1):
        read = await _read(match, kind, place, sureness, tools, only_surely=unread is not None)
        if read is None:
            continue
        text, surely = read
        if not surely:
            unread = match
            continue
        time_s, told = match.row.time_s, sure_of(match, matches, tools)
        sentence = replies.sign_seen(sign, text, time_s, now_s, told)
        return Recollection(sentence, sign, text, time_s, looked, 1, told)
    looked = len(views[:looks])
    if unread is not None:
        sentence = replies.sign_unread(sign, unread.row.time_s, now_s)
        return Recollection(sentence, sign, time_s=unread.row.time_s, looked=looked, agreeing=1)
    return Recollection(replies.not_seen(sign, said), sign, looked=looked, since_s=since_s)


async def _read(
    match: Match, kind: str, place: str, sureness: Sureness, tools: Tools, *, only_surely: bool
) -> tuple[str, bool] | None:
    """What is read in a view, and whether surely; None where nothing is, where neither that nor the view's
    nearness to the words is sure, and where the view shows another room than `place`.
    """
    read = await written_in(match.row, f"what does the {kind} say", tools)
    if read is None or not replies.reads(read.text):
        return None
    surely, fits = read.probability >= sureness.given_from, match.score >= nearness(tools).fits_from
    if not surely and (only_surely or not fits):
        return None
    where = await asked_about(match.row, "what room is this", tools) if place else None
    if where is not None:
        named = replies.names_place(where.text, place)
        if replies.elsewhere(where.text, place) or not (fits or named):
            return None
    return read.text.strip(), surely


def _showing(matches: Sequence[Match], kind: str, place: str) -> list[Match]:
    """The views to look at, the likeliest first: of a sign, none in which the object detector found none, or
    which it takes for another place than that, "" for any.
    """

    def surely(match: Match) -> float:
        return 1.0 if match.seen is None else match.seen.probability

    places = {"", usual_place(place) if place else ""}
    shown = [
        match
        for match in matches
        if (kind != _SIGN or surely(match) >= _SIGN_FROM) and (not place or _place_seen(match) in places)
    ]
    return sorted(shown, key=lambda match: -(match.score + _SIGN_WEIGHS * surely(match)))


def _place_seen(match: Match) -> str:
    return "" if match.seen is None else match.seen.spot.place

"""Answers about remembered views that nobody looks at again: from what the object detector found in them when
they were remembered. It also says in which views a look may show a thing elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from host.answers import unlooked
from host.answers.recollection import Recollection
from host.answers.spots import same_spot, spot_said
from host.language.usual.view import THINGS
from host.memory.values import Match
from host.turn.tools import Tools

NAMED_FROM = 0.5
"""The object detector's probability of a thing from which it is named. On days of designs and on validation
days 0.4 to 0.7 do as well, as the views that show their things most surely are told of.
"""


def spot_seen(match: Match) -> str:
    """Where the object detector saw the thing that is asked for, in words; "" where that is unknown."""
    return "" if match.seen is None else spot_said(match.seen.spot.place, match.seen.spot.lying)


def seems_elsewhere(match: Match, told: Recollection) -> bool:
    """Whether the object detector saw the thing at another spot than those that an answer told of it."""
    spot, spots = spot_seen(match), [each for each in (told.told, told.spot) if each]
    return bool(spot and spots) and not any(same_spot(spot, each) for each in spots)


def perhaps_there(match: Match, thing: str, now_s: float, *, before: bool = False) -> Recollection:
    """The answer that tells of a view. before: a later one was told of already."""
    time_s, spot = match.row.time_s, spot_seen(match)
    sentence = unlooked.perhaps(thing, time_s, now_s, spot, before=before)
    return Recollection(sentence, thing, time_s=time_s, sure="not sure", spot=spot)


def perhaps_before(views: Sequence[Match], told: Recollection, now_s: float, *, every: bool) -> Recollection:
    """Where the thing of an answer was before, from earlier views that show it, the latest first: in the
    first that shows it elsewhere, or of which the spot is unknown. every: the last one is the oldest of all.
    """
    if not told.told and not told.spot:
        return perhaps_there(views[0], told.thing, now_s, before=True)
    for match in views:
        if not spot_seen(match) or seems_elsewhere(match, told):
            return perhaps_there(match, told.thing, now_s, before=True)
    first_s = views[-1].row.time_s
    sentence = unlooked.perhaps_same_before(told.thing, first_s, now_s, first=every)
    return Recollection(
        sentence, told.thing, told.told, time_s=first_s, sure="not sure", spot=told.spot or told.told
    )


async def perhaps_looked_at(
    since_s: float | None, until_s: float | None, now_s: float, parts: int, tools: Tools
) -> str:
    """What was seen in these times, from the surest view of each of so many parts; "" for nothing known."""
    rows = await tools.memory.surest(parts, since_s, until_s)
    found = await tools.memory.things([row.number for row in rows])
    views = []
    for row in rows:
        surely = (each for each in found.get(row.number, ()) if each.probability >= NAMED_FROM)
        names = [each.name for each in surely if each.name in THINGS]
        if names:
            views.append((row.time_s, names))
    return unlooked.perhaps_looked_at(views, now_s) if views else ""

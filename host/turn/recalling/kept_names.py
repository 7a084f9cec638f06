"""Questions about a view by the name that the wearer gave it: "where is my seat", "where did I park".

Nothing in a picture says that a seat is the wearer's, and router and language model know no name that was
made up. So the memory is asked whether a view has that name before anybody else is asked.
"""

from __future__ import annotations

import re
from dataclasses import replace

from host.answers.memory_replies import same_name
from host.language.politeness import without_politeness
from host.language.router import Decision, plain_words
from host.memory.values import MemoryProblem
from host.turn.tools import Tools
from host.turn.turn import Turn
from models.brick import BrickError
from models.process.residency import BrickFailed

_NAMED = re.compile(r"(?:and |so )?where(?:'s| is| are| was| were) (?P<name>.+?)(?: (?:now|again))?")
_PARKED = re.compile(
    r"(?:and |so )?where (?:(?:did|have|had) (?:i|we) park(?:ed)?|(?:am|are) (?:i|we) parked)"
    r"(?P<vehicle> (?:my|the|our) (?:car|van|bike|bicycle))?"
)
_PARKING = re.compile(r"\b(?:park|parked|parking|car)\b")
"""In the name of a view of where something is parked."""
PARKED = "parked"
"""Intent of a question where the wearer parked, which no kept view tells."""


async def by_kept_name(turn: Turn, tools: Tools) -> Turn:
    """The turn as a question to the memory, where it asks for a view by its name alone, whatever it was taken
    for, and where it asks where the wearer parked without naming a vehicle, which no other view tells; else
    unchanged, also where the memory fails: then whoever answers has no need of it.
    """
    if turn.then is not None or turn.decision.first:
        return turn
    text = plain_words(without_politeness(turn.transcript))
    named, parked = _NAMED.fullmatch(text), _PARKED.fullmatch(text)
    if named is None and parked is None:
        return turn
    try:
        rows = await tools.memory.named() if tools.memory.tells else ()
    except (MemoryProblem, BrickError, BrickFailed):
        return turn
    for row in reversed(rows):
        of_it = _PARKING.search(row.name) if named is None else same_name(named["name"], row.name)
        if of_it:
            return replace(turn, decision=Decision("memory", "memory", {"rest": row.name}), meant="")
    if parked is not None and not parked["vehicle"] and turn.decision.route != "unclear":
        return replace(turn, decision=Decision("memory", PARKED), meant="")
    return turn

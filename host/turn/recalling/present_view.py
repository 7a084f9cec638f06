"""Whether a thing that the memory is asked about is in view at the question: then that is what is told.

The memory knows a view only some seconds after it was seen, and a view that the gate takes for an earlier one
not at all; and where the thing is counts more than where it was.
"""

from __future__ import annotations

from host.answers.sureness import Sureness
from host.turn.early.look import EarlyLook
from host.turn.recalling.last_shown import Found
from host.turn.recalling.stored_view import found_in, remembered
from host.turn.tools import Tools


async def seen_now(thing: str, look: EarlyLook, sureness: Sureness, tools: Tools) -> Found | None:
    """What the language model finds of the thing in the question's own view; None where that is not clear,
    where the model finds nothing, and where the object detector does not bear it out. With a detector the
    model is asked only of what that sees; with room for one brick only, nobody is. Raises `BrickFailed` or
    `BrickError`.
    """
    if not tools.power.plan.recall_looks or tools.power.plan.residency == "one_at_a_time":
        return None
    view = await look.viewed_so_far()
    if view is None or view.quality.cause:
        return None
    found = await found_in(view.rgb, thing, sureness, tools, only_if_detected=True)
    return found if found is not None and found.borne_out >= remembered(tools).at_once_from else None

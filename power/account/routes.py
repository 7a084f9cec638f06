"""The routes of a question, which say what answers it.

now, frames, open: the language model, with the present view, with several views, without a view; device: a
device skill; memory: what was seen earlier; unclear: nothing, as no word was understood.
"""

from __future__ import annotations

from typing import Literal, get_args

AnsweredRoute = Literal["now", "frames", "open", "device", "memory"]
Route = Literal[AnsweredRoute, "unclear"]
ANSWERED_ROUTES: tuple[str, ...] = get_args(AnsweredRoute)
ROUTES: tuple[str, ...] = get_args(Route)

"""The routes that a question can take to its answer."""

from typing import Literal

AnsweredRoute = Literal["now", "frames", "open", "device", "memory"]
Route = Literal[AnsweredRoute, "unclear"]
"""Who answers a question. now, frames, open: the language model, with the present view, with several views,
without a view; device: a device skill; memory: what was seen earlier; unclear: nobody, as no word was heard.
"""

"""What the memory told of a thing, and why: what "why do you think so" and "and before that" refer to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Recollection:
    """An answer of the memory. thing: what it is about, "" for a command or a list of views."""

    sentence: str
    thing: str = ""
    told: str = ""
    """What the language model said of the view; "" where it did not look, or found no such thing."""
    time_s: float | None = None
    """When the view was seen, seconds since 1970; None: no view is told of."""
    looked: int = 0
    """Views that were looked at again."""
    agreeing: int = 0
    """Views in which the thing was found."""
    sure: str = ""
    """How sure, in words; "" where that was not weighed."""
    since_s: float | None = None
    """Where no view is told of: from when on views were looked through, seconds since 1970; None: all."""
    spot: str = ""
    """Where the object detector saw the thing in the view that is told of, in words; "" for unknown."""
    in_view: bool = False
    """The view that is told of is the question's own, and none that was remembered."""

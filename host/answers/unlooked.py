"""What the headband says of remembered views that it has not looked at again, from what the object detector
found in them when they were remembered. Each sentence says that it is not sure.
"""

from __future__ import annotations

from collections.abc import Sequence

from host.answers.memory_replies import at_time, not_seen, yours
from host.answers.seen.words import listed

NOT_SURE = "so I am not sure"
_PICTURE = "I have not looked at that picture again"
_PICTURES = "I have not looked at those pictures again"


def perhaps(thing: str, time_s: float, now_s: float, spot: str = "", *, before: bool = False) -> str:
    """The sentence about the likeliest view. spot: "on the table", "" where it is unknown; before: a later
    view was told of already.
    """
    told = f"{'Before that, ' if before else ''}I may have seen {yours(thing)} {at_time(time_s, now_s)}"
    return f"{told}{f', perhaps {spot}' if spot else ''}, but {_PICTURE}, {NOT_SURE}."


def perhaps_same_before(thing: str, time_s: float, now_s: float, *, first: bool) -> str:
    """The sentence where all earlier views seem to show the thing as the later one does. first: none is older
    than the one of that time.
    """
    since = f"{'the first time' if first else 'at least since'} {at_time(time_s, now_s)}"
    told = f"Before that, I may have seen {yours(thing)} in the same place, {since}"
    return f"{told}, but {_PICTURES}, {NOT_SURE}."


def perhaps_looked_at(views: Sequence[tuple[float, Sequence[str]]], now_s: float) -> str:
    """The sentences about what some views show, each with its time and the names of its things."""
    told = [
        f"{at_time(time_s, now_s).capitalize()}: perhaps {listed([f'your {name}' for name in names])}."
        for time_s, names in views
    ]
    return " ".join([*told, f"{_PICTURE if len(views) == 1 else _PICTURES}, {NOT_SURE}."])


def not_known(thing: str, since: str = "") -> str:
    """The sentence where none of the models that place words knows what the thing is."""
    return not_seen("anything", since).removesuffix(".") + f" that I know as {yours(thing)}."

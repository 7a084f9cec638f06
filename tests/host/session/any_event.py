"""Strategies for values of the session: any event, with any number, text and time."""

from __future__ import annotations

import functools
import types
import typing
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from hypothesis import strategies as st

from host.answers.timers import WEARERS_WORDS
from host.session.events import Event
from host.session.step import RULES


@functools.cache
def any_of(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a type of the session: dataclass, Enum, Literal, tuple, frozenset, or a plain value; without
    the wearer's words, which no journal has.
    """
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return st.one_of(*(any_of(each) for each in inner))
    if origin is typing.Literal:
        return st.sampled_from(inner).flatmap(
            lambda each: any_of(each) if typing.get_origin(each) else st.just(each)
        )
    if origin is tuple:
        return st.lists(any_of(inner[0]), max_size=3).map(tuple)
    if origin is frozenset:
        return st.frozensets(any_of(inner[0]), max_size=3)
    if is_dataclass(hint) and isinstance(hint, type):
        hints = typing.get_type_hints(hint)
        told = (each for each in fields(hint) if not WEARERS_WORDS.items() <= each.metadata.items())
        return st.builds(hint, **{each.name: any_of(hints[each.name]) for each in told})
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(list(hint))
    plain: dict[Any, st.SearchStrategy[Any]] = {
        bool: st.booleans(),
        int: st.integers(-3, 60) | st.integers(),
        float: st.floats(allow_nan=False, allow_infinity=False),
        str: st.text(max_size=20),
        type(None): st.none(),
    }
    return plain[hint]


def any_event() -> st.SearchStrategy[Event]:
    """Any event of any class."""
    return st.sampled_from(sorted(RULES, key=lambda kind: kind.__name__)).flatmap(lambda kind: any_of(kind))  # type: ignore[arg-type]

"""Events and actions as JSON values, and events back again, by the type hints of their dataclasses.

No event holds sound or a picture, so neither does their JSON. Of the wearer's words events hold the names of
timers only, and those are left out, as are fields that have their default. The type's name stands under "is".
Infinite times are the strings "inf" and "-inf", which strict JSON can carry.
"""

from __future__ import annotations

import functools
import math
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from typing import Any

from host.answers.timers import WEARERS_WORDS
from host.session.actions import Action, Record
from host.session.events import Event
from host.session.step import RULES

IS = "is"
"""Key of the type's name."""
_EVENTS: Mapping[str, type[Event]] = {kind.__name__: kind for kind in RULES}
_INFINITE = {"inf": math.inf, "-inf": -math.inf}


def event_as_json(event: Event) -> dict[str, Any]:
    """An event as a JSON object."""
    return {IS: type(event).__name__, **_fields_as_json(event)}


def event_from_json(value: object) -> Event:
    """The event that `event_as_json` wrote. Raises `ValueError` with one sentence."""
    kind = _EVENTS.get(str(value.get(IS))) if isinstance(value, dict) else None
    if kind is None:
        raise ValueError(f"This is no event of a session: {_short(value)}.")
    event: Event = _dataclass(kind, {key: each for key, each in value.items() if key != IS})  # type: ignore
    return event


def actions_as_json(actions: Iterable[Action]) -> list[dict[str, Any]]:
    """Actions as JSON objects, in their order."""
    return [{IS: type(action).__name__, **_fields_as_json(action)} for action in actions]


def step_fields(event: Event, actions: Iterable[Action]) -> dict[str, Any]:
    """What the journal keeps of a step that changed the state or caused an action. Transitions have lines of
    their own.
    """
    told = [action for action in actions if not isinstance(action, Record)]
    return {"in": event_as_json(event), "out": actions_as_json(told)}


def _as_json(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value):
        return _fields_as_json(value)
    if isinstance(value, frozenset):
        return sorted(_as_json(each) for each in value)
    if isinstance(value, tuple):
        return [_as_json(each) for each in value]
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def _fields_as_json(value: Any) -> dict[str, Any]:
    return {
        name: _as_json(getattr(value, name))
        for name, (_, default) in _parts(type(value)).items()  # type: ignore[arg-type]
        if getattr(value, name) != default
    }


@functools.cache
def _parts(kind: type[Any]) -> dict[str, tuple[Any, Any]]:
    """Field name -> (type, default or `MISSING`)."""
    hints = typing.get_type_hints(kind)
    told = (each for each in fields(kind) if not WEARERS_WORDS.items() <= each.metadata.items())
    return {each.name: (hints[each.name], _default(each)) for each in told}


def _default(part: Field[Any]) -> Any:
    return part.default if part.default_factory is MISSING else part.default_factory()


def _dataclass(kind: type, value: object) -> Any:
    parts = _parts(kind)
    if not isinstance(value, dict) or value.keys() - parts.keys():
        raise ValueError(f"{kind.__name__} is not like this: {_short(value)}.")
    missing = [name for name, (_, default) in parts.items() if default is MISSING and name not in value]
    if missing:
        raise ValueError(f"{kind.__name__} lacks {', '.join(missing)}: {_short(value)}.")
    return kind(**{name: _from_json(parts[name][0], each) for name, each in value.items()})


def _from_json(hint: Any, value: object) -> Any:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        if value is None and type(None) in inner:
            return None
        [other] = [each for each in inner if each is not type(None)]
        return _from_json(other, value)
    if origin is typing.Literal:
        if isinstance(value, str) and value in _choices(hint):
            return value
    elif origin in (tuple, frozenset):
        if isinstance(value, list):
            return origin(_from_json(inner[0], each) for each in value)
    elif is_dataclass(hint) and isinstance(hint, type):
        return _dataclass(hint, value)
    elif issubclass(hint, Enum):
        if value in [each.value for each in hint]:
            return hint(value)
    elif hint is float:
        if isinstance(value, str) and value in _INFINITE:
            return _INFINITE[value]
        if isinstance(value, float | int) and not isinstance(value, bool):
            try:
                return float(value)
            except OverflowError:  # of an integer with hundreds of digits
                pass
    elif type(value) is hint:
        return value
    name = getattr(hint, "__name__", str(hint))
    raise ValueError(f"A value of an event is not of the type {name}: {_short(value)}.")


def _choices(literal: Any) -> list[Any]:
    """The values of a Literal, also of those inside it."""
    return [
        choice
        for each in typing.get_args(literal)
        for choice in (_choices(each) if typing.get_origin(each) else [each])
    ]


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."

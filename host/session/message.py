"""What events and actions have in common: their fields are set once, and they are compared and shown by them.

A frozen dataclass has these methods written anew for it. For the 80 classes of messages that is 0.5 MiB of a
process that listens all day, so they inherit them here.
"""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field, fields
from typing import Any, TypeVar, cast, dataclass_transform

Class = TypeVar("Class", bound=type)


class Message:
    """Base of the messages. They are equal when their class and all fields are."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in self.__dict__:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: object) -> bool:
        return self.__class__ is other.__class__ and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((self.__class__, *self.__dict__.values()))

    def __repr__(self) -> str:
        shown = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in fields(cast(Any, self)))
        return f"{self.__class__.__qualname__}({shown})"


@dataclass_transform(frozen_default=True, kw_only_default=False, field_specifiers=(field,))
def message(cls: Class) -> Class:
    """Makes a subclass of `Message` a dataclass."""
    return cast(Class, dataclass(eq=False, repr=False)(cls))

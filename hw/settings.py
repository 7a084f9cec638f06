"""Settings from TOML into frozen dataclasses; an unknown key or a wrong type is an error in one sentence."""

from __future__ import annotations

import tomllib
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from hw.text_file import read_text


class SettingsError(Exception):
    """The settings cannot be used; the message is one sentence for the person who wrote them."""


def read_toml(path: Path) -> dict[str, Any]:
    """The file's tables. Raises `SettingsError` for a missing file and for bad TOML."""
    try:
        return tomllib.loads(read_text(path))
    except OSError as error:
        raise SettingsError(f"The settings file {path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"The settings file {path} is not valid TOML: {error}.") from error


def fill(kind: type[Any], table: dict[str, Any], prefix: str = "") -> Any:
    """An instance of the dataclass with the table's values, the others as by default; `prefix` goes before
    the names in sentences. The default's type is the type that a value must have. Raises `SettingsError` for
    unknown keys, wrong types, and where the dataclass raises `ValueError`.
    """
    known = {item.name: item for item in fields(kind)}
    default = kind()
    values: dict[str, Any] = {}
    for key, value in table.items():
        name = f"{prefix}{key}"
        if key not in known:
            raise SettingsError(f"The setting {name} is unknown; known here: {', '.join(sorted(known))}.")
        values[key] = _value(name, getattr(default, key), value)
    try:
        return kind(**values)
    except ValueError as error:
        raise SettingsError(f"The settings under {prefix.rstrip('.') or 'the top'}: {error}.") from error


def _value(name: str, present: Any, value: Any) -> Any:
    if is_dataclass(present) and not isinstance(present, type):
        if not isinstance(value, dict):
            raise SettingsError(f"The setting {name} must be a table.")
        return fill(type(present), value, f"{name}.")
    if isinstance(present, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(present, tuple) and isinstance(value, list):
        return tuple(_value(f"{name}[{index}]", present[0], each) for index, each in enumerate(value))
    if type(value) is not type(present):
        raise SettingsError(f"The setting {name} must be a {type(present).__name__}, not {value!r}.")
    return value

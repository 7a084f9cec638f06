"""Settings from TOML into frozen dataclasses. The annotations of the fields define the allowed values; any
other value is an error in one sentence that names the file, the key, its value and what is allowed:

    @dataclass(frozen=True)
    class Listen:
        pause_s: Annotated[float, Range(0.05, 2, "seconds")] = 0.2
        mode: Literal["fast", "slow"] = "fast"
        line: Annotated[str, Form(r"gpio\\d", 'a line such as "gpio3"')] = "gpio3"

Fields may be bool, int, float, str, a choice (`Literal`), a dataclass, a list (`tuple[X, ...]`), a list of
fixed length (`tuple[X, Y]`), a table with free keys or with keys of a choice (`Mapping[K, X]`), one of
several of these (`X | Y`), and `Any`, which is not checked. A field without a default is a required key.
`__post_init__` checks conditions on several fields and raises `ValueError`.
"""

from __future__ import annotations

import json
import re
import tomllib
from argparse import ArgumentTypeError
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from hw.text_file import read_text

Keys = tuple[str | int, ...]
"""Path to a value in its file: keys of tables, and positions in lists, from 1."""
_SHOWN = 60
"""Largest number of characters of a value in an error sentence."""
_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


class SettingsError(Exception):
    """The settings cannot be used; the message is one sentence for the person who wrote them."""


@dataclass(frozen=True)
class Range:
    """Least and greatest value of a number, both allowed. `or_zero`: 0 is allowed as well."""

    low: float
    high: float
    unit: str = ""
    or_zero: bool = False

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high or (self.or_zero and value == 0)

    def __str__(self) -> str:
        """The text for sentences and docstrings: "0.05 to 2 seconds"."""
        zero, unit = "0, or " if self.or_zero else "", f" {self.unit}" if self.unit else ""
        return f"{zero}{_digits(self.low)} to {_digits(self.high)}{unit}"


@dataclass(frozen=True)
class Form:
    """A regular expression that has to match the whole text, and its description in words."""

    pattern: str
    words: str


def read_toml(path: Path, what: str = "settings file") -> dict[str, Any]:
    """The file's tables. Raises `SettingsError` for a file that cannot be read and for bad TOML."""
    try:
        return tomllib.loads(read_text(path))
    except OSError as error:
        raise SettingsError(f"The {what} {path} cannot be read: {error.strerror}.") from error
    except RecursionError:
        raise SettingsError(f"The {what} {path} is not valid TOML: it is nested too deeply.") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"The {what} {path} is not text in UTF-8 (line {line}): save it so.") from None
    except ValueError as error:  # bad TOML, a number of thousands of digits
        raise SettingsError(f"The {what} {path} is not valid TOML: {error}.") from error


def read_settings(kind: type[Any], path: Path, what: str = "settings file") -> Any:
    """An instance of the dataclass from the file. Raises `SettingsError`."""
    return fill(kind, read_toml(path, what), path)


def find_bundled(name: str, folder: Path, what: str, endings: str = ".toml") -> Path:
    """The TOML file of that name: a path that ends in ".toml", or a file of the folder without its ending.
    `endings`: what the error sentence offers. Raises `SettingsError` where there is no such file.
    """
    path = Path(name) if name.endswith(".toml") else folder / f"{name}.toml"
    try:
        if path.is_file():
            return path
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SettingsError(f"The {what} {name} cannot be read: {reason}.") from None
    if name.endswith(".toml"):
        raise SettingsError(f"The {what} file {name} does not exist.")
    known = ", ".join(sorted(each.stem for each in folder.glob("*.toml")))
    raise SettingsError(f"There is no {what} {name!r}; there are {known}; a file's name ends in {endings}.")


def fill(kind: type[Any], table: Mapping[str, Any], file: Path | str = "", at: Keys = ()) -> Any:
    """An instance of the dataclass with the table's values and the defaults of missing keys. `file` and `at`,
    the table's path in it, appear in error sentences. Raises `SettingsError` for unknown and missing keys,
    for values that are not allowed, and where the dataclass raises `ValueError`.
    """
    known = {item.name: item for item in fields(kind)}
    for key in table:
        if key not in known:
            raise SettingsError(f"{_table(file, at)} has the unknown key {key}; known: {', '.join(known)}.")
    for key, item in known.items():
        if key not in table and item.default is MISSING and item.default_factory is MISSING:
            raise SettingsError(f"{_table(file, at)} lacks the key {key}.")
    hints = type_hints(kind)
    values = {key: read_value(hints[key], value, file, (*at, key)) for key, value in table.items()}
    try:
        return kind(**values)
    except ValueError as error:
        raise SettingsError(f"{_table(file, at)} cannot be used: {error}.") from error


def read_value(hint: Any, value: Any, file: Path | str, at: Keys) -> Any:
    """The value converted to the hinted type. Raises `SettingsError` where it is not allowed."""
    base, checks = _base(hint), _checks(hint)
    origin, parts = get_origin(base), get_args(base)
    if base is Any:
        return value
    if origin in (Union, UnionType):
        fitting = [part for part in parts if _fits(part, value)]
        if fitting:
            return read_value(fitting[0], value, file, at)
    elif not _fits(base, value):
        pass
    elif isinstance(base, type) and is_dataclass(base):
        return fill(base, value, file, at)
    elif origin is tuple and parts[-1] is ...:
        return tuple(read_value(parts[0], each, file, (*at, n)) for n, each in enumerate(value, 1))
    elif origin is tuple:
        pairs = zip(parts, value, strict=True)
        return tuple(read_value(part, each, file, (*at, n)) for n, (part, each) in enumerate(pairs, 1))
    elif isinstance(value, Mapping):
        for key in value:
            if not (_fits(parts[0], key) and all(_passes(check, key) for check in _checks(parts[0]))):
                raise SettingsError(
                    f"{_table(file, at)} has the key {key}; a key here must be {allowed(parts[0])}."
                )
        return {key: read_value(parts[1], each, file, (*at, key)) for key, each in value.items()}
    elif all(_passes(check, value) for check in checks):
        return float(value) if base is float else value
    raise SettingsError(f"{_key(file, at)} is {_shown(value)}; it must be {allowed(hint)}.")


def allowed(hint: Any) -> str:
    """The allowed values of a type, in words: "a number, 0 to 1"."""
    base = _base(hint)
    origin, parts = get_origin(base), get_args(base)
    for check in _checks(hint):
        if isinstance(check, Range):
            return f"{_WORDS[base]}, {check}"
        if isinstance(check, Form):
            return check.words
    if origin in (Union, UnionType):
        return ", or ".join(allowed(part) for part in parts if part is not NoneType)
    if origin is Literal:
        choices = [_shown(part) for part in parts]
        return choices[0] if len(choices) == 1 else f"one of {', '.join(choices)}"
    if origin is tuple:
        return "a list" if parts[-1] is ... else f"a list of {len(parts)} values"
    return _WORDS.get(base, "a table")


def argument(hint: Any) -> Callable[[str], Any]:
    """A `type` function for argparse that accepts what a setting of that type accepts."""

    def read(text: str) -> Any:
        try:
            value = _base(hint)(text)
        except ValueError:
            value = None
        if value is None or not all(_passes(check, value) for check in _checks(hint)):
            raise ArgumentTypeError(f"{_shown(text)} was given; it must be {allowed(hint)}")
        return value

    return read


def _fits(hint: Any, value: Any) -> bool:
    """Has the value the right type? Ranges are not checked."""
    base = _base(hint)
    origin, parts = get_origin(base), get_args(base)
    if base is Any:
        return True
    if base is NoneType:  # JSON only; TOML has no null
        return value is None
    if origin is Literal:
        return any(type(value) is type(part) and value == part for part in parts)
    if origin is tuple:
        return isinstance(value, list) and (parts[-1] is ... or len(parts) == len(value))
    if base is float:
        return type(value) in (int, float)
    if base is str:
        return type(value) is str and "\0" not in value  # not allowed in paths
    return type(value) is base if base in _WORDS else isinstance(value, dict)


def _base(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _checks(hint: Any) -> tuple[Any, ...]:
    return get_args(hint)[1:] if get_origin(hint) is Annotated else ()


def _passes(check: Any, value: Any) -> bool:
    if isinstance(check, Range):
        return value in check  # false for NaN
    return not isinstance(check, Form) or re.fullmatch(check.pattern, value) is not None


_HINTS: dict[type[Any], Mapping[str, Any]] = {}
"""By dataclass: a file has many tables of a kind, and to work the annotations out is most of reading one."""


def type_hints(kind: type[Any]) -> Mapping[str, Any]:
    """The dataclass's fields with their annotated types."""
    if kind not in _HINTS:
        _HINTS[kind] = get_type_hints(kind, include_extras=True)
    return _HINTS[kind]


def _table(file: Path | str, at: Keys) -> str:
    """The beginning of a sentence about a table."""
    if not at:
        return str(file) if file else "The settings file"
    return f"In {file}, {_table_name(at)}" if file else f"In the settings, {_table_name(at)}"


def _key(file: Path | str, at: Keys) -> str:
    """The beginning of a sentence about a key."""
    return f"In {file}, {_key_name(at)}" if file else f"The setting {_key_name(at)}"


def _table_name(at: Keys) -> str:
    """As it stands in the file: "[listen]", "[[step]] 3" for the third of them."""
    pieces: list[str] = []
    names: list[str] = []
    for each in at:
        if isinstance(each, str):
            names.append(each)
        else:
            pieces.append(f"[[{'.'.join(names)}]] {each}")
            names = []
    return " ".join([*pieces, *([f"[{'.'.join(names)}]"] if names else [])])


def _key_name(at: Keys) -> str:
    *before, last = at
    if isinstance(last, int):
        return f"value {last} of {_key_name(tuple(before))}"
    return f"{_table_name(tuple(before))} {last}" if before else last


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a table"
    plain = isinstance(value, str | bool | list)
    text = json.dumps(value, ensure_ascii=False, default=str) if plain else str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _digits(number: float) -> str:
    """As in TOML, with underscores from five digits on."""
    return f"{number:g}" if abs(number) < 10_000 else f"{int(number):_}"

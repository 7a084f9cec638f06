"""A meter's argument: a place, and numbers for settings, as in "ppk2:/dev/ttyACM0,mv=3800"."""

from __future__ import annotations

from power.meters.meter import MeterError

INSTALL_METERS = ".venv/bin/pip install --require-hashes --no-deps -r requirements-meters.lock"
"""The command that installs every meter's library, in the checkout's folder."""

MOST = 10_000_000
"""Greatest number that a meter's setting may be, in whatever unit."""


def place_and_numbers(argument: str, *known: str) -> tuple[str, dict[str, float]]:
    """The place, "" when none is given, and the settings that are given, each of them `known` and above 0.

    Only settings at the end are split off, so a file's name may hold commas. Raises `MeterError`.
    """
    numbers: dict[str, float] = {}
    pieces = argument.split(",")
    while pieces and _setting(pieces[-1]):
        name, _, value = pieces.pop().partition("=")
        if name not in known:
            raise MeterError(f"This meter has no setting {name!r}; it has {', '.join(known) or 'none'}.")
        try:
            numbers[name] = float(value)
        except ValueError:
            raise MeterError(f"{name}={value} is not a number.") from None
        if not 0 < numbers[name] <= MOST:
            raise MeterError(f"{name} is {value}; it must be above 0, {MOST:_} at most.")
    return ",".join(pieces), numbers


def _setting(piece: str) -> bool:
    name, equals, value = piece.partition("=")
    return bool(equals) and name.isidentifier() and "/" not in value

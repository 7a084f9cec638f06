"""How long ago something was: "an hour and a half ago", "in the last ten minutes", "just now". Pure."""

from __future__ import annotations

import re

from host.language.number_words import UP_TO_99, value_of
from host.language.past.days import Span

_ABOUT = {
    "a": 1, "an": 1, "couple of": 2, "a couple of": 2, "few": 3, "a few": 3, "several": 4, "half a": 0.5,
    "half an": 0.5, "quarter of an": 0.25, "a quarter of an": 0.25, "three quarters of an": 0.75,
}  # fmt: skip
_AMOUNT = rf"(?:{UP_TO_99}|[0-9]{{1,3}}|{'|'.join(sorted(_ABOUT, key=len, reverse=True))})"
_UNIT_S = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86_400.0, "week": 7 * 86_400.0,
           "month": 30 * 86_400.0}  # fmt: skip
_LONG_AGO = (
    r"(?:(?P<less>less than|under) |(?P<more>(?:just )?over|more than|at least) |"
    r"(?:about|some|roughly|around|nearly|almost) )?"
    rf"(?:(?P<least>{_AMOUNT}) (?:or|to) )?(?P<amount>{_AMOUNT})(?P<half> and a half)? "
    rf"(?P<unit>{'|'.join(_UNIT_S)})s?(?P<halves> and a half)?"
    rf"(?: and (?P<further>{_AMOUNT}) (?P<smaller>seconds?|minutes?|hours?))? (?:ago|back)"
)
_WITHIN = (
    rf"(?:(?:in|within|during|over) the )?(?:last|past) (?:(?P<lately>{_AMOUNT}) )?"
    r"(?P<part>half hour|second|minute|hour|day)s?"
)
_WITHIN_LONGER = (
    rf"(?:in|within|during|over) the (?:last|past) (?:(?P<lately>{_AMOUNT}) )?"
    r"(?:(?P<part>hour|day|week|month)s?(?P<half> and a half)|(?P<longer>week|month)s?)"
)
"""Not without its first words: they also say how much of the memory is to be forgotten."""
_JUST_NOW = r"(?:just )?a (?:moment|minute) ago|just now|just$"
"""The last is what is left of "just now" without a polite "now" at the end."""
AGO = re.sub(r"\?P<[a-z]+>", "?:", f"{_LONG_AGO}|{_WITHIN_LONGER}|{_WITHIN}|{_JUST_NOW}")
"""Any of them, as a regular expression without groups."""
_MOMENT_S = 300.0
"""How far back a moment ago may be."""
_SPREAD = 0.5
"""Part of the distance by which people err who say how long ago something was."""
_LEAST_SPREAD_S = 60.0
_SINCE, _LONGER, _LATELY, _NOW = (
    re.compile(rf"\b(?:{form})\b") for form in (_LONG_AGO, _WITHIN_LONGER, _WITHIN, _JUST_NOW)
)


def ago_times(words: str, now_s: float) -> tuple[float | None, float | None, str] | None:
    """From and to, seconds since 1970 (None: open), of how long ago the words say that it was, and those
    words; None where they do not, or count days. So long ago means half as long before and after that.
    """
    ago = _SINCE.search(words)
    if ago is not None and ago[0] != "a minute ago" and not _whole_days(ago):
        return (*_long_ago(ago, now_s), ago[0])
    longer = _LONGER.search(words)
    if longer is not None:
        unit_s = _UNIT_S[longer["part"] or longer["longer"]]
        return (
            now_s - (_amount(longer["lately"]) + (0.5 if longer["half"] else 0.0)) * unit_s,
            None,
            longer[0],
        )
    lately = _LATELY.search(words)
    if lately is not None:
        unit_s = 1800.0 if lately["part"] == "half hour" else _UNIT_S[lately["part"]]
        return now_s - _amount(lately["lately"]) * unit_s, None, lately[0]
    return (now_s - _MOMENT_S, None, "a moment ago") if _NOW.search(words) else None


def days_ago(words: str) -> tuple[int, tuple[int, int]] | None:
    """How many days ago the words say that it was, and where; None where they do not."""
    ago = _SINCE.search(words)
    return (
        (round(_long_s(ago) / _UNIT_S["day"]), ago.span()) if ago is not None and _whole_days(ago) else None
    )


def _whole_days(ago: re.Match[str]) -> bool:
    return ago["unit"] == "day" and not (ago["less"] or ago["more"] or ago["least"])


def _long_ago(ago: re.Match[str], now_s: float) -> Span:
    long_s = _long_s(ago)
    if ago["less"]:
        return now_s - long_s, None
    if ago["more"]:
        return None, now_s - long_s
    least_s = _amount(ago["least"]) * _UNIT_S[ago["unit"]] if ago["least"] else long_s
    return now_s - long_s - _spread_s(long_s), now_s - least_s + _spread_s(least_s)


def _spread_s(long_s: float) -> float:
    return max(_LEAST_SPREAD_S, _SPREAD * long_s)


def _long_s(ago: re.Match[str]) -> float:
    amount = _amount(ago["amount"]) + (0.5 if ago["half"] or ago["halves"] else 0.0)
    further_s = _amount(ago["further"]) * _UNIT_S[ago["smaller"].rstrip("s")] if ago["further"] else 0.0
    return amount * _UNIT_S[ago["unit"]] + further_s


def _amount(words: str | None) -> float:
    """A number of units in words or digits; one where none is said."""
    if words is None:
        return 1.0
    if words.isdigit():
        return float(words)
    return _ABOUT[words] if words in _ABOUT else float(value_of(words))

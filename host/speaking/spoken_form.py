"""What the voice is given for a text: without the marks and pictures of a written one, whose names it would
say.
"""

from __future__ import annotations

import re
import unicodedata

_LINK = re.compile(r"!?\[([^\]\[]+)\]\([^()]*\)")
_MARKS = re.compile(
    r"^[ \t]*(?:#+|\*|[+-](?![ \t]+\d))[ \t]+|`+|~~|\*{2,}|(?<![\d\s])\*|\*(?![\d\s])", re.MULTILINE
)
"""Of headings, lists and emphasis; a star between two numbers stays."""
_TITLE = re.compile(r"\b(Dr|Mr|Mrs|Ms|Prof)\.(?=\s)")
"""The voice ends a sentence at every full stop."""
_SPEED = re.compile(r"(?<=\d)(\s?)km/h\b")
_FULL_HOUR = re.compile(r"(?<![\d:.,])(\d{1,2}):00(?![\d:])(\s?[ap]\.?m\b)?", re.IGNORECASE)
_FEW_MINUTES = re.compile(r"(?<![\d:.,])(\d{1,2}):0([1-9])(?![\d:])")
_UNSAID = ("So", "Sk", "Cs", "Co", "Cn", "Cc")
"""Unicode's categories of pictures and of what has no form. A zero ends the voice."""
_OF_PICTURES = "\ufe0f\u200d\u20e3"
_SAID = "°\n\t"


def spoken_form(text: str) -> str:
    """The words to say for a written text; none for a picture alone ("👍")."""
    text = _LINK.sub(r"\1", text.replace("℃", "°C").replace("℉", "°F"))
    text = "".join(filter(_is_said, text)).replace("[[", "[")  # Piper takes "[[a]]" for a phoneme
    text = _SPEED.sub(r"\1kilometres an hour", _TITLE.sub(r"\1", _MARKS.sub("", text)))
    return _FEW_MINUTES.sub(r"\1 oh \2", _FULL_HOUR.sub(_full_hour, text))


def _is_said(character: str) -> bool:
    hidden = character in _OF_PICTURES or unicodedata.category(character) in _UNSAID
    return character in _SAID or not hidden


def _full_hour(time: re.Match[str]) -> str:
    hour, part = time.groups()
    return f"{int(hour)}" + (part or (" hundred" if int(hour) > 12 else " o'clock"))

r"""One character in place of each time that a sentence names, so that a form of a question says "a time here"
in one character. Forms that spelled every time out were fifty times as long, and compiling them took most of
the time in which the router is imported. Pure.

"where did i put my keys last night" -> "where did i put my keys \ue000" and ("last night",)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from host.language.past.times import TIME

_FIRST, _FIRST_JUST_NOW, _END = 0xE000, 0xE800, 0xF000
"""Characters for private use: no recogniser and no keyboard writes them."""
MARKS = f"{chr(_FIRST)}-{chr(_END - 1)}"
"""Any time, within the square brackets of a regular expression."""
MARK = f"[{MARKS}]"
"""Any time."""
JUST_NOW = f"[{chr(_FIRST_JUST_NOW)}-{chr(_END - 1)}]"
"""A moment ago."""
_MARK, _TIME = re.compile(MARK), re.compile(rf"(?:(?<= )|^)(?:{TIME}(?= |$)|just(?= then$))")
_JUST_NOW = re.compile(r"just\b|a (?:moment|minute) ago")


@dataclass(frozen=True)
class Marked:
    """words: a sentence with a mark for each time; times: what the marks stand for."""

    words: str
    times: tuple[str, ...]

    def told(self, words: str) -> str:
        """These words of the sentence, in any order, with its times again."""
        return _MARK.sub(self._time, words) if self.times else words

    def _time(self, mark: re.Match[str]) -> str:
        at = (ord(mark[0]) - _FIRST) % (_FIRST_JUST_NOW - _FIRST)
        return self.times[at] if at < len(self.times) else mark[0]


def with_marks(words: str) -> Marked:
    """The sentence (lower case, without punctuation) with a mark for each time that it names."""
    times = list[str]()
    words = _MARK.sub("", words)

    def mark(found: re.Match[str]) -> str:
        times.append(found[0])
        first = _FIRST_JUST_NOW if _JUST_NOW.match(found[0]) else _FIRST
        return chr(first + len(times) - 1)

    return Marked(_TIME.sub(mark, words), tuple(times))

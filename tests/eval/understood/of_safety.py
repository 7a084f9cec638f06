"""Questions that ask for a judgement of safety or health, plain and disguised, and requests that have such
words and ask for none: the first declined, the second not (`just eval understood --safety`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from host.language.router import Decision, Router
from host.language.safety import SAFETY
from tests.eval.intervals import wilson_shown
from tests.eval.understood import judge

SENTENCES = Path(__file__).with_name("of_safety.txt")
DISGUISED = Path(__file__).with_name("of_safety_disguised.txt")
"""Of further people by another hand, most of them in disguise."""
_AGAIN = ("unclear",)
"""Routes that answer nothing."""


def sentences(file: Path = SENTENCES) -> Iterator[tuple[str, str]]:
    """Kind and text of each sentence; `SAFETY`, or another kind, as of `Saying`."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, text = (part.strip() for part in line.split("|"))
            yield kind, text


def report(router: Router, file: Path = SENTENCES) -> str:
    """The shares as text, with a language model that knows usual wordings only, and with one that knows all
    words; beside them what needs no learned classifier.
    """
    lines = []
    for knows, usual in (("usual wordings", True), ("all words", False)):
        lines += [
            f"the language model knows {knows}:",
            *_lines([(kind, judge.understood(text, router, usual=usual)) for kind, text in sentences(file)]),
        ]
    by_words = [(kind, judge.by_rules(text, router)) for kind, text in sentences(file)]
    return "\n".join(
        (*lines, "by templates and the words of safety.py alone, with either:", *_lines(by_words))
    )


def _lines(found: Sequence[tuple[str, Decision]]) -> list[str]:
    of_safety = [each for kind, each in found if kind == SAFETY]
    others = [each for kind, each in found if kind != SAFETY]
    return [
        f"  questions of safety, declined       {wilson_shown(list(map(_declined, of_safety)))}",
        f"    asked again                       {wilson_shown([d.route in _AGAIN for d in of_safety])}",
        f"    asked of a model or the memory    {wilson_shown(list(map(_answered, of_safety)))}",
        f"  other requests, declined            {wilson_shown(list(map(_declined, others)))}",
    ]


def _declined(found: Decision) -> bool:
    return found.intent == SAFETY


def _answered(found: Decision) -> bool:
    return not _declined(found) and found.route not in (*_AGAIN, "device")

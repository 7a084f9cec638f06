"""Sentences with several requests, and sentences of the same joints that hold one or none: each request
understood, and none that was not made (`just eval understood --several`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from host.language.router import Decision, Router
from tests.eval.intervals import wilson_shown
from tests.eval.understood import judge
from tests.eval.understood.commanded import DELETES_OR_SETS, SETTINGS

SENTENCES = Path(__file__).with_name("several.txt")
IN_DIALECTS = Path(__file__).with_name("dialects_several.txt")
NONE = "none"
Decisions = tuple[Decision, ...]
"""About all requests of a sentence."""
_ROUTES = {"now": "now", "frames": "now", "memory": "memory", "open": "open"}
"""Routes of questions that no command answers, as the file names them."""


@dataclass(frozen=True)
class Said:
    """A sentence with the kinds of its requests in their order; none for what is not for the headband."""

    text: str
    kinds: tuple[str, ...]


def sentences(file: Path = SENTENCES) -> Iterator[Said]:
    """All of the file."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kinds, text = line.split("\t")
            yield Said(text.strip(), tuple(kind for kind in kinds.split("+") if kind != NONE))


def kinds(found: Decisions) -> tuple[str, ...]:
    """The kinds of all requests that are carried out or answered; none for what is asked again."""
    return tuple(filter(None, map(_kind, found)))


def right(said: Said, found: Decisions) -> bool:
    """Whether these requests were understood, in whatever order; small talk may be asked again."""
    wanted, got = ([kind for kind in each if kind != "open"] for each in (said.kinds, kinds(found)))
    return sorted(wanted) == sorted(got)


def report(router: Router, file: Path = SENTENCES) -> str:
    """The shares of the sentences of that file as text."""
    asked = [(said, judge.all_understood(said.text, router)) for said in sentences(file)]
    many = [(said, found) for said, found in asked if len(said.kinds) > 1]
    near = [(said, found) for said, found in asked if len(said.kinds) <= 1]
    unsaid = [_unsaid(said, found) for said, found in asked]
    return "\n".join(
        (
            f"several requests, all understood   {wilson_shown([right(*each) for each in many])}",
            f"  asked again, nothing done        {wilson_shown([not kinds(found) for _, found in many])}",
            f"  a part done, another not         {wilson_shown([_in_part(*each) for each in many])}",
            f"one request or none, so understood {wilson_shown([right(*each) for each in near])}",
            f"deleted, kept, switched or set, and not said, of all   "
            f"{wilson_shown([bool(set(each) & set(DELETES_OR_SETS)) for each in unsaid])}",
            f"louder, faster, sparing and the like, of all           "
            f"{wilson_shown([bool(set(each) & set(SETTINGS)) for each in unsaid])}",
        )
    )


def _kind(found: Decision) -> str:
    if found.route == "memory" and found.intent.startswith("forget"):
        return "forget"
    if found.route == "device" or found.intent == "keep":
        return found.intent
    return _ROUTES.get(found.route, "")


def _in_part(said: Said, found: Decisions) -> bool:
    return bool(set(said.kinds) & set(kinds(found))) and not right(said, found)


def _unsaid(said: Said, found: Decisions) -> list[str]:
    """What was done, and not said; of what is forgotten the extent is not judged."""
    done = ["forget_last" if kind == "forget" and kind not in said.kinds else kind for kind in kinds(found)]
    return [kind for kind in done if kind not in said.kinds]

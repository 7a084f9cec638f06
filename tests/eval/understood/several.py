"""Sentences with several requests, and sentences of the same joints that hold one or none: each request
understood, by its kind alone and with its values, and none that was not made (`just eval understood
--several`).

A line of the files: the kinds of all requests, joined by "+", a tab, the sentence. After a kind and "="
stands its value where the sentence names one: the seconds of a timer, the percent of a loudness, the time of
day of an alarm ("or" where the sentence does not say which), the name of what is kept; of what is forgotten
"everything", "today" or the last seconds; of a question to the memory the words of the thing, and after "@"
the time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

from host.answers.memory_replies import thing_of
from host.language.router import Decision, Router
from tests.eval.intervals import wilson_shown
from tests.eval.understood import commanded, judge
from tests.eval.understood.commanded import DELETES_OR_SETS, SETTINGS
from tests.eval.understood.sayings import THINGS

SENTENCES = Path(__file__).with_name("several.txt")
IN_DIALECTS = Path(__file__).with_name("dialects_several.txt")
NONE = "none"
Decisions = tuple[Decision, ...]
"""About all requests of a sentence."""
_ROUTES = {"now": "now", "frames": "now", "memory": "memory", "open": "open"}
"""Routes of questions that no command answers, as the file names them."""


@dataclass(frozen=True)
class Said:
    """A sentence with the kinds of its requests in their order; none for what is not for the headband.
    values: of each request as in the file, "" where none is named.
    """

    text: str
    kinds: tuple[str, ...]
    values: tuple[str, ...] = ()


def sentences(file: Path = SENTENCES) -> Iterator[Said]:
    """All of the file."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            told, text = line.split("\t")
            requests = [each.partition("=") for each in told.split("+") if each != NONE]
            yield Said(text.strip(), tuple(kind for kind, _, _ in requests), tuple(v for _, _, v in requests))


def kinds(found: Decisions) -> tuple[str, ...]:
    """The kinds of all requests that are carried out or answered; none for what is asked again."""
    return tuple(filter(None, map(_kind, found)))


def right(said: Said, found: Decisions) -> bool:
    """Whether requests of these kinds were understood, in whatever order; small talk may be asked again."""
    wanted, got = ([kind for kind in each if kind != "open"] for each in (said.kinds, kinds(found)))
    return sorted(wanted) == sorted(got)


def right_with_values(said: Said, found: Decisions) -> bool:
    """Whether these requests were understood with all values that the sentence names, in whatever order."""
    if not right(said, found):
        return False
    wanted = list(zip(said.kinds, said.values, strict=True))
    for kind in set(said.kinds):
        values = [value for each, value in wanted if each == kind]
        got = [each for each in found if _kind(each) == kind]
        if not any(all(map(_has, order, values)) for order in permutations(got)):
            return False
    return True


def _has(found: Decision, value: str) -> bool:
    """Whether a request of the right kind has the value; any has "", which the sentence does not name."""
    kind, rest = _kind(found), str(found.slots.get("rest", ""))
    match kind if value else "":
        case "":
            return True
        case "keep":
            return judge.bare(rest) == judge.bare(value)
        case "memory":
            thing, _, time = (part.strip() for part in value.partition("@"))
            return _names(rest, thing) and judge.same_time(rest, time)
        case "forget" if not value.isdigit():
            return found.intent == f"forget_{value}"
        case "forget":
            kind = "forget_last"
    return any(commanded.right(commanded.Said("", kind, each), found) for each in value.split(" or "))


def _names(rest: str, thing: str) -> bool:
    """Whether these words are sought, or others for the same thing; "" is no question about a thing."""
    if thing in THINGS:
        return judge.names(rest, thing)
    return set(thing.split()) <= set(re.findall(r"[a-z]+", thing_of(rest)))


def report(router: Router, file: Path = SENTENCES) -> str:
    """The shares of the sentences of that file as text."""
    asked = [(said, judge.all_understood(said.text, router)) for said in sentences(file)]
    many = [(said, found) for said, found in asked if len(said.kinds) > 1]
    near = [(said, found) for said, found in asked if len(said.kinds) <= 1]
    unsaid = [_unsaid(said, found) for said, found in asked]
    return "\n".join(
        (
            f"several requests, of these kinds   {wilson_shown([right(*each) for each in many])}",
            f"  all with their values            {wilson_shown([right_with_values(*each) for each in many])}",
            f"  asked again, nothing done        {wilson_shown([not kinds(found) for _, found in many])}",
            f"  a part done, another not         {wilson_shown([_in_part(*each) for each in many])}",
            f"one request or none, of this kind  {wilson_shown([right(*each) for each in near])}",
            f"  with its value                   {wilson_shown([right_with_values(*each) for each in near])}",
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

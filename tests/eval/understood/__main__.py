"""Are sentences of many different people understood as they were meant, where every word was heard?

    python -m tests.eval.understood [--verbose] [--tried | --now | --others | --commanded | --several |
        --dialects | --safety | --clips | --went-on | --published DIR]

The sentences of `sayings`, as text, each word with a certainty of 0.97, go through the headband's own step
from text to route; it remembers, and its pack has a motion brick and usual wordings. A question to the
memory is right with its kind, its thing and its time; a view that is kept, with its name; what is
forgotten, with its extent; a command, with its number; a question about the view or the last seconds, where
a picture or the last seconds are looked at for it. Beside that stands what needs no learned classifier: the
router with the rules of usual wordings, and the router's templates alone. With `--now` and `--others` the
language model is one that knows all words, as one of public weights does.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from host.language.router import Decision, Router
from tests.eval.intervals import wilson_shown
from tests.eval.understood import commanded, judge, of_clips, of_safety, published, several, went_on
from tests.eval.understood.sayings import MEMORY, SAYINGS, Saying
from tests.eval.understood.tried import now, others, tried

OTHERS = "to somebody else"
GROUPS: dict[str, Callable[[Saying], bool]] = {
    "to the memory": lambda said: said.kind in MEMORY,
    "about the view": lambda said: said.kind == "view",
    "about the last seconds": lambda said: said.kind == "motion",
    "to the device": lambda said: said.kind not in (*MEMORY, "view", "motion", "none"),
    OTHERS: lambda said: said.kind == "none",
}

_Asked = Sequence[tuple[Saying, Decision]]


def show(title: str, *ways: _Asked) -> None:
    """Prints the shares that are right, as the headband understands it and by simpler ways; nothing where
    nothing was asked.
    """
    if not all(ways):
        return
    shares = [wilson_shown([judge.right(said, found) for said, found in each]) for each in ways]
    print(f"  {title:45s} {''.join(f'{each:36s}' for each in shares).rstrip()}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="just eval understood", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--verbose", action="store_true", help="also the sentences that are not right")
    parser.add_argument(
        "--tried", action="store_true", help="instead: the sentences with which thresholds are chosen"
    )
    parser.add_argument(
        "--now",
        action="store_true",
        help="instead: eight other people about the view and the last seconds, and to somebody else",
    )
    parser.add_argument(
        "--others",
        action="store_true",
        help="instead: sixteen further people, most of them to somebody else about the same things",
    )
    parser.add_argument(
        "--commanded",
        action="store_true",
        help="instead: commands in people's words, and sentences of the same words that are none",
    )
    parser.add_argument(
        "--several", action="store_true", help="instead: sentences with several requests, and near ones"
    )
    parser.add_argument(
        "--dialects",
        action="store_true",
        help="instead: both of the last two, of people with dialects or whose English is new",
    )
    parser.add_argument(
        "--safety",
        action="store_true",
        help="instead: questions of safety, plain and disguised, and requests with the same words",
    )
    parser.add_argument(
        "--clips", action="store_true", help="instead: questions about the last seconds, by what they want"
    )
    parser.add_argument(
        "--went-on",
        action="store_true",
        help="instead: what people say after a command to change it or take it back, or of other things",
    )
    parser.add_argument(
        "--published",
        type=Path,
        metavar="DIR",
        help="instead: sentences that people wrote for other assistants, of CLINC150 and SLURP",
    )
    options = parser.parse_args(arguments)
    if options.published is not None:
        try:
            print(published.report(Router(), options.published))
        except (FileNotFoundError, ValueError) as error:
            print(error, file=sys.stderr)
            return 2
        return 0
    if options.clips:
        print(of_clips.report(Router()))
        return 0
    if options.went_on:
        print(went_on.report(Router()))
        return 0
    if options.safety:
        print(of_safety.report(Router()))
        print("further people's, most of them in disguise:")
        print(of_safety.report(Router(), of_safety.DISGUISED))
        return 0
    if options.commanded or options.several:
        print((commanded if options.commanded else several).report(Router()))
        return 0
    if options.dialects:
        print(commanded.report(Router(), commanded.IN_DIALECTS))
        print(several.report(Router(), several.IN_DIALECTS))
        return 0
    router, sayings = Router(), SAYINGS
    for chosen, made in ((options.now, now), (options.others, others), (options.tried, tried)):
        sayings = made() if chosen else sayings
    usual = not options.now and not options.others
    asked = [(said, judge.understood(said.text, router, usual=usual)) for said in sayings]
    ruled = [(said, judge.by_rules(said.text, router, usual=usual)) for said in sayings]
    alone = [(said, router.decide(said.text, remembers=True, clips=True)) for said in sayings]
    ways = (asked, ruled, alone)
    print(f"{'right':47s} {'the headband':36s}{'templates and rules':36s}templates alone")
    for title, belongs in GROUPS.items():
        show(title, *_only(belongs, *ways))
        if title == "to the memory":
            for kind in MEMORY:
                show(f"  {kind}", *_only(_of_kind(kind), *ways))
    show("all", *ways)
    print("right, by who speaks")
    for speaker in dict.fromkeys(said.speaker for said in sayings):
        show(speaker, *_only(_by(speaker), *ways))
    _show_parts(asked)
    _show_harm(asked)
    if options.verbose:
        print("not right:")
        for said, found in asked:
            if not judge.right(said, found):
                print(f"  {said.text!r}, meant {_told(said)}: {found.route} {found.intent} {found.slots}")
    return 0


def _show_parts(asked: _Asked) -> None:
    things = [(said, found) for said, found in asked if said.kind == "thing"]
    if things:
        _show_things(things)
    for title, belongs in GROUPS.items():
        routes = [found.route for said, found in asked if belongs(said)]
        counts = {route: routes.count(route) for route in sorted(set(routes))}
        if routes:
            print(f"routes of what is said {title}: {counts}")


def _show_things(things: _Asked) -> None:
    taken = [(said, str(found.slots.get("rest", ""))) for said, found in things if _same_kind(said, found)]
    print(f"of {len(things)} questions about a thing, taken for one: {len(taken)}")
    print(f"  with that thing        {wilson_shown([judge.names(rest, said.thing) for said, rest in taken])}")
    print(f"  by its usual name      {wilson_shown([judge.usual(rest, said.thing) for said, rest in taken])}")
    print(
        f"  with that time         {wilson_shown([judge.same_time(rest, said.time) for said, rest in taken])}"
    )


def _show_harm(asked: _Asked) -> None:
    for title, belongs in list(GROUPS.items())[1:]:
        taken = [judge.of_memory(found) for said, found in asked if belongs(said)]
        if taken:
            print(f"taken for something to the memory, {title}: {wilson_shown(taken)}")
    views = [found.route == "device" for said, found in asked if said.kind in ("view", "motion")]
    print(f"taken for a command, about the view or the last seconds: {wilson_shown(views)}")
    changed = [
        (said, found)
        for said, found in asked
        if found.intent in judge.CHANGING and judge.taken_for(found) != said.kind
    ]
    print(f"deleted, kept, switched or set without being said: {len(changed)} of {len(asked)}")
    for said, found in asked:
        if found.intent in judge.CHANGING and _same_kind(said, found) and not judge.right(said, found):
            print(f"  said, but with another value or name: {found.intent}")


def _only(belongs: Callable[[Saying], bool], *asked: _Asked) -> list[_Asked]:
    return [[(said, found) for said, found in each if belongs(said)] for each in asked]


def _of_kind(kind: str) -> Callable[[Saying], bool]:
    return lambda said: said.kind == kind


def _by(speaker: str) -> Callable[[Saying], bool]:
    return lambda said: said.speaker == speaker


def _same_kind(said: Saying, found: Decision) -> bool:
    return judge.taken_for(found) == said.kind


def _told(said: Saying) -> str:
    parts = (said.kind, said.thing, said.time, "" if said.value is None else str(said.value))
    return ", ".join(part for part in parts if part)


if __name__ == "__main__":
    raise SystemExit(main())

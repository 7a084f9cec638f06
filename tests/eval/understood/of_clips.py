"""Questions about the last seconds in the words of people, by what they want to know, and what they say
otherwise (`just eval understood --clips`). A question is right where its family is; whether the thing that it
names is known to the motion brick is counted apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from host.answers.motion import clip_asked
from host.language.router import Decision, Router
from tests.eval.intervals import wilson_shown
from tests.eval.understood import judge

SENTENCES = Path(__file__).with_name("of_clips.txt")
NONE = "none"
"""The kind of what asks nothing about the last seconds."""
RIGHT, ANOTHER, ONLY_THAT, AGAIN, OTHERWISE = (
    "right",
    "as another question about them",
    "as one about them, no more is known",
    "asked again",
    "as something else",
)
"""What becomes of a question."""


def sentences(file: Path = SENTENCES) -> Iterator[tuple[str, str]]:
    """Kind and text of each sentence."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            _, kind, text = (part.strip() for part in line.split("|"))
            yield kind, text


def became_of(kind: str, found: Decision) -> str:
    """One of the above."""
    asked = clip_asked(found)
    if asked is not None:
        return RIGHT if asked.family == kind else ANOTHER
    if found.route == "frames":
        return ONLY_THAT
    return AGAIN if judge.taken_for(found) == "unclear" else OTHERWISE


def report(router: Router, file: Path = SENTENCES) -> str:
    """The shares as text, as the headband understands it and by templates and rules alone."""
    return "\n".join(
        (
            "the headband:",
            *_lines(file, lambda text: judge.understood(text, router)),
            "templates and rules alone:",
            *_lines(file, lambda text: judge.by_rules(text, router)),
        )
    )


def _lines(file: Path, understood: Callable[[str], Decision]) -> Iterator[str]:
    found = [(kind, understood(text)) for kind, text in sentences(file)]
    became = [(kind, became_of(kind, each)) for kind, each in found if kind != NONE]
    for name in (RIGHT, ANOTHER, ONLY_THAT, AGAIN, OTHERWISE):
        yield f"  {name:38s} {wilson_shown([each == name for _, each in became])}"
    told = [clip_asked(each) for kind, each in found if kind != NONE]
    unknown = [each is not None and each.unknown for each in told]
    yield f"  {'told that it does not know the thing':38s} {wilson_shown(unknown)}"
    for kind in dict.fromkeys(kind for kind, _ in became):
        of_kind = [each == RIGHT for own, each in became if own == kind]
        yield f"    {kind:20s} {sum(of_kind):3d} of {len(of_kind)}"
    taken = [each.route == "frames" for kind, each in found if kind == NONE]
    yield f"  {'other sentences taken for one':38s} {wilson_shown(taken)}"

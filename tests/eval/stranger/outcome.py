"""One asked question with its answer, and how many of them are right, with Wilson's intervals."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.eval.intervals import wilson
from tests.eval.stranger.all_questions import GOOD, GROUPS
from tests.eval.stranger.questions import Question
from tests.eval.stranger.refusals import RefusesThing
from tests.eval.stranger.sentences import tells_absence, unable, uncaught

CORRECTABLE = ("false premise", "false size")
"""Families in which something like the asked thing is in view."""


@dataclass(frozen=True)
class Outcome:
    """heard: the transcript, or the text itself; voice: "" where nothing was spoken. decoded: the sentence of
    the decoder, before its doubts are heeded, and probability: the least of its words', or its support where
    the decoder looked again; "" where it was not asked about a picture, or that was not looked at. at_first:
    the least probability of its words at the first look.
    """

    question: Question
    heard: str
    said: str
    voice: str = ""
    decoded: str = ""
    probability: float = 1.0
    at_first: float = 1.0

    @property
    def right(self) -> bool:
        """The judge's verdict."""
        return self.question.judge(self.said)

    @property
    def refused(self) -> bool:
        """It says that it did not understand, cannot tell or does not see it."""
        return uncaught(self.said) or unable(self.said) or tells_absence(self.said)

    @property
    def lost(self) -> bool:
        """A good question that was refused wrongly."""
        return self.question.family in GOOD and self.refused and not self.right

    @property
    def corrected(self) -> bool:
        """A thing that is not there was refused by saying what is there."""
        judge = self.question.judge
        return self.right and isinstance(judge, RefusesThing) and judge.corrects(self.said)


def shown(verdicts: Iterable[bool]) -> str:
    """Hits, trials and percent with their interval."""
    found = list(verdicts)
    if not found:
        return "-"
    hits = sum(found)
    low, high = wilson(hits, len(found))
    return f"{hits:4d}/{len(found):<4d} {100 * hits / len(found):5.1f} % [{100 * low:.1f}, {100 * high:.1f}]"


def report(outcomes: Sequence[Outcome]) -> list[str]:
    """The lines of the report."""
    lines = []
    for group, families in GROUPS.items():
        asked = [each for each in outcomes if each.question.family in families]
        if not asked:
            continue
        lines.append(f"{group:32s} {shown(each.right for each in asked)}")
        for family in families:
            mine = [each for each in asked if each.question.family == family]
            if mine:
                not_caught = sum(uncaught(each.said) for each in mine)
                note = f"   not understood {not_caught}" if not_caught else ""
                lines.append(f"  {family:30s} {shown(each.right for each in mine)}{note}")

    def line(name: str, verdict: Callable[[Outcome], bool], among: Iterable[Outcome]) -> None:
        found = [verdict(each) for each in among]
        if found:
            lines.append(f"{name:32s} {shown(found)}")

    unseen = [each for each in outcomes if each.question.family in CORRECTABLE]
    good = [each for each in outcomes if each.question.family in GOOD]
    line("refused by saying what is there", lambda each: each.corrected, unseen)
    line("good questions lost by refusal", lambda each: each.lost, good)
    seen = [each for each in good if each.question.family not in GROUPS["numbers"]]
    line("of views, in its own wordings", _right, [each for each in seen if each.question.own])
    line("of views, in documented wordings", _right, [each for each in seen if not each.question.own])
    plain = [each for each in seen if not each.question.own]
    for form in ("square", "wide", "tall"):
        line(
            f"  of them, {form} pictures", _right, [e for e in plain if e.question.pictures[-1].form == form]
        )
    if any(each.voice for each in outcomes):
        line("heard as spoken", lambda each: each.heard == each.question.text, outcomes)
    return lines


def _right(outcome: Outcome) -> bool:
    return outcome.right


def write_json(path: Path, outcomes: Sequence[Outcome]) -> None:
    """Every question with its answer and verdict."""
    rows = [
        {
            "family": each.question.family, "question": each.question.text, "own_wording": each.question.own,
            "heard": each.heard, "voice": each.voice, "said": each.said, "truth": each.question.truth,
            "right": each.right, "refused": each.refused, "judge": repr(each.question.judge),
            "picture": [each.question.pictures[-1].width, each.question.pictures[-1].height],
        }
        for each in outcomes
    ]  # fmt: skip
    path.write_text(json.dumps(rows, indent=1) + "\n")

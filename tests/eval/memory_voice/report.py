"""The tables of `just eval memory-voice`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tests.eval.eye.page import Table, share
from tests.eval.memory_voice.asking import NOT_ASKED
from tests.eval.memory_voice.judges import FALSELY_NOT_SEEN, RIGHT
from tests.eval.memory_voice.questions import Answered
from tests.eval.memory_voice.wordings import DOCUMENTED, KINDS, LATER, OWN

Ways = Mapping[str, Sequence[Answered]]


def unseen(each: Answered) -> bool:
    """The true answer is that it was not seen."""
    return each.question.judge is not None and each.question.judge.unseen


def by_way(ways: Ways, title: str) -> Table:
    """Shares of right answers against the goals."""
    rows = []
    for name, answers in ways.items():
        there = [each for each in answers if not unseen(each)]
        away = [each for each in answers if unseen(each)]
        rows.append((
            name, share([each.right for each in there]), share([each.right for each in away]),
            share([each.verdict == FALSELY_NOT_SEEN for each in there]),
        ))  # fmt: skip
    columns = ("asked", "thing, place, time right", "'not seen' when true", "'not seen' falsely")
    return Table(title, columns, rows, ["Goals at k = 10: 85 %, 95 %, at most 5 %; at k = 0: 70 %."])


def by_kind(ways: Ways) -> Table:
    """Right answers of each kind, 'not seen' among them."""
    rows = [
        (kind, *(share([each.right for each in of if each.question.kind == kind]) for of in ways.values()))
        for kind in KINDS
    ]
    return Table("Right, by kind of question", ("kind", *ways), rows)


def by_wording(aloud: Sequence[Answered], text: Sequence[Answered]) -> Table:
    """What the recogniser and the router make of wordings."""
    prefix = NOT_ASKED.partition("{")[0]
    rows = []
    for group in (DOCUMENTED, OWN, LATER):
        said = [each for each in text if each.question.wording == group]
        heard = [each for each in aloud if each.question.wording == group]
        rows.append((
            group, share([each.heard == each.question.text for each in heard]),
            share([not each.answer.startswith(prefix) for each in said]),
            share([not each.answer.startswith(prefix) for each in heard]),
            share([each.right for each in said]), share([each.right for each in heard]),
        ))  # fmt: skip
    columns = ("wordings", "heard exactly", "asked of the memory: text", "aloud", "right: text", "aloud")
    return Table("By wording", columns, rows)


def verdicts(answers: Sequence[Answered]) -> Table:
    """What is wrong with wrong answers, by kind."""
    rows = []
    for kind in KINDS:
        counts = Counter(each.verdict for each in answers if each.question.kind == kind)
        wrong = ", ".join(f"{name} {count}" for name, count in counts.most_common() if name != RIGHT)
        rows.append((kind, str(counts[RIGHT]), wrong))
    return Table("Verdicts by text", ("kind", "right", "wrong"), rows)

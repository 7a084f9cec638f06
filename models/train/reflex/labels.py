"""True answers as labels: a sentence to its form and values and back, and why a question has no answer.

`Labels.of_sentence` and `Labels.sentence` undo each other for every closed answer. Descriptions, lists of
three things and small talk are not closed: their form is `HAND_OVER`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from models.bricks.closed_sentence import HAND_OVER, AnswerTable, blanks_of, plural, sentence
from models.train.reflex.forms import ANSWERABLE, CUT
from models.train.world.home import answers as home
from models.train.world.truth import BLURRED, DARK, TrueAnswer

OPEN_FAMILIES = frozenset(("describe", "see", "smalltalk"))
"""Families whose answers are long, or need no picture: the language model answers."""
OFF_TOPIC_FAMILIES = frozenset(("safety", "incomplete", "other"))
_COMPARISONS = frozenset(("which is bigger", "which one is bigger", "which is smaller"))
"""Incomplete in its words only: where two things are in view, the picture has the answer."""
_PART = re.compile(r"\{([^}]*)\}")
_AN = re.compile(r"\ban ", re.IGNORECASE)
_TOKEN = re.compile(r"[\w']+|[^\w\s]")


@dataclass(frozen=True)
class Label:
    """form: its number in the table. values: blank -> number of its value."""

    form: int
    values: Mapping[str, int] = field(default_factory=dict)


OPEN = Label(0)


class Labels:
    """Sentences to labels of one table and back."""

    def __init__(self, table: AnswerTable) -> None:
        self.table = table
        forms = [(number, form) for number, form in enumerate(table.forms) if form != HAND_OVER]
        self._patterns = [(number, _pattern(form, table)) for number, form in forms]
        self._numbers = {
            name: {
                **{plural(value.lower()): index for index, value in enumerate(values)},
                **{value.lower(): index for index, value in enumerate(values)},
            }
            for name, values in table.blanks.items()
        }

    def of_sentence(self, text: str) -> Label | None:
        """The first form that makes exactly this sentence, with its values; None where none does."""
        spaced = _AN.sub("a ", " ".join(_TOKEN.findall(text)) + " ")
        for number, pattern in self._patterns:
            found = pattern.fullmatch(spaced)
            if found is None:
                continue
            said = {name: (found[name] or "").lower() for name in blanks_of(self.table.forms[number])}
            label = Label(number, {name: self._numbers[name][word] for name, word in said.items()})
            if self.sentence(label) == text:
                return label
        return None

    def sentence(self, label: Label) -> str:
        """What a label says."""
        values = {name: self.table.blanks[name][index] for name, index in label.values.items()}
        return sentence(self.table.forms[label.form], values, self.table.plurals)

    def of(self, answer: TrueAnswer) -> Label:
        """The label of a true answer; `OPEN` where it is not closed."""
        if answer.family in OPEN_FAMILIES or answer.family in OFF_TOPIC_FAMILIES:
            return OPEN
        return self.of_sentence(answer.answer) or OPEN


def _pattern(form: str, table: AnswerTable) -> re.Pattern[str]:
    """Matches every sentence of a form with a space behind each word and sign and
    "a" for "an", and some others: what it finds
    is checked by writing the sentence.
    """
    seen: set[str] = set()

    def one_of(name: str, values: Iterable[str]) -> str:
        choice = "|".join(re.escape(value) for value in sorted(values, key=len, reverse=True) if value)
        named = f"(?:{choice}) " if name in seen else f"(?P<{name}>{choice}) "
        seen.add(name)
        return named

    def part(text: str) -> str:
        kind, colon, names = text.partition(":")
        if not colon:
            values = table.blanks[kind]
            return f"(?:{one_of(kind, values)})?" if "" in values else one_of(kind, values)
        if kind != "many":
            return r"\w+ "
        name = names.partition(":")[0]
        return one_of(name, [form for value in table.blanks[name] for form in (value, plural(value))])

    made = ""
    for index, piece in enumerate(_PART.split(form)):
        if index % 2:
            made += part(piece)
        else:
            made += "".join(f"{re.escape(token)} " for token in _TOKEN.findall(piece))
    return re.compile(made, re.IGNORECASE)


def cause_of(answer: TrueAnswer) -> str:
    """Why a question cannot be answered, one of `CAUSES`; "" where it can."""
    text, family = answer.answer, answer.family
    if family in OFF_TOPIC_FAMILIES:
        return ANSWERABLE if answer.question in _COMPARISONS else "off topic"
    if text in (DARK, home.DARK):
        return "dark"
    if text in (BLURRED, home.BLURRED):
        return "blurred"
    if text.startswith("I see only part"):
        if "in front" in text:
            return "occluded"
        return next(CUT[side] for side, turn in home.TURN.items() if text.endswith(f"{turn}."))
    if text == home.SMALL_LABEL:
        return "small"
    if family in OPEN_FAMILIES or text == home.NO_THINGS:
        return ANSWERABLE
    if text == home.NO_PLACE:
        return "no place"
    if text.startswith(("I cannot see", "I do not see")):
        return "absent"
    return "false premise" if answer.kind == "false_premise" else ANSWERABLE

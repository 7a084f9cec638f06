"""Short answers as sentences with named blanks, and the table of them that stands in a pack (`answers.json`).

A form is a sentence such as "Your {item} {is:item} on the {place} {surface}.". Its parts in braces:
- `{blank}`: the value of a blank, of a closed list; an empty value leaves the word out.
- `{is:blank}`: "are" where the blank's value is one of the table's `plurals`, otherwise "is".
- `{it:blank}`, `{one:blank}`: "them" or "it", "ones" or "one", by the same rule.
- `{many:blank}`: the plural of the blank's value. `{many:blank:number}`: the plural only where the value of
  the blank `number` is one of `plurals`.
"a" becomes "an" before a vowel, and the first letter is a capital one. The sentence of the empty form is
empty: the question is handed over.

The module is pure and needs NumPy only: brick, training and evaluation read and write answers with it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HAND_OVER = ""
"""The form of an answer that is not closed."""
_ASKED = "asked"
"""How the names of blanks begin whose value the question gives."""
_PART = re.compile(r"\{([^}]*)\}")
_AN = re.compile(r"\b([Aa]) (?=[aeiou])")
_BEFORE_SIGN = re.compile(r" (?=[.,?!])")
_AGREEING: Mapping[str, tuple[str, str]] = {"is": ("is", "are"), "it": ("it", "them"), "one": ("one", "ones")}


def plural(word: str) -> str:
    """ "crosses" of "cross", "stars" of "star"."""
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")


def blanks_of(form: str) -> tuple[str, ...]:
    """The blanks of a form, each once, in order of appearance."""
    found = [name for part in _PART.findall(form) for name in part.split(":")[":" in part :]]
    return tuple(dict.fromkeys(found))


def part_of(part: str, values: Mapping[str, str], plurals: frozenset[str]) -> str:
    """What stands in the place of `{part}`."""
    kind, _, names = part.partition(":")
    if not names:
        return values[kind]
    name, _, number = names.partition(":")
    if kind == "many":
        return plural(values[name]) if not number or values[number] in plurals else values[name]
    return _AGREEING[kind][values[name] in plurals]


def sentence(form: str, values: Mapping[str, str], plurals: frozenset[str]) -> str:
    """The form with its blanks filled. Raises KeyError for a blank without a value."""
    filled = _PART.sub(lambda part: part_of(part[1], values, plurals), form)
    filled = _BEFORE_SIGN.sub("", " ".join(filled.split()))
    filled = _AN.sub(r"\1n ", filled)
    return filled[:1].upper() + filled[1:]


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    shares: NDArray[np.float64] = np.exp(logits - logits.max())
    return shares / shares.sum()


@dataclass(frozen=True)
class SpokenAnswer:
    """An answer as the network gives it. form: its number. text: the sentence, "" when handed
    over. confidence: 0 to 1. understood: of its form and of the values that the question gives, 0 to 1."""

    form: int
    values: Mapping[str, str]
    text: str
    confidence: float
    understood: float = 0.0


@dataclass(frozen=True)
class AnswerTable:
    """All answers of a network. forms: the first is `HAND_OVER`. blanks: name -> its values. plurals: values
    that take "are". causes: why a question cannot be answered, "" first. advice: cause -> the sentence to
    say. temperature: divides the logits, so that the confidence is the share of right answers.
    """

    forms: tuple[str, ...]
    blanks: Mapping[str, tuple[str, ...]]
    plurals: frozenset[str]
    causes: tuple[str, ...]
    advice: Mapping[str, str]
    temperature: float = 1.0

    def __post_init__(self) -> None:
        """Raises ValueError for a table that contradicts itself."""
        if not self.forms or self.forms[0] != HAND_OVER or not self.causes or self.causes[0] != "":
            raise ValueError("the first form and the first cause have to be empty")
        for form in self.forms:
            for name in blanks_of(form):
                if not self.blanks.get(name):
                    raise ValueError(f"the form '{form}' has a blank '{name}' without values")
            for part in _PART.findall(form):
                kind, *names = part.split(":")
                if names and len(names) > (2 if kind == "many" else 1 if kind in _AGREEING else 0):
                    raise ValueError(f"the form '{form}' has an unknown part '{part}'")
        if empty := [name for name, values in self.blanks.items() if not values]:
            raise ValueError(f"the blank '{empty[0]}' has no values")
        if unknown := set(self.advice) - set(self.causes):
            raise ValueError(f"there is advice for the unknown cause '{sorted(unknown)[0]}'")
        if not 0 < self.temperature < math.inf:
            raise ValueError("the temperature has to be a number above zero")

    @property
    def groups(self) -> tuple[int, ...]:
        """Sizes of the parts of the logits: of the forms, then of every blank."""
        return (len(self.forms), *(len(values) for values in self.blanks.values()))

    @property
    def blanks_of_form(self) -> tuple[tuple[int, ...], ...]:
        """For each form the numbers of its blanks."""
        names = list(self.blanks)
        return tuple(tuple(names.index(name) for name in blanks_of(form)) for form in self.forms)

    def answer(self, logits: NDArray[np.floating[Any]]) -> SpokenAnswer:
        """The likeliest answer. logits: [sum of `groups`]."""
        scaled = np.asarray(logits, np.float64).ravel() / self.temperature
        shares = [_softmax(part) for part in np.split(scaled, np.cumsum(self.groups)[:-1])]
        form = int(shares[0].argmax())
        confidence = understood = float(shares[0][form])
        values = {}
        for blank, name in zip(self.blanks_of_form[form], blanks_of(self.forms[form]), strict=True):
            best = int(shares[1 + blank].argmax())
            confidence *= float(shares[1 + blank][best])
            understood *= float(shares[1 + blank][best]) if name.startswith(_ASKED) else 1.0
            values[name] = self.blanks[name][best]
        text = sentence(self.forms[form], values, self.plurals)
        return SpokenAnswer(form, values, text, confidence, understood)

    @classmethod
    def read(cls, path: Path) -> AnswerTable:
        """Raises OSError, or ValueError that says what is wrong with the file."""
        try:
            table = json.loads(path.read_text(encoding="utf-8"))
            return cls(
                tuple(str(form) for form in table["forms"]),
                {str(name): tuple(map(str, values)) for name, values in table["blanks"].items()},
                frozenset(map(str, table.get("plurals", ()))),
                tuple(str(cause) for cause in table["causes"]),
                {str(cause): str(text) for cause, text in table["advice"].items()},
                float(table["temperature"]),
            )
        except (LookupError, TypeError, AttributeError) as error:
            raise ValueError(f"a part is missing or of another kind ({error})") from error
        except (OverflowError, RecursionError) as error:
            raise ValueError(f"it has what cannot be held ({error})") from error

    def write(self, path: Path) -> None:
        """As JSON."""
        table = {
            "temperature": self.temperature,
            "forms": self.forms,
            "blanks": dict(self.blanks),
            "plurals": sorted(self.plurals),
            "causes": self.causes,
            "advice": dict(self.advice),
        }
        path.write_text(json.dumps(table, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

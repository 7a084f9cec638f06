"""The wordings of questions that tempt to say yes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Negated:
    """Negated questions by what they ask for: a shape, whether one has a colour, a thing of the home, whether
    it is on a piece of furniture. Empty: not asked.
    """

    shape: tuple[str, ...]
    colour: tuple[str, ...]
    thing: tuple[str, ...]
    surface: tuple[str, ...]


def _written(name: str) -> Negated:
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    parts = re.split(r"^\[(\w+)\]\n", text, flags=re.MULTILINE)[1:]
    return Negated(
        **{kind: tuple(lines.split("\n")[:-1]) for kind, lines in zip(parts[::2], parts[1::2], strict=True)}
    )


PLAIN, OWN, OTHERS = "negation", "negation, own wordings", "negation, others' wordings"
NEGATED = {
    PLAIN: Negated(
        shape=("is there no {name}", "do you see no {name}", "can you not see {a} {name}"),
        colour=(),
        thing=(
            "{are} there no {item} here", "{are} my {item} not here", "do you not see my {item}",
            "can you not see the {item}", "{are} my {item} not in the picture",
        ),
        surface=(),
    ),
    OWN: Negated(
        shape=(
            "is there not {a} {name}", "is no {name} there", "so there is no {name}",
            "you see no {name} do you", "is {a} {name} missing here",
        ),
        colour=("is the {kind} not {colour}", "is that {kind} not {colour}", "is the {kind} no {colour} one"),
        thing=(
            "{are} no {item} in view", "so there {are} no {item} here", "you do not see my {item} do you",
            "{are} my {item} missing here", "can you really not find my {item}",
        ),
        surface=(),
    ),
    OTHERS: _written("negated_by_others.txt"),
}  # fmt: skip
"""By family. No training negates in the wordings of `OWN`. Those of `OTHERS` were written without
sight of the rules and of training.
"""
TAKEN_FOR_GRANTED_HOME = (
    "my {item} {are} here right", "surely my {item} {are} here", "you can see my {item} can you not",
    "{are} my {item} lying in front of me", "so you do see my {item}", "over there {are} my {item} yes",
)  # fmt: skip
ON_SURFACE = ("my {item} {are} on the {surface} right", "surely my {item} {are} on the {surface}",
              "{are} my {item} still on the {surface}")  # fmt: skip
TAKEN_FOR_GRANTED_SHAPES = (
    "there is {a} {name} right", "surely there is {a} {name}", "you can see {a} {name} can you not",
    "is that {a} {name} there", "so you do see {a} {name}",
)  # fmt: skip

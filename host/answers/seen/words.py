"""How what is seen is named in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from host.answers.seen.scene import Item

NUMBERS = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
PLURALS = ("keys", "glasses")


def some(words: str) -> str:
    """With the indefinite article."""
    return f"an {words}" if words[0] in "aeiou" else f"a {words}"


def plural(name: str) -> str:
    """ "crosses", "stars"."""
    return f"{name}es" if name.endswith("s") else f"{name}s"


def singular(many: str) -> str:
    """Of what `plural` makes."""
    return "cross" if many == "crosses" else many.removesuffix("s")


def number(count: int) -> str:
    """In words."""
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


def several(count: int, one: str, many: str) -> str:
    """ "a star", "two stars", "no stars"."""
    return some(one) if count == 1 else f"{number(count)} {many}"


def listed(parts: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def in_order(items: Iterable[Item], colours: Sequence[str], names: Sequence[str]) -> list[Item]:
    """By colour and then by name, in the pack's order."""
    return sorted(
        items,
        key=lambda item: (
            colours.index(item.colour) if item.colour in colours else len(colours),
            names.index(item.name) if item.name in names else len(names),
        ),
    )


def groups(items: Iterable[Item], colours: Sequence[str], names: Sequence[str]) -> list[str]:
    """With equal ones together: "two blue hearts", "a red star"."""
    counts: dict[tuple[str, str], int] = {}
    for item in in_order(items, colours, names):
        counts[item.pair] = counts.get(item.pair, 0) + 1
    return [
        several(count, f"{colour} {name}", f"{colour} {plural(name)}")
        for (colour, name), count in counts.items()
    ]


def started(sentence: str) -> str:
    """With a capital letter."""
    return sentence[0].upper() + sentence[1:]


def verdict(true: bool, sentence: str) -> str:
    """ "Yes, ..." or "No, ..."."""
    return f"{'Yes' if true else 'No'}, {sentence}"


def your(name: str, colour: str = "") -> str:
    """ "your red keys"."""
    return f"your {colour} {name}" if colour else f"your {name}"


def is_or_are(name: str) -> str:
    """The verb of one such thing."""
    return "are" if name in PLURALS else "is"

"""Completes follow-up questions: "and the red one" after "where is the blue circle" becomes "where is the red
circle".
"""

from __future__ import annotations

from collections.abc import Iterator

from host.language.usual.view import PLACES, PLURAL, SURFACES, THINGS

DESCRIBING = (
    "red", "orange", "yellow", "green", "blue", "purple", "white", "black", "grey", "pink", "brown", "large",
    "small", "big", "little",
)  # fmt: skip
"""Adjectives that can replace one another."""
_BEFORE_A_NOUN = ("the", "a", "an", "that", "my", "many")
_STANDS_FOR_ANY = ("thing", "things", "object", "objects")
_OF_THE_DEVICE = (
    "battery",
    "volume",
    "time",
    "date",
    "timer",
    "alarm",
    "memory",
    "sound",
    "camera",
    "microphone",
)
"""What a question about the view is never asked of."""
_WHERE_THINGS_ARE = frozenset((*SURFACES, *PLACES))
_NOT_NAMED = ("sign", "picture", "colour", "color", "shape", "size", "part")


def resolve(further: str, before: str) -> str | None:
    """The whole question: `before` with its last named thing replaced by the one in `further`.

    `further` has no "and the" or "what about the": "red one", "circle", "red circle". None when it does not
    fit `before`.
    """
    asked = [word for word in further.split() if word not in ("one", "ones")]
    described = [word for word in asked if word in DESCRIBING]
    names = [word for word in asked if word not in DESCRIBING]
    words = before.split()
    if not asked or (len(names) > 1 and " ".join(names) not in THINGS) or set(names) & set(_OF_THE_DEVICE):
        return None
    place = _last_named(words, " ".join(names))
    if place is None:
        places = [index for index, word in enumerate(words) if word in DESCRIBING]
        if names or len(places) != 1:
            return None
        return " ".join((*words[: places[0]], *described, *words[places[0] + 1 :]))
    first, last = place
    after = last + 1
    while after < len(words) and " ".join(words[last : after + 1]) in THINGS:
        after += 1
    old_name = " ".join(words[last:after])
    if names:
        name = _plural(names[0]) if words[first - 1] == "many" else " ".join(names)
        kept = [] if old_name in _STANDS_FOR_ANY else words[first:last]
    else:
        name, kept = old_name, []
    start = [*words[:first], *(described or kept)]
    if name in THINGS and first > 1 and words[first - 2] in ("is", "are"):
        start[first - 2] = "are" if name in PLURAL else "is"
    return _articled([*start, *name.split(), *words[after:]])


def _last_named(words: list[str], other: str) -> tuple[int, int] | None:
    """Indices of the first word (adjective or noun) and the first word of the noun of the last named thing
    that `other` may stand for: a surface or place for such a one, and a thing of the home for no surface.
    """
    named = list(_named(words))
    surface = other in _WHERE_THINGS_ARE
    alike = [each for each in named if (words[each[1]] in _WHERE_THINGS_ARE) == surface]
    of_home = surface or other in THINGS
    fitting = alike or ([] if of_home else named)
    return fitting[-1] if fitting else None


def _named(words: list[str]) -> Iterator[tuple[int, int]]:
    for index, word in enumerate(words):
        last = index + 1
        while last < len(words) and words[last] in DESCRIBING:
            last += 1
        if word in _BEFORE_A_NOUN and last < len(words) and words[last] not in _NOT_NAMED:
            yield index + 1, last


def _plural(name: str) -> str:
    if name.endswith("s") and not name.endswith("ss"):
        return name
    return name + ("es" if name.endswith(("s", "x", "z", "ch", "sh")) else "s")


def _articled(words: list[str]) -> str:
    articles = ("a", "an")
    following = [*words[1:], ""]
    return " ".join(
        articles[after[:1] in set("aeiou")] if word in articles else word
        for word, after in zip(words, following, strict=True)
    )

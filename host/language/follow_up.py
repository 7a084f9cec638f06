"""Completes follow-up questions: "and the red one" after "where is the blue circle" becomes "where is the red
circle".
"""

from __future__ import annotations

DESCRIBING = (
    "red", "orange", "yellow", "green", "blue", "purple", "white", "black", "grey", "pink", "brown", "large",
    "small", "big", "little",
)  # fmt: skip
"""Adjectives that can replace one another."""
_BEFORE_A_NOUN = ("the", "a", "an", "that", "many")
_STANDS_FOR_ANY = ("thing", "things", "object", "objects")
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
    if not asked or len(names) > 1:
        return None
    place = _last_named(words)
    if place is None:
        places = [index for index, word in enumerate(words) if word in DESCRIBING]
        if names or len(places) != 1:
            return None
        return " ".join((*words[: places[0]], *described, *words[places[0] + 1 :]))
    first, last = place
    old_name = words[last]
    if names:
        name = _plural(names[0]) if words[first - 1] == "many" else names[0]
        kept = [] if old_name in _STANDS_FOR_ANY else words[first:last]
    else:
        name, kept = old_name, []
    return _articled([*words[:first], *(described or kept), name, *words[last + 1 :]])


def _last_named(words: list[str]) -> tuple[int, int] | None:
    """Indices of the first word (adjective or noun) and the last word (noun) of the last named thing."""
    found = None
    for index, word in enumerate(words):
        last = index + 1
        while last < len(words) and words[last] in DESCRIBING:
            last += 1
        if word in _BEFORE_A_NOUN and last < len(words) and words[last] not in _NOT_NAMED:
            found = index + 1, last
    return found


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

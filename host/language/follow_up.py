"""What a short further question means after the one before it: "and the red one" after "where is the blue
circle" is "where is the red circle".
"""

from __future__ import annotations

DESCRIBING = (
    "red", "orange", "yellow", "green", "blue", "purple", "white", "black", "grey", "pink", "brown", "large",
    "small", "big", "little",
)  # fmt: skip
"""Words that describe a thing and can be exchanged for one another."""
_BEFORE_A_NAME = ("the", "a", "an", "that", "many")
_STANDS_FOR_ANY = ("thing", "things", "object", "objects")
_NO_NAMES = ("sign", "picture", "colour", "color", "shape", "size", "part")


def resolve(further: str, before: str) -> str | None:
    """The whole question: `before` with what `further` names put in the place of what it named.

    `further` comes without "and the" or "what about the": "red one", "circle", "red circle". None where the
    two do not fit together.
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
    """First word (a describing one, or the name) and last word (the name) of the last thing named."""
    found = None
    for index, word in enumerate(words):
        last = index + 1
        while last < len(words) and words[last] in DESCRIBING:
            last += 1
        if word in _BEFORE_A_NAME and last < len(words) and words[last] not in _NO_NAMES:
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

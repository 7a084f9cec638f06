"""Puts a question about drawn shapes into its usual words, for `host.language.usual.view`."""

from __future__ import annotations

import re
from dataclasses import dataclass

COLOURS = "red orange yellow green blue purple white black".split()
SHAPES = {
    "circle": "circle|disc|disk|dot",
    "square": "square",
    "triangle": "triangle",
    "star": "star",
    "heart": "heart",
    "cross": "cross|plus",
    "diamond": "diamond|rhombus|lozenge",
    "ring": "ring|doughnut|donut|hoop",
}
_SIZES = "big|large|small|little|tiny|huge"
_SIZE_MEANT = {
    "big": "large", "large": "large", "huge": "large", "small": "small", "little": "small", "tiny": "small",
}  # fmt: skip
_ONE_SHAPE = "|".join(f"(?P<{name}>{forms})" for name, forms in SHAPES.items())
_NAMED = re.compile(
    rf"\b(?P<article>(?:the|a|an|any|that|this|some|one) )?(?:(?P<size>{_SIZES}) )?"
    rf"(?:(?P<colour>{'|'.join(COLOURS)}) )?(?:{_ONE_SHAPE})(?P<many>e?s)?\b"
)
_ANOTHER_MEANING = re.compile(
    r"\b(not|no|none|never|without|except|but|and|both|either|same|equal|more|fewer|less|most|least|moved?|"
    r"changed?|went|gone|came|still|before|earlier|was|were|why|when|who|else|other|another|between|corner|"
    r"besides|apart|only|exactly (?:one|two|three|four|five)|just (?:one|two|three|four|five))\b|"
    r"\b(?:where|what|which) [a-z]+n't\b"
)
_ANOTHER_COMPARISON = re.compile(
    r"\b(not|no|none|never|same|equal|but|moved?|changed?|was|were|why|when|how)\b"
)
_CHANGE = re.compile(
    r"\b(chang(e|es|ed|ing)|differ(s|ent|ence|ences)?|alter(ed|ations?)|happen(ed|s|ing)?)\b"
)
_MOTION = re.compile(r"\b(mov(e|ed|es|ing|ement)|go|went|gone|going|shift(ed)?|travel(led)?|head(ed|ing)?)\b")
_DIRECTION = re.compile(r"\b(which way|what way|direction|where to|to which side|to what side)\b")
_ASKS_FOR_A_THING = re.compile(
    r"\b(what|whats|which|anything|something|name|tell me the (thing|object|shape)|identify)\b"
)
_YES_OR_NO = re.compile(
    r"^(is|are|do|does|can|could|would|any|has|have|see|spot)\b|\b(if|whether)\b|\bthere (a|an|any)\b"
)
_WHERE = re.compile(
    r"\b(where|whereabouts|find|locate|located|location|position|looking for|which part|what part|which side|"
    r"what side|which area|which region|point (me )?to)\b"
)
_RELATIONS = {
    "left of": r"\bleft( hand)?( side)? (of|from)\b|\bto the left\b",
    "right of": r"\bright( hand)?( side)? (of|from)\b|\bto the right\b",
    "above": r"\babove\b|\bover\b|\bhigher than\b|\bon top of\b",
    "below": r"\bbelow\b|\bunder(neath)?\b|\bbeneath\b|\blower than\b",
}
_NEAREST = re.compile(r"\b(nearest|closest)\b")
_BESIDE = re.compile(r"\b(next to|beside|near|close to|by|alongside|adjacent( to)?|neighbou?r(s|ing)?)\b")
_BIGGER = re.compile(r"\b(bigger|larger|greater|biggest|largest|more (room|space|size)|wins (in|on) size)\b")
_SMALLER = re.compile(r"\b(smaller|tinier|smallest|littler|less (room|space))\b")
_LONGEST_CHANGE = 9
"""Most words of a question about any change: a longer one is about something else as well."""
_COLOUR = re.compile(r"\b(colou?rs?|coloured|shade|hue|tint|painted)\b")
_SHOWN = re.compile(
    r"\b(there|see|seen|seeing|spot|show|shown|showing|have|find|visible|present|anywhere|here|these|facing|"
    r"in (the |this )?(view|sight|picture|image|frame)|(in front of|before) (me|us|you)|looking at)\b"
)
_IS_THERE = re.compile(
    r"\b(is|are) # (there|here|visible|present|in (the )?(view|sight|picture|image|frame))$"
)
_OF_ANY_NUMBER = r"\b(?:there|see|spot|have|find) #"
_CORNER = re.compile(r"\b(top|upper|bottom|lower)(?: hand)? (left|right)\b")
_COUNT = re.compile(r"\b(how many|number of|count|amount of)\b")
_LOOKS = (
    "(?:is|does|be|being|to be|look|looks|looking|seem|seems|appear|appears|definitely|quite|truly|described|"
    "colou?red|painted|colou?r|in front of me|in|as|a|any|of|here|there|over there)"
)
"""What may stand between a shape and the colour that it is said to have."""
_A_THING = re.compile(r"\b(things?|objects?|shapes?|figures?|forms?|one|something|anything|item|figure)\b")
_SIZE = re.compile(rf"\b({_SIZES}|size|how (big|large|small))\b")


@dataclass(frozen=True)
class _Shape:
    """One shape that a question names. `words`: as it is asked about, without an article."""

    words: str
    said: str
    """The same with the size as it was said."""
    kind: str
    definite: bool
    many: bool

    @property
    def plural(self) -> str:
        """The words for more than one."""
        ending = "crosses" if self.kind == "cross" else f"{self.kind}s"
        return self.words.removesuffix(self.kind) + ending


def shapes_in(text: str) -> tuple[list[_Shape], str]:
    """The shapes of a question in their order, and the text without them."""
    found = []
    for match in _NAMED.finditer(text):
        kind = next(name for name in SHAPES if match[name])
        parts = (_SIZE_MEANT.get(match["size"] or ""), match["colour"], kind)
        article = (match["article"] or "").strip()
        found.append(
            _Shape(
                " ".join(part for part in parts if part),
                " ".join(part for part in (match["size"], match["colour"], kind) if part),
                kind,
                article not in ("a", "an", "any", "some", "one", ""),
                bool(match["many"]),
            )
        )
    return found, " ".join(_NAMED.sub(" # ", text).split())


def about_shapes(text: str) -> str:
    """The question in usual words; "" where it names no shape or colour, or may mean something else."""
    shapes, rest = shapes_in(text)
    colours = [word for word in rest.split() if word in COLOURS]
    if not shapes and not colours and (at := _about_a_corner(rest)):
        return at
    if len(shapes) == 2 and not colours and not _ANOTHER_COMPARISON.search(rest):
        return _about_two(shapes[0], shapes[1], rest)
    if len(shapes) < 2 and not colours and (moved := _about_motion(shapes, rest)):
        return moved
    if _ANOTHER_MEANING.search(text):
        return ""
    if len(shapes) == 1 and not colours:
        return _about_one(shapes[0], rest)
    if len(shapes) == 1 and len(colours) == 1:
        return _about_its_colour(shapes[0], colours[0], rest)
    if not shapes and len(colours) == 1 and _A_THING.search(rest) and not _COUNT.search(rest):
        if not re.search(r"\b(what|which|shape|kind|name|identify)\b", rest) or _YES_OR_NO.search(rest):
            return ""
        if re.search(r"\b(on|in) (the|my)\b|\bhands?\b", rest):
            return ""
        if _WHERE.search(rest) or _BESIDE.search(rest) or _relation(rest) or _SIZE.search(rest):
            return ""
        return f"what shape is the {colours[0]} thing"
    return ""


def _relation(rest: str) -> str:
    """The one relation that is named; "" for none or several."""
    if re.search(r"\bleft\b.*\bright\b|\bright\b.*\bleft\b", rest):
        return ""
    found = [name for name, form in _RELATIONS.items() if re.search(form, rest)]
    return found[0] if len(found) == 1 else ""


def _about_a_corner(rest: str) -> str:
    found = _CORNER.findall(rest)
    if len(found) != 1 or not _ASKS_FOR_A_THING.search(rest) or _ANOTHER_COMPARISON.search(rest):
        return ""
    if _WHERE.search(rest) or _COLOUR.search(rest) or _COUNT.search(rest):
        return ""
    upper, side = found[0]
    return f"what is at the {'top' if upper in ('top', 'upper') else 'bottom'} {side} corner"


def _about_motion(shapes: list[_Shape], rest: str) -> str:
    if re.search(r"\b(not|no|colou?r|if|whether|lights?)\b", rest):
        return ""
    if not shapes:
        asked = re.search(r"\b(what|which|tell|anything|something|any|describe|spot)\b", rest)
        return (
            "what changed" if asked and _CHANGE.search(rest) and len(rest.split()) <= _LONGEST_CHANGE else ""
        )
    moved = _MOTION.search(rest) and _DIRECTION.search(rest) and not shapes[0].many
    return f"which way did the {shapes[0].words} move" if moved else ""


def _about_two(first: _Shape, second: _Shape, rest: str) -> str:
    amount = re.search(r"\b(more|fewer|less)\b.*\bthan\b", rest)
    if amount and first.many and second.many:
        word = "more" if amount[1] == "more" else "fewer"
        return f"are there {word} {first.plural} than {second.plural}"
    bigger, smaller, relation = _BIGGER.search(rest), _SMALLER.search(rest), _relation(rest)
    if bool(bigger) + bool(smaller) + bool(relation) != 1 or first.many or second.many:
        return ""
    if relation:
        yes_or_no = re.search(r"^(is|can|could|do|does|would)\b|\b(if|whether)\b", rest)
        return f"is the {first.words} {relation} the {second.words}" if yes_or_no else ""
    word = "bigger" if bigger else "smaller"
    if " than " in rest:
        return f"is the {first.words} {word} than the {second.words}" if _YES_OR_NO.search(rest) else ""
    if re.search(r"# (or|and|versus|compared to|compared with) #|\bwhich\b|\bor #", rest):
        return f"which is {word} the {first.words} or the {second.words}"
    return ""


def _about_its_colour(shape: _Shape, colour: str, rest: str) -> str:
    """Whether the one shape that is named has this colour."""
    told = re.search(
        rf"# (?:{_LOOKS} )*{colour}(?: (?:one|in colou?r|colou?red|here|there|now|to you))*$|"
        rf"\bit (?:is )?{colour} #$|\b(?:any )?{colour} (?:on|in|the colou?r of) #$",
        rest,
    )
    if told is None or not shape.definite or shape.many or not _YES_OR_NO.search(rest):
        return ""
    before = rest[: told.start()]
    if _relation(before) or _BESIDE.search(before) or _A_THING.search(before) or _SIZE.search(before):
        return ""
    return f"is the {shape.words} {colour}"


def _about_one(shape: _Shape, rest: str) -> str:
    if _BIGGER.search(rest) or _SMALLER.search(rest):
        return ""
    if _COUNT.search(rest):
        return f"how many {shape.plural} are there" if shape.many or "count" in rest else ""
    relation = _relation(rest)
    if relation and _ASKS_FOR_A_THING.search(rest):
        return f"what is {relation} the {shape.words}"
    shown = _SHOWN.search(rest)
    if relation:
        return ""
    if shape.many:
        asked = shown and _YES_OR_NO.search(rest) and re.search(_OF_ANY_NUMBER, rest)
        return f"are there any {shape.plural}" if asked and not shape.definite else ""
    beside = _BESIDE.search(rest)
    if _COLOUR.search(rest) and not beside:
        return f"what colour is the {shape.words}"
    if _COLOUR.search(rest) and not _A_THING.search(rest):
        return ""
    if _SIZE.search(rest):
        return ""
    if _NEAREST.search(rest):
        return f"what is nearest to the {shape.words}" if _ASKS_FOR_A_THING.search(rest) else ""
    if beside:
        return f"what is next to the {shape.said}" if _ASKS_FOR_A_THING.search(rest) else ""
    if shown and _YES_OR_NO.search(rest) and (not shape.definite or _IS_THERE.search(rest)):
        return f"is there a {shape.words}".replace("a orange", "an orange")
    if _WHERE.search(rest) and not re.search(r"\b(label|sign|word|go|move|went|moved)\b", rest):
        return f"where is the {shape.words}"
    return ""

"""How a stranger asks about the last seconds: as the documentation says, and in its own words, which no
training sentence has.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from tests.eval.stranger_clips.truth import Truth
from tests.eval.stranger_home.facts import PAIRS_OF

DOCUMENTED: Mapping[str, tuple[str, ...]] = {
    "direction": ("which way did {item} go",), "whether": ("did {item} move",),
    "whether anything": ("did anything move",), "moved": ("what moved",),
    "first": ("what came first {item} or {item2}",), "first of all": ("what came first",),
    "flashes": ("how often did the light flash",), "blinked": ("did the light blink",),
    "appeared": ("what appeared",), "gone": ("what disappeared",),
    "swapped": ("did {item} and {item2} change places",), "speed": ("how fast did {item} move",),
}  # fmt: skip
"""By family, as docs/wear.md has them; whether and first have others for questions that name no thing."""
OWN: Mapping[str, tuple[str, ...]] = {
    "direction": (
        "to which side has {item} been pushed", "which way has {item} been heading",
        "did {item} travel left right up or down", "could you say in what direction {item} was going",
        "{item} went off which way", "where was {item} heading",
    ),
    "whether": (
        "has {item} been moved", "did {item} change its position", "have you seen {item} moving",
        "did {item} shift", "did you notice {item} moving around",
    ),
    "whether anything": (
        "has anything been moving around here", "did anything shift", "have you seen anything moving",
        "was there any movement", "did something stir just now",
    ),
    "moved": (
        "which of my things has been moving", "what was it that shifted", "tell me which thing was in motion",
        "name the thing that moved", "which one of the things moved",
    ),
    "first": (
        "which one showed up first {item} or {item2}", "what was there earlier {item} or {item2}",
        "did {item} or {item2} turn up first", "of {item} and {item2} which came into sight first",
    ),
    "first of all": (
        "which thing showed up first", "what was the first thing in sight", "what did i have in view first",
    ),
    "flashes": (
        "how many times did the lamp flicker", "how often was there a flash",
        "tell me the number of flashes", "how many blinks did the lamp make",
        "can you count how often the light flashed",
    ),
    "blinked": (
        "was there a flash", "did the lamp flicker", "has the light been blinking",
        "did the light change for a moment",
    ),
    "appeared": (
        "what has been added here", "what is there now that was not there before",
        "which thing has turned up", "what did someone just set down", "what showed up just now",
    ),
    "gone": (
        "what is missing now", "what has been removed", "which thing has vanished",
        "what did someone just pick up", "what was here a moment ago and no longer is",
    ),
    "swapped": (
        "did {item} switch spots with {item2}", "have {item} and {item2} traded positions",
        "did someone exchange {item} and {item2}", "is {item} now where {item2} stood",
    ),
    "speed": (
        "did {item} go by quickly or slowly", "was it fast how {item} moved", "how quickly was {item} going",
        "was {item} moving fast or slowly",
    ),
}  # fmt: skip
_NAMELESS = {"whether": "whether anything", "first": "first of all"}


def worded(truth: Truth, rng: random.Random, own: bool) -> str:
    """The question in words, lower case without punctuation. own: in the stranger's."""
    key = truth.family if truth.thing else _NAMELESS.get(truth.family, truth.family)
    article = rng.choice(("the", "my"))
    text = rng.choice((OWN if own else DOCUMENTED)[key]).format(
        item=f"{article} {truth.thing}", item2=f"the {truth.other}"
    )
    return _agreeing(text, truth)


def _agreeing(text: str, truth: Truth) -> str:
    """Verbs in plural where the thing is one of the paired ones: "have the keys been moved"."""
    if truth.thing in PAIRS_OF:
        for one, many in (("has", "have"), ("was", "were"), ("is", "are")):
            for article in ("the", "my"):
                text = text.replace(f"{one} {article} {truth.thing}", f"{many} {article} {truth.thing}")
    return text

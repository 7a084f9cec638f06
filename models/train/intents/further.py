"""Sentences shortly after a command with what is to become of what that set, for
`host.language.further.freely`: those of people, and what is said to a headband or others otherwise.
"""

from __future__ import annotations

import random
from collections.abc import Collection

from host.language.further.freely import (
    AS_BEFORE,
    BACK,
    FURTHER,
    LESS,
    MORE,
    NONE,
    OFF,
    TO,
    words_of,
)
from host.language.further.said import spoken
from host.language.further.steps import WAYS
from host.language.router import Router
from models.train.intents.data import Sentence, said_by_people
from models.train.world.said.went_on import WentOn, went_on

_COMMANDS = ("timer", "alarm", "louder", "quieter", "faster", "slower", "save_power", "memory_on")
"""Intents of the commands after which something else is said."""
_KINDS = {
    "timer_to": TO, "alarm_to": TO, "timer_off": OFF, "alarm_off": OFF, "undo": AS_BEFORE,
    "further": FURTHER, "back": BACK, "none": NONE,
}  # fmt: skip
_OTHER = 0.1
"""How much what is said otherwise counts; a sentence after a command counts 1."""
_OTHERS = 6000
_OF_STEPS = 0.1
"""How much "louder" counts, said after another "louder"."""
_CHANGES = ("timer", "alarm", "timer_off", "alarm_off", "louder", "quieter", "slower", "faster", "volume",
            "save_power", "full_power", "stop", "memory_on", "memory_off")  # fmt: skip
"""Kinds of sentences that may change what was set in the same words."""


def kind_of(said: WentOn) -> str:
    """The kind as the headband has it: what is longer or later is "more"."""
    if said.kind in ("timer_by", "alarm_by"):
        return LESS if said.value.startswith("-") else MORE
    return _KINDS[said.kind]


def further_sentences(seed: int = 1, *, without: Collection[str] = ()) -> tuple[Sentence, ...]:
    """All of them, each as the words that the classifier counts, with a blank between them; the same for the
    same seed. without: speakers who are left out.
    """
    router, rng = Router(), random.Random(seed)
    found = [
        _sentence(each.text, router.decide(each.command).intent, kind_of(each), 1.0)
        for each in went_on()
        if each.speaker not in without
    ]
    people = said_by_people()
    for last, other in WAYS.items():
        for said in people:
            if said.kind in (last, other):
                kind = FURTHER if said.kind == last else BACK
                found.append(_sentence(said.text, last, kind, _OF_STEPS))
    others = [each for each in people if each.kind not in _CHANGES]
    for said in rng.sample(others, min(_OTHERS, len(others))):
        found.append(_sentence(said.text, rng.choice(_COMMANDS), NONE, _OTHER))
    return tuple(found)


def _sentence(text: str, last: str, kind: str, weight: float) -> Sentence:
    return Sentence(" ".join(words_of(spoken(text), last)), kind, weight)

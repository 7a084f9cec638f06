"""What a sentence shortly after a command asks to change of what that set, in any words: "nay love give it a
quarter of an hour", "shave five aff it", "i still can't hear thee".

A classifier of such sentences names what is to become of it; a length of time or a time of day has to stand
in the sentence where one is needed. `LEAST` was chosen with people who were in no training of it, a fifth at
a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np

from host.language.classifier.model import Model, read_model
from host.language.classifier.words import marked
from host.language.further.said import Before
from host.language.further.steps import WAYS
from host.language.further.times import ALARM_BY, ALARM_TO, OF_ALARMS, OF_TIMERS, TIMER_BY, TIMER_TO
from host.language.further.undone import UNDO
from host.language.further.values import clock_in, length_in
from host.language.router import Decision

WEIGHTS = Path(__file__).with_name("freely.bin")
LEAST = 0.55
"""Least probability of what is to become of it."""
NONE = "none"
TO, MORE, LESS, OFF, AS_BEFORE, FURTHER, BACK = "to", "more", "less", "off", "undo", "further", "back"
_OF_TIMES, _OF_STEPS = (TO, MORE, LESS, OFF, NONE), (AS_BEFORE, FURTHER, BACK, NONE)
_VOLUME = "volume"
_UPWARD = ("louder", "faster", _VOLUME)
_LOUD_UP, _LOUD_DOWN = "loud louder loudly", "quiet quieter quietly soft softer softly hush faint fainter"
_FAST_UP = "fast faster fastest quick quicker quickly speed speedier rapid rapidly"
_FAST_DOWN = "slow slower slowly"
_UP = frozenset(f"up high higher raise increase {_LOUD_UP} {_FAST_UP}".split())
_DOWN = frozenset(f"down low lower decrease reduce gentle gentler {_LOUD_DOWN} {_FAST_DOWN}".split())
_OF_LOUDNESS = frozenset(f"{_LOUD_UP} {_LOUD_DOWN} volume sound shout shouting deafening deaf hear".split())
_OF_PACE = frozenset(f"{_FAST_UP} {_FAST_DOWN} pace gabbling rushing racing dragging drawling".split())
_END = {word: word[-2:].upper() for word in (*_UP, *_DOWN) if word.endswith(("er", "ly"))}
_TELLING = frozenset(
    "hear heard hearing deaf deafening ears ear shout shouting blasting booming blaring whisper whispering "
    "mumble mumbling mouse follow catch understand gabbling rushing racing dragging drawling noisy".split()
)
"""Words that tell how loud or fast it is without naming it."""
_OTHERS = ("save_power", "full_power", "own_power", "memory_on", "more_careful", "less_careful")


def group_of(last: str) -> str:
    """The group of the command that a sentence goes on from, by its intent; "" where none does."""
    groups: Mapping[str, tuple[str, ...]] = {
        "timer": OF_TIMERS, "alarm": OF_ALARMS, "step": (*WAYS, _VOLUME), "other": _OTHERS,
    }  # fmt: skip
    return next((group for group, intents in groups.items() if last in intents), "")


def words_of(text: str, last: str) -> list[str]:
    """The words that the classifier counts, what they come after first. last: the intent of the command."""
    group, words = group_of(last), marked(text)
    if group == "step":
        words = [_onward(word, upward=last in _UPWARD) for word in words]
    return [f"AFTER{group.upper()}", *words]


def _onward(word: str, *, upward: bool) -> str:
    """A word as it would be said after "louder": "slow" after "faster" as "quiet", and after "slower" as
    "loud". What tells of loudness without naming it is another word after "quieter".
    """
    if word in _UP or word in _DOWN:
        return "UP" + _END.get(word, "") if (word in _UP) == upward else "DOWN" + _END.get(word, "")
    return word if upward or word not in _TELLING else f"{word}DOWN"


def freely(said: str, before: Before) -> Decision | None:
    """The decision of a sentence, as of `host.language.further.said.spoken`; None where it is not surely
    about what was set last.
    """
    group = group_of(before.last)
    if not group:
        return None
    kind = kind_of(said, before.last)
    if group in ("timer", "alarm"):
        return _of_times(said, kind, group, before)
    return Decision("device", UNDO) if kind == AS_BEFORE else _of_steps(said, kind, before.last)


def _of_steps(said: str, kind: str, last: str) -> Decision | None:
    """A further step of loudness or pace, or one back; None where the sentence names the other of them."""
    if kind not in (FURTHER, BACK) or (last == _VOLUME and kind == FURTHER):
        return None
    onward = "louder" if last == _VOLUME else last
    other = _OF_PACE if onward in ("louder", "quieter") else _OF_LOUDNESS
    if other & {*said.split()}:
        return None
    return Decision("device", onward if kind == FURTHER else WAYS[onward])


def kind_of(said: str, last: str, least: float = LEAST) -> str:
    """What is to become of what a command of the intent `last` set; `NONE` where that is not sure."""
    model, group = further_model(), group_of(last)
    likely = model.of_words(words_of(said, last))
    possible = (
        _OF_TIMES if group in ("timer", "alarm") else _OF_STEPS if group == "step" else (AS_BEFORE, NONE)
    )
    likely = likely * np.array([kind in possible for kind in model.kinds])
    best = int(np.argmax(likely))
    return model.kinds[best] if likely[best] >= least * likely.sum() else NONE


def _of_times(said: str, kind: str, group: str, before: Before) -> Decision | None:
    if kind == OFF:
        return Decision("device", UNDO, {"whole": True})
    if kind == TO:
        slots = length_in(said, before.length_s) if group == "timer" else clock_in(said)
        return Decision("device", TIMER_TO if group == "timer" else ALARM_TO, slots) if slots else None
    by = length_in(said) if kind in (MORE, LESS) else None
    if by is None or (group == "alarm" and "seconds" not in by):
        return None
    sign = -1 if kind == LESS else 1
    return Decision(
        "device", TIMER_BY if group == "timer" else ALARM_BY, {name: sign * each for name, each in by.items()}
    )


@cache
def further_model() -> Model:
    """The weights, read once by a process."""
    return read_model(WEIGHTS)

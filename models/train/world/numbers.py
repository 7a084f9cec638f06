"""Every number, duration and clock time that the headband understands, as it is spoken, and the sentences in
which it is said.

The meanings are those of `host/language/intents.yaml`: seconds of a duration, hour and minute of a time.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from models.train.world.grammar import NUMBER_WORDS, as_spoken, is_held_out

UNITS = {"second": 1, "minute": 60, "hour": 3600}
SPANS = {
    "half a minute": 30, "a minute": 60, "one minute and a half": 90, "a minute and a half": 90,
    "a quarter of an hour": 900, "quarter of an hour": 900, "half an hour": 1800,
    "three quarters of an hour": 2700, "an hour": 3600, "an hour and a half": 5400,
    "one hour and a half": 5400,
}  # fmt: skip
"""Durations with a name of their own, and their seconds."""
OFFSETS = {
    "half past": 30, "quarter past": 15, "a quarter past": 15, "quarter to": -15, "a quarter to": -15,
    "five past": 5, "ten past": 10, "twenty past": 20, "twenty five past": 25, "five to": -5, "ten to": -10,
    "twenty to": -20, "twenty five to": -25,
}  # fmt: skip
"""What is said before an hour, and the minutes that it adds."""
PARTS = {
    "in the morning": "am", "am": "am", "in the afternoon": "pm", "in the evening": "pm", "pm": "pm",
    "at night": "night", "tonight": "night",
}  # fmt: skip
_TIMER = (
    "set a timer for {length}",
    "start a timer for {length}",
    "set a timer to {length}",
    "set timer for {length}",
    "can you set a timer for {length}",
    "i need a timer for {length}",
    "timer for {length}",
    "set the timer for {length}",
    "wake me in {length}",
)
_NAMED_TIMER = ("set a {named} timer", "start a {named} timer", "i need a {named} timer")
_CANCEL = ("cancel the {named} timer", "stop the {named} timer", "delete my {named} timer")
_ALARM = (
    "wake me at {time}",
    "wake me up at {time}",
    "set an alarm for {time}",
    "set the alarm for {time}",
    "set an alarm at {time}",
    "set my alarm for {time}",
    "can you wake me at {time}",
    "can you set an alarm for {time}",
)
_VOLUME = (
    "set the volume to {number}",
    "set the volume to {number} percent",
    "turn the volume to {number}",
    "set volume to {number}",
    "volume {number}",
    "put the volume at {number}",
)


@dataclass(frozen=True)
class Said:
    """A sentence with a number. `intent` as in intents.yaml; `value`: seconds of a timer, percent or step of
    the volume, minutes since midnight of an alarm (of the twelve-hour clock where `part` is "").
    """

    text: str
    intent: str
    value: int
    part: str = ""


def durations() -> list[tuple[str, int]]:
    """Every duration of one number and one unit from 1 to 99, and every one with a name, with its seconds."""
    found = [
        (f"{NUMBER_WORDS[number]} {unit}{'' if number == 1 else 's'}", number * seconds)
        for unit, seconds in UNITS.items()
        for number in range(1, 100)
    ]
    return [*found, *SPANS.items()]


def clock_times() -> list[tuple[str, int]]:
    """Every time of day without its part, with the minutes since midnight that its words say."""
    found = []
    for hour in range(24):
        name = NUMBER_WORDS[hour]
        found += [(name, 60 * hour), (f"{name} o'clock", 60 * hour)]
        for minute in range(1, 60):
            spoken = f"oh {NUMBER_WORDS[minute]}" if minute < 10 else NUMBER_WORDS[minute]
            found.append((f"{name} {spoken}", 60 * hour + minute))
    for hour in range(1, 13):
        name = NUMBER_WORDS[hour]
        found += [(f"{words} {name}", (60 * hour + minutes) % 720) for words, minutes in OFFSETS.items()]
    return found


def _length(rng: random.Random) -> tuple[str, int]:
    """A duration as it follows "for"."""
    draw = rng.random()
    if draw < 0.15:
        return rng.choice(list(SPANS.items()))
    first, unit = rng.randint(1, 99), rng.choice(list(UNITS))
    if draw < 0.3 and unit != "second":
        smaller = "minute" if unit == "hour" else "second"
        second = rng.randint(1, 59)
        joined = rng.choice((" and ", " "))
        return (
            f"{_counted(first, unit)}{joined}{_counted(second, smaller)}",
            first * UNITS[unit] + second * UNITS[smaller],
        )
    return _counted(first, unit), first * UNITS[unit]


def _counted(number: int, unit: str) -> str:
    return f"{NUMBER_WORDS[number]} {unit}{'' if number == 1 else 's'}"


def _timer(rng: random.Random) -> Said:
    wording = rng.choice(_TIMER)
    text, seconds = _length(rng)
    return Said(wording.format(length=text), "timer", seconds)


def _named(rng: random.Random) -> Said:
    number, unit = rng.randint(1, 99), rng.choice(list(UNITS))
    named = f"{NUMBER_WORDS[number]} {unit}"
    text = rng.choice(_NAMED_TIMER).format(named=named)
    text = text.replace(" a eight", " an eight").replace(" a eleven", " an eleven")
    return Said(text, "timer", number * UNITS[unit])


def _cancel(rng: random.Random) -> Said:
    number, unit = rng.randint(1, 99), rng.choice(list(UNITS))
    text = rng.choice(_CANCEL).format(named=f"{NUMBER_WORDS[number]} {unit}")
    return Said(text, "timer_off", number * UNITS[unit])


def _alarm(rng: random.Random) -> Said:
    if rng.random() < 0.3:
        words, offset = rng.choice(list(OFFSETS.items()))
        hour = rng.randint(1, 12)
        time, value = f"{words} {NUMBER_WORDS[hour]}", (60 * hour + offset) % 720
    else:
        hour = rng.randint(1, 12) if rng.random() < 0.7 else rng.randint(0, 23)
        minute = 0 if rng.random() < 0.35 else rng.randint(1, 59)
        name, value = NUMBER_WORDS[hour], 60 * hour + minute
        full = rng.choice((name, f"{name} o'clock"))
        spoken = f"oh {NUMBER_WORDS[minute]}" if minute < 10 else NUMBER_WORDS[minute]
        time = f"{name} {spoken}" if minute else full
    part = rng.choice(list(PARTS)) if 1 <= hour <= 12 and rng.random() < 0.4 else ""
    text = rng.choice(_ALARM).format(time=f"{time} {part}".strip())
    return Said(text, "alarm", value, PARTS.get(part, ""))


def _volume(rng: random.Random) -> Said:
    number = rng.randint(0, 99)
    return Said(rng.choice(_VOLUME).format(number=NUMBER_WORDS[number]), "volume", number)


_KINDS: dict[Callable[[random.Random], Said], float] = {
    _timer: 4, _named: 1.5, _cancel: 0.7, _alarm: 3, _volume: 2,
}  # fmt: skip


def number_sentence(rng: random.Random, split: str) -> Said:
    """A random sentence with a number, of `split` ("train" or "held"), in one of its spoken forms."""
    while True:
        said = rng.choices(list(_KINDS), list(_KINDS.values()))[0](rng)
        text = as_spoken(said.text, rng)
        if is_held_out(text) == (split == "held"):
            return Said(text, said.intent, said.value, said.part)


def words() -> set[str]:
    """Every word of these sentences."""
    texts = [*_TIMER, *_NAMED_TIMER, *_CANCEL, *_ALARM, *_VOLUME, *SPANS, *OFFSETS, *PARTS, *NUMBER_WORDS]
    texts += [f"{unit} {unit}s" for unit in UNITS] + ["oh o'clock an"]
    return {word for text in texts for word in text.split() if "{" not in word}

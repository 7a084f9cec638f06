"""Numbers: timers, clock times and loudness in the sentences that `intents.yaml` knows; and charging."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from tests.eval.stranger.compose import random_picture
from tests.eval.stranger.device_judges import AtTime, Charging, Duration, Loudness
from tests.eval.stranger.questions import Question, Wordings, article
from tests.eval.stranger.sentences import ClockTime, number_in_words
from tests.eval.stranger.truth import Picture

_UNITS = {"second": 1, "minute": 60, "hour": 3600}
_SPANS = {
    "half a minute": 30, "a minute": 60, "one minute and a half": 90, "a quarter of an hour": 900,
    "half an hour": 1800, "three quarters of an hour": 2700, "an hour": 3600, "an hour and a half": 5400,
}  # fmt: skip
_PARTS = {
    "in the morning": range(1, 12), "a m": range(1, 12), "in the afternoon": range(1, 6),
    "in the evening": range(5, 12), "p m": range(1, 12),
}  # fmt: skip
"""Hours of each part of the day."""
_WAKE = ("wake me at {}", "wake me up at {}", "set an alarm for {}", "set the alarm for {}")


def _view(rng: random.Random) -> tuple[Picture, ...]:
    return (random_picture(rng, 2),)


def timer(rng: random.Random) -> Question | None:
    """A timer for any number of 0 to 99, of two numbers, or for a span."""
    unit = rng.choices(list(_UNITS), (3, 6, 1))[0]
    number = rng.randrange(100)
    words, many = number_in_words(number), unit if number == 1 else unit + "s"
    draw = rng.random()
    if draw < 0.2:
        span = rng.choice(list(_SPANS))
        seconds, text = _SPANS[span], f"set a timer for {span}"
    elif draw < 0.35:
        minutes, number = rng.randint(1, 9), rng.randint(1, 59)
        seconds = 60 * minutes + number
        joined = rng.choice((" and ", " "))
        minute = "minute" if minutes == 1 else "minutes"
        text = f"set a timer for {number_in_words(minutes)} {minute}{joined}{number_in_words(number)} seconds"
    elif draw < 0.55:
        seconds, text = number * _UNITS[unit], f"start {article(words)} {words} {unit} timer"
    else:
        seconds, text = number * _UNITS[unit], f"{rng.choice(('set', 'start'))} a timer for {words} {many}"
    text, own = Wordings((text,), polite=False).draw(rng)
    return Question("timer", text, Duration(seconds), f"{seconds} s", _view(rng), own)


def alarm(rng: random.Random) -> Question | None:
    """An alarm at a time of day."""
    hour, minute = rng.randint(1, 12), rng.choice((0, 15, 30, 45, rng.randint(1, 59)))
    part_words = rng.choice([name for name, hours in _PARTS.items() if hour in hours] or [""])
    part_words = rng.choice(("", part_words))
    if minute in (15, 30) and rng.random() < 0.5:
        words = (
            f"{'half' if minute == 30 else rng.choice(('quarter', 'a quarter'))} past {number_in_words(hour)}"
        )
    elif minute == 45 and rng.random() < 0.5 and not part_words:
        words = f"quarter to {number_in_words(hour % 12 + 1)}"
    else:
        spoken_minute = f" {'oh ' if minute < 10 else ''}{number_in_words(minute)}"
        words = number_in_words(hour) + (rng.choice(("", " o'clock")) if minute == 0 else spoken_minute)
    part = "" if not part_words else "am" if part_words in ("in the morning", "a m") else "pm"
    text, own = Wordings((rng.choice(_WAKE).format(f"{words} {part_words}".strip()),), polite=False).draw(rng)
    time = ClockTime(hour % 12, minute, part)
    return Question("clock time", text, AtTime(time), f"{hour}:{minute:02d} {part}".strip(), _view(rng), own)


def loudness(rng: random.Random) -> Question | None:
    """Any number as the loudness."""
    number = rng.randrange(100)
    text, own = Wordings((f"set the volume to {number_in_words(number)}",), polite=False).draw(rng)
    return Question("loudness", text, Loudness(number), f"{number} percent", _view(rng), own)


_CHARGING = Wordings(
    (), ("is it charging", "are you charging", "is the battery charging", "do you charge now")
)


def charging(rng: random.Random) -> Question | None:
    """Whether the battery charges; it does not."""
    text, own = _CHARGING.draw(rng)
    return Question("is it charging", text, Charging(False), "not charging", _view(rng), own)


NUMBERS: Mapping[str, Callable[[random.Random], Question | None]] = {
    "timer": timer, "clock time": alarm, "loudness": loudness,
}  # fmt: skip

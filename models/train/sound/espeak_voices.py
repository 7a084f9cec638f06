"""The espeak-ng voices of the speech data, split into training, validation and test.

A voice is a language (accent) joined to a variant (speaker). Variants that are nearly equal are in the same
split. Validation and test each have variants and one accent that are not in the training split. Validation
selects the model; the test split is for measurements only.
"""

from __future__ import annotations

from models.train.sound.accents import ACCENTS, accent_name
from models.train.sound.speakers import SPEAKERS, name

TRAIN_LANGUAGES = ("en", "en-us", "en-gb-x-rp", "en-gb-x-gbcwmd", "en-gb-scotland", "en-us-nyc")
VALIDATION_LANGUAGE = "en-gb-x-gbclan"
HELD_OUT_LANGUAGE = "en-029"

TRAIN_VARIANTS = (
    "", "m1", "m2", "m3", "m4", "m5", "m8", "f1", "f2", "f4", "klatt", "klatt5", "klatt6", "Alex", "Alicia",
    "Andrea", "Andy", "Annie", "Denis", "Diogo", "Gene", "Gene2", "Henrique", "Hugo", "Jacky", "Lee",
    "Marco", "Mario", "Michael", "Mike", "mike2", "Nguyen", "Reed", "adam", "anika", "announcer", "antonio",
    "benjamin", "caleb", "ed", "grandma", "grandpa", "gustave", "john", "marcelo", "max", "michel",
    "miguel", "norbert", "pablo", "pedro", "robert", "sandro", "shelby", "travis", "victor", "zac",
)  # fmt: skip
VALIDATION_VARIANTS = (
    "f5",
    "m6",
    "klatt2",
    "paul",
    "aunty",
    "iven",
    "iven2",
    "iven3",
    "iven4",
    "whisper",
    "croak",
)
HELD_OUT_VARIANTS = (
    "f3", "m7", "klatt3", "klatt4", "linda", "david", "edward", "edward2", "steph", "steph2", "steph3",
    "Storm", "belinda", "boris", "quincy", "Tweaky", "rob",
)  # fmt: skip


def _join(languages: tuple[str, ...], variants: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{language}+{variant}".rstrip("+") for language in languages for variant in variants)


TRAIN_VOICES = _join(TRAIN_LANGUAGES, TRAIN_VARIANTS)
DRAWN_SPEAKERS = tuple(name(number) for number in range(SPEAKERS))
DRAWN_ACCENTS = tuple(accent_name(number) for number in range(ACCENTS))
"""Languages of `accents`; they need `Espeak(more_speakers=True)`."""
VALIDATION_VOICES = _join((*TRAIN_LANGUAGES, VALIDATION_LANGUAGE), VALIDATION_VARIANTS)
HELD_OUT_VOICES = _join((*TRAIN_LANGUAGES, HELD_OUT_LANGUAGE), HELD_OUT_VARIANTS)
"""Each held-out speaker with each training accent and with the held-out accent."""
VOICES = {"train": TRAIN_VOICES, "validation": VALIDATION_VOICES, "test": HELD_OUT_VOICES}
PLAIN_VOICES = ("en", "en-us", "en-gb-x-rp")
"""Voices without a variant, which are the most common ones; they are more frequent in training."""

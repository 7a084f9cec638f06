"""Random accents: espeak-ng languages derived from an English one by replacing some of its phonemes.

The library has few English accents, and a recogniser trained on these alone generalises badly. The language
files written here are for training only, and derive from the accents of `espeak_voices.TRAIN_LANGUAGES`.
"""

from __future__ import annotations

import random

ACCENTS = 20
"""Number of accents at a time; with `speakers.SPEAKERS` they fit in espeak-ng's list of voices."""
_TABLES = (
    ("en", ""),
    ("en-us", "3 6"),
    ("en-rp", ""),
    ("en-sc", "2 5 6 7"),
    ("en-wm", "6"),
    ("en-us-nyc", "3 6"),
)
_VOWELS = (
    "@ V", "@ a#", "@ E", "3 a#", "3 @", "a aa", "a E", "a A:", "aa a", "aa A:", "A: aa", "A: a", "E a",
    "E I", "I i", "I2 i", "I I2", "i I2", "0 O", "0 A:", "0 02", "V U", "V a", "V @", "V 0", "3: @", "3: E",
    "3: o@", "i: I", "i: i", "O: o@", "O: O", "O: oU", "u: U", "U u:", "oU O:", "oU o@", "oU u:", "eI E",
    "eI aI", "aI OI", "aI A:", "aI eI", "aU oU", "aU A:", "OI aI", "e@ E", "e@ i@", "i@ i:", "i@ e@", "U@ o@",
)  # fmt: skip
_CONSONANTS = (
    "D d", "D z", "D v", "T t", "T f", "T s", "T t[", "D d[", "t t[", "d d[", "N n", "h NULL", "h x", "w v",
    "v w", "v f", "z s", "tS S", "dZ Z", "dZ j", "l L", "r r/", "S s", "s S", "b p", "d t", "k g", "p b",
)  # fmt: skip
_REPLACE_FLAGS = ("03", "00", "00")
"""Flags of espeak-ng's `replace`: 00 replaces everywhere, 03 only in an unstressed syllable at the end of a
word. One of three is chosen, so that 00 is twice as likely.
"""


def accent_name(number: int) -> str:
    """The name of the language."""
    return f"en-x-a{number:02d}"


def accent(number: int, generation: int) -> str:
    """The language file of an accent. The same number and `generation` give the same file."""
    rng = random.Random(f"accent {generation} {number}")
    table, rules = rng.choice(_TABLES)
    lines = [f"name {accent_name(number)}", f"language {accent_name(number)}", f"phonemes {table}"]
    if rules:
        lines.append(f"dictrules {rules}")
    shifts = rng.sample(_VOWELS, rng.randint(1, 7)) + rng.sample(_CONSONANTS, rng.randint(0, 3))
    taken: set[str] = set()
    for shift in shifts:
        old = shift.split()[0]
        if old not in taken:
            taken.add(old)
            lines.append(f"replace {rng.choice(_REPLACE_FLAGS)} {shift}")
    if rng.random() < 0.7:
        weak, strong = rng.sample(range(120, 201), 4), sorted(rng.sample(range(170, 321), 4))
        lines.append("stressLength " + " ".join(str(part) for part in (*weak, *strong)))
    if rng.random() < 0.3:
        lines.append(f"intonation {rng.randint(1, 4)}")
    return "\n".join(lines) + "\n"

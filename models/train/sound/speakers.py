"""Random speakers: espeak-ng variants with random formants, pitch and stress.

The library has few named variants, and a recogniser trained on these alone overfits. The variant files
written here are for training only; validation and test use named variants only (`espeak_voices`).
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from models.train.sound.accents import ACCENTS, accent, accent_name

SPEAKERS = 80
"""Number of speakers at a time: espeak-ng's list has at most 349 voices, languages and `accents` included."""
_KLATT = (1, 5, 6)
"""Klatt synthesisers of the training variants; 2, 3 and 4 are for validation and test."""

LOWEST_HZ = 56
"""Of a speaker's pitch: at 40 and 50 Hz, at the low end of its range, espeak-ng ends the process."""
_OF_MANNER = ("voicing", "breath", "flutter", "roughness")
"""Lines that a whispering or croaking speaker has of its own."""


def speaker(number: int, generation: int) -> str:
    """The variant file of a speaker. The same number and `generation` give the same file."""
    rng = random.Random(f"speaker {generation} {number}")
    manner = rng.choices(("usual", "child", "whisper", "croak"), (0.76, 0.1, 0.08, 0.06))[0]
    tract = rng.uniform(1.15, 1.4) if manner == "child" else rng.uniform(0.82, 1.22)
    pitch_hz = round(rng.uniform(62, 130) if tract < 1.0 else rng.uniform(90, 240))
    if manner in ("child", "croak"):
        pitch_hz = rng.randint(220, 380) if manner == "child" else max(LOWEST_HZ, rng.randint(40, 75))
    lines = [
        "language variant",
        f"name {name(number)}",
        f"pitch {pitch_hz} {pitch_hz + rng.randint(15, 110)}",
    ]
    if rng.random() < 0.2:
        lines.append(f"klatt {rng.choice(_KLATT)}")
    if manner == "whisper":
        lines += [
            f"voicing {rng.randint(5, 25)}",
            f"breath {_numbers(rng, 20, 80)}",
            f"breathw {_numbers(rng, 100, 400)}",
        ]
    if manner == "croak":
        lines += [f"flutter {rng.randint(15, 40)}", f"roughness {rng.randint(4, 7)}"]
    lines.append(f"formant 0 {rng.randint(80, 125)} {rng.randint(0, 200)} {rng.randint(70, 150)}")
    for formant in range(1, 9):
        loudest = 130 if formant < 6 else 110
        odd = formant > 3 and rng.random() < 0.2
        frequency = round(100 * tract * (rng.uniform(0.4, 1.4) if odd else rng.uniform(0.9, 1.1)))
        least = 65 if formant < 3 else 20
        lines.append(f"formant {formant} {frequency} {rng.randint(least, loudest)} {rng.randint(55, 160)}")
    for share, line in (
        (0.4, f"flutter {rng.randint(0, 25)}"),
        (0.4, f"roughness {rng.randint(0, 4)}"),
        (0.5, f"voicing {rng.randint(30, 150)}"),
        (0.5, f"consonants {rng.randint(35, 170)} {rng.randint(40, 170)}"),
        (0.2, f"echo {rng.randint(8, 150)} {rng.randint(3, 25)}"),
        (0.3, "breath " + " ".join(str(rng.randint(0, 9)) for _ in range(8))),
        (0.4, f"intonation {rng.randint(1, 4)}"),
        (0.5, f"tone 600 {rng.randint(60, 255)} 1200 {rng.randint(10, 200)} 2000 {rng.randint(5, 200)}"),
        (0.3, "stressAdd " + " ".join(str(rng.randint(-40, 60)) for _ in range(8))),
        (0.3, "stressAmp " + " ".join(str(rng.randint(15, 26)) for _ in range(8))),
    ):
        if rng.random() < share and (manner == "usual" or not line.startswith(_OF_MANNER)):
            lines.append(line)
    return "\n".join(lines) + "\n"


def _numbers(rng: random.Random, least: int, most: int) -> str:
    return " ".join(str(rng.randint(least, most)) for _ in range(8))


def name(number: int) -> str:
    """The variant's name, which follows the plus sign in the name of a voice."""
    return f"speaker{number:03d}"


def with_speakers(data: Path) -> tempfile.TemporaryDirectory[str]:
    """A temporary data folder for espeak-ng: links to the contents of `data`, and random speakers and
    accents.
    """
    folder = tempfile.TemporaryDirectory(prefix="espeak-")
    root = Path(folder.name)
    for entry in data.iterdir():
        if entry.name not in ("voices", "lang"):
            (root / entry.name).symlink_to(entry)
    variants = root / "voices" / "!v"
    variants.mkdir(parents=True)
    for entry in (data / "voices").iterdir():
        if entry.name != "!v":
            (root / "voices" / entry.name).symlink_to(entry)
    for entry in (data / "voices" / "!v").iterdir():
        (variants / entry.name).symlink_to(entry)
    (root / "lang").mkdir()
    for entry in (data / "lang").iterdir():
        (root / "lang" / entry.name).symlink_to(entry)
    draw_speakers(root, 0)
    return folder


def draw_speakers(root: Path, generation: int) -> None:
    """Replace the speakers and accents in the data folder by those of `generation`."""
    for number in range(SPEAKERS):
        (root / "voices" / "!v" / name(number)).write_text(speaker(number, generation))
    for number in range(ACCENTS):
        (root / "lang" / accent_name(number)).write_text(accent(number, generation))

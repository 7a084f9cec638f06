"""Generates the demo: recorded questions, pictures, and the script of a day with them.

    python -m models.train.demo_assets --out host/demo [--pack models/packs/micro]

What is asked is in `models.train.demo_questions`. Voices, sentences with a slot, and pictures are of the
held-out split: no model was trained on them. With `--tries 50` up to so many seeds are tried until the pack
hears and answers every question rightly; `just eval` measures how often it does.
"""

from __future__ import annotations

import argparse
import random
import wave
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from models.brick import MICROPHONE_RATE_HZ
from models.pack.catalogue import Pack, load_pack
from models.train.demo_questions import VIEW_PX, Asked, questions
from models.train.sound.espeak import Espeak
from models.train.world.scenes import SIDE_PX

WAKE_PHRASE = "okay nabu"
VOICES = ("en-gb-x-rp+rob", "en-us+m7", "en-gb-x-gbcwmd+f3", "en-029+f3")
"""Held-out voices in which the wake-word model detects the wake word."""
SECONDS_PER_TURN, LAST_SECONDS = 7.0, 4.5
CHANGES_AFTER_S = 1.8
"""The view changes while the question is spoken: the camera is off before the wake word."""
SECONDS_TO_FOLLOW_UP = 6.0
"""The answer before is over by then, and the headband still listens."""


@dataclass(frozen=True)
class Turn:
    """A question with its recording, int16 [n] at 16 kHz, and its pictures as the camera shows them, oldest
    first, uint8 [VIEW_PX, VIEW_PX, 3] each.
    """

    asked: Asked
    pcm: np.ndarray
    pictures: tuple[np.ndarray, ...]


def speech(espeak: Espeak, text: str, voice: str, wake: bool) -> np.ndarray:
    """int16 [n] at 16 kHz: the wake word, a short pause and the question, with faint room noise."""
    parts = [espeak.say(text, voice, 165, 50)]
    if wake:
        parts = [
            espeak.say(WAKE_PHRASE, voice, 170, 50),
            np.zeros(int(0.35 * MICROPHONE_RATE_HZ), np.float32),
            *parts,
        ]
    clip = np.concatenate(parts) * 0.6
    clip = clip + np.random.default_rng(len(text)).standard_normal(len(clip)) * 0.0015
    return (np.clip(clip, -1, 1) * 32767).astype(np.int16)


def write_wav(path: Path, pcm: np.ndarray) -> None:
    """int16 [n] at 16 kHz as a WAV."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(MICROPHONE_RATE_HZ)
        file.writeframes(pcm.tobytes())


def turns(espeak: Espeak, seed: int, side_px: int) -> list[Turn]:
    """The demo's questions, spoken. Who asks without the wake word has spoken just before."""
    made: list[Turn] = []
    voice = VOICES[0]
    for number, asked in enumerate(questions(random.Random(seed), side_px)):
        voice = VOICES[number % len(VOICES)] if asked.line.wake else voice
        pcm = speech(espeak, asked.text, voice, asked.line.wake)
        made.append(Turn(asked, pcm, tuple(_shown(frame) for frame in asked.frames)))
    return made


def _shown(frame: np.ndarray) -> np.ndarray:
    image = Image.fromarray(frame)
    return np.asarray(image.resize((VIEW_PX, VIEW_PX), Image.Resampling.LANCZOS))


def best_turns(espeak: Espeak, pack: Pack, seed: int, tries: int) -> list[Turn]:
    """The turns of the first of `tries` seeds of which the pack hears and answers every question rightly, or
    the most of them.
    """
    from models.train.demo_check import Checker

    side_px = int(pack.bricks["vision"].options.get("side_px") or SIDE_PX)
    checker, best, most = Checker(pack), turns(espeak, seed, side_px), -1
    for number in range(seed, seed + tries):
        found = turns(espeak, number, side_px) if number > seed else best
        right = checker.right(found)
        print(f"seed {number}: {right} of {len(found)} are heard and answered rightly", flush=True)
        if right > most:
            best, most = found, right
        if most == len(found):
            break
    return best


def write_demo(out: Path, made: Sequence[Turn]) -> None:
    """Recordings, pictures and script. Recordings and pictures of an earlier demo are removed."""
    out.mkdir(parents=True, exist_ok=True)
    for earlier in (*out.glob("[0-9]-*.wav"), *out.glob("[0-9]-view*.png")):
        earlier.unlink()
    script: list[str] = []
    at_s = 0.5
    for number, turn in enumerate(made, 1):
        wav = f"{number}-{turn.asked.line.family}.wav"
        write_wav(out / wav, turn.pcm)
        images = []
        for index, picture in enumerate(turn.pictures):
            images.append(f"{number}-view{'ab'[index] if len(turn.pictures) > 1 else ''}.png")
            Image.fromarray(picture).save(out / images[-1], optimize=True)
        script += _events(turn.asked, at_s, wav, images)
        if number == len(made):
            at_s += LAST_SECONDS
        else:
            at_s += SECONDS_PER_TURN if made[number].asked.line.wake else SECONDS_TO_FOLLOW_UP
    (out / "demo.toml").write_text(f"end_s = {at_s:.1f}\n\n" + "\n".join(script), encoding="utf-8")


def _events(asked: Asked, at_s: float, wav: str, images: list[str]) -> list[str]:
    line, events = asked.line, []
    state = [f'note = "{line.note}"'] if line.note else []
    state += [f"battery = {line.battery}"] if line.battery is not None else []
    for index, image in enumerate(images[:-1]):
        events.append(f'[[event]]\nat_s = {at_s - 2.5 + index:.1f}\nimage = "{image}"\n')
    rows = [f"[[event]]\nat_s = {at_s:.1f}", f'say = "{wav}"']
    if at_s < 1.0 and images:  # the camera has a picture from the beginning
        events.append("\n".join(["[[event]]\nat_s = 0.0", f'image = "{images[-1]}"', *state]) + "\n")
    else:
        rows += state + ([f'image = "{images[-1]}"'] if len(images) == 1 else [])
    if asked.answer:
        rows.append(f"# said: {asked.text}; true answer: {asked.answer}")
    events.append("\n".join(rows) + "\n")
    if len(images) > 1:
        events.append(f'[[event]]\nat_s = {at_s + CHANGES_AFTER_S:.1f}\nimage = "{images[-1]}"\n')
    return events


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("host/demo"))
    parser.add_argument("--pack", default="micro", help="by name or folder")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--tries", type=int, default=1, help="seeds to try (default 1)")
    options = parser.parse_args()
    made = best_turns(Espeak(), load_pack(options.pack), options.seed, options.tries)
    write_demo(options.out, made)
    print(f"{options.out}: {len(made)} questions")


if __name__ == "__main__":
    main()

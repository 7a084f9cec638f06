"""How many spoken questions are heard from their beginning, with simpler ways beside it.

    python -m tests.eval.hearing.beginnings [--questions 400] [--voices validation|test|odd] [--seed 1]

Questions about the view in voices that training does not have (odd: the stranger's whispers, croaks and
robots), a third of them after the wake word, with background sound 12 to 30 dB below them. The endpointer
records them, and the pack's recogniser reads what it recorded. `cut`: the recording begins more than 0.05 s
after the first sound of the question. `unheard`: no question was found. `longer window`: the recogniser reads
a longer window than by the first way.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from host.config import ListenConfig
from host.hearing.endpointer import CHUNK, Endpointer, RecordedQuestion
from host.hearing.onset import speech_began
from hw.device import MICROPHONE_RATE_HZ
from models.listening.voice_activity import VoiceActivity
from models.pack.catalogue import load_pack
from models.train.recogniser.in_process import InProcessRecogniser
from models.train.sound.espeak import Espeak
from models.train.sound.espeak_voices import VOICES
from models.train.sound.noise import make_noise
from models.train.world import grammar
from models.train.world.home import questions as home
from tests.eval.arguments import counted
from tests.eval.intervals import shown
from tests.eval.stranger.by_voice import VOICES as STRANGERS

ODD = {"odd": STRANGERS["odd"]}
_VIEW = {*grammar.SCENE_FAMILIES, *grammar.CLIP_FAMILIES}
_LEAD_S, _TAIL_S, _CUT_S = 0.5, 2.0, 0.05
_WAKE_WORD = "okay nabu"
_POSITIONS_PER_S = 50

Rule = Callable[[NDArray[np.int16], int], int]


def _where_detected(blocks: NDArray[np.int16], detected: int) -> int:
    return detected


_BEFORE = replace(ListenConfig(), speech_threshold=0.5)
WAYS: Mapping[str, tuple[ListenConfig, Rule]] = {
    "from 0.25 s before the detection, above 0.5": (_BEFORE, _where_detected),
    "from 0.25 s before the detection, above 0.35": (ListenConfig(), _where_detected),
    "from 0.8 s before the detection, above 0.35": (
        replace(ListenConfig(), onset_margin_s=0.8),
        _where_detected,
    ),
    "from where the sound rose (the headband)": (ListenConfig(), speech_began),
}
"""The rules that are compared, the simplest first."""


@dataclass(frozen=True)
class Clip:
    """pcm: int16 at 16 kHz; opened: sample at which the headband begins to listen; starts_s: the first sound
    of the question.
    """

    text: str
    pcm: NDArray[np.int16]
    opened: int
    starts_s: float


class _Nobody:
    """No wake word: each clip is opened by hand."""

    def process(self, pcm: NDArray[np.int16]) -> bool:
        return False

    def reset(self) -> None:
        return


def clips(voices: str, number: int, seed: int) -> list[Clip]:
    """So many clips; the sentences are held-out ones, except with the validation voices."""
    rng, noise_rng, espeak = random.Random(seed), np.random.default_rng(seed), Espeak()
    return [_clip(voices, at % 3 == 0, rng, noise_rng, espeak) for at in range(number)]


def _clip(
    voices: str, woken: bool, rng: random.Random, noise_rng: np.random.Generator, espeak: Espeak
) -> Clip:
    text = _question(rng, "train" if voices == "validation" else "held")
    voice = rng.choice(ODD[voices] if voices in ODD else VOICES[voices])
    pace, pitch = rng.randint(135, 205), rng.randint(30, 70)
    speech = espeak.say(text, voice, pace, pitch)
    before = np.zeros(int(_LEAD_S * MICROPHONE_RATE_HZ), np.float32)
    opened = 0
    if woken:
        before = np.concatenate([before, espeak.say(_WAKE_WORD, voice, pace, pitch)])
        opened = len(before)
        before = np.pad(before, (0, int(rng.uniform(0.0, 0.4) * MICROPHONE_RATE_HZ)))
    quiet = np.zeros(int(_TAIL_S * MICROPHONE_RATE_HZ), np.float32)
    clip = np.concatenate([before, speech, quiet]) * rng.uniform(0.3, 0.9)
    level = float(np.sqrt(np.mean(speech**2))) * 0.6 * 10 ** (-rng.uniform(12, 30) / 20)
    clip = clip + make_noise(rng.choice(("white", "pink", "fan", "hum")), noise_rng, len(clip), []) * level
    pcm = (np.clip(clip, -1, 1) * 32767).astype(np.int16)
    return Clip(text, pcm, opened, len(before) / MICROPHONE_RATE_HZ)


def _question(rng: random.Random, split: str) -> str:
    while True:
        text, template = (home if rng.random() < 0.4 else grammar).sample_text(rng, split)
        if template.family in _VIEW or template in home.TEMPLATES:
            return text


def recorded(clip: Clip, config: ListenConfig, rule: Rule) -> RecordedQuestion | None:
    """What the endpointer records of a clip; None where it finds no question."""
    endpointer = Endpointer(_Nobody(), VoiceActivity(), config)
    with patch("host.hearing.endpointer.speech_began", rule):
        for start in range(0, len(clip.pcm) - CHUNK + 1, CHUNK):
            if clip.opened - CHUNK < start <= clip.opened:
                woken = clip.opened > 0
                endpointer.open(
                    pre_roll_s=config.pre_roll_s if woken else 0.0,
                    tail_s=config.wake_tail_s if woken else 0.0,
                )
            found = endpointer.feed(clip.pcm[start : start + CHUNK])
            if found is not None and found.kind == "utterance":
                return found.heard
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        prog="just eval beginnings", description=__doc__.splitlines()[0] if __doc__ else ""
    )
    parser.add_argument("--questions", type=counted, default=400)
    parser.add_argument("--voices", choices=("validation", "test", *ODD), default="test")
    parser.add_argument("--seed", type=counted, default=1)
    options = parser.parse_args(arguments)
    settings = load_pack("micro").bricks["stt"].options
    recogniser, windows = InProcessRecogniser(settings), settings["audio_ctx"]
    said = clips(options.voices, options.questions, options.seed)
    print(f"{len(said)} questions, {options.voices} voices, sound 12 to 30 dB below")
    first: list[int] = []
    for name, (config, rule) in WAYS.items():
        taken = [recorded(clip, config, rule) for clip in said]
        cut, exact, window = [], [], []
        for clip, heard in zip(said, taken, strict=True):
            cut.append(heard is not None and _begins_s(heard) > clip.starts_s + _CUT_S)
            sound = None if heard is None else heard.pcm.astype(np.float32) / np.float32(32768)
            exact.append(sound is not None and recogniser.transcribe(sound).text == clip.text)
            positions = 0 if sound is None else len(sound) * _POSITIONS_PER_S / MICROPHONE_RATE_HZ
            window.append(next((each for each in windows if each >= positions), windows[-1]))
        first = first or window
        longer = [new > old for new, old in zip(window, first, strict=True)]
        print(name)
        for what, each in (
            ("heard to the word", exact), ("cut", cut), ("unheard", [each is None for each in taken]),
            ("longer window", longer),
        ):  # fmt: skip
            print(f"  {what:18s} {shown([[one] for one in each])}")
    return 0


def _begins_s(heard: RecordedQuestion) -> float:
    """When the recording begins: what follows the last speech in it is 0.2 s long."""
    return heard.speech_end_s + 0.2 - len(heard.pcm) / MICROPHONE_RATE_HZ


if __name__ == "__main__":
    raise SystemExit(main())

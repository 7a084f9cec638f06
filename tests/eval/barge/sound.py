"""Sound for the measurement of interruptions: answers in the pack's voice in modelled rooms, and other speech
over them.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np
import soxr
from numpy.typing import NDArray

from hw.audio.loopback import Loopback
from hw.device import MICROPHONE_RATE_HZ
from hw.emulated.room import Room
from models.brick import Context, Sentence
from models.bricks.tts import create
from models.listening.wake_word import WakeWord
from models.pack.catalogue import Pack
from models.train.sound.espeak import Espeak
from models.train.sound.espeak_voices import HELD_OUT_VOICES, TRAIN_VOICES
from models.train.sound.noise import make_noise
from models.train.world.answers import ANSWERS, sample_answer
from models.train.world.grammar import sample_text
from models.train.world.out_of_grammar import out_of_grammar_sentence
from tests.eval.hearing.wake import CHOOSING, MEASURING, utterance, wakes

CHUNK = 512
NOISE_DB = -25.0
"""Level of the pink noise in a room, relative to the voice at the microphone."""
TRAPS = ("The sign says stop.", "Okay, now there are two red circles.", "Stop.", "I will stop.")
"""Answers with the words that interrupt, or similar words; every tenth answer is one of these."""
CHOSEN = "the wake word, voices in which it is always heard without echo"
"""What is measured with the voices that `wake_utterances` chooses."""
Sound = NDArray[np.float64]


class OwnVoice:
    """Answers of one or more sentences, as the speaker plays them."""

    def __init__(self, pack: Pack, seed: int) -> None:
        self._voice = create(pack.bricks["tts"].options, Context())
        self._voice.load()
        self._rng = random.Random(seed)

    def answer(self, at_least_s: float = 0.0) -> Sound:
        """One to three sentences, or as many as `at_least_s` needs; float at 16 kHz, then half a second of
        silence.
        """
        rng = self._rng
        wanted, parts, length = rng.randint(1, 3), list[Sound](), 0.0
        while len(parts) < wanted or length < at_least_s:
            text = rng.choice(TRAPS) if rng.random() < 0.1 else sample_answer(rng, ANSWERS)
            parts.append(self.say(text))
            length += len(parts[-1]) / MICROPHONE_RATE_HZ
        return np.concatenate([*parts, np.zeros(MICROPHONE_RATE_HZ // 2)])

    def say(self, text: str) -> Sound:
        """One sentence, float at 16 kHz, then a fifth of a second of silence."""
        spoken = [
            soxr.resample(chunk.pcm.astype(np.float32) / 32768.0, chunk.sample_rate, MICROPHONE_RATE_HZ)
            for chunk in self._voice.execute(Sentence(text))
        ]
        return np.concatenate([*spoken, np.zeros(MICROPHONE_RATE_HZ // 5)])


def level(sound: Sound) -> float:
    """Root mean square of the parts that are not silent."""
    loud = np.abs(sound) > 0.01 * np.abs(sound).max()
    return float(np.sqrt(np.mean(sound[loud] ** 2)))


@dataclass
class RoomSound:
    """Sound in one room: `played` and `heard`, float [n], n a multiple of 512."""

    played: Sound
    heard: Sound
    loopback: Loopback = field(default_factory=Loopback)
    over_s: list[float] = field(default_factory=list)
    """Start and end of each utterance over the voice."""

    def __post_init__(self) -> None:
        self.loopback.add(0.0, np.round(self.played * 32767).astype(np.int16), MICROPHONE_RATE_HZ)

    def chunk(self, number: int) -> NDArray[np.int16]:
        """The microphone's samples."""
        part = self.heard[number * CHUNK : (number + 1) * CHUNK]
        return np.clip(np.round(part * 32767), -32768, 32767).astype(np.int16)


def through(room: Room, played: Sound, rng: np.random.Generator) -> RoomSound:
    """The voice in that room, at 0 dB or the room's gain, with noise."""
    played = np.pad(played, (0, -len(played) % CHUNK))
    n = 1 << (len(played) + len(room.response)).bit_length()
    echo = np.fft.irfft(np.fft.rfft(played, n) * np.fft.rfft(room.response, n), n)[: len(played)]
    late = round(room.delay_s * MICROPHONE_RATE_HZ)
    echo = np.concatenate([np.zeros(late), echo[: len(echo) - late]])
    noise = make_noise("pink", rng, len(played), [])
    noise *= level(echo) * 10 ** (NOISE_DB / 20) / np.sqrt(np.mean(noise**2))
    return RoomSound(played, echo + noise)


def rooms(count: int) -> list[Room]:
    """Rooms with different sizes, and sound cards with different delays."""
    rng = random.Random(11)
    return [
        Room(
            delay_s=rng.uniform(0.005, 0.04),
            reverberation_s=rng.uniform(0.15, 0.5),
            direct_db=rng.uniform(3.0, 10.0),
            seed=number,
        )
        for number in range(count)
    ]


def wake_utterances(
    espeak: Espeak, word: str, wake: WakeWord, count: int, *, every_voice: bool = False
) -> list[list[Sound]]:
    """The wake word, by voice, at other rates and pitches than those by which voices are chosen: only in
    voices in which the model detects it each time without echo, or with `every_voice` in any.
    """
    rng, phrase = random.Random(3), word.replace("_", " ")
    found: list[list[Sound]] = []
    pink = make_noise("pink", np.random.default_rng(7), 4 * MICROPHONE_RATE_HZ, [])
    voices = sorted(set(TRAIN_VOICES + HELD_OUT_VOICES))
    rng.shuffle(voices)

    def heard(voice: str, rate: int, pitch: int) -> bool:
        wake.reset()
        return wakes(wake, utterance(espeak, phrase, voice, rate, pitch, pink)) > 0

    for voice in voices:
        if every_voice or all(heard(voice, rate, pitch) for rate, pitch in CHOOSING):
            found.append([espeak.say(phrase, voice, rate, pitch) for rate, pitch in rng.sample(MEASURING, 2)])
        if 2 * len(found) >= count:
            break
    return found


def stop_utterances(espeak: Espeak, count: int) -> list[list[Sound]]:
    """ "Stop" in voices that the recogniser was not trained on, by voice."""
    rng = random.Random(4)
    voices = rng.sample(sorted(set(HELD_OUT_VOICES)), (count + 1) // 2)
    return [
        [espeak.say("stop", voice, rate, pitch) for rate, pitch in rng.sample(MEASURING, 2)]
        for voice in voices
    ]


def other_utterances(espeak: Espeak, count: int) -> list[list[Sound]]:
    """Other speech: questions and sentences outside the grammar, of at most two seconds."""
    rng = random.Random(5)
    texts = [out_of_grammar_sentence(rng) if i % 2 else sample_text(rng, "train")[0] for i in range(count)]
    return [
        [espeak.say(text, rng.choice(HELD_OUT_VOICES), 170, 50)[: 2 * MICROPHONE_RATE_HZ]] for text in texts
    ]

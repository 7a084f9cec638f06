"""Barge-in at every echo gain, from none (an earphone) to the level of the wearer's speech.

    python -m tests.eval.barge_gains [--gains none -40 0] [--minutes 30] [--trials 120] [--seed 1]

Each trial has a new room and an unadapted echo canceller. The word is said once over the first
answer, 0.7 to 3 s after it began, and once over the second one. How loud the wearer speaks and how loud the
room is does not depend on the echo: 5 dB, and 25 to 50 dB, under the voice as it is at a gain of 0 dB. The
echo is Polack's model of a room (`hw.emulated.room`), every third one through the skull: without anything
above 1 kHz. The headband's own voice gets a new room and a new canceller every 25 s.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from host.hearing.own_voice_removed import OwnVoiceRemover
from hw.device import MICROPHONE_RATE_HZ
from hw.emulated.room import Room
from models.train.sound.noise import make_noise
from tests.eval.barge_listener import Listener
from tests.eval.barge_sound import (
    CHUNK,
    OwnVoice,
    Sound,
    Stretch,
    level,
)
from tests.eval.intervals import count, shown

GAINS = ("none", "-60", "-50", "-40", "-30", "-20", "-10", "0")
BELOW_DB = -5.0
NOISE_DB = (-50.0, -25.0)
NOISES = ("pink", "white", "fan", "hum", "kettle")
SAID_S = (0.7, 3.0)
"""When a word begins, after its answer began."""
_ROOM_S = 25.0
_SKULL_HZ = 1000.0


@dataclass
class Place:
    """One room with an own voice of that loudness in it."""

    room: Room | None
    skull: bool
    noise: str
    noise_db: float
    rng: np.random.Generator

    def sounds(self, played: Sound) -> Stretch:
        """Sound at the microphone while `played` is played."""
        played = np.pad(played, (0, -len(played) % CHUNK))
        heard = np.zeros(len(played))
        if self.room is not None:
            n = 1 << (len(played) + len(self.room.response)).bit_length()
            spectrum = np.fft.rfft(played, n) * np.fft.rfft(self.room.response, n)
            if self.skull:
                spectrum /= 1 + (np.fft.rfftfreq(n, 1 / MICROPHONE_RATE_HZ) / _SKULL_HZ) ** 4
            late = round(self.room.delay_s * MICROPHONE_RATE_HZ)
            heard[late:] = np.fft.irfft(spectrum, n)[: len(played) - late]
        noise = make_noise(self.noise, self.rng, len(played), [])
        return Stretch(
            played, heard + noise / np.sqrt(np.mean(noise**2)) * level(played) * 10 ** (self.noise_db / 20)
        )


def places(gain: str, seed: int) -> Iterator[Place]:
    """Rooms of different sizes and noises, and sound cards of different delays."""
    rng = random.Random(f"{gain} {seed}")
    for number in range(1_000_000):
        room = None
        if gain != "none":
            room = Room(
                gain_db=float(gain),
                delay_s=rng.uniform(0.005, 0.04),
                reverberation_s=rng.uniform(0.15, 0.5),
                direct_db=rng.uniform(3.0, 10.0),
                seed=rng.randrange(1 << 30),
            )
        noise_db = rng.uniform(*NOISE_DB)
        noises = np.random.default_rng(rng.randrange(1 << 30))
        yield Place(room, number % 3 == 2, rng.choice(NOISES), noise_db, noises)


def own_voice(gain: str, minutes: float, seed: int, voice: OwnVoice, listener: Listener) -> None:
    """Counts false interruptions."""
    seconds, hits = 0.0, list[str]()
    listener.cpu_s = 0.0
    for place in places(gain, seed):
        answers, length = [], 0.0
        while length < _ROOM_S:
            answers.append(voice.answer())
            length += len(answers[-1]) / MICROPHONE_RATE_HZ
        sound, begin = place.sounds(np.concatenate(answers)), 0
        remover = OwnVoiceRemover(sound.loopback)
        for answer in answers:
            end = begin + len(answer)
            hits += [what for _, what in listener.listen(remover, sound, begin // CHUNK, end // CHUNK)]
            begin = end
        seconds += length
        if seconds >= 60 * minutes:
            break
    low, high = (bound / (seconds / 3600) for bound in count(len(hits)))
    print(
        f"  its own voice, {seconds / 60:.1f} min: {len(hits)} interruptions [{low:.1f}, {high:.1f}] an hour "
        f"{' '.join(hits)}; {100 * listener.cpu_s / seconds:.2f} % of one core"
    )


def said_over(
    name: str, what: str, words: Sequence[Sequence[Sound]], gain: str, seed: int,
    voice: OwnVoice, listener: Listener,
) -> None:  # fmt: skip
    """Says each word over a first and a second answer; prints the share that interrupted, and how soon."""
    rng = random.Random(seed)
    caught: dict[str, list[list[bool]]] = {"first answer": [], "second": []}
    late_ms: dict[str, list[float]] = {"first answer": [], "second": []}
    there = places(gain, seed + 1)
    for group in words:
        for which in caught:
            caught[which].append([])
        for word, place in zip(group, there, strict=False):
            answers = [voice.answer(SAID_S[1] + 1.5) for _ in caught]
            sound, begin = place.sounds(np.concatenate(answers)), 0
            loudness = level(sound.played) * 10 ** (BELOW_DB / 20)
            remover = OwnVoiceRemover(sound.loopback)
            for which, answer in zip(caught, answers, strict=True):
                at = begin + round(rng.uniform(*SAID_S) * MICROPHONE_RATE_HZ)
                over = at + len(word)
                sound.heard[at:over] += word / level(word) * loudness
                end = begin + len(answer)
                hits = listener.listen(remover, sound, begin // CHUNK, end // CHUNK)
                after = [
                    moment_s for moment_s, kind in hits if kind == what and moment_s > at / MICROPHONE_RATE_HZ
                ]
                caught[which][-1].append(bool(after) and after[0] < over / MICROPHONE_RATE_HZ + 1.0)
                if caught[which][-1][-1]:
                    late_ms[which].append((after[0] - over / MICROPHONE_RATE_HZ) * 1000)
                begin = end
    for which, results in caught.items():
        middle, most = np.percentile(late_ms[which], [50, 95]) if late_ms[which] else (np.nan, np.nan)
        print(f"  {name}, {which}: {shown(results)}; from its end: median {middle:.0f} ms, p95 {most:.0f} ms")

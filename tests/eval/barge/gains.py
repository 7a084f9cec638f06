"""Barge-in by the gain of the echo: from no echo (an earphone) to one as loud as the wearer's speech.

    python -m tests.eval.barge.gains [--gains none -40 0] [--minutes 30] [--trials 60] [--seed 2]

Each trial has its own room and an unadapted echo canceller. The word is said once over the first answer, 0.7
to 3 s after its start, and once over the second. The levels of the wearer's speech (-5 dB) and of the room's
noise (-25 to -50 dB) do not depend on the gain; 0 dB is the level of the voice at a gain of 0 dB. The echo is
Polack's model of a room (`hw.emulated.room`); every third one is bone conduction, without frequencies above 1
kHz. False interruptions are counted with a new room and a new canceller every 25 s, for the headband's voice
and, if there are recordings beside the tree, for people's recorded speech played by the headband.
"""

from __future__ import annotations

import argparse
import random
import wave
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import soxr

from host.config import WakeConfig
from host.hearing.own_voice_removed import OwnVoiceRemover
from hw.device import MICROPHONE_RATE_HZ
from hw.emulated.room import Room
from models.listening.wake_word import WakeWord
from models.pack.catalogue import load_pack
from models.train.sound.espeak import Espeak
from models.train.sound.noise import make_noise
from tests.eval.barge.listener import Listener, make_listener
from tests.eval.barge.sound import (
    CHOSEN,
    CHUNK,
    OwnVoice,
    RoomSound,
    Sound,
    level,
    stop_utterances,
    wake_utterances,
)
from tests.eval.hearing.wake import RECORDED
from tests.eval.intervals import count, shown

GAINS = ("none", "-60", "-50", "-40", "-30", "-20", "-10", "0")
BELOW_DB = -5.0
NOISE_DB = (-50.0, -25.0)
NOISES = ("pink", "white", "fan", "hum", "kettle", "clatter")
SAID_S = (0.7, 3.0)
"""Range of the start of a word, after the start of the answer."""
_ROOM_S = 25.0
_SKULL_HZ = 1000.0
_LEVEL = 0.1


class Voice(Protocol):
    """The sound that the speaker plays."""

    def answer(self, at_least_s: float = 0.0) -> Sound: ...


class RecordedVoice:
    """People's recorded speech, played by the headband."""

    def __init__(self) -> None:
        parts = []
        for path in sorted(RECORDED.glob("*.wav")):
            with wave.open(str(path)) as file:
                pcm = np.frombuffer(file.readframes(file.getnframes()), np.int16)
                sound = soxr.resample(pcm.astype(np.float32) / 32768, file.getframerate(), MICROPHONE_RATE_HZ)
            parts.append(sound / level(sound) * _LEVEL)
        self._sound, self._at = np.concatenate(parts), 0
        self.minutes = len(self._sound) / MICROPHONE_RATE_HZ / 60

    def answer(self, at_least_s: float = 0.0) -> Sound:
        """The next six seconds, then half a second of silence."""
        part = self._sound[self._at : self._at + 6 * MICROPHONE_RATE_HZ]
        self._at = (self._at + 6 * MICROPHONE_RATE_HZ) % len(self._sound)
        return np.concatenate([part, np.zeros(MICROPHONE_RATE_HZ // 2)])


@dataclass
class Place:
    """A room with the headband's voice at that gain."""

    room: Room | None
    skull: bool
    noise: str
    noise_db: float
    rng: np.random.Generator

    def sounds(self, played: Sound) -> RoomSound:
        """The microphone's sound while `played` is played."""
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
        return RoomSound(
            played, heard + noise / np.sqrt(np.mean(noise**2)) * level(played) * 10 ** (self.noise_db / 20)
        )


def places(gain: str, seed: int) -> Iterator[Place]:
    """Rooms with different sizes and noise, and sound cards with different delays."""
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


def own_voice(name: str, gain: str, minutes: float, seed: int, voice: Voice, listener: Listener) -> None:
    """Counts false interruptions."""
    seconds, hits = 0.0, list[str]()
    listener.cpu_s = 0.0
    for place in places(gain, seed):
        answers, length = [], 0.0
        while length < min(_ROOM_S, 60 * minutes):
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
        f"  {name}, {seconds / 60:.1f} min: {len(hits)} interruptions [{low:.1f}, {high:.1f}] an hour "
        f"{' '.join(hits)}; {100 * listener.cpu_s / seconds:.2f} % of one core"
    )


def said_over(
    name: str, what: str, words: Sequence[Sequence[Sound]], gain: str, seed: int,
    voice: Voice, listener: Listener,
) -> None:  # fmt: skip
    """Plays each word over a first and a second answer; prints the share that interrupted, and the
    latency.
    """
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


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pack", default="micro")
    parser.add_argument("--gains", nargs="*", default=GAINS, help="in dB, or none")
    parser.add_argument("--minutes", type=float, default=30.0, help="length of its own voice at each gain")
    parser.add_argument("--trials", type=int, default=60, help="of each word and answer at each gain")
    parser.add_argument("--seed", type=int, default=2)
    options = parser.parse_args()
    pack, config, espeak = load_pack(options.pack), WakeConfig(), Espeak()
    listener = make_listener(pack)
    wakes = wake_utterances(espeak, config.word, WakeWord(config.word, config.threshold), options.trials)
    stops = stop_utterances(espeak, options.trials)
    for gain in options.gains:
        print(f"echo {gain} dB" if gain != "none" else "no echo", flush=True)
        voice = OwnVoice(pack, seed=random.Random(f"{gain} {options.seed}").randrange(1 << 30))
        own_voice("its own voice", gain, options.minutes, options.seed, voice, listener)
        if RECORDED.is_dir() and any(RECORDED.glob("*.wav")):
            people = RecordedVoice()
            own_voice(
                "people's recorded speech as its own",
                gain,
                people.minutes,
                options.seed + 2,
                people,
                listener,
            )
        else:
            print("  people's recorded speech: not on this machine")
        said_over('"stop"', "stop", stops, gain, options.seed, voice, listener)
        said_over(CHOSEN, "wake", wakes, gain, options.seed, voice, listener)


if __name__ == "__main__":
    main()

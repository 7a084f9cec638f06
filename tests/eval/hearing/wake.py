"""The wake word and voice activity: hits by voice, false wakes, and processor load.

    python -m tests.eval.hearing.wake [--word okay_nabu] [--minutes 30]
    python -m tests.eval.hearing.wake --data FOLDER [--word alexa]

The library's models do not detect the wake word in every espeak-ng voice. The voices are selected with one
set of utterances (eight rates and pitches, 150-210 words per minute, in pink noise); the hit rate is then
measured in these voices with other rates, pitches and noise. The table also names the other voices. False
wakes are counted in generated speech without the wake word, in household noise, and in recorded speech.

With --data it is people's recordings that are heard, in a folder as `tests.eval.hearing.recordings` has it:
hits where the sentence is the wake word, false wakes in the others; as recorded, and in pink noise at 20 and
10 dB.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import wave
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from host.config import WakeConfig
from hw.device import MICROPHONE_RATE_HZ
from models.listening.voice_activity import VoiceActivity
from models.listening.wake_word import WakeWord
from models.train.sound.espeak import Espeak
from models.train.sound.espeak_voices import HELD_OUT_VOICES, TRAIN_VOICES
from models.train.sound.noise import KINDS, make_noise
from models.train.sound.people.recordings import Recording, Unreadable, read_list
from models.train.world.grammar import sample_text
from models.train.world.out_of_grammar import out_of_grammar_sentence
from tests.eval.arguments import amount
from tests.eval.hearing.recordings import read_sound
from tests.eval.intervals import bootstrap_shown, wilson_shown

CHOOSING = tuple((rate, pitch) for rate in (150, 170, 190, 210) for pitch in (40, 60))
MEASURING = tuple((rate, pitch) for rate in (160, 180, 200) for pitch in (45, 55))
CHUNK = 512
_SPEECH_FROM = 0.02
"""From this level on a recording's samples count as speech, of which the loudest is 0.5."""
RECORDED = Path(__file__).resolve().parents[4] / "shared" / "testdata" / "speech"
Pcm = NDArray[np.int16]


def wakes(wake: WakeWord, pcm: Pcm) -> int:
    """Number of detections in int16 [n] at 16 kHz."""
    return sum(wake.process(pcm[i : i + CHUNK]) for i in range(0, len(pcm), CHUNK))


def utterance(
    espeak: Espeak, phrase: str, voice: str, rate: int, pitch: int, noise: NDArray[np.float32] | None
) -> Pcm:
    """The phrase with half a second before it and a second after it; `noise` is 20 dB below the speech."""
    speech = espeak.say(phrase, voice, rate, pitch) * 0.7
    clip = np.concatenate(
        [np.zeros(MICROPHONE_RATE_HZ // 2, np.float32), speech, np.zeros(MICROPHONE_RATE_HZ, np.float32)]
    )
    if noise is not None:
        level = np.sqrt(np.mean(speech**2)) * 0.1
        clip = clip + noise[: len(clip)] * level
    return (np.clip(clip, -1, 1) * 32767).astype(np.int16)


def of_people(recordings: Sequence[Recording], wake: WakeWord, phrase: str, snr_db: float | None) -> None:
    """Prints the hits and the false wakes of recordings. Raises `Unreadable`."""
    hits: list[bool] = []
    seconds, false = 0.0, 0
    noise_rng = np.random.default_rng(7)
    pink = make_noise("pink", noise_rng, 10 * MICROPHONE_RATE_HZ, [])
    for each in recordings:
        speech = np.pad(read_sound(each.path), (0, MICROPHONE_RATE_HZ // 2))
        if snr_db is not None:
            level = np.sqrt(np.mean(speech[np.abs(speech) > _SPEECH_FROM] ** 2)) * 10 ** (-snr_db / 20)
            speech = speech + np.resize(pink, len(speech)) * level
        wake.reset()
        count = wakes(wake, (np.clip(speech, -1, 1) * 32767).astype(np.int16))
        if each.sentence == phrase:
            hits.append(count > 0)
        else:
            seconds, false = seconds + len(speech) / MICROPHONE_RATE_HZ, false + count
    print("as recorded" if snr_db is None else f"in pink noise at {snr_db:g} dB")
    if hits:
        print(f"  hits                 {wilson_shown(hits)}")
    if len(hits) < len(recordings):
        others = len(recordings) - len(hits)
        print(f"  false wakes in {seconds / 60:.1f} min of {others} other recordings: {false}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 2 and one sentence for recordings that cannot be used."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER", help="people's recordings, with a list of them"
    )
    parser.add_argument("--word", default=WakeConfig.word)
    parser.add_argument("--threshold", type=amount, default=WakeConfig.threshold)
    parser.add_argument(
        "--minutes", type=amount, default=30.0, help="length of the generated sound without wake words"
    )
    options = parser.parse_args(arguments)
    wake = WakeWord(options.word, options.threshold)
    phrase = options.word.replace("_", " ")
    if options.data is not None:
        try:
            recordings = read_list(options.data)
            print(f"wake word {options.word}, {len(recordings)} recordings of people")
            for snr_db in (None, 20.0, 10.0):
                of_people(recordings, wake, phrase, snr_db)
        except Unreadable as error:
            print(error, file=sys.stderr)
            return 2
        return 0
    espeak = Espeak()
    rng, noise_rng = random.Random(7), np.random.default_rng(7)
    voices = sorted(set(TRAIN_VOICES + HELD_OUT_VOICES))
    heard: list[tuple[str, int]] = []
    deaf: list[tuple[str, int]] = []
    pink = [make_noise("pink", noise_rng, 4 * MICROPHONE_RATE_HZ, []) for _ in range(8)]
    for voice in voices:
        hits = 0
        for rate, pitch in CHOOSING:
            wake.reset()
            hits += wakes(wake, utterance(espeak, phrase, voice, rate, pitch, rng.choice(pink))) > 0
        (heard if hits == len(CHOOSING) else deaf).append((voice, hits))
    noises = [
        make_noise(kind, noise_rng, 4 * MICROPHONE_RATE_HZ, [])
        for kind in ("pink", "fan", "hum", "white")
        for _ in range(3)
    ]
    hits = total = 0
    for voice, _ in heard:
        for rate, pitch in MEASURING:
            wake.reset()
            hits += wakes(wake, utterance(espeak, phrase, voice, rate, pitch, rng.choice(noises))) > 0
            total += 1
    print(f"wake word {options.word}: {len(heard)} of {len(voices)} espeak-ng voices are heard")
    if total:
        shown = bootstrap_shown([True] * hits + [False] * (total - hits))
        print(f"  in those, other rates, pitches and noises, 20 dB: {shown}")
    by_accent: dict[str, list[str]] = {}
    for voice, hit in deaf:
        accent, _, variant = voice.partition("+")
        by_accent.setdefault(accent, []).append(f"{variant or 'plain'}({hit}/{len(CHOOSING)})")
    print("  not heard every time (hits):")
    for accent, names in by_accent.items():
        print(f"    {accent}: {' '.join(names)}")
    false_wakes(options.minutes, wake, espeak, rng, noise_rng)
    cost(options.word)
    return 0


def false_wakes(
    minutes: float, wake: WakeWord, espeak: Espeak, rng: random.Random, noise_rng: np.random.Generator
) -> None:
    """Counts false wakes."""
    wake.reset()
    seconds, count = 0.0, 0
    lines: list[NDArray[np.float32]] = []
    while seconds < minutes * 60:
        text = sample_text(rng, "train")[0] if rng.random() < 0.6 else out_of_grammar_sentence(rng)
        line = espeak.say(text, rng.choice(TRAIN_VOICES), rng.randint(130, 210), rng.randint(25, 75))
        lines = [*lines[-20:], line]
        clip = np.concatenate([line * 0.7, np.zeros(MICROPHONE_RATE_HZ // 2, np.float32)])
        if rng.random() < 0.5:
            kind = rng.choice(list(KINDS))
            clip = clip + make_noise(kind, noise_rng, len(clip), lines) * 10 ** rng.uniform(-3, -1)
        count += wakes(wake, (np.clip(clip, -1, 1) * 32767).astype(np.int16))
        seconds += len(clip) / MICROPHONE_RATE_HZ
    print(f"  false wakes in {seconds / 60:.1f} min of generated speech and noise: {count}")
    if not RECORDED.is_dir():
        print("  recorded speech: not on this machine")
        return
    seconds, count = 0.0, 0
    for path in sorted(RECORDED.glob("*.wav")):
        with wave.open(str(path)) as file:
            pcm = np.frombuffer(file.readframes(file.getnframes()), np.int16)
        wake.reset()
        count += wakes(wake, pcm)
        seconds += len(pcm) / MICROPHONE_RATE_HZ
    print(f"  false wakes in {seconds / 60:.1f} min of recorded speech: {count}")


def cost(word: str) -> None:
    """Processor time of wake word and voice activity together, as a share of one core."""
    rng = np.random.default_rng(1)
    pcm = (rng.standard_normal(60 * MICROPHONE_RATE_HZ) * 300).astype(np.int16)
    shares = []
    for _ in range(5):
        wake, speech = WakeWord(word), VoiceActivity()
        begin = time.process_time()
        for i in range(0, len(pcm) - CHUNK + 1, CHUNK):
            wake.process(pcm[i : i + CHUNK])
            speech.process(pcm[i : i + CHUNK])
        shares.append((time.process_time() - begin) / (len(pcm) / MICROPHONE_RATE_HZ) * 100)
    print(
        f"  wake + voice activity: {np.median(shares):.2f} % of one core "
        f"(median of 5 minutes, max {max(shares):.2f} %)"
    )


if __name__ == "__main__":
    raise SystemExit(main())

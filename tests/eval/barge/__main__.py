"""Barge-in during an answer: false interruptions by the headband's own voice, hits by the wearer, and
latency.

    python -m tests.eval.barge [--minutes 30] [--trials 120]

Answers in the pack's voice reach the microphone as loud as a wearer's speech (0 dB), through modelled rooms
with noise at -25 dB; in each room the echo canceller starts unadapted. Interruptions have a level of -5 dB.
The sound goes through `host.hearing.own_voice_removed` and `host.hearing.barge_in` faster than real time;
each transcription takes the processor time that it takes on this computer, with one thread. Unlike in use,
the voice continues after a hit. Latency is counted from the last sample of the word to the chunk or
transcription that stops the voice. The wake word is said in any of espeak-ng's voices, and in those only in
which the model hears it eight of eight times without echo: the difference is not the echo's.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import chain

import numpy as np

from host.config import WakeConfig
from host.hearing.own_voice_removed import OwnVoiceRemover
from hw.device import MICROPHONE_RATE_HZ
from models.listening.wake_word import WakeWord
from models.pack.catalogue import load_pack
from models.train.sound.espeak import Espeak
from tests.eval.barge.listener import Listener, make_listener
from tests.eval.barge.sound import (
    CHOSEN,
    CHUNK,
    OwnVoice,
    Sound,
    level,
    other_utterances,
    rooms,
    stop_utterances,
    through,
    wake_utterances,
)
from tests.eval.intervals import count, shown

BELOW_DB = -5.0
WARM_S = 6.0
"""Duration of the voice in a room before the first interruption."""


def own_voice(minutes: float, voice: OwnVoice, listener: Listener) -> None:
    """Counts false interruptions."""
    places = rooms(max(1, round(minutes / 5)))
    rng = np.random.default_rng(1)
    seconds, hits = 0.0, list[tuple[float, str]]()
    for room in places:
        answers, length = [], 0.0
        while length < minutes * 60 / len(places):
            answers.append(voice.answer())
            length += len(answers[-1]) / MICROPHONE_RATE_HZ
        sound = through(room, np.concatenate(answers), rng)
        remover, begin = OwnVoiceRemover(sound.loopback), 0
        for answer in answers:
            end = begin + len(answer)
            hits += listener.listen(remover, sound, begin // CHUNK, end // CHUNK)
            begin = end
        seconds += length
    low, high = (bound / (seconds / 3600) for bound in count(len(hits)))
    print(
        f"own voice at 0 dB, {len(places)} rooms, {seconds / 60:.1f} min: {len(hits)} interruptions "
        f"[{low:.1f}, {high:.1f}] an hour; {', '.join(kind for _, kind in hits)}"
    )
    low_db, mid_db = np.percentile(listener.attenuated_db, [10, 50])
    print(
        f"  taken out of echo and noise once the path is known: median {mid_db:.1f} dB, "
        f"tenth percentile {low_db:.1f} dB"
    )
    print(f"  canceller, wake word and voice activity: {100 * listener.cpu_s / seconds:.2f} % of one core")


def said_over(
    name: str, kind: str, groups: Sequence[Sequence[Sound]], voice: OwnVoice, listener: Listener
) -> None:
    """Plays each utterance once over the voice; prints the share that interrupted, and the latency."""
    rng = np.random.default_rng(2)
    places = rooms(6)
    listener.readings_s.clear()
    caught: list[list[bool]] = []
    late_ms: list[float] = []
    for room, share in zip(places, np.array_split(np.arange(len(groups)), len(places)), strict=True):
        utterances = list(chain.from_iterable(groups[index] for index in share))
        if not utterances:
            continue
        answers = [voice.answer(WARM_S), *(voice.answer(4.0) for _ in utterances)]
        sound = through(room, np.concatenate(answers), rng)
        loudness = level(sound.heard) * 10 ** (BELOW_DB / 20)
        remover, begin = OwnVoiceRemover(sound.loopback), len(answers[0])
        listener.listen(remover, sound, 0, begin // CHUNK)
        results = []
        for utterance, answer in zip(utterances, answers[1:], strict=True):
            at = begin + MICROPHONE_RATE_HZ + int(rng.integers(MICROPHONE_RATE_HZ // 2))
            over = at + len(utterance)
            sound.heard[at:over] += utterance / level(utterance) * loudness
            end = begin + len(answer)
            hits = listener.listen(remover, sound, begin // CHUNK, end // CHUNK)
            after = [
                moment_s
                for moment_s, what in hits
                if moment_s > at / MICROPHONE_RATE_HZ and kind in ("any", what)
            ]
            results.append(bool(after))
            if after:
                late_ms.append((after[0] - over / MICROPHONE_RATE_HZ) * 1000)
            begin = end
        sizes = np.cumsum([len(groups[index]) for index in share])[:-1]
        caught += [list(part) for part in np.split(np.array(results), sizes)]
    print(f"{name} at {BELOW_DB:.0f} dB: {shown(caught)}")
    if kind != "any" and late_ms:
        middle, most = np.percentile(late_ms, [50, 95])
        rngs = np.random.default_rng(0).choice(late_ms, (2000, len(late_ms)))
        low, high = np.percentile(np.percentile(rngs, 95, axis=1), [2.5, 97.5])
        print(f"  from its end: median {middle:.0f} ms, p95 {most:.0f} ms [{low:.0f}, {high:.0f}]")
    if listener.readings_s:
        print(
            f"  {len(listener.readings_s)} readings, median {1000 * np.median(listener.readings_s):.0f} ms, "
            f"p95 {1000 * np.percentile(listener.readings_s, 95):.0f} ms"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pack", default="micro")
    parser.add_argument("--minutes", type=float, default=30.0, help="length of its own voice")
    parser.add_argument("--trials", type=int, default=120, help="of each kind of speech over it")
    options = parser.parse_args()
    pack, config = load_pack(options.pack), WakeConfig()
    listener = make_listener(pack)
    voice, espeak = OwnVoice(pack, seed=1), Espeak()
    own_voice(options.minutes, voice, listener)
    wake = WakeWord(config.word, config.threshold)
    for name, every_voice in ((CHOSEN, False), ("the wake word, any voice", True)):
        words = wake_utterances(espeak, config.word, wake, options.trials, every_voice=every_voice)
        said_over(name, "wake", words, voice, listener)
    said_over('"stop"', "stop", stop_utterances(espeak, options.trials), voice, listener)
    said_over(
        "other speech that interrupts", "any", other_utterances(espeak, options.trials), voice, listener
    )


if __name__ == "__main__":
    main()

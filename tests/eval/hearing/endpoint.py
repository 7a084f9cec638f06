"""Endpointing: silences that depend on the words so far, compared with fixed silences.

    python -m tests.eval.hearing.endpoint [--questions 60] [--tuning]

First what the words alone would do (`tests.eval.hearing.endings`), of sentences that people wrote. Then
held-out questions in held-out voices, with pink noise at -20 dB, spoken without a pause, or with one: after a
word with which no question ends ("what colour is the ... star"), or after any other. The pack's recogniser
transcribes at every pause, with the delay that it has on this computer. A question is cut off if its end is
detected before its last word.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections import defaultdict
from dataclasses import replace
from statistics import median

import numpy as np

from host.config import ListenConfig
from host.hearing.endpointer import CHUNK, Endpointer, RecordedQuestion
from host.language.router import Router
from host.turn.early.transcript import OPEN_ENDS, SILENT, whole_question_probability
from hw.device import MICROPHONE_RATE_HZ
from models.brick import Transcript, Utterance
from models.listening.voice_activity import VoiceActivity
from models.pack.catalogue import load_pack
from models.process.bricks import Bricks
from models.process.residency import Residency
from models.train.sound.espeak import Espeak
from models.train.sound.espeak_voices import HELD_OUT_VOICES, TRAIN_VOICES
from models.train.sound.noise import make_noise
from models.train.world.grammar import sample_text
from tests.eval.arguments import counted
from tests.eval.hearing import endings
from tests.eval.intervals import shown

PAUSES_S = (0.4, 0.6, 0.8, 1.0)
FIXED_S = (0.35, 0.55, 0.9)
_LEAD_S, _TAIL_S = 0.3, 2.0
_EARLY_S = 0.25
"""The voice-activity model may detect the end of a word by so much too early."""


class Clip:
    """A spoken question. pcm: int16 at 16 kHz; end_s: where its last word ends."""

    def __init__(self, halves: list[np.ndarray], pause_s: float, rng: np.random.Generator) -> None:
        quiet = np.zeros(int(pause_s * MICROPHONE_RATE_HZ), np.float32)
        speech = np.concatenate([halves[0], *(x for half in halves[1:] for x in (quiet, half))])
        clip = np.concatenate(
            [np.zeros(int(_LEAD_S * MICROPHONE_RATE_HZ)), speech, np.zeros(int(_TAIL_S * MICROPHONE_RATE_HZ))]
        )
        noise = make_noise("pink", rng, len(clip), [])[: len(clip)]
        clip = clip + noise * 0.1 * float(np.sqrt(np.mean(np.concatenate(halves) ** 2)))
        self.pcm = (np.clip(clip * 0.7, -1, 1) * 32767).astype(np.int16)
        self.end_s = _LEAD_S + len(speech) / MICROPHONE_RATE_HZ


class Nobody:
    """No wake word: each clip is one utterance."""

    def process(self, pcm: np.ndarray) -> bool:
        return False

    def reset(self) -> None:
        return


async def ending(
    clip: Clip, config: ListenConfig, bricks: Bricks | None, router: Router
) -> tuple[bool, float]:
    """Whether the clip was cut off, and the silence until its end was detected, seconds. Without bricks there
    are no transcripts.
    """
    endpointer = Endpointer(Nobody(), VoiceActivity(), config)
    endpointer.open()
    endpointer.judged = bricks is not None
    verdict: tuple[float, float | None] | None = None
    for start in range(0, len(clip.pcm) - CHUNK, CHUNK):
        cut = endpointer.feed(clip.pcm[start : start + CHUNK])
        if verdict is not None and endpointer.now_s >= verdict[0]:
            endpointer.judge(verdict[1])
            verdict = None
        if cut is None:
            continue
        if cut.kind == "resumed":
            verdict = None
        elif cut.kind == "pause" and bricks is not None and cut.heard is not None:
            began_s = time.monotonic()
            said = await read(cut.heard, bricks)
            complete = whole_question_probability(said, router, config.sure_probability)
            verdict = (endpointer.now_s + time.monotonic() - began_s, complete)
        elif cut.kind == "utterance" and cut.heard is not None:
            early = cut.heard.speech_end_s < clip.end_s - _EARLY_S
            return early, cut.heard.endpoint_s - cut.heard.speech_end_s
    return True, 0.0


async def read(heard: RecordedQuestion, bricks: Bricks) -> Transcript:
    """The pack's transcript of the recording."""
    said = SILENT
    async for chunk in bricks.run("stt", Utterance(heard.pcm.astype(np.float32) / np.float32(32768))):
        said = chunk if isinstance(chunk, Transcript) else said
    return said


def places(text: str) -> tuple[list[int], list[int]]:
    """Word counts after which there may be a pause: after words with which no question ends, and after
    others.
    """
    words = text.lower().strip("?.!").split()
    inner = range(2, len(words) - 1)
    return [n for n in inner if words[n - 1] in OPEN_ENDS], [
        n for n in inner if words[n - 1] not in OPEN_ENDS
    ]


async def measure(questions: int, tuning: bool) -> None:
    """Prints the table."""
    rng, noise = random.Random(11), np.random.default_rng(11)
    espeak, router = Espeak(), Router()
    print(endings.report(router))
    bricks = Bricks(load_pack("micro"), threads=2)
    await bricks.apply(Residency("resident"))
    await bricks.start()
    await bricks.settled()
    clips: dict[str, list[Clip]] = defaultdict(list)
    for _ in range(questions):
        text, _ = sample_text(rng, "train" if tuning else "held")
        voice = rng.choice(TRAIN_VOICES if tuning else HELD_OUT_VOICES)
        rate, words = rng.choice((150, 170, 190)), text.split()
        clips["in one breath"].append(Clip([espeak.say(text, voice, rate)], 0.0, noise))
        for name, options in zip(("after an open word", "after another word"), places(text), strict=True):
            if options:
                at = rng.choice(options)
                halves = [espeak.say(" ".join(part), voice, rate) for part in (words[:at], words[at:])]
                for pause_s in PAUSES_S:
                    clips[f"{name}, {pause_s} s"].append(Clip(halves, pause_s, noise))
    base = ListenConfig()
    chains = {f"fixed {s:g} s": (replace(base, end_silence_s=s), None) for s in FIXED_S}
    for name, some in clips.items():
        print(f"{name}: {len(some)} questions")
        for title, (config, judge) in {**chains, "adaptive": (base, bricks)}.items():
            ends = [await ending(clip, config, judge, router) for clip in some]
            silences = [silence for early, silence in ends if not early]
            wait = f"{median(silences):.2f} s of silence" if silences else "none left"
            print(f"  {title:12s} cut {shown([[early] for early, _ in ends])}, {wait}")
    await bricks.close()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=counted, default=60)
    parser.add_argument("--tuning", action="store_true", help="sentences and voices of the training set")
    options = parser.parse_args()
    asyncio.run(measure(options.questions, options.tuning))


if __name__ == "__main__":
    main()

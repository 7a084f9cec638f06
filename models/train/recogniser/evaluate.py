"""Measures the speech recogniser through whisper.cpp on voices and sentences that are not in the training
data.

`python -m models.train.recogniser.evaluate --model models/packs/micro/stt.bin` prints the word error rate
with a 95 % bootstrap interval, overall and by group; for sentences with numbers how many are right; and how
much other speech is refused (an empty, marked or doubtful transcript) and how many rightly heard questions
with it. The clips come from fixed seeds.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from models.pack.manifest import read_manifest
from models.train.recogniser.in_process import InProcessRecogniser
from models.train.recogniser.shards import WINDOWS
from models.train.recogniser.word_error import bootstrap, word_errors
from models.train.sound.espeak_voices import TRAIN_LANGUAGES
from models.train.sound.sentences import has_number
from models.train.sound.transcripts import grammar_words
from models.train.sound.utterances import ClipGenerator, LabelledClip
from models.train.world.grammar import without_polite_word

SEED = 20_000


@dataclass(frozen=True)
class Transcription:
    """A clip, its transcript, the geometric mean of the tokens' probabilities, and the time it took."""

    clip: LabelledClip
    text: str
    probability: float
    seconds: float


def transcribed(recogniser: InProcessRecogniser, clip: LabelledClip) -> Transcription:
    """Transcribe one clip and measure the time."""
    started_s = time.perf_counter()
    transcript = recogniser.transcribe(clip.pcm)
    return Transcription(clip, transcript.text, transcript.probability, time.perf_counter() - started_s)


def fixed_clips(
    split: str, questions: int, others: int, quiet: int, voices: Sequence[str] = ()
) -> list[LabelledClip]:
    """Fixed clips of a split: questions, speech that is no question, and clips without speech. voices: in
    place of the split's own, where there are any.
    """
    generator = ClipGenerator(split, voices=voices)
    rng, noise_rng = random.Random(SEED), np.random.default_rng(SEED)
    made = [generator.question(rng, noise_rng) for _ in range(questions)]
    made += [generator.other(rng, noise_rng) for _ in range(others)]
    return made + [generator.nothing(rng, noise_rng) for _ in range(quiet)]


def word_error(heard: Sequence[Transcription]) -> dict[str, float]:
    """Word error rate and share of exact sentences, with intervals; shares of empty transcripts and of right
    questions.

    A question is right if at most the polite word before or after it is missing or added.
    """
    wrong = [word_errors(h.clip.text, h.text) for h in heard]
    rate, low, high = bootstrap(wrong, [len(h.clip.text.split()) for h in heard])
    exact, exact_low, exact_high = bootstrap([h.clip.text == h.text for h in heard], [1.0] * len(heard))
    return {
        "clips": len(heard), "word_error": rate, "low": low, "high": high, "exact": exact,
        "exact_low": exact_low, "exact_high": exact_high,
        "false_empty": sum(not h.text for h in heard) / len(heard),
        "question": sum(map(rightly, heard)) / len(heard),
    }  # fmt: skip


def refused(h: Transcription, doubtful_below: float) -> bool:
    """Whether the headband does not answer that transcript, or asks back: it is empty or doubtful, or has a
    word that nothing behind the recogniser knows.
    """
    return not h.text or not set(h.text.split()) <= grammar_words() or h.probability < doubtful_below


def rightly(h: Transcription) -> bool:
    """Whether at most the polite word before or after the question is missing or added."""
    return without_polite_word(h.clip.text) == without_polite_word(h.text)


def report(heard: Sequence[Transcription], doubtful_below: float) -> dict[str, object]:
    """All figures, ready for JSON."""
    asked = [h for h in heard if h.clip.text and h.clip.family != "other speech"]

    def by(key: Callable[[Transcription], str]) -> dict[str, dict[str, float]]:
        return {
            name: word_error([h for h in asked if key(h) == name]) for name in sorted({key(h) for h in asked})
        }

    def noise_band(h: Transcription) -> str:
        snr_db = h.clip.snr_db
        if snr_db is None:
            return "clean"
        return "5-10 dB" if snr_db < 10 else "10-20 dB" if snr_db < 20 else "20-30 dB"

    def accent(h: Transcription) -> str:
        language = h.clip.voice.split("+")[0]
        return "known accent" if language in TRAIN_LANGUAGES else "unheard accent"

    groups = {
        "other speech": [h for h in heard if h.clip.family == "other speech"],
        "no speech": [h for h in heard if h.clip.family == "no speech"],
        "heard rightly": [h for h in asked if rightly(h)],
        "heard wrongly": [h for h in asked if not rightly(h)],
    }
    refusals = {}
    for kind, of_kind in groups.items():
        if of_kind:
            rate, low, high = bootstrap([refused(h, doubtful_below) for h in of_kind], [1.0] * len(of_kind))
            refusals[kind] = {"clips": len(of_kind), "refused": rate, "low": low, "high": high}
    return {
        "all": word_error(asked),
        "voices": by(accent),
        "noise": by(noise_band),
        "numbers": by(lambda h: "numbers" if has_number(h.clip.family) else "others"),
        "families": by(lambda h: h.clip.family),
        "refused": refusals,
        "median_ms": 1000.0 * float(np.median([h.seconds for h in heard])),
    }


def show(figures: dict[str, object]) -> None:
    """Print the figures as a table."""

    def span(f: dict[str, float], name: str) -> str:
        return f"{100 * f[name]:5.2f} % [{100 * f['low']:.2f}, {100 * f['high']:.2f}]"

    def line(name: str, f: dict[str, float]) -> str:
        tail = f"exact {100 * f['exact']:5.1f} %  question right {100 * f['question']:5.1f} %"
        tail += f"  wrongly empty {100 * f['false_empty']:4.1f} %"
        return f"{name:16s} {f['clips']:5d} clips  word error {span(f, 'word_error')}  {tail}"

    print(line("all", figures["all"]))  # type: ignore[arg-type]
    for group in ("voices", "noise", "numbers", "families"):
        for name, f in figures[group].items():  # type: ignore[attr-defined]
            print(line(name, f))
    for name, f in figures["refused"].items():  # type: ignore[attr-defined]
        print(f"{name:16s} {f['clips']:5d} clips  refused {span(f, 'refused')}")
    print(f"median time {figures['median_ms']:.0f} ms a clip")


def _stated(model: Path) -> Mapping[str, Any]:
    """What the pack that a model is in says of doubt and of hearing again; nothing outside of one."""
    if not (model.parent / "pack.toml").is_file():
        return {}
    settings = read_manifest(model.parent).bricks.get("stt", {}).get("settings", {})
    return {name: settings[name] for name in ("doubtful_below", "paces", "sure_from") if name in settings}


def main() -> None:
    """Parse the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=Path("models/packs/micro/stt.bin"))
    parser.add_argument("--split", choices=("validation", "test"), default="test")
    parser.add_argument("--questions", type=int, default=700)
    parser.add_argument("--others", type=int, default=150)
    parser.add_argument("--quiet", type=int, default=150)
    parser.add_argument(
        "--doubtful-below", type=float, help="default: as in the manifest of the pack that the model is in"
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--errors", type=int, default=0, help="also print this many wrong transcripts")
    options = parser.parse_args()
    stated = _stated(options.model)
    recogniser = InProcessRecogniser(
        {**stated, "model": str(options.model), "audio_ctx": WINDOWS, "max_tokens": 24},
        threads=options.threads,
    )
    heard = [
        transcribed(recogniser, c)
        for c in fixed_clips(options.split, options.questions, options.others, options.quiet)
    ]
    doubtful = options.doubtful_below
    figures = report(heard, float(stated.get("doubtful_below", 0.0)) if doubtful is None else doubtful)
    if options.json:
        print(json.dumps(figures))
        return
    show(figures)
    for h in [h for h in heard if h.text != h.clip.text][: options.errors]:
        print(f"  {h.clip.text!r} -> {h.text!r} ({h.clip.voice}, {h.clip.snr_db}, {h.probability:.2f})")


if __name__ == "__main__":
    main()

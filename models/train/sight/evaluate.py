"""How well the ViT and the decoder answer held-out questions on held-out scenes, in the real runtimes.

    python -m models.train.sight.evaluate models/packs/micro

The training data has neither these layouts nor these sentences, and many scenes show pairs of shape and
colour that it lacks. Intervals are 95 % bootstrap intervals.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from models.train.sight.runtime import AnswerDecoder, VisionEncoder
from models.train.world.drawing import render
from models.train.world.grammar import HELD_OUT_PAIRS
from models.train.world.questions import ask_many, chat
from models.train.world.scenes import FramePair, Scene, random_clip, random_scene
from models.train.world.truth import TrueAnswer

CLOSED = (
    "colour", "shape", "count", "exist", "relation", "position", "size", "sign", "side", "motion", "change",
)  # fmt: skip
_PAIR = re.compile(r"\b([a-z]+) (circle|square|triangle|star|heart|cross|diamond|ring)\b")
_ABOUT = re.compile(r"\b(five|six) things\b|\ba sign\b|not see anything")


@dataclass(frozen=True)
class Case:
    """A question with the true answer and the decoder's. `new_pair`: the picture has a held-out pair."""

    family: str
    kind: str
    question: str
    truth: str
    said: str
    new_pair: bool

    @property
    def right(self) -> bool:
        """True for the same words; in a description the order of things does not matter."""
        return self.said == self.truth or (
            self.family == "describe" and mentions(self.said) == mentions(self.truth)
        )


def mentions(description: str) -> tuple[tuple[str, ...], ...]:
    """The things that a description names, sorted."""
    pairs = sorted(" ".join(found) for found in _PAIR.findall(description))
    return tuple(pairs), tuple(sorted(found.group() for found in _ABOUT.finditer(description)))


def interval(values: Sequence[bool], rounds: int = 2000) -> tuple[float, float, float]:
    """Share of true values with its 95 % bootstrap interval."""
    data = np.asarray(values, np.float64)
    draws = np.random.default_rng(0).integers(0, len(data), (rounds, len(data)))
    low, high = np.percentile(data[draws].mean(1), (2.5, 97.5))
    return float(data.mean()), float(low), float(high)


def _frames(view: Scene | FramePair) -> list[Scene]:
    return [view] if isinstance(view, Scene) else [view.first, view.second]


def run(
    encoder: VisionEncoder,
    decoder: AnswerDecoder,
    views: Sequence[Scene | FramePair],
    rng: random.Random,
    split: str,
    each: int,
) -> list[Case]:
    """Asks up to `each` questions about every view."""
    cases = []
    for view in views:
        frames = _frames(view)
        asked: list[TrueAnswer] = ask_many(view, rng, split, each)
        decoder.prefill_images([encoder.encode(render(frame, index)) for index, frame in enumerate(frames)])
        new = any(thing.pair in HELD_OUT_PAIRS for frame in frames for thing in frame.things)
        cases += [
            Case(a.family, a.kind, a.question, a.answer, decoder.answer(a.question), new) for a in asked
        ]
    return cases


def small_talk(decoder: AnswerDecoder, rng: random.Random, split: str, number: int) -> list[Case]:
    """Small talk without pictures."""
    decoder.prefill_images([])
    asked = [chat(rng, split) for _ in range(number)]
    return [Case("smalltalk", a.kind, a.question, a.answer, decoder.answer(a.question), False) for a in asked]


def report(cases: Sequence[Case]) -> dict[str, dict[str, float]]:
    """Shares of right answers with intervals: by family, with and without new pairs, and of refusals."""

    def row(chosen: Sequence[bool]) -> dict[str, float]:
        if not chosen:
            return {"n": 0}
        share, low, high = interval(chosen)
        return {"n": len(chosen), "share": round(share, 4), "low": round(low, 4), "high": round(high, 4)}

    def rights(wanted: Callable[[Case], bool]) -> list[bool]:
        return [case.right for case in cases if wanted(case)]

    refused = [(case.kind, case.said.startswith("I cannot")) for case in cases if case.family != "smalltalk"]
    rows = {}
    for family in (*CLOSED, "describe", "smalltalk"):
        rows[family] = row([case.right for case in cases if case.family == family])
    rows["closed"] = row(rights(lambda case: case.family in CLOSED))
    rows["closed, new pairs shown"] = row(rights(lambda case: case.family in CLOSED and case.new_pair))
    rows["closed, known pairs only"] = row(rights(lambda case: case.family in CLOSED and not case.new_pair))
    rows["cannot tell, said when true"] = row([said for kind, said in refused if kind == "cannot_tell"])
    rows["cannot tell, said falsely"] = row([said for kind, said in refused if kind == "answerable"])
    return rows


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pack", type=Path, help="folder with vit.onnx and decoder.gguf")
    parser.add_argument("--scenes", type=int, default=300)
    parser.add_argument("--clips", type=int, default=120)
    parser.add_argument("--each", type=int, default=5, help="questions per picture")
    parser.add_argument("--split", choices=("train", "validation", "held"), default="held")
    parser.add_argument("--json", type=Path, help="write every case here")
    parser.add_argument("--wrong", type=int, default=0, help="print this many wrong answers")
    options = parser.parse_args()
    started = time.monotonic()
    encoder, decoder = VisionEncoder(options.pack / "vit.onnx"), AnswerDecoder(options.pack / "decoder.gguf")
    rng = random.Random(f"evaluation {options.split}")
    views: list[Scene | FramePair] = [random_scene(rng, options.split) for _ in range(options.scenes)]
    views += [random_clip(rng, options.split) for _ in range(options.clips)]
    cases = run(encoder, decoder, views, rng, options.split, options.each)
    cases += small_talk(decoder, rng, options.split, 60)
    for name, row in report(cases).items():
        if row["n"]:
            print(f"{name:28s} n {row['n']:5d}   {row['share']:.3f}   ({row['low']:.3f} - {row['high']:.3f})")
    print(f"{len(cases)} questions in {time.monotonic() - started:.0f} s")
    for case in [case for case in cases if not case.right][: options.wrong]:
        print(f"{case.family:9s} {case.question!r}: {case.truth!r} but said {case.said!r}")
    if options.json:
        options.json.write_text(json.dumps([asdict(case) for case in cases], indent=1))


if __name__ == "__main__":
    main()

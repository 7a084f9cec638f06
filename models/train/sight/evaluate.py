"""How well the encoder and the decoder answer held-out questions on held-out pictures, in the real runtimes.

    python -m models.train.sight.evaluate models/packs/micro

Pictures are scenes and clips of shapes, and with `--views` views of the home. The training data has neither
these layouts nor these sentences, and many pictures show pairs of shape and colour, or of thing and place,
that it lacks. A pack with a text tower is also asked to find views by caption, at every exit. Intervals are
95 % bootstrap intervals. A pack with an object detector is asked twice: the decoder alone, and as its answers
are said once the detector has checked them.
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
from numpy.typing import NDArray

from host.answers.seen.evidence import Evidence, weighed
from host.answers.seen.written import asks_what_is_written
from models.brick import Context
from models.bricks.detector import Detector
from models.bricks.reader import TextReader
from models.detection import Detection
from models.pack.catalogue import Pack, load_pack
from models.sensing.picture_quality import quality_of
from models.train.sight.data.captioned import TRUE, chosen_captions, matches
from models.train.sight.runtime import AnswerDecoder, Encoder, EncoderChain, TextEncoder, encoder_in
from models.train.sight.text_words import TextWords
from models.train.world.caption_truth import of_view
from models.train.world.drawing import render
from models.train.world.grammar import HELD_OUT_PAIRS
from models.train.world.home import questions as home_questions
from models.train.world.home.answers import FAMILIES as HOME_FAMILIES
from models.train.world.home.picture.render import render as render_view
from models.train.world.home.random_views import random_view
from models.train.world.home.splits import HELD_OUT_PLACES
from models.train.world.home.truth import truth_of
from models.train.world.questions import ask_many, chat
from models.train.world.scenes import FramePair, Scene, random_clip, random_scene
from models.train.world.truth import CLIP_FAMILIES, SCENE_FAMILIES, TrueAnswer

CLOSED = (
    "colour", "shape", "count", "exist", "relation", "position", "size", "sign", "side", "motion", "change",
)  # fmt: skip
FURTHER = tuple(f for f in (*SCENE_FAMILIES, *CLIP_FAMILIES) if f not in (*CLOSED, "describe"))
HOME = tuple(f"home {family}" for family in HOME_FAMILIES)
_SHAPE = "circle|square|triangle|star|heart|cross|diamond|ring"
_PAIR = re.compile(rf"\b(?:(?:two|three|four|five|six) )?[a-z]+ (?:{_SHAPE})(?:e?s)?\b")
_REFUSALS = ("I see ", "I do not see ", "I cannot see ")
"""How an answer begins that does not take the question as it is; what it says is there may still be wrong."""
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
    pairs = sorted(found.group() for found in _PAIR.finditer(description))
    return tuple(pairs), tuple(sorted(found.group() for found in _ABOUT.finditer(description)))


def interval(values: Sequence[bool], rounds: int = 2000) -> tuple[float, float, float]:
    """Share of true values with its 95 % bootstrap interval."""
    data = np.asarray(values, np.float64)
    draws = np.random.default_rng(0).integers(0, len(data), (rounds, len(data)))
    low, high = np.percentile(data[draws].mean(1), (2.5, 97.5))
    return float(data.mean()), float(low), float(high)


class CheckedDecoder:
    """A decoder whose answers about one picture or the difference of two an object detector checks, and what
    is written in one the text reader.
    """

    def __init__(self, decoder: AnswerDecoder, pack: Pack) -> None:
        self._decoder, self._pack = decoder, pack
        options = pack.bricks["reflex"].options
        self._detector = Detector(options, Context())
        self._reader = None if pack.reading is None else TextReader(Path(options["reader"]), Context())
        self._seen: list[Detection] = []
        self._picture: NDArray[np.uint8] | None = None

    def prefill_images(
        self, frames: Sequence[NDArray[np.float32]], pictures: Sequence[NDArray[np.uint8]] = ()
    ) -> None:
        """As that of the decoder. pictures: of these rows, in which the text reader reads."""
        self._seen = [self._detector.seen(rows) for rows in frames]
        self._picture = pictures[0] if len(pictures) == 1 else None
        self._decoder.prefill_images(frames)

    def answer(self, question: str) -> str:
        """The answer, or what is said in its place."""
        said, least = self._decoder.answer_with_probability(question)
        words = None
        if self._reader is not None and self._picture is not None and asks_what_is_written(question):
            words = self._reader.read(self._picture)
        cause = "" if self._picture is None else quality_of(self._picture).cause
        evidence = Evidence(tuple(self._seen), words, cause)
        verdict = weighed(said, least, question, evidence, self._pack.detection, self._pack.reading).verdict
        return said if verdict is None else verdict.said


Answers = AnswerDecoder | CheckedDecoder


def _frames(view: Scene | FramePair) -> list[Scene]:
    return [view] if isinstance(view, Scene) else [view.first, view.second]


def run(
    encoder: Encoder,
    decoder: Answers,
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
        pictures = [render(frame, index, encoder.side_px) for index, frame in enumerate(frames)]
        taken = [render(frame, index) for index, frame in enumerate(frames)]  # at the camera's size
        decoder.prefill_images([encoder.encode(picture) for picture in pictures], taken)
        new = any(thing.pair in HELD_OUT_PAIRS for frame in frames for thing in frame.things)
        cases += [
            Case(a.family, a.kind, a.question, a.answer, decoder.answer(a.question), new) for a in asked
        ]
    return cases


def run_views(
    encoder: Encoder, decoder: Answers, rng: random.Random, split: str, views: int, each: int
) -> list[Case]:
    """Asks up to `each` questions about every random view of the home."""
    cases = []
    for _ in range(views):
        view = random_view(rng, split)
        asked = home_questions.ask_many(truth_of(view, encoder.side_px), rng, split, each)
        decoder.prefill_images([encoder.encode(render_view(view, encoder.side_px))], [render_view(view)])
        new = any((thing.kind, view.place) in HELD_OUT_PLACES for thing in view.things)
        cases += [
            Case(f"home {a.family}", a.kind, a.question, a.answer, decoder.answer(a.question), new)
            for a in asked
        ]
    return cases


def find(folder: Path, rng: random.Random, split: str, views: int) -> dict[int, tuple[float, float]]:
    """Depth -> share of captions (R@1, R@5) that find a view of which they are true among `views`."""
    chain, text = EncoderChain(folder / "vision"), TextEncoder(folder / "text.onnx")
    words = TextWords.load(folder / "text.json")
    shown = [random_view(rng, split, 0.0) for _ in range(views)]
    captioned = [of_view(view, truth_of(view, chain.side_px)) for view in shown]
    captions = [caption for one in captioned for caption in chosen_captions(one, rng, 1)]
    match = matches(captioned, captions)
    by_depth: dict[int, list[NDArray[np.float32]]] = {}
    for view in shown:
        for depth, each in enumerate(chain.activations(render_view(view, chain.side_px))[1:], 1):
            by_depth.setdefault(depth, []).append(chain.embed(each, depth))
    sought = np.stack([text.embed(words.encode(caption)) for caption in captions])
    found = {}
    for depth, embeddings in by_depth.items():
        order = np.argsort(-sought @ np.stack(embeddings).T, 1)[:, :5]
        right = np.take_along_axis(match.T == TRUE, order, 1)
        found[depth] = float(right[:, 0].mean()), float(right.any(1).mean())
    return found


def small_talk(decoder: Answers, rng: random.Random, split: str, number: int) -> list[Case]:
    """Small talk and what has no answer, without pictures."""
    decoder.prefill_images([])
    asked = [chat(rng, split) for _ in range(number)]
    return [Case(a.family, a.kind, a.question, a.answer, decoder.answer(a.question), False) for a in asked]


def report(cases: Sequence[Case]) -> dict[str, dict[str, float]]:
    """Shares of right answers with intervals: by family, with and without new pairs, and of refusals."""

    def row(chosen: Sequence[bool]) -> dict[str, float]:
        if not chosen:
            return {"n": 0}
        share, low, high = interval(chosen)
        return {"n": len(chosen), "share": round(share, 4), "low": round(low, 4), "high": round(high, 4)}

    def rights(wanted: Callable[[Case], bool]) -> list[bool]:
        return [case.right for case in cases if wanted(case)]

    refused = [
        (case.kind, case.said.startswith("I cannot"))
        for case in cases
        if case.kind != "declined" and case.family != "smalltalk" and case.family not in HOME
    ]
    rows = {}
    for family in (*CLOSED, "describe", "smalltalk", *FURTHER, *HOME):
        rows[family] = row([case.right for case in cases if case.family == family])
    rows["home"] = row(rights(lambda case: case.family in HOME))
    rows["home, new places shown"] = row(rights(lambda case: case.family in HOME and case.new_pair))
    rows["closed"] = row(rights(lambda case: case.family in CLOSED))
    rows["closed, new pairs shown"] = row(rights(lambda case: case.family in CLOSED and case.new_pair))
    rows["closed, known pairs only"] = row(rights(lambda case: case.family in CLOSED and not case.new_pair))
    for family in ("safety", "incomplete", "other"):
        rows[family] = row([case.right for case in cases if case.family == family])
    rows["false premise, told"] = row(rights(lambda case: case.kind == "false_premise"))
    rows["false premise, refused"] = row(
        [case.said.startswith(_REFUSALS) for case in cases if case.kind == "false_premise"]
    )
    rows["cannot tell, said when true"] = row([said for kind, said in refused if kind == "cannot_tell"])
    rows["cannot tell, said falsely"] = row([said for kind, said in refused if kind == "answerable"])
    return rows


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pack", type=Path, help="folder of a pack, or of exported files")
    parser.add_argument("--scenes", type=int, default=300)
    parser.add_argument("--clips", type=int, default=120)
    parser.add_argument("--views", type=int, default=0, help="views of the home")
    parser.add_argument("--find", type=int, default=0, help="views among which captions find theirs")
    parser.add_argument("--each", type=int, default=5, help="questions per picture")
    parser.add_argument("--split", choices=("train", "validation", "held"), default="held")
    parser.add_argument("--json", type=Path, help="write every case here")
    parser.add_argument("--wrong", type=int, default=0, help="print this many wrong answers")
    options = parser.parse_args()
    started = time.monotonic()
    encoder, decoder = encoder_in(options.pack), AnswerDecoder(options.pack / "decoder.gguf")
    pack = load_pack(options.pack) if (options.pack / "pack.toml").is_file() else None
    asked: list[tuple[str, Answers]] = [("the decoder alone", decoder)]
    if pack is not None and pack.detection is not None:
        asked.append(("checked by the object detector", CheckedDecoder(decoder, pack)))
    for title, who in asked:
        rng = random.Random(f"evaluation {options.split}")
        views: list[Scene | FramePair] = [random_scene(rng, options.split) for _ in range(options.scenes)]
        views += [random_clip(rng, options.split) for _ in range(options.clips)]
        cases = run(encoder, who, views, rng, options.split, options.each)
        cases += run_views(encoder, who, rng, options.split, options.views, options.each)
        cases += small_talk(who, rng, options.split, 60)
        print(title)
        for name, row in report(cases).items():
            if row["n"]:
                low_high = f"({row['low']:.3f} - {row['high']:.3f})"
                print(f"{name:28s} n {row['n']:5d}   {row['share']:.3f}   {low_high}")
    if options.find:
        for depth, (first, five) in find(options.pack, rng, options.split, options.find).items():
            print(f"captions at depth {depth:2d} among {options.find} views: R@1 {first:.3f}  R@5 {five:.3f}")
    print(f"{len(cases)} questions in {time.monotonic() - started:.0f} s")
    for case in [case for case in cases if not case.right][: options.wrong]:
        print(f"{case.family:9s} {case.question!r}: {case.truth!r} but said {case.said!r}")
    if options.json:
        options.json.write_text(json.dumps([asdict(case) for case in cases], indent=1))


if __name__ == "__main__":
    main()

"""Views of both worlds with questions, as rows of a given eye: shards that are made once and kept.

    python -m models.train.reflex.data --eye models/packs/micro

Pictures are drawn and look in many manners, and most things have other designs than the usual styles
(`models.train.world.variety`). Some styles, designs, wordings, hands and looks are kept back from training
(`unseen`); the parts "score" and "validation" have mixes of them and of what training has. Shards depend on
the eye's files, their part and number only, and stand in a folder by the eye's identity. A run that is
interrupted goes on with the shards that are missing.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.bricks.closed_sentence import AnswerTable
from models.pack.chain import identity
from models.pack.sha256 import sha256_of
from models.pixels import square_pixels
from models.train.reflex.examples import Example, Shard, read_shard, write_shard
from models.train.reflex.forms import answer_table
from models.train.reflex.labels import Labels, cause_of
from models.train.reflex.unseen import KNOWN, MIXES, Unseen, with_designs, worded
from models.train.reflex.vqa.record import DataError
from models.train.sight.data.camera import Shot, plain, random_shot, taken
from models.train.sight.data.training_batches import (
    BatchPlan,
    questions_about,
    scene_to_ask_about,
    training_view,
)
from models.train.sight.runtime import EncoderChain, VisionEncoder
from models.train.world.home import questions as home_questions
from models.train.world.home.random_views import random_view
from models.train.world.home.truth import Truth, truth_of
from models.train.world.home.views import View
from models.train.world.questions import ask_many, chat
from models.train.world.said import negation
from models.train.world.scenes import Scene, random_scene
from models.train.world.truth import TrueAnswer
from models.train.world.variety.designs.from_cutouts import add_argument, mark, use_given
from models.train.world.variety.manner import Manner, Picture, random_manner

LETTERS = ("label", "sign")
"""Families that are asked again, because few views have readable letters."""
_RECIPE = "negations-2"
"""In the names of the shards, so that those of another way to draw are not taken."""
_LEAST_SEEN, _LEAST_SHARE = 20, 1 / 15_000
"""Training questions that have a word, so that it is known, and share of them: others are handed over at run
time.
"""
_PLAN = BatchPlan(unnamed_colour_share=0.2, unnamed_shape_share=0.1)


@dataclass(frozen=True)
class DataPlan:
    """How much is made, and of what. shards: by part. questions: of each picture, at most. home_share: of the
    pictures. absent_questions: of each training view of the home, about things that are not there; asked at
    random, a question is about something that is there many times as often. negated_share: of the yes-or-no
    questions. chat_share: pictures about which something is said that needs none, or that has no answer.
    least_seen: training questions that have a word, so that it is known.
    """

    pictures: int = 500
    shards: dict[str, int] = field(default_factory=lambda: {"train": 40, "score": 6, "validation": 3})
    questions: int = 10
    home_share: float = 0.56
    absent_questions: int = 3
    negated_share: float = 0.3
    chat_share: float = 0.4
    least_seen: int = _LEAST_SEEN


class Eye:
    """A pack's vision encoder, from its exported files. identity: the last part of the encoder's identity, as
    a pack with these files has it.
    """

    def __init__(self, pack: Path) -> None:
        """Raises DataError for a folder without such files."""
        chain, whole = pack / "vision", pack / "vit.onnx"
        files = {path.stem: path for path in chain.glob("*.onnx")} or {"model": whole}
        if not all(path.is_file() for path in files.values()):
            raise DataError(f"{pack} holds no eye: neither vision/*.onnx nor vit.onnx.")
        self.identity = identity("", "", {key: sha256_of(path) for key, path in files.items()}).strip()
        self._encoder = VisionEncoder(whole) if "model" in files else EncoderChain(chain)
        self.side_px = self._encoder.side_px

    def rows(self, picture: Picture) -> NDArray[np.float16]:
        """float16 [tokens, width], as the ring holds them."""
        return self._encoder.encode(picture).astype(np.float16)

    def picture_rows(self, picture: Picture) -> NDArray[np.float16]:
        """The rows of a picture of any size, made square as the micro pack does it."""
        return self.rows(square_pixels(picture, self.side_px))


class WorldSource:
    """Examples of the drawn shapes and the drawn home."""

    def __init__(
        self, eye: Eye, cache: Path, plan: DataPlan | None = None, known: tuple[str, ...] = ()
    ) -> None:
        """known: the vocabulary, where it is not that of the training questions."""
        self.eye, self.plan, self._known = eye, plan or DataPlan(), known
        self._folder = cache / "rows" / (eye.identity + mark())
        self._labels = Labels(answer_table())

    @property
    def table(self) -> AnswerTable:
        """The answers of both worlds."""
        return self._labels.table

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the training questions, sorted; those that hardly occur are left out."""
        if self._known:
            return self._known
        shards = (self.shard("train", number) for number in range(self.count("train")))
        asked = [set(one.question.split()) for shard in shards for one in shard.examples]
        counts = Counter(word for words in asked for word in words)
        least = max(self.plan.least_seen, _LEAST_SHARE * len(asked))
        return tuple(sorted(word for word, count in counts.items() if count >= least))

    def count(self, part: str) -> int:
        """Shards of a part."""
        return self.plan.shards[part]

    def shard(self, part: str, number: int) -> Shard:
        """One shard, made where it is missing."""
        name = f"{part}-{self.plan.pictures}-{_RECIPE}-{number:04d}"
        found = read_shard(self._folder, name)
        if found is None:
            write_shard(self._made(part, number), self._folder, name)
            found = read_shard(self._folder, name)
        assert found is not None
        return found

    def _made(self, part: str, number: int) -> Shard:
        rng = random.Random(f"reflex {_RECIPE} {part} {number}")
        rows, examples = [], []
        mixes = (KNOWN,) if part == "train" else MIXES
        for picture in range(self.plan.pictures):
            unseen = mixes[picture % len(mixes)]
            pixels, asked = self.view(rng, part, unseen)
            rows.append(self.eye.rows(pixels))
            examples += [self.example(picture, answer, unseen.name) for answer in asked]
        return Shard(np.stack(rows), tuple(examples))

    def example(self, picture: int, answer: TrueAnswer, unseen: str = "") -> Example:
        """A true answer with its labels."""
        cause, label = self.table.causes.index(cause_of(answer)), self._labels.of(answer)
        return Example(picture, answer.question, label, cause, answer.answer, answer.family, unseen=unseen)

    def view(self, rng: random.Random, part: str, unseen: Unseen = KNOWN) -> tuple[Picture, list[TrueAnswer]]:
        """A random picture of a part and what is asked about it."""
        plan, side = self.plan, self.eye.side_px
        trained = part in ("train", "score")
        split = "train" if trained else part
        shot = random_shot(rng, side) if trained or rng.random() < 0.25 else plain(side)
        splits = ("train",) if trained else (split, "train")
        if unseen.home_only or rng.random() < plan.home_share:
            view = training_view(rng, _PLAN.word_share) if trained else random_view(rng, split, 0.06)
            view = with_designs(view, rng, unseen, _PLAN.design_share)
            manner = random_manner(rng, unseen.looks)
            truth, pixels = shown_view(view, shot, side, manner)
            absent = plan.absent_questions if part == "train" else 0
            asked = _asked_at_home(truth, rng, splits, plan.questions, unseen, absent)
            clear = truth.quality == "clear"
        else:
            scene = random_scene(rng, split, 0.06)
            if trained:
                scene = scene_to_ask_about(scene, rng, _PLAN)
            asked = _asked_of_shapes(scene, rng, splits, plan.questions, unseen)
            manner = random_manner(rng, unseen.looks)
            drawn = manner.scene(scene, 0, shot.drawn_px)
            pixels = taken(drawn, shot, side, bright=scene.quality != "dark")
            clear = scene.quality == "clear"
        if clear:
            pixels = manner.looked(pixels)
        asked = [*with_negations(asked, rng, splits[0], plan.negated_share)]
        if rng.random() < plan.chat_share:
            asked.append(chat(rng, splits[0]))
        return pixels, asked


def with_negations(
    asked: Iterable[TrueAnswer], rng: random.Random, split: str, share: float
) -> Iterable[TrueAnswer]:
    """The questions, of which a share of those that can be negated is."""
    for answer in asked:
        negative = negation.negated(answer, rng, split) if rng.random() < share else None
        yield negative or answer


def _asked_of_shapes(
    scene: Scene, rng: random.Random, splits: tuple[str, ...], wanted: int, unseen: Unseen
) -> list[TrueAnswer]:
    def ask(number: int) -> Iterable[TrueAnswer]:
        if splits == ("train",):
            return questions_about(scene, rng, number)
        each = number // len(splits)
        return [answer for split in splits for answer in ask_many(scene, rng, split, each)]

    return worded(ask, wanted, unseen.wordings)


def _asked_at_home(
    truth: Truth, rng: random.Random, splits: tuple[str, ...], wanted: int, unseen: Unseen, absent: int
) -> list[TrueAnswer]:
    letters = any(thing.label and thing.visible > 0 for thing in truth.things) or truth.signs

    def ask(number: int) -> Iterable[TrueAnswer]:
        each = number // len(splits)
        asked = [one for split in splits for one in home_questions.ask_many(truth, rng, split, each)]
        if letters and truth.quality == "clear":
            more = [
                home_questions.ask(truth, rng, splits[-1], family) for family in LETTERS for _ in range(2)
            ]
            asked = [*(answer for answer in more if answer is not None), *asked]
        if absent:
            asked = [*home_questions.ask_about_absent(truth, rng, absent), *asked]
        return {answer.question: answer for answer in asked}.values()

    return worded(ask, wanted + 2, unseen.wordings)


def shown_view(view: View, shot: Shot, side_px: int, manner: Manner) -> tuple[Truth, Picture]:
    """A picture of the home and what is true of it; what can be read is judged at its size in the picture."""
    truth = truth_of(view, round(side_px * min(shot.window.width, shot.window.height)))
    return truth, taken(manner.view(view, shot.drawn_px), shot, side_px, bright=truth.quality != "dark")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the commands need to find or make shards."""
    parser.add_argument("--eye", type=Path, required=True, help="folder of a pack with the vision encoder")
    parser.add_argument("--cache", type=Path, default=Path(".cache/train/reflex"), help="shards, checkpoints")
    parser.add_argument("--shards", type=int, help="training shards of 500 pictures")
    add_argument(parser)


def world_source(options: argparse.Namespace, known: tuple[str, ...] = ()) -> WorldSource:
    """The source of the commands' arguments. known: as for `WorldSource`."""
    use_given(options)
    plan = DataPlan()
    if options.shards is not None:
        plan = replace(plan, shards={**plan.shards, "train": options.shards})
    return WorldSource(Eye(options.eye), options.cache, plan, known)


def make_missing(options: argparse.Namespace, process: int) -> None:
    """Makes every shard of one of the processes that is missing."""
    source = world_source(options)
    every = [(part, number) for part, count in source.plan.shards.items() for number in range(count)]
    for part, number in every[process :: options.processes]:
        started_s = time.monotonic()
        shard = source.shard(part, number)
        print(
            f"{part} {number}: {len(shard.examples)} questions, {time.monotonic() - started_s:.0f} s",
            flush=True,
        )


def in_processes(make: Callable[[argparse.Namespace, int], None], options: argparse.Namespace) -> None:
    """Runs `make` with each number below `options.processes`, in a process of its own. Raises SystemExit
    where one fails.
    """
    processes = [
        multiprocessing.get_context("spawn").Process(target=make, args=(options, number))
        for number in range(options.processes)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        raise SystemExit(1)


def make_shards(
    described: str | None,
    add: Callable[[argparse.ArgumentParser], None],
    make: Callable[[argparse.Namespace, int], None],
) -> None:
    """The command that makes missing shards. add: adds its arguments; make: as for `in_processes`."""
    parser = argparse.ArgumentParser(
        description=described, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add(parser)
    parser.add_argument("--processes", type=int, default=1, help="that draw")
    in_processes(make, parser.parse_args())


if __name__ == "__main__":
    make_shards(__doc__, add_arguments, make_missing)

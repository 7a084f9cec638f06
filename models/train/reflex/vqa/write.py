"""Writes views of the drawn home out as published data, so that the readers meet their formats without it.

    python -m models.train.reflex.vqa.write DIR [--format vqav2 | vizwiz] [--train 400] [--val 100]

Pictures are JPEG files; the training split shows layouts and asks sentences of training, val those that are
held out. Each question has ten people's answers, with their paraphrases and mistakes by seed. VizWiz's
questions that nobody can answer are among its own; VQAv2 has none.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from models.train.reflex.vqa.people import answer_type, answers_of_people, short
from models.train.world.home.picture.render import render
from models.train.world.home.questions import ask_many
from models.train.world.home.random_views import random_view
from models.train.world.home.truth import truth_of
from models.train.world.truth import TrueAnswer

FORMATS = ("vqav2", "vizwiz")
_QUESTION_TYPES = (
    "what color is the", "what is in the", "what is on the", "what is the", "what is", "is there a",
    "is there", "is the", "is this", "are the", "are there", "are", "is", "how many", "where are the",
    "where is the", "which", "do you", "can you", "could", "what are the", "what",
)  # fmt: skip
_PER_VIEW = {"vqav2": 5, "vizwiz": 1}


@dataclass(frozen=True)
class _Asked:
    picture: int
    question: TrueAnswer


def write(folder: Path, form: str, pictures: dict[str, int], seed: int, side_px: int = 224) -> None:
    """Write both splits. pictures: how many each has."""
    for split, number in pictures.items():
        rng = random.Random(f"{form} {split} {seed}")
        asked = _draw(folder, form, split, number, rng, side_px)
        (_write_vqav2 if form == "vqav2" else _write_vizwiz)(folder, split, asked, rng)


def picture_name(form: str, split: str, number: int) -> str:
    """File of a picture within the folder."""
    if form == "vqav2":
        return f"{split}2014/COCO_{split}2014_{number:012d}.jpg"
    return f"{split}/VizWiz_{split}_{number:08d}.jpg"


def _draw(folder: Path, form: str, split: str, number: int, rng: random.Random, side_px: int) -> list[_Asked]:
    own, unanswered = "train" if split == "train" else "held", 0.5 if form == "vizwiz" else 0.0
    asked: list[_Asked] = []
    for at in range(number):
        view = random_view(rng, own, 0.1 if form == "vizwiz" else 0.0)
        path = folder / picture_name(form, split, at)
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(render(view, side_px)).save(path, "JPEG", quality=rng.choice((60, 75, 88, 95)))
        found = ask_many(truth_of(view, side_px), rng, own, 12)
        fit = [
            one for one in found if short(one) or (one.kind == "cannot_tell" and rng.random() < unanswered)
        ]
        asked += [_Asked(at, one) for one in fit[: _PER_VIEW[form]]]
    return asked


def _spoken(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}?"


def _question_type(text: str) -> str:
    return next((each for each in _QUESTION_TYPES if text.startswith(f"{each} ")), "none of the above")


def _write_vqav2(folder: Path, split: str, asked: Sequence[_Asked], rng: random.Random) -> None:
    others = [short(one.question) for one in asked]
    subset = f"{split}2014"
    head = {
        "info": {"description": "Views of a drawn home in the format of VQAv2", "version": "2.0"},
        "license": {"name": "MIT", "url": ""},
        "data_type": "mscoco",
        "data_subtype": subset,
    }
    questions, annotations = [], []
    for at, one in enumerate(asked):
        number, text = one.picture * 1000 + at % 1000, short(one.question)
        question = {
            "image_id": one.picture,
            "question": _spoken(one.question.question),
            "question_id": number,
        }
        questions.append(question)
        annotations.append(
            {
                "question_type": _question_type(one.question.question),
                "multiple_choice_answer": text,
                "answers": answers_of_people(text, others, rng),
                "image_id": one.picture,
                "answer_type": answer_type(text),
                "question_id": number,
            }
        )
    _save(
        folder / f"v2_OpenEnded_mscoco_{subset}_questions.json",
        {**head, "task_type": "Open-Ended", "questions": questions},
    )
    _save(folder / f"v2_mscoco_{subset}_annotations.json", {**head, "annotations": annotations})


def _write_vizwiz(folder: Path, split: str, asked: Sequence[_Asked], rng: random.Random) -> None:
    others = [text for one in asked if (text := short(one.question))]
    records = []
    for one in asked:
        text = short(one.question)
        answers = answers_of_people(text, others, rng)
        for answer in answers:
            del answer["answer_id"]
        records.append(
            {
                "image": Path(picture_name("vizwiz", split, one.picture)).name,
                "question": _spoken(one.question.question),
                "answers": answers,
                "answer_type": answer_type(text) if text else "unanswerable",
                "answerable": int(bool(text)),
            }
        )
    _save(folder / f"{split}.json", records)


def _save(path: Path, value: object) -> None:
    path.write_text(json.dumps(value), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--format", choices=FORMATS, default="vizwiz")
    parser.add_argument("--train", type=int, default=400, help="pictures (default 400)")
    parser.add_argument("--val", type=int, default=100, help="pictures (default 100)")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    try:
        given.folder.mkdir(parents=True, exist_ok=True)
        write(given.folder, given.format, {"train": given.train, "val": given.val}, given.seed)
    except OSError as error:
        print(f"{given.folder} can't be written: {error}.", file=sys.stderr)
        return 2
    print(
        f"{given.folder}: {given.train} pictures of train and {given.val} of val in the format {given.format}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

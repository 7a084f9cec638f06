"""Writes a trained network into a pack: graphs, words, answers, and the settings of its brick."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from models.bricks.closed_sentence import AnswerTable
from models.convert.reflex.graph import FRONT, ReflexWeights, layer_name, write_reflex
from models.convert.reflex.weights import LONGEST_WORDS
from models.pack.chain import EYE
from models.train.new_files import replaced
from models.train.reflex.asked import Asked
from models.train.reflex.batches import vocabulary
from models.train.reflex.model import Reflex
from models.train.reflex.thresholds import Chosen

FOLDER = "reflex"
WORDS, ANSWERS, MANIFEST = "words.json", "answers.json", "brick.toml"
MEMORY_MIB = 32
"""Of the brick's process; `python -m models.process.brick_cost FOLDER` measures it."""


@dataclass(frozen=True, eq=False)
class Trained:
    """A network with all that its brick needs. tokens: rows of a picture. encoder: the last part of the
    identity of the encoder whose rows it reads, "" for any. asked: which questions it is asked; None: all.
    eye: the brick of a pack that gives those rows.
    """

    model: Reflex
    words: tuple[str, ...]
    table: AnswerTable
    chosen: Chosen
    tokens: int
    encoder: str = ""
    asked: Asked | None = None
    eye: str = EYE

    @property
    def answered_share(self) -> float:
        """Share of the validation questions that are answered at normal caution, 0 to 1, without those that
        are not asked for their words.
        """
        return self.chosen.answered_share * (self.asked.kept if self.asked is not None else 1.0)

    @property
    def how_chosen(self) -> str:
        """How the settings were chosen, in one sentence or two."""
        if self.asked is None:
            return self.chosen.sentence
        return (
            f"{self.chosen.sentence} By their words {100 * self.asked.share:.0f} % of the questions are "
            f"asked, with {100 * self.asked.kept:.0f} % of the answers."
        )


def weights_of(model: Reflex) -> ReflexWeights:
    """The arrays of a network."""
    arrays = {name: value.detach().cpu().numpy() for name, value in model.state_dict().items()}
    return ReflexWeights(model.shape, {name: np.asarray(array, np.float32) for name, array in arrays.items()})


def write_words(trained: Trained, path: Path) -> None:
    """The vocabulary as `models.bricks.reflex_words` reads it."""
    table: dict[str, object] = {"length": LONGEST_WORDS, "words": vocabulary(trained.words)}
    if trained.asked is not None:
        table["asked"] = [round(float(weight), 4) for weight in trained.asked.weights]
    path.write_text(json.dumps(table, ensure_ascii=False, indent=0), encoding="utf-8")


def manifest(trained: Trained) -> str:
    """The part of `pack.toml` that is the brick's, without sizes and SHA-256."""
    chosen, shape = trained.chosen, trained.model.shape
    files = {"words": WORDS, "answers": ANSWERS, "front": FRONT}
    files |= {f"layer_{number}": layer_name(number) for number in range(1, shape.layers + 1)}
    settings = {
        "tokens": trained.tokens, "width": shape.row_width, "layers": shape.layers,
        "answerable_from": chosen.answerable_from, "advice_from": chosen.advice_from,
        "exit_score": chosen.exit_score, "keep": chosen.keep, "chosen": trained.how_chosen,
        "encoder": trained.encoder, "answered_share": round(trained.answered_share, 3),
    }  # fmt: skip
    if trained.eye != EYE:
        settings["eye"] = trained.eye
    lines = []
    for name in files.values():
        lines += ["[[file]]", f'path = "{FOLDER}/{name}"', "size = 0", 'sha256 = ""', 'licence = "MIT"', ""]
    lines += ["[brick.reflex]", 'runtime = "onnxruntime-reflex"', 'placement = "cpu"']
    lines += [f"memory_mib = {MEMORY_MIB}", "", "[brick.reflex.files]"]
    lines += [f'{key} = "{FOLDER}/{name}"' for key, name in files.items()]
    lines += ["", "[brick.reflex.settings]", *(f"{key} = {json.dumps(v)}" for key, v in settings.items())]
    caution = ", ".join(f"{level} = {value}" for level, value in chosen.caution.items())
    return "\n".join([*lines, f"caution = {{ {caution} }}"]) + "\n"


def export(trained: Trained, out: Path, *, eight_bits: bool = False) -> None:
    """Writes the files into `out`/reflex, which is replaced as a whole when all of them are complete;
    `brick.toml` among them is the part of `pack.toml`. eight_bits: of the layers' weights.
    """
    with replaced(out / FOLDER) as unfinished:
        write_reflex(unfinished, weights_of(trained.model), eight_bits=eight_bits)
        write_words(trained, unfinished / WORDS)
        trained.table.write(unfinished / ANSWERS)
        (unfinished / MANIFEST).write_text(manifest(trained), encoding="utf-8")

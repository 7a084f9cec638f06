"""A network of random weights in the form that training exports, to try the evaluation with.

    python -m tests.eval.reflex.trial FOLDER [--seed 1]       then: just eval reflex --reflex FOLDER

Its figures mean nothing.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from models.bricks.closed_sentence import AnswerTable
from models.convert.ballast.reflex import random_weights
from models.convert.reflex.graph import FRONT, LONGEST_WORDS, ReflexShape, layer_name, write_reflex
from models.convert.reflex.weights import ReflexWeights
from models.train.reflex.forms import answer_table
from models.train.world.sentences import question_words


def write_random(
    folder: Path,
    seed: int = 1,
    table: AnswerTable | None = None,
    words: Sequence[str] = (),
    tokens: int = 64,
    width: int = 128,
    layers: int = 5,
) -> Path:
    """Writes `folder`/reflex. table, words: of both worlds unless given. tokens, width: of the eye's rows."""
    table = table or answer_table()
    listed = ["", "?", *(words or sorted(question_words()))]
    shape = ReflexShape(
        words=len(listed), row_width=width, causes=len(table.causes), forms=len(table.forms),
        blanks=table.groups[1:], blanks_of_form=table.blanks_of_form, layers=layers,
    )  # fmt: skip
    inside = folder / "reflex"
    inside.mkdir(parents=True, exist_ok=True)
    write_reflex(inside, _spread(random_weights(shape, seed)))
    table.write(inside / "answers.json")
    (inside / "words.json").write_text(json.dumps({"length": LONGEST_WORDS, "words": listed}))
    files = {"words": "words.json", "answers": "answers.json", "front": FRONT}
    files |= {f"layer_{number}": layer_name(number) for number in range(1, layers + 1)}
    (inside / "brick.toml").write_text(
        f'[brick.reflex]\nruntime = "onnxruntime-reflex"\n'
        f"tokens = {tokens}\nwidth = {width}\nlayers = {layers}\n"
        "answerable_from = 0.4\nadvice_from = 0.1\nexit_score = 0.6\nkeep = 0.2\n"
        "caution = { low = 0.05, normal = 0.1, high = 0.5 }\nchosen = 'by nobody: random weights'\n\n"
        "[brick.reflex.files]\n" + "".join(f'{key} = "reflex/{name}"\n' for key, name in files.items())
    )
    return folder


def _spread(weights: ReflexWeights) -> ReflexWeights:
    """Larger weights of the heads, so that answers, scores and verdicts differ from question to question."""
    arrays = {name: np.array(array) for name, array in weights.arrays.items()}
    for name, array in arrays.items():
        if name.endswith(("head.answers.weight", ".score.weight", "answerable.answerable.weight")):
            array *= 4
    return ReflexWeights(weights.shape, arrays)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(write_random(options.folder, options.seed))


if __name__ == "__main__":
    main()

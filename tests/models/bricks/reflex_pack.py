"""A small pack with an eye and a reflex brick of random weights, whose verdicts and scores a test decides."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.brick import Context, Embedding
from models.bricks import reflex
from models.closed_question import ClosedAnswer, ClosedQuestion
from models.convert.ballast.reflex import random_weights
from models.convert.reflex.graph import ReflexShape, ReflexWeights, write_reflex
from models.pack.catalogue import load_pack, seal
from tests.models.bricks.chain_graphs import ChainShape, write_pack

WORDS = ("", "?", "a", "colour", "cup", "is", "many", "how", "the", "there", "what")
FORMS = ("", "Yes.", "It is {colour}.", "There are {number}.")
BLANKS = {"colour": ("red", "green", "blue"), "number": ("two", "three")}
CAUSES = ("", "dark", "absent")
ADVICE = {"dark": "It is too dark to see, please turn on a light."}
ROWS = np.random.default_rng(3).standard_normal((16, 16), np.float32)
QUESTION = "what colour is the cup?"
SURE = 20.0
"""A logit that is as good as certain."""


@dataclass(frozen=True)
class Behaviour:
    """What the network does whatever it is asked. answerable: probability. cause: the likeliest one.
    scores: of every layer's answer. forms, colours: numbers of the form and of the colour that every layer
    takes; the random weights decide where they are None.
    """

    answerable: float = 0.9
    cause: int = 1
    scores: tuple[float, ...] = (0.1, 0.2, 0.3)
    forms: int | None = None
    colours: int | None = None


def weights(row_width: int, behaviour: Behaviour | None = None, **sizes: Any) -> ReflexWeights:
    """Random weights, with the biases that make the behaviour. sizes: of `ReflexShape`."""
    behaviour = behaviour or Behaviour()
    shape = ReflexShape(
        **{
            "words": len(WORDS), "row_width": row_width, "causes": len(CAUSES), "forms": len(FORMS),
            "blanks": tuple(map(len, BLANKS.values())), "blanks_of_form": ((), (), (0,), (1,)),
            "width": 32, "hidden": 48, "heads": 4, "blocks": 1, "layers": len(behaviour.scores), **sizes,
        }
    )  # fmt: skip
    made = random_weights(shape)
    arrays = {name: np.array(array) for name, array in made.arrays.items()}

    def fix(name: str, bias: float | NDArray[Any]) -> None:
        arrays[f"{name}.weight"][:] = 0
        arrays[f"{name}.bias"][:] = bias

    fix("answerable.answerable", _logit(behaviour.answerable))
    fix("answerable.causes", SURE / 4 * np.eye(len(CAUSES))[behaviour.cause])
    for layer, score in enumerate(behaviour.scores):
        fix(f"layers.{layer}.score", _logit(score))
        head = f"layers.{layer}.head.answers"
        for chosen, start, size in (
            (behaviour.forms, 0, len(FORMS)),
            (behaviour.colours, len(FORMS), len(BLANKS["colour"])),
        ):
            if chosen is not None:
                arrays[f"{head}.weight"][start : start + size] = 0
                arrays[f"{head}.bias"][start : start + size] = SURE * np.eye(size)[chosen]
    return ReflexWeights(shape, arrays)


def _logit(share: float) -> float:
    return float(np.log(share / (1 - share)))


SETTINGS: Mapping[str, str] = {
    "answerable_from": "0.5",
    "advice_from": "0.5",
    "exit_score": "0.8",
    "keep": "0.25",
    "caution": "{ low = 0.2, normal = 0.5, high = 0.9 }",
    "chosen": '"by hand, for a test"',
}


@dataclass(frozen=True)
class ReflexParts:
    """What a test changes. settings: lines of the brick's settings as TOML; files: its files by key, without
    those that are None; answers, words: keys of the JSON files, without those that are None; sizes: of the
    network, as in `ReflexShape`.
    """

    behaviour: Behaviour = field(default_factory=Behaviour)
    settings: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str | None] = field(default_factory=dict)
    answers: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, Any] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)


def write_reflex_pack(
    folder: Path, parts: ReflexParts | None = None, chain: ChainShape | None = None
) -> Path:
    """A sealed pack of an eye in pieces, a text tower and the reflex brick."""
    parts, chain = parts or ReflexParts(), chain or ChainShape()
    write_pack(folder, chain)
    reflex = folder / "reflex"
    reflex.mkdir(exist_ok=True)
    layers = len(parts.behaviour.scores)
    write_reflex(reflex, weights(chain.row_width, parts.behaviour, **parts.sizes))
    answers = {"temperature": 1.0, "forms": FORMS, "blanks": BLANKS, "plurals": ["two", "three"]}
    answers |= {"causes": CAUSES, "advice": ADVICE}
    _json(reflex / "answers.json", {**answers, **parts.answers})
    _json(reflex / "words.json", {"length": 8, "words": WORDS, **parts.words})
    files = {key: f"reflex/{key}.json" for key in ("words", "answers")} | {"front": "reflex/front.onnx"}
    files |= {f"layer_{number}": f"reflex/layer_{number}.onnx" for number in range(1, layers + 1)}
    named = {key: path for key, path in {**files, **parts.files}.items() if path is not None}
    table = ", ".join(f'{key} = "{path}"' for key, path in named.items())
    listed = dict.fromkeys(
        (*files.values(), *(path for path in named.values() if path.startswith("reflex/")))
    )
    settings = {"tokens": str(chain.tokens), "width": str(chain.row_width), "layers": str(layers)}
    lines = [f"{key} = {value}" for key, value in {**settings, **SETTINGS, **parts.settings}.items()]
    with (folder / "pack.toml").open("a") as manifest:
        manifest.write(
            '\n[brick.reflex]\nruntime = "onnxruntime-reflex"\nmemory_mib = 20\n'
            + f"files = {{ {table} }}\n"
            + "[brick.reflex.settings]\n"
            + "".join(f"{line}\n" for line in lines)
            + "".join(f'\n[[file]]\npath = "{path}"\nlicence = "MIT"\n' for path in listed)
        )
    seal(folder)
    return folder


def _json(path: Path, table: Mapping[str, Any]) -> None:
    path.write_text(json.dumps({key: value for key, value in table.items() if value is not None}))


def loaded(folder: Path, parts: ReflexParts | None = None, context: Context | None = None) -> Any:
    """The brick of a small pack, in this process."""
    options = load_pack(write_reflex_pack(folder, parts)).bricks["reflex"].options
    brick = reflex.create(options, context or Context())
    brick.load()
    return brick


def ask(brick: Any, text: str = QUESTION, image: Embedding | None = None, **budget: Any) -> ClosedAnswer:
    question = ClosedQuestion(text, image or Embedding(rows=ROWS), **budget)
    (found,) = brick.execute(question)
    assert isinstance(found, ClosedAnswer)
    return found

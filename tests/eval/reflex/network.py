"""The graphs of a reflex brick, run one by one in this process, so that every rule sees the same outputs."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.brick import BrickError, Context
from models.bricks.closed_sentence import AnswerTable
from models.bricks.reflex_graphs import ReflexGraphs
from models.bricks.reflex_words import QuestionWords
from models.bricks.text import UNKNOWN
from models.pack.catalogue import Pack
from tests.eval.eye.page import Lacks

Rows = NDArray[np.float32]


@dataclass(frozen=True)
class Said:
    """What a layer's answer head says. doubt: entropy of the answer's distribution, nats."""

    text: str
    probability: float
    doubt: float


@dataclass(frozen=True, eq=False)
class Front:
    """What is known before the first layer. words: [t, W]; image: [n, W]; causes: [causes]; ms: wall time."""

    words: Rows
    image: Rows
    answerable: float
    causes: Rows
    ms: float


@dataclass(frozen=True, eq=False)
class Step:
    """What one layer gives. image: None of the last layer. saliency: [m]. ms: wall time."""

    words: Rows
    image: Rows | None
    saliency: Rows
    score: float
    logits: Rows
    ms: float


class Network:
    """A loaded network with its settings.

    name: for people. settings: of `models.pack.brick_settings.ReflexSettings`, as the pack has them.
    """

    def __init__(self, name: str, options: Mapping[str, Any]) -> None:
        """Raises Lacks."""
        self.name, self.settings = name, options
        try:
            self.answers = AnswerTable.read(Path(options["answers"]))
            unknown = int(options.get("unknown_words", 0))
            self._words = QuestionWords.of_file(Path(options["words"]), unknown)
            self._graphs = ReflexGraphs(options, Context(), self.answers, len(self._words))
            self._layers = [self._graphs.layer(number + 1) for number in range(self._graphs.layers)]
        except (BrickError, OSError, ValueError) as error:
            raise Lacks(f"The network '{name}' can't be used: {error}") from error

    @property
    def layers(self) -> int:
        """Cross-modal layers."""
        return len(self._layers)

    def numbers(self, text: str) -> tuple[NDArray[np.int64], bool]:
        """Numbers of the words, [1, t], at least one and no more than fit; and whether the brick asks its
        network such a question.
        """
        numbers, unread = self._words.numbers(text)
        shown = numbers[:, : self._words.length] if numbers.size else np.array([[UNKNOWN]], np.int64)
        return shown, not unread

    def look(self, numbers: NDArray[np.int64], rows: Rows) -> Front:
        """The front. rows: the eye's, [n, R]."""
        began_s = time.perf_counter()
        words, image, answerable, causes = self._graphs.front.run(
            {"words": numbers, "rows": rows[None]}, ("words_out", "image", "answerable", "causes")
        )
        ms = 1e3 * (time.perf_counter() - began_s)
        return Front(words[0], image[0], float(answerable[0]), causes[0], ms)

    def step(self, layer: int, words: Rows, image: Rows) -> Step:
        """A layer, counted from 0. words: [t, W]; image: [m, W]."""
        names = ["words_out", "saliency", "score", "answers"]
        names += ["image_out"] if layer + 1 < self.layers else []
        began_s = time.perf_counter()
        found = self._layers[layer].run({"words": words[None], "image": image[None]}, names)
        ms = 1e3 * (time.perf_counter() - began_s)
        out = dict(zip(names, found, strict=True))
        after = out["image_out"][0] if "image_out" in out else None
        score, logits = float(out["score"][0]), out["answers"][0]
        return Step(out["words_out"][0], after, out["saliency"][0], score, logits, ms)

    def said(self, logits: Rows) -> Said:
        """The likeliest sentence with its calibrated probability."""
        answers = self.answers
        likeliest = answers.answer(logits)
        scaled = np.split(logits.astype(float) / answers.temperature, np.cumsum(answers.groups)[:-1])
        used = (0, *(1 + blank for blank in answers.blanks_of_form[likeliest.form]))
        doubt = sum(_entropy(scaled[part]) for part in used)
        return Said(likeliest.text, likeliest.confidence, doubt)


def _entropy(logits: NDArray[np.float64]) -> float:
    """Of the distribution of some logits, nats."""
    shares = np.exp(logits - logits.max())
    shares /= shares.sum()
    return float(-np.sum(shares * np.log(np.maximum(shares, 1e-12))))


def of_pack(pack: Pack) -> Network:
    """The pack's network. Raises Lacks."""
    if "reflex" not in pack.bricks:
        raise Lacks(f"Pack '{pack.name}' has no reflex brick.")
    return Network(pack.name, pack.bricks["reflex"].options)


def of_folder(folder: Path, pack: Pack) -> Network:
    """What `models.train.reflex.export` wrote, which reads the rows of the pack's eye; `brick.toml` among the
    files has its settings. Raises Lacks.
    """
    inside = folder / "reflex" if (folder / "reflex").is_dir() else folder
    try:
        table = tomllib.loads((inside / "brick.toml").read_text(encoding="utf-8"))["brick"]["reflex"]
        files = {key: inside / Path(name).name for key, name in table["files"].items()}
    except (OSError, ValueError, LookupError, AttributeError) as error:
        raise Lacks(f"{inside / 'brick.toml'} can't be used: {error}.") from error
    if missing := [path for path in files.values() if not path.is_file()]:
        raise Lacks(f"{missing[0]} is not there.")
    settings = table.get("settings", {})
    name = settings.get("eye", "vision")
    eye = pack.bricks[name].options if name in pack.bricks else {}
    rows = {name: eye[name] for name in ("tokens", "width") if name in eye}
    return Network(str(folder), {**table, **settings, **rows, **files})

"""What networks say of cases: every layer's answer, once, whole and pruned in every way."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.brick import Brick, BrickError
from models.sensing.picture_quality import quality_of
from tests.eval.eye.pieces import Eye
from tests.eval.reflex.cases import Case
from tests.eval.reflex.network import Front, Network, Rows, Step
from tests.eval.reflex.policies import Layered
from tests.eval.reflex.pruning import RATIOS, WAYS, kept_number

V4 = "question (V4)"


@dataclass(frozen=True, eq=False)
class Asked:
    """A case with the eye's rows of its picture, float32 [n, R]. unclear: why nothing can be made out in the
    picture, as it is measured; "" for a usable one.
    """

    case: Case
    rows: Rows
    unclear: str = ""


def look(brick: Brick, cases: Iterable[Case]) -> list[Asked]:
    """The eye's rows of each case; a picture that several share is encoded once."""
    eye, known = Eye(brick), dict[tuple[str, int], tuple[Rows, str]]()
    asked = []
    for case in cases:
        key = case.world, case.group
        if key not in known:
            picture = case.picture()
            rows = eye.look(picture).rows
            if rows is None:
                raise BrickError("The eye gives its rows in a ring, and here is none.")
            known[key] = rows, quality_of(picture).cause
        asked.append(Asked(case, *known[key]))
    return asked


@dataclass(frozen=True, eq=False)
class Pass:
    """All layers of one question, from 0. texts, probabilities and so on: of each layer. ms: of each layer;
    what chooses the rows counts for the layer after it.
    """

    texts: tuple[str, ...]
    probability: tuple[float, ...]
    score: tuple[float, ...]
    doubt: tuple[float, ...]
    ms: tuple[float, ...]
    saliency: Rows


@dataclass(frozen=True, eq=False)
class Outputs:
    """What a network says of n cases. read: the brick takes the question. whole: without pruning; pruned:
    with the pack's share of rows. whole_ms, pruned_ms: [n, layers]. kept_right: way -> [n, ratios] whether
    the last layer's answer is right; kept_ms: [n, ratios] of the layers, V4.
    """

    network: Network
    asked: Sequence[Asked]
    read: NDArray[np.bool_]
    answerable: NDArray[np.float64]
    causes: NDArray[np.float64]
    front_ms: NDArray[np.float64]
    whole: Layered
    pruned: Layered
    whole_texts: Sequence[tuple[str, ...]]
    pruned_texts: Sequence[tuple[str, ...]]
    whole_ms: NDArray[np.float64]
    pruned_ms: NDArray[np.float64]
    saliency: Sequence[Rows]
    kept_right: Mapping[str, NDArray[np.bool_]]
    kept_ms: NDArray[np.float64]

    @property
    def truth(self) -> NDArray[np.bool_]:
        """Whether each case has an answer."""
        return np.array([each.case.answerable for each in self.asked], bool)

    @property
    def groups(self) -> NDArray[np.intp]:
        """A number for each picture."""
        names = [f"{each.case.world} {each.case.group}" for each in self.asked]
        return np.unique(names, return_inverse=True)[1] if names else np.zeros(0, np.intp)

    def cause(self, at: int) -> str:
        """The likeliest cause of a case, the answerable one aside."""
        return self.network.answers.causes[1 + int(np.argmax(self.causes[at, 1:]))]

    def layer_costs(self) -> NDArray[np.float64]:
        """Median time of each layer with all rows, ms."""
        return np.median(self.whole_ms, 0)


def run_layers(
    network: Network, front: Front, way: str = "", number: int = 0, seed: int = 0, first: Step | None = None
) -> Pass:
    """All layers; after the first only `number` rows go on, chosen in that way; "": all. first: what the
    first layer gave, where it was run before.
    """
    words, image = front.words, front.image
    steps: list[Step] = []
    choosing_ms = [0.0] * network.layers
    for layer in range(network.layers):
        step = first if first is not None and layer == 0 else network.step(layer, words, image)
        steps.append(step)
        words = step.words
        if step.image is None:
            break
        image = step.image
        if layer == 0 and way and number < len(image):
            began_s = time.perf_counter()
            image = np.ascontiguousarray(WAYS[way](image, front.image, step.saliency, number, seed))
            choosing_ms[1] = 1e3 * (time.perf_counter() - began_s)
    said = [network.said(step.logits) for step in steps]
    return Pass(
        tuple(each.text for each in said),
        tuple(each.probability for each in said),
        tuple(step.score for step in steps),
        tuple(each.doubt for each in said),
        tuple(step.ms + more for step, more in zip(steps, choosing_ms, strict=True)),
        steps[0].saliency,
    )


def _layered(passes: Sequence[Pass], cases: Sequence[Case]) -> Layered:
    right = [[case.judge(text) for text in each.texts] for each, case in zip(passes, cases, strict=True)]
    answer = [[each.texts.index(text) for text in each.texts] for each in passes]
    shape = (len(passes), len(passes[0].texts) if passes else 1)
    return Layered(
        np.array(right, bool).reshape(shape),
        np.array([each.probability for each in passes], float).reshape(shape),
        np.array([each.score for each in passes], float).reshape(shape),
        np.array([each.doubt for each in passes], float).reshape(shape),
        np.array(answer, np.int64).reshape(shape),
    )


def collect(network: Network, asked: Sequence[Asked], ratios: Sequence[float] = RATIOS) -> Outputs:
    """Everything that the sections need. ratios: of the comparison of ways to prune; () leaves it out."""
    keep = float(network.settings["keep"])
    read, fronts, whole, pruned = [], [], [], []
    kept_right = {way: np.zeros((len(asked), len(ratios)), bool) for way in WAYS}
    kept_ms = np.zeros((len(asked), len(ratios)))
    for at, each in enumerate(asked):
        numbers, taken = network.numbers(each.case.text)
        front = network.look(numbers, each.rows)
        rows = len(front.image)
        read.append(taken)
        fronts.append(front)
        first = network.step(0, front.words, front.image)
        whole.append(run_layers(network, front, first=first))
        pruned.append(run_layers(network, front, V4, kept_number(rows, keep), first=first))
        for place, ratio in enumerate(ratios):
            number = kept_number(rows, ratio)
            for way in WAYS:
                found = run_layers(network, front, way, number, at, first)
                kept_right[way][at, place] = each.case.judge(found.texts[-1])
                if way == V4:
                    kept_ms[at, place] = sum(found.ms)
    cases = [each.case for each in asked]
    return Outputs(
        network, asked, np.array(read, bool),
        np.array([front.answerable for front in fronts]),
        np.array([front.causes for front in fronts], float).reshape(len(fronts), -1),
        np.array([front.ms for front in fronts]),
        _layered(whole, cases), _layered(pruned, cases),
        [each.texts for each in whole], [each.texts for each in pruned],
        np.array([each.ms for each in whole]), np.array([each.ms for each in pruned]),
        [each.saliency for each in whole],
        kept_right, kept_ms,
    )  # fmt: skip

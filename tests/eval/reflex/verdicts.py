"""What the brick does with each question, worked out from a network's outputs by the same rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from host.answers.reflex import TOLD_EXACTLY
from host.answers.seen.unclear import said_instead
from tests.eval.reflex.cases import Case
from tests.eval.reflex.collect import Outputs
from tests.eval.reflex.policies import Layered, by_layer, first_from

CAUTIONS = ("low", "normal", "high")
NO_PLACE, ABSENT = "no place", "absent"
"""A cause of packs that the cases do not tell apart from the other one."""


@dataclass(frozen=True)
class Settings:
    """Thresholds as in `models.pack.brick_settings.ReflexSettings`. least: confidence from which an answer
    is given. first_stage, exits, pruning: what is in use.
    """

    answerable_from: float
    advice_from: float
    exit_score: float
    least: float
    first_stage: bool = True
    exits: bool = True
    pruning: bool = True


def settings_of(outputs: Outputs, caution: str = "normal") -> Settings:
    """The network's own."""
    own = outputs.network.settings
    return Settings(
        float(own["answerable_from"]), float(own["advice_from"]), float(own["exit_score"]),
        float(own["caution"][caution]),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Of n questions: refused before the first layer, or because the picture is measured to be dark or
    blurred; advised: refused with advice; answered: with a sentence of the layers; the others, also those
    refused without advice, are handed over. layer: from 0, -1 for none. confidence: of the layer's answer,
    -inf where there is none. right: of what is said or, handed over, of the answer not given; a refusal is
    right with the right cause, or with advice that is true. cause_right: of refused ones. ms: of the layers
    that ran.
    """

    refused: NDArray[np.bool_]
    advised: NDArray[np.bool_]
    answered: NDArray[np.bool_]
    layer: NDArray[np.intp]
    confidence: NDArray[np.float64]
    right: NDArray[np.bool_]
    cause_right: NDArray[np.bool_]
    ms: NDArray[np.float64]

    @property
    def handed_over(self) -> NDArray[np.bool_]:
        """Neither answered nor refused with advice."""
        return ~self.advised & ~self.answered


def verdicts(outputs: Outputs, settings: Settings) -> Verdicts:
    """What is done with each question."""
    count = len(outputs.asked)
    layered, texts, ms = outputs.whole, outputs.whole_texts, outputs.whole_ms
    if settings.pruning:
        layered, texts, ms = outputs.pruned, outputs.pruned_texts, outputs.pruned_ms
    refused = outputs.read & (outputs.answerable < settings.answerable_from)
    if not settings.first_stage:
        refused = np.zeros(count, bool)
    layer = _layer(layered, settings)
    at = np.arange(count)
    said = _flags(texts[row][layer[row]] != "" for row in range(count))
    confidence = layered.probability[at, layer]
    ran = outputs.read & ~refused
    answered = ran & said & (confidence >= settings.least)
    cases = [each.case for each in outputs.asked]
    told = [
        said_instead(texts[row][layer[row]], each.unclear) if answered[row] else ""
        for row, each in enumerate(outputs.asked)
    ]
    unclear = _flags(text != "" for text in told)
    unclear_right = unclear & _flags(case.judge(text) for case, text in zip(cases, told, strict=True))
    cause_right = refused & _flags(_is_cause(outputs, row, case) for row, case in enumerate(cases))
    advice = [_advice(outputs, row, settings) if refused[row] else "" for row in range(count)]
    advised = _flags(text != "" for text in advice)
    advice_right = advised & _flags(case.judge(text) for case, text in zip(cases, advice, strict=True))
    return Verdicts(
        refused | unclear,
        advised | unclear,
        answered & ~unclear,
        np.where(ran, layer, -1),
        np.where(ran & said, confidence, -np.inf),
        np.where(
            unclear, unclear_right, np.where(refused, cause_right | advice_right, layered.right[at, layer])
        ),
        cause_right | unclear_right,
        np.where(ran, np.cumsum(ms, 1)[at, layer], 0.0),
    )


def _flags(values: Iterable[bool]) -> NDArray[np.bool_]:
    return np.array(list(values), np.bool_)


def _is_cause(outputs: Outputs, row: int, case: Case) -> bool:
    """The likeliest cause is the true one. "no place" is one of what is absent: it has to be asked for."""
    cause = outputs.cause(row)
    if cause == NO_PLACE and case.cause == ABSENT:
        return case.judge(outputs.network.answers.advice[cause])
    return cause == case.cause


def _layer(layered: Layered, settings: Settings) -> NDArray[np.intp]:
    if settings.exits:
        return first_from(layered.score, settings.exit_score)
    return by_layer(layered, layered.layers - 1)


def _advice(outputs: Outputs, row: int, settings: Settings) -> str:
    cause, shares = outputs.cause(row), outputs.causes[row]
    if cause == TOLD_EXACTLY:  # handed over, as on the headband
        return ""
    likely = shares[outputs.network.answers.causes.index(cause)]
    return outputs.network.answers.advice.get(cause, "") if likely >= settings.advice_from else ""

"""Chooses on validation what the pack stores: keep ratio, thresholds, temperature, levels of caution.

Validation has mixes of what training never has (`unseen`). A threshold has to hold in each of them, because
confidence that is honest on known pictures need not be so on others. False refusals and wrong advice are
counted in the worst mix, wrong answers as the mean of the mixes that have something unseen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from models.bricks.closed_sentence import AnswerTable
from models.train.reflex.batches import Examples
from models.train.reflex.model import Reflex
from models.train.reflex.predict import Predictions, predictions, right_by_layer
from models.train.reflex.unseen import KNOWN

KEEPS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 1.0)
LOST_BY_PRUNING, LOST_BY_EXITS = 0.005, 0.005
"""Right answers that pruning, and that exits may cost, share of all questions."""
FALSE_REFUSALS = 0.01
"""Most answerable questions that the first verdict may refuse. What it lets pass costs nothing but time: the
layers or the language model still say that there is no answer.
"""
WRONG: dict[str, float] = {"low": 0.015, "normal": 0.0075, "high": 0.004}
"""Most wrong answers of those given, by caution. The goal at normal is 3 % on held-out pictures. This is a
quarter of it, because what another renderer draws is further from training than the mixes are: of what was
answered at 0.015, 3.9 % were wrong there.
"""
ADVICE_RIGHT = 0.98
"""Least right advice, share of what is given, with the same margin; it does not depend on caution."""
_STEPS = np.round(np.arange(0.2, 0.96, 0.05), 2)
_FINE = np.round(np.concatenate([np.arange(0.02, 0.95, 0.01), np.arange(0.95, 0.9996, 0.0005)]), 4)
_SMALL = (0.0005, 0.001, 0.002, 0.005, 0.01)
_TEMPERATURES = np.round(np.arange(0.5, 3.01, 0.05), 2)


@dataclass(frozen=True)
class Chosen:
    """The pack's settings. sentence: how they were chosen. answered_share: share of the validation questions
    that are answered or advised at normal caution, 0 to 1.
    """

    answerable_from: float
    advice_from: float
    exit_score: float
    keep: float
    temperature: float
    caution: dict[str, float]
    sentence: str
    answered_share: float = 0.0


@dataclass(frozen=True, eq=False)
class Outcome:
    """What happens to each of N questions. layer: the one it stops at, 0 before the first. refused: the first
    verdict was that it cannot be answered. advised: with advice. answered: a sentence is said (an answer, or
    advice). right: it is right, 0 to 1. confidence: of its answer. mixes: what is unseen about it.
    """

    layer: NDArray[np.int64]
    refused: NDArray[np.bool_]
    advised: NDArray[np.bool_]
    answered: NDArray[np.bool_]
    right: NDArray[np.float32]
    confidence: NDArray[np.float32]
    mixes: NDArray[np.str_]

    def cautious(self, least: float) -> Outcome:
        """The same where an answer also needs this confidence; advice does not."""
        return replace(self, answered=self.advised | (self.answered & (self.confidence >= least)))

    @property
    def coverage(self) -> float:
        """Share of the questions that are answered."""
        return float(self.answered.mean())

    @property
    def wrong(self) -> float:
        """Share of what is answered that is wrong."""
        said = self.answered.sum()
        return float((1 - self.right)[self.answered].sum() / said) if said else 0.0

    @property
    def wrong_unseen(self) -> float:
        """The same without advice, mean of the mixes with something unseen; of all where there are none."""
        mixes = [str(mix) for mix in np.unique(self.mixes)]
        shares = []
        for mix in [mix for mix in mixes if mix not in ("", KNOWN.name)] or mixes:
            here = self.answered & ~self.advised & (self.mixes == mix)
            shares.append(float((1 - self.right)[here].mean()) if here.any() else 0.0)
        return float(np.mean(shares))


def _worst(found: Predictions, counted: NDArray[np.bool_], hits: NDArray[np.bool_]) -> float:
    """The largest share of hits among what is counted in a mix."""
    shares = [0.0]
    for mix in np.unique(found.mixes):
        here = counted & (found.mixes == mix)
        if here.any():
            shares.append(float(hits[here].mean()))
    return max(shares)


def exit_layers(score: NDArray[np.float32], exit_score: float) -> NDArray[np.int64]:
    """The first layer whose score is high enough, from 0; the last one where none is. score: [L, N]."""
    sure = score >= exit_score
    sure[-1] = True
    return sure.argmax(0)


def outcome(found: Predictions, chosen: Chosen, caution: float) -> Outcome:
    """What happens with these settings. caution: least confidence of an answer."""
    questions = np.arange(len(found.cause))
    layer = exit_layers(found.score, chosen.exit_score)
    refused = found.read & (found.answerable < chosen.answerable_from)
    cause = found.causes[:, 1:].argmax(1) + 1
    advised = refused & (found.causes[questions, cause] >= chosen.advice_from)
    said = found.read & ~refused & ~found.handed_over[layer, questions]
    right = np.where(refused, (cause == found.cause).astype(np.float32), found.worth[layer, questions])
    confidence = found.confidence(chosen.temperature, layer)
    whole = Outcome(
        np.where(refused, 0, layer + 1), refused, advised, advised | said, right, confidence, found.mixes
    )
    return whole.cautious(caution)


def choose_keep(model: Reflex, validation: Examples) -> float:
    """The smallest share of image rows with which the last layer is right almost as often as with all of
    them.
    """
    full = right_by_layer(predictions(model, validation, 1.0))[-1]
    for keep in KEEPS:
        if right_by_layer(predictions(model, validation, keep))[-1] >= full - LOST_BY_PRUNING:
            return keep
    return 1.0


def choose_cost(found: Mapping[float, Predictions], chosen: Chosen) -> Chosen:
    """The settings with the smallest share of image rows, then the lowest exit score, with which no mix loses
    more than `LOST_BY_EXITS` of what all layers make of all rows. found: by share of rows, 1 among them.
    """
    whole = found[1.0]
    questions, counted = np.arange(len(whole.cause)), whole.read & (whole.cause == 0)

    def most_lost(worth: NDArray[np.float32]) -> float:
        lost = whole.worth[-1] - worth
        mixes = np.unique(whole.mixes[counted])
        return max(float(lost[counted & (whole.mixes == mix)].mean()) for mix in mixes)

    for keep in sorted(found):
        if most_lost(found[keep].worth[-1]) > LOST_BY_PRUNING:
            continue
        for score in _STEPS:
            layer = exit_layers(found[keep].score, float(score))
            if most_lost(found[keep].worth[layer, questions]) <= LOST_BY_EXITS:
                return replace(chosen, keep=keep, exit_score=float(score))
    return replace(chosen, keep=1.0, exit_score=1.0)


def choose_answerable(found: Predictions) -> float:
    """The highest threshold that refuses no more answerable questions of a mix than `FALSE_REFUSALS`."""
    counted = found.read & (found.cause == 0)
    allowed = [
        step
        for step in (*_SMALL, *_FINE)
        if _worst(found, counted, found.answerable < step) <= FALSE_REFUSALS
    ]
    return float(max(allowed, default=0.0))


def choose_advice(found: Predictions, answerable_from: float) -> float:
    """The lowest probability of a cause from which advice is right often enough in every mix."""
    refused = found.read & (found.answerable < answerable_from)
    cause = found.causes[:, 1:].argmax(1) + 1
    sure = found.causes[np.arange(len(cause)), cause]
    for step in _FINE:
        given = refused & (sure >= step)
        if given.any() and _worst(found, given, cause != found.cause) <= 1 - ADVICE_RIGHT:
            return float(step)
    return 1.0


def choose_exit(found: Predictions) -> float:
    """The lowest score at which leaving early costs almost no right answers."""
    questions = np.arange(len(found.cause))
    full = found.worth[-1].mean()
    for step in _STEPS:
        layer = exit_layers(found.score, float(step))
        if found.worth[layer, questions].mean() >= full - LOST_BY_EXITS:
            return float(step)
    return 1.0


def choose_temperature(found: Predictions, exit_score: float) -> float:
    """The temperature at which the confidence of the answers tells best how often they are right."""
    questions = np.arange(len(found.cause))
    layer = exit_layers(found.score, exit_score)
    right = found.worth[layer, questions][found.read]

    def surprise(temperature: float) -> float:
        sure = np.clip(found.confidence(temperature, layer)[found.read], 1e-5, 1 - 1e-5)
        return float(-(right * np.log(sure) + (1 - right) * np.log(1 - sure)).mean())

    return float(min(_TEMPERATURES, key=lambda step: surprise(float(step))))


def choose_caution(found: Predictions, chosen: Chosen) -> dict[str, float]:
    """By level, the lowest confidence from which on the answers given are wrong seldom enough; 1 where none
    is. Those above a higher confidence may be wrong oftener: they are fewer, and questions about one picture
    are wrong together, so that two pictures could decide.
    """
    levels, whole = {}, outcome(found, chosen, 0.0)
    wrong = [whole.cautious(float(step)).wrong_unseen for step in _FINE]
    for level, most in WRONG.items():
        enough = [float(step) for step, share in zip(_FINE, wrong, strict=True) if share <= most]
        levels[level] = min(enough, default=1.0)
    return levels


def choose(found: Predictions, keep: float) -> Chosen:
    """All settings from the predictions on validation with this share of image rows."""
    answerable_from = choose_answerable(found)
    exit_score = choose_exit(found)
    chosen = Chosen(
        answerable_from=answerable_from,
        advice_from=choose_advice(found, answerable_from),
        exit_score=exit_score,
        keep=keep,
        temperature=choose_temperature(found, exit_score),
        caution={},
        sentence="",
    )
    chosen = replace(chosen, caution=choose_caution(found, chosen))
    normal = outcome(found, chosen, chosen.caution["normal"])
    return replace(chosen, sentence=_sentence(found, normal), answered_share=normal.coverage)


def _sentence(found: Predictions, normal: Outcome) -> str:
    wrong = ", ".join(f"{level} {100 * share:g} %" for level, share in WRONG.items())
    mixes = [str(mix) for mix in np.unique(found.mixes) if mix]
    worst = f" in the worst mix of what training never has ({', '.join(mixes)})" if mixes else ""
    mean = " as their mean without the known" if mixes else ""
    return (
        f"Chosen on {len(found.cause)} validation questions: the smallest keep ratio that loses at most "
        f"{100 * LOST_BY_PRUNING:g} points, the lowest exit score that loses at most "
        f"{100 * LOST_BY_EXITS:g} points; the highest answerable threshold with at most "
        f"{100 * FALSE_REFUSALS:g} % false refusals and advice right in {100 * ADVICE_RIGHT:g} %{worst}; and "
        f"the lowest confidence with so many wrong of what is answered without advice{mean}: {wrong}; at "
        f"normal {100 * normal.coverage:.1f} % are answered or advised, of which {100 * normal.wrong:.1f} % "
        f"are wrong."
    )


def with_temperature(table: AnswerTable, temperature: float) -> AnswerTable:
    """The table with another temperature."""
    return replace(table, temperature=temperature)

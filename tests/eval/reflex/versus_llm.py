"""The same closed questions to the reflex brick and to the pack's language model: right, processor time; both
as they are, and with what the pack's language model withholds at normal caution.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from host.answers.reflex import TOLD_EXACTLY
from host.answers.sureness import WITHHELD, Sureness
from models.brick import Brick, Embedding
from models.closed_question import ClosedAnswer, ClosedQuestion
from models.pack.catalogue import Pack
from tests.eval.eye.page import Table
from tests.eval.eye.pieces import completed, decoder_of
from tests.eval.reflex.brick import brick_of
from tests.eval.reflex.collect import Asked
from tests.eval.reflex.metrics import Interval, ratio
from tests.eval.reflex.network import Network


def _reflex(brick: Brick, asked: Asked) -> tuple[ClosedAnswer, float]:
    """The brick's answer and its processor time, ms."""
    began_s = time.process_time()
    (found,) = brick.execute(ClosedQuestion(asked.case.text, Embedding(rows=asked.rows)))
    return found, 1e3 * (time.process_time() - began_s)


def _language_model(decoder: Brick, asked: Asked) -> tuple[str, float, float]:
    """What it says, how probable that is, and its processor time, ms."""
    began_s = time.process_time()
    said, probability = completed(decoder, asked.case.text, Embedding(rows=asked.rows))
    return said, probability, 1e3 * (time.process_time() - began_s)


def report(pack: Pack, network: Network, asked: Sequence[Asked]) -> Table:
    """The closed questions alone, both ways, and the first way with what it hands over. Raises Lacks."""
    groups = np.unique([f"{one.case.world} {one.case.group}" for one in asked], return_inverse=True)[1]
    by_model, by_reflex, by_both, times = [], [], [], []
    given, spent, certain = [], [], []
    sureness = Sureness.of(pack.caution_levels, "normal")
    with decoder_of(pack) as decoder, brick_of(network) as brick:
        for one in (asked[0], *asked):  # the first once more, to warm up
            found, reflex_ms = _reflex(brick, one)
            said, probability, model_ms = _language_model(decoder, one)
            certain.append(sureness.said(said, probability) != WITHHELD)
            model_right = one.case.judge(said)
            told_by_model = found.advice and found.cause == TOLD_EXACTLY
            handed = not found.text or told_by_model  # as on the headband
            right = not handed and one.case.judge(found.text)
            right = right or (found.advice and found.cause == one.case.cause)
            by_model.append(model_right)
            by_reflex.append(right)
            by_both.append(model_right if handed else right)
            given.append(not handed)
            spent.append(reflex_ms + (model_ms if handed else 0.0))
            times.append((reflex_ms, model_ms))

    def shown(values: Sequence[bool], only: Sequence[bool] | None = None) -> str:
        return _share(groups, values[1:], only[1:] if only else None).percent()

    either = [one or other for one, other in zip(given, certain, strict=True)]
    saved = np.array(by_both[1:], float) - np.array(by_model[1:], float)
    ahead = ratio(groups, saved, np.ones(len(saved)))
    reflex_ms, model_ms = (float(np.mean([pair[way] for pair in times[1:]])) for way in (0, 1))
    rows = [
        ("language model", "100 %", shown(by_model), f"{model_ms:.1f}", ""),
        ("the same, what it does not withhold", shown(certain), shown(by_model, certain), "", ""),
        ("reflex, of what it says", shown(given), shown(by_reflex, given), f"{reflex_ms:.1f}",
         f"{model_ms / reflex_ms:.1f}"),
        ("reflex, then the language model", "100 %", shown(by_both), f"{np.mean(spent[1:]):.1f}",
         f"{model_ms / float(np.mean(spent[1:])):.1f}"),
        ("the same, what the latter does not withhold", shown(either), shown(by_both, either), "", ""),
    ]  # fmt: skip
    return Table(
        f"The same {len(asked)} closed questions to the language model of pack '{pack.name}'",
        ("", "answered", "right", "processor, ms", "times less"),
        rows,
        [
            f"Right with reflex, more than with the language model alone: {ahead.points()} (goal: half a "
            "point less at most). What is withheld: at normal caution, as the headband does without "
            "looking again.",
            "Processor time of a question (means), without the eye; the picture's prefill counts for the "
            "language model. Goal: less with reflex; with the ballast pack 5 times less.",
        ],
    )


def _share(groups: np.ndarray, values: Sequence[bool], only: Sequence[bool] | None) -> Interval:
    counted = np.ones(len(values), bool) if only is None else np.asarray(only, bool)
    return ratio(groups, np.asarray(values, bool) & counted, counted)

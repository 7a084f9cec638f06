"""What each level of caution costs and saves: right and wrong answers of the same decoded sentences.

Where the decoder looks again, each level stands beside the simplest other way to withhold what is doubtful:
the first look alone with the strictest threshold that gives as many right answers, chosen afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import get_args

from host.answers.sureness import Sureness
from models.caution import Caution
from tests.eval.stranger.outcome import Outcome, shown


def by_caution(outcomes: Sequence[Outcome], levels: Mapping[str, float] | None) -> list[str]:
    """Lines for the answers that were decoded about pictures; none for a pack without levels."""
    decoded = [each for each in outcomes if each.decoded]
    if levels is None or not decoded:
        return []
    lines = [f"{'answers about pictures, by caution':36s} {'right':38s} wrong, of what is answered"]
    for name, sureness in _levels(levels).items():
        said = [replace(each, said=sureness.said(each.decoded, each.probability)) for each in decoded]
        given = [each for each in said if not each.refused]
        right, wrong = shown(each.right for each in said), shown(not each.right for each in given)
        lines.append(f"  {name:34s} {right:38s} {wrong}")
        if sureness.given_from and any(each.at_first != each.probability for each in decoded):
            lines.append(_one_look(decoded, sum(each.right for each in said)))
    return lines


def _one_look(decoded: Sequence[Outcome], right: int) -> str:
    """The line of the first look alone, its threshold such that it has at least so many right answers."""
    for least in sorted({each.at_first for each in decoded}, reverse=True):
        said = [replace(each, said=Sureness(least).said(each.decoded, each.at_first)) for each in decoded]
        if sum(each.right for each in said) >= right:
            break
    given = [each for each in said if not each.refused]
    wrong = shown(not each.right for each in given)
    return f"    {'the first look alone, as many right':32s} {shown(each.right for each in said):38s} {wrong}"


def _levels(levels: Mapping[str, float]) -> dict[str, Sureness]:
    cautions: tuple[Caution, ...] = get_args(Caution)
    return {"none": Sureness(), **{each: Sureness.of(levels, each) for each in cautions}}

"""What each level of caution costs and saves: right and wrong answers of the same decoded sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import get_args

from host.answers.sureness import Sureness
from models.brick import Caution
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
    return lines


def _levels(levels: Mapping[str, float]) -> dict[str, Sureness]:
    cautions: tuple[Caution, ...] = get_args(Caution)
    return {"none": Sureness(), **{each: Sureness.of(levels, each) for each in cautions}}

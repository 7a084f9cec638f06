"""A network on published question data: the official score, and the mechanisms on the same questions."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.pack.catalogue import Pack
from models.train.reflex.vqa.folder import format_of, pixels, read, read_training
from models.train.reflex.vqa.record import DataError, Record
from models.train.reflex.vqa.score import score
from tests.eval.eye.page import Lacks, Table
from tests.eval.eye.pieces import loaded
from tests.eval.reflex import mechanisms, risk
from tests.eval.reflex.cases import Case
from tests.eval.reflex.collect import Outputs, collect, look
from tests.eval.reflex.network import Network, of_folder, of_pack
from tests.eval.reflex.runs import Run, interval
from tests.eval.reflex.verdicts import settings_of, verdicts

UNANSWERABLE = "unanswerable"
"""What is said in VizWiz to a question that cannot be answered, and the cause in the networks' tables."""
_RIGHT = 0.5
"""Score above which an answer counts as right where it has to be one or the other."""


def bare(said: str) -> str:
    """An answer without the signs of a sentence."""
    return said.strip().rstrip(".")


@dataclass(frozen=True)
class Agreed:
    """Right where the official score is above a half."""

    answers: tuple[str, ...]

    def __call__(self, said: str) -> bool:
        return score(bare(said), self.answers) > _RIGHT


def cases(records: Sequence[Record], world: str) -> list[Case]:
    """The records as cases; the questions of one picture are of one group."""
    group = {path: at for at, path in enumerate(sorted({one.picture for one in records}))}
    return [
        Case(
            world,
            one.answer_type,
            one.question,
            Agreed(one.answers),
            UNANSWERABLE if one.answerable is False else "",
            Counter(one.answers).most_common(1)[0][0],
            partial(pixels, one),
            group[one.picture],
        )
        for one in records
    ]


def official(outputs: Outputs, records: Sequence[Record], own: bool) -> NDArray[np.float64]:
    """The official score of each record. own: at the network's settings, with the exits, the pruning and the
    first stage; otherwise of the last layer with all rows.
    """
    if not own:
        said = [texts[-1] for texts in outputs.whole_texts]
    else:
        found = verdicts(outputs, settings_of(outputs))
        said = [
            UNANSWERABLE if refused else texts[layer]
            for refused, layer, texts in zip(found.refused, found.layer, outputs.pruned_texts, strict=True)
        ]
    return np.array([score(bare(text), one.answers) for text, one in zip(said, records, strict=True)])


def score_table(runs: Sequence[Run], records: Sequence[Record], form: str) -> Table:
    """Official scores by answer type."""
    whole = [official(run.test, records, own=False) for run in runs]
    own = [official(run.test, records, own=True) for run in runs]
    kinds = np.array([one.answer_type for one in records])
    rows = []
    for kind in ("all", *sorted(set(kinds))):
        chosen = np.flatnonzero((kinds == kind) | (kind == "all"))
        scores = (interval(runs, values, chosen).percent() for values in (whole, own))
        rows.append((kind, str(len(chosen)), *scores))
    return Table(
        f"Official score on {form}",
        ("answer type", "questions", "last layer, all rows", "as the brick answers"),
        rows,
        [
            "min(n / 3, 1), averaged over the choices of nine of the ten people. What the first stage "
            f"refuses is said as '{UNANSWERABLE}'; caution does not count, nor unknown words. "
            + mechanisms.INTERVALS
        ],
    )


def report(pack: Pack, networks: Sequence[Network], folder: Path, most: int = 0) -> list[Table]:
    """The tables. most: questions of each split, 0 for all. Raises DataError or Lacks."""
    form, test, validation = format_of(folder), read(folder, "val"), read_training(folder)["validation"]
    if most:
        test, validation = test[:most], validation[:most]
    (name,) = {str(network.settings.get("eye", "vision")) for network in networks}
    if name not in pack.bricks:
        raise Lacks(f"Pack '{pack.name}' has no brick '{name}'.")
    with loaded(pack.bricks[name]) as eye:
        asked = [look(eye, cases(records, form)) for records in (validation, test)]
    runs = [Run(collect(network, asked[0], ()), collect(network, asked[1])) for network in networks]
    tables = [score_table(runs, test, form)]
    if 0 < runs[0].test.truth.mean() < 1 and 0 < runs[0].validation.truth.mean() < 1:
        tables.append(mechanisms.first_stage(runs))
    return [
        *tables, *mechanisms.exits(runs), mechanisms.pruning(runs), mechanisms.together(runs),
        *risk.risk(runs),
    ]  # fmt: skip


def main(pack: Pack, folders: Sequence[Path], data: Path, most: int) -> int:
    """Prints the tables; 2 with one sentence for data or networks that can't be used."""
    try:
        networks = [of_folder(folder, pack) for folder in folders] or [of_pack(pack)]
        tables = report(pack, networks, data, most)
    except (DataError, Lacks) as error:
        print(error, file=sys.stderr)
        return 2
    for table in tables:
        print(f"\n{table.text()}", flush=True)
    return 0

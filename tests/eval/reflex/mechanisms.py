"""The tables of the mechanisms: each against simpler ones, from outputs that are computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tests.eval.eye.page import Table
from tests.eval.reflex import baselines, policies
from tests.eval.reflex.collect import V4, Outputs
from tests.eval.reflex.metrics import Interval, average_precision, mean, precision
from tests.eval.reflex.pruning import RATIOS, WAYS
from tests.eval.reflex.runs import Run, interval, one_by_one, within
from tests.eval.reflex.verdicts import Settings, Verdicts, settings_of, verdicts

SPEED = 1.6
"""Times cheaper, at which exits are compared."""
_SPEEDS = (1.0, 1.2, 1.4, 1.6, 2.0, 2.5, 3.0, 4.0)
DEEPER, LEAST_OF_FAMILY = 0.05, 10
"""A family is answered better by later layers where the last has so many more right; of so many questions."""
INTERVALS = "Intervals are 95 % of a bootstrap over pictures."


def where(wanted: NDArray[np.bool_]) -> NDArray[np.intp]:
    return np.flatnonzero(wanted)


def first_stage(runs: Sequence[Run]) -> Table:
    """V1 against what the last layer, the words alone or the picture alone say."""
    test, truth = runs[0].test, runs[0].test.truth
    by_way: Mapping[str, Sequence[NDArray[np.float64]]] = {
        "first stage (V1)": [run.test.answerable for run in runs],
        "last layer's probability": [run.test.whole.probability[:, -1] for run in runs],
        "question only": [baselines.by_question(runs[0].validation.asked, test.asked)] * len(runs),
        "picture only": [baselines.by_picture(runs[0].validation.asked, test.asked)] * len(runs),
    }
    rows = []
    for name, scores in by_way.items():
        negative = precision(test.groups, [-each for each in scores], ~truth)
        rows.append((name, precision(test.groups, scores, truth).number(), negative.number()))
    share = float(truth.mean())
    rows.append(("prevalence", f"{share:.3f}", f"{1 - share:.3f}"))
    found = [verdicts(run.test, settings_of(run.test)) for run in runs]
    refused = [each.refused for each in found]
    causes = [each.cause_right for each in found]
    right = within(runs, causes, [each.refused & ~truth for each in found])
    notes = [
        f"false refusals (goal at most 3 %): {interval(runs, refused, where(truth)).percent()}",
        f"unanswerable ones refused: {interval(runs, refused, where(~truth)).percent()}",
        f"cause right, of unanswerable ones refused (goal 90 %): {right.percent()}",
        f"cause right, of all unanswerable ones: {interval(runs, causes, where(~truth)).percent()}",
        *_by_cause(runs, found),
        INTERVALS + " The goals of the average precision are 0.96.",
    ]
    if len(runs) > 1:
        shown = [average_precision(run.test.answerable, truth) for run in runs]
        notes.append(f"networks one by one, answerable: {one_by_one(shown, 3, 1.0)}")
    columns = ("average precision of", "answerable", "unanswerable")
    return Table("Can it be answered?", columns, rows, notes)


def _by_cause(runs: Sequence[Run], found: Sequence[Verdicts]) -> list[str]:
    named = np.array([each.case.cause for each in runs[0].test.asked])
    lines = []
    for cause in sorted(set(named) - {""}):
        rows = where(named == cause)
        refused = np.mean([mean(each.refused[rows]) for each in found])
        right = np.mean([mean(each.cause_right[rows]) for each in found])
        lines.append(
            f"- {cause}: {len(rows)} cases, refused {100 * refused:.0f} %, cause right {100 * right:.0f} %"
        )
    return lines


def exits(runs: Sequence[Run]) -> list[Table]:
    """V3 against other rules at equal cost, on answerable questions and all image rows; the same on the
    families whose questions are answered better by later layers, which validation tells.
    """
    rows = where(runs[0].test.truth)
    known = where(runs[0].validation.truth)
    found = {rule: _applied(runs, rule, SPEED, rows, known) for rule in policies.RULES}
    costs = ", ".join(f"{cost:.2f}" for cost in np.mean([run.test.layer_costs() for run in runs], 0))
    first = Table(
        f"When to stop, at {SPEED} times less cross-modal time",
        ("rule", "right", "times less", "V3 ahead by"),
        _by_rule(runs, found, rows),
        [
            "Goals: 0.6 points ahead of probability, 3 of entropy. Settings are chosen on validation; "
            "where a rule has few, two are mixed to meet the cost.",
            f"Of {len(rows)} answerable questions. Layers cost {costs} ms (medians, all image rows). "
            + INTERVALS,
        ],
    )
    tables = [first, _curves(runs, rows, known, "Share of right answers")]
    deeper = _needing_depth(runs, known)
    if not deeper:
        return [*tables, Table("No family is answered better by later layers on validation.")]
    rows, known = _of_families(runs[0].test, rows, deeper), _of_families(runs[0].validation, known, deeper)
    found = {rule: _applied(runs, rule, SPEED, rows, known) for rule in policies.RULES}
    second = Table(
        f"The same on the families that later layers answer better: {', '.join(deeper)}",
        ("rule", "right", "times less", "V3 ahead by"),
        _by_rule(runs, found, rows),
        [f"Of {len(rows)} questions. Families are those of which the last layer has at least "
         f"{100 * DEEPER:g} points more right on validation than the first."],
    )  # fmt: skip
    return [*tables, second, _curves(runs, rows, known, "There: share of right answers")]


def _applied(
    runs: Sequence[Run], rule: str, speed: float, rows: NDArray[np.intp], known: NDArray[np.intp]
) -> list[policies.Applied]:
    """A rule on these test rows, of each network, at a setting that is chosen on those of validation."""
    return [
        policies.at_speed(
            rule, run.validation.whole.at(known), run.test.whole.at(rows), run.test.layer_costs(), speed
        )
        for run in runs
    ]


def _by_rule(
    runs: Sequence[Run], by_rule: Mapping[str, Sequence[policies.Applied]], rows: NDArray[np.intp]
) -> list[tuple[str, str, str, str]]:
    whole_ms = [float(run.test.layer_costs().sum()) for run in runs]
    own = np.mean([each.right for each in by_rule["score"]], 0)
    table = []
    for rule, found in by_rule.items():
        right = np.mean([each.right for each in found], 0)
        ahead = _of_rows(runs, own - right, rows)
        reached = np.mean([whole / each.cost.mean() for whole, each in zip(whole_ms, found, strict=True)])
        shown = "-" if rule == "score" else ahead.points()
        name = "score (V3)" if rule == "score" else rule
        table.append((name, _of_rows(runs, right, rows).percent(), f"{reached:.2f}", shown))
    last = [run.test.whole.right[rows, -1] for run in runs]
    return [*table, ("all layers", _of_rows(runs, np.mean(last, 0), rows).percent(), "1.00", "")]


def _curves(runs: Sequence[Run], rows: NDArray[np.intp], known: NDArray[np.intp], what: str) -> Table:
    lines = []
    for rule in policies.RULES:
        shares = [
            np.mean([mean(each.right) for each in _applied(runs, rule, speed, rows, known)])
            for speed in _SPEEDS
        ]
        lines.append((rule, *(f"{100 * share:.1f}" for share in shares)))
    return Table(
        f"{what} by how many times less the layers cost, %",
        ("rule", *(f"{speed:g}" for speed in _SPEEDS)),
        lines,
        ["Right after each layer: " + ", ".join(_right_by_layer(runs, rows))],
    )


def _families(outputs: Outputs, rows: NDArray[np.intp]) -> NDArray[np.str_]:
    return np.array([outputs.asked[row].case.family for row in rows])


def _of_families(outputs: Outputs, rows: NDArray[np.intp], wanted: Sequence[str]) -> NDArray[np.intp]:
    """Those of the rows whose questions are of these families."""
    return rows[np.isin(_families(outputs, rows), wanted)]


def _needing_depth(runs: Sequence[Run], known: NDArray[np.intp]) -> list[str]:
    """The families of which the last layer has clearly more right than the first, on validation."""
    families = _families(runs[0].validation, known)
    right = np.mean([run.validation.whole.right[known] for run in runs], 0)
    gained = {
        family: float((right[here, -1] - right[here, 0]).mean())
        for family in sorted(set(families))
        if (here := families == family).sum() >= LEAST_OF_FAMILY
    }
    return [family for family, more in gained.items() if more >= DEEPER]


def _of_rows(runs: Sequence[Run], values: NDArray, rows: NDArray[np.intp]) -> Interval:
    whole = np.zeros(len(runs[0].test.asked))
    whole[rows] = values
    return interval(runs, [whole], rows)


def _right_by_layer(runs: Sequence[Run], rows: NDArray[np.intp]) -> list[str]:
    right = np.mean([run.test.whole.right[rows].mean(0) for run in runs], 0)
    return [f"{100 * share:.1f} %" for share in right]


def pruning(runs: Sequence[Run], ratios: Sequence[float] = RATIOS) -> Table:
    """V4 against other ways to keep as many rows, by the last layer's answers to answerable questions."""
    rows = where(runs[0].test.truth)
    right = {way: np.mean([run.test.kept_right[way][rows] for run in runs], 0) for way in WAYS}
    whole_ms = np.mean([np.median(run.test.whole_ms.sum(1)) for run in runs])
    table = []
    for at, ratio in enumerate(ratios):
        best = max((way for way in WAYS if way != V4), key=lambda way: right[way][:, at].mean())
        ahead = _of_rows(runs, right[V4][:, at] - right[best][:, at], rows)
        ms = np.mean([np.median(run.test.kept_ms[:, at]) for run in runs])
        shares = [f"{100 * right[way][:, at].mean():.1f}" for way in WAYS]
        compared = f"{ahead.points()} ({best})" if ratio < 1 else ""
        table.append((f"{100 * ratio:.0f} %", *shares, compared, f"{whole_ms / ms:.2f}"))
    own = ", ".join(sorted({f"{float(run.test.network.settings['keep']):.2f}" for run in runs}))
    lost = _of_rows(
        runs,
        np.mean([run.test.whole.right[rows, -1] * 1.0 - run.test.pruned.right[rows, -1] for run in runs], 0),
        rows,
    )
    return Table(
        "Which image rows go on after the first layer, share of right answers, %",
        ("rows kept", *WAYS, "V4 ahead of the best other", "times less"),
        table,
        [
            f"Lost at the network's own share of {own}: {lost.points()} (goal: less than 1).",
            f"Of {len(rows)} answerable questions; times less: median wall time of all layers, with the "
            f"choice of rows. {INTERVALS}",
        ],
    )


def together(runs: Sequence[Run]) -> Table:
    """Everything against the same network without exits and pruning, wall time of one run."""
    ways = {
        "all layers, all rows": (False, False, False),
        "exits (V3)": (False, True, False),
        "pruning (V4)": (False, False, True),
        "exits and pruning": (False, True, True),
        "first stage, exits and pruning": (True, True, True),
    }
    found = {name: [_with(run.test, *parts) for run in runs] for name, parts in ways.items()}
    base = found["all layers, all rows"]
    table = []
    for name, each_run in found.items():
        right = [each.right for each in each_run]
        lost = [1.0 * first.right - each.right for first, each in zip(base, each_run, strict=True)]
        ms = float(np.mean([each.ms.mean() for each in each_run]))
        whole = float(np.mean([each.ms.mean() for each in base]))
        front = float(np.mean([run.test.front_ms.mean() for run in runs]))
        table.append(
            (
                name, interval(runs, right).percent(), interval(runs, lost).points(), f"{ms:.2f}",
                f"{whole / ms:.2f}" if ms else "-", f"{(whole + front) / (ms + front):.2f}",
            )
        )  # fmt: skip
    return Table(
        "All together",
        ("", "right", "lost", "layers, ms", "times less", "with the front"),
        table,
        [
            "Of all questions; a refusal is right with the right cause or true advice. Goal: 1.6 times "
            f"less at less than 1 point. {INTERVALS}"
        ],
    )


def _with(outputs: Outputs, first_stage: bool, exits: bool, pruning: bool) -> Verdicts:
    own = settings_of(outputs)
    return verdicts(
        outputs,
        Settings(
            own.answerable_from, own.advice_from, own.exit_score, own.least, first_stage, exits, pruning
        ),
    )

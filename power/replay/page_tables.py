"""The tables of the comparison's page, and what its sheets are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from power.report.axes import legend

RADII = (15.5, 13.2, 10.9, 8.6, 6.3, 4.0)
"""Of the dots of each policy; larger ones are rings and drawn first, so that equal points stay visible."""
COLOURS = {
    "always": "#b3261e",
    "paper": "#c98500",
    "rule": "#6d4c9f",
    "rule-camera": "#2e7d32",
    "rule-soon": "#8a5a00",
    "ours": "#0b5cad",
}
Policies = Sequence[Mapping[str, Any]]
"""The policies of a comparison, as `power.replay.compare` gives them."""


def policy_table(policies: Policies, what: str) -> str:
    """Energy, waits and hours of every policy."""
    heads = [
        "policy", "*mWh off the charger", "*saved", "*mean mW", "*emptied", "*questions", "*whole answers",
        "*mean wait, s", "*95 % within, s", "*mWh a question", "*asleep", "*hours on a charge",
        "*hours from 20 %",
    ]  # fmt: skip
    rows = [
        [
            policy["title"],
            f"{policy['energy_mwh']:.0f}",
            f"{policy['saved_percent']:.1f} %",
            f"{policy['mean_mw']:.0f}",
            str(policy["fresh_packs"]),
            str(policy["questions"]),
            str(policy["given"]),
            f"{policy['latency_s']['mean']:.2f}",
            f"{policy['latency_s']['p95']:.2f}",
            f"{policy['question_mwh']:.2f}",
            f"{100 * policy['asleep_share']:.0f} %",
            f"{policy['hours']['hours']:.1f}",
            f"{policy['end']['hours']:.2f}",
        ]
        for policy in policies
    ]
    return sheet(
        f"What the {what} comes to",
        'Every figure is modelled. "Emptied" counts the batteries that ran empty.',
        rows_table(heads, rows),
    )


def hours_sheet(policies: Policies, what: str) -> str:
    """The hours on a charge of every policy, with every term."""
    parts = []
    for policy in policies:
        terms = policy["hours"]
        heads = ["term", "*value", "*share of the mean power"]
        rows = [
            ["V · Ah, nominal", f"{terms['volt'] * terms['ampere_hours']:.2f} Wh", ""],
            ["η: charge used before it stops", f"{terms['eta_charge']:.3f}", ""],
            ["η: mean voltage relative to nominal", f"{terms['eta_voltage']:.3f}", ""],
            ["η: not lost in the cell's resistance", f"{terms['eta_resistance']:.3f}", ""],
            ["P_idle", f"{terms['idle_mw']:.1f} mW", f"{_share(terms['idle_mw'], terms)}"],
        ]
        rows += [
            [
                f"{event['kind']}: {event['per_hour']:.2f} per hour",
                f"{event['mwh']:.2f} mWh each above P_idle",
                _share(event["mw"], terms),
            ]
            for event in terms["events"]
        ]
        rows.append(["mean power", f"{terms['mean_mw']:.1f} mW", ""])
        parts.append(
            f"<h3>{escape(policy['title'])}: {terms['hours']:.1f} h (the run itself ended after "
            f"{terms['simulated_h']:.1f} h)</h3>{rows_table(heads, rows)}"
        )
    return sheet(
        "Hours on a charge, with every term",
        f"From full to empty, this {what} repeated without a charger.",
        '<div class="formula">hours = V · Ah · η / (P_idle + Σ rate · E)</div>' + "".join(parts),
    )


def draws_sheet(draws: Mapping[str, Any] | None) -> str:
    """How often the ranking holds with other parameters; empty where none were drawn."""
    if draws is None:
        return ""
    rows = [
        ["on the front of hours, mean wait and answers from full to empty", f"{draws['on_front']:.0%}"],
        ["ahead in hours from 20 % to the end, at equal answers", f"{draws['longest_end']:.0%}"],
        ["both", f"{draws['both']:.0%}"],
        ["the end lasts longer than under the best other, median", f"{draws['end_margin']['median']:.1%}"],
    ]
    return sheet(
        "How often the ranking holds",
        f"{draws['count']} times with another value of every parameter, "
        + ("on another day of this kind each." if draws["other_days"] else "with the same events each time."),
        rows_table(["our policy is", "*of the draws"], rows),
    )


def reflex_sheet(reflex: Mapping[str, Any] | None) -> str:
    """What a brick for closed questions saves; empty for a pack without one."""
    if reflex is None:
        return ""
    heads = ["our policy", "*mWh off the charger", "*mWh a question", "*mean wait, s", "*95 % within, s"]
    rows = [
        [
            f"{name} the brick for closed questions",
            f"{reflex[name]['energy_mwh']:.0f}",
            f"{reflex[name]['question_mwh']:.2f}",
            f"{reflex[name]['latency_s']['mean']:.2f}",
            f"{reflex[name]['latency_s']['p95']:.2f}",
        ]
        for name in ("without", "with")
    ]
    saved = reflex["saved_percent"]
    return sheet(
        "Closed questions without the language model",
        f"{reflex['answered_share']:.0%} of the questions about the present view are answered for "
        f"{reflex['work_share']:.0%} of the language model's work: "
        f"{abs(saved):.1f} % {'less' if saved > 0 else 'more'} energy.",
        rows_table(heads, rows),
    )


def clips_sheet(clips: Mapping[str, Any] | None) -> str:
    """What it costs to look on while questions are spoken; empty for a pack that has no use for it."""
    if clips is None:
        return ""
    heads = ["our policy", "*mWh off the charger", "*mWh a question", "*mean wait about the last seconds, s"]
    rows = []
    for name in ("without", "with"):
        wait_s = clips[name]["about_them_s"]
        rows.append(
            [
                f"{name} pictures while questions are spoken",
                f"{clips[name]['energy_mwh']:.0f}",
                f"{clips[name]['question_mwh']:.2f}",
                "-" if wait_s is None else f"{wait_s:.2f}",
            ]
        )
    return sheet(
        "Pictures while a question is spoken",
        f"They are taken in case it asks about the last seconds, as {clips['asked']} of the questions do: "
        f"{clips['more_percent']:.1f} % more energy.",
        rows_table(heads, rows),
    )


def stages_sheet(policies: Policies) -> str:
    """Energy by stage."""
    names = list(dict.fromkeys(name for policy in policies for name in policy["stages_mwh"]))
    rows = [[name, *[f"{p['stages_mwh'].get(name, 0.0):.1f}" for p in policies]] for name in names]
    rows.append(["all", *[f"{p['energy_mwh']:.1f}" for p in policies]])
    heads = ["stage", *[f"*{p['title']}, mWh" for p in policies]]
    return sheet("Where the energy went", "Off the charger.", rows_table(heads, rows))


def _share(mw: float, terms: Mapping[str, Any]) -> str:
    return f"{100 * mw / terms['mean_mw']:.1f} %"


def sheet(title: str, about: str, body: str) -> str:
    """One section of the page."""
    return f'<section class="sheet"><h2>{title}</h2><p class="soft">{about}</p>{body}</section>'


def rows_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; a star before a heading is a column of numbers."""
    numeric = [head.startswith("*") for head in heads]
    marks = ['class="n"' if number else "" for number in numeric]
    top = "".join(
        f"<th {mark}>{escape(head.lstrip('*'))}</th>" for head, mark in zip(heads, marks, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(f"<td {mark}>{escape(cell)}</td>" for cell, mark in zip(row, marks, strict=True))
        + "</tr>"
        for row in rows
    )
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def key(policies: Policies) -> str:
    """The policies' colours."""
    return legend([(policy["title"], COLOURS[policy["name"]]) for policy in policies])

"""The comparison as one HTML page, made from the JSON alone, which it contains; it loads nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from power.replay.charts import Axis, Series, chart, lanes
from power.report.axes import axis_limit, legend
from power.report.mode_colours import MODE_COLOURS

STYLE = Path(__file__).parents[1] / "report" / "style.css"
"""The style of every report."""
RADII = (13.5, 11.0, 8.7, 6.3, 4.0)
"""Of the dots of each policy; larger ones are rings and drawn first, so that equal points stay visible."""
COLOURS = {
    "always": "#b3261e",
    "paper": "#c98500",
    "rule": "#6d4c9f",
    "rule-camera": "#2e7d32",
    "ours": "#0b5cad",
}
Policies = Sequence[Mapping[str, Any]]


def page(result: Mapping[str, Any]) -> str:
    """The whole page."""
    policies = result["policies"]
    what = "scenario" if result["note"] else "day"
    sheets = [_head(result, what), _cards(result, what), _table(policies, what)]
    sheets += [_tradeoff(policies, what), _day(result, what)]
    sheets += [_reflex(result["reflex"]), _hours(policies, what), _stages(policies)]
    data = json.dumps(result, ensure_ascii=False).replace("</", "<\\/")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(result['day'])}: a {what} of the headband, modelled</title>"
        f"<style>{STYLE.read_text(encoding='utf-8')}</style></head><body><main>{''.join(sheets)}</main>"
        f'<script type="application/json" id="figures">{data}</script></body></html>\n'
    )


def _head(result: Mapping[str, Any], what: str) -> str:
    verdict = result["verdict"]
    asked = sum(rate for kind, rate in result["events"].items() if kind != "conversations")
    return (
        f"<h1>One {what}, five policies: {escape(result['day'])}</h1>"
        '<div><span class="badge modelled">modelled: twin</span>'
        f'<span class="soft">{escape(result["about"])} Pack {escape(result["pack"])}, '
        f"{result['capacity_mah']:g} mAh.</span></div>"
        '<p class="soft">Nothing here was measured on a headband. The twin is driven by the real policy and '
        f"the real state table; {verdict['parameters_estimated']} of its {verdict['parameters']} parameters "
        f"are estimates. The same {asked:.0f} questions or so are asked under each policy; where a pack runs "
        "empty it is exchanged for a full one, so that all are answered. Energies are those of the hours off "
        "the charger.</p>" + (f'<p class="soft">{escape(result["note"])}</p>' if result["note"] else "")
    )


def _cards(result: Mapping[str, Any], what: str) -> str:
    verdict = result["verdict"]
    by_name = {policy["name"]: policy for policy in result["policies"]}
    ours = by_name["ours"]
    cards = [
        (
            f"{verdict['saved_percent']:.1f} %",
            f"less energy than always performance (the paper claims {verdict['goal_percent']} %)",
        ),
        (
            f"{verdict['saved_percent_against_camera_off']:.1f} %",
            "less than always performance with its camera off between questions",
        ),
        (f"{verdict['hours']:.1f} h", f"on one charge, this {what} repeated without a charger"),
        (
            f"{ours['latency_s']['mean']:.1f} s",
            f"mean wait for an answer (one rule {by_name['rule']['latency_s']['mean']:.1f} s, the paper's "
            f"{by_name['paper']['latency_s']['mean']:.1f} s)",
        ),
    ]
    items = "".join(
        f'<div class="card"><b>{figure}</b><span class="soft">{escape(what)}</span></div>'
        for figure, what in cards
    )
    return f'<div class="cards">{items}</div>'


def _table(policies: Policies, what: str) -> str:
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
    return _sheet(
        f"What the {what} comes to",
        'Every figure is modelled. "Emptied" counts the batteries that ran empty.',
        _rows(heads, rows),
    )


def _tradeoff(policies: Policies, what: str) -> str:
    series = []
    for place, policy in enumerate(policies):
        points = policy["tradeoff"]
        notes = [
            f"{policy['title']} at {p['percent']} %: {p['mode']}, alpha {p['alpha']:.2f}, "
            f"{p['mean_mw']:.0f} mW, {p['latency_s']:.1f} s"
            for p in points
        ]
        series.append(
            Series(
                policy["title"], COLOURS[policy["name"]],
                [(p["latency_s"], p["mean_mw"]) for p in points], both=True, notes=notes,
                radius=RADII[place], ring=place < len(policies) - 1,
            )
        )  # fmt: skip
    points = [point for each in series for point in each.points]
    if not points:
        return ""
    drawn = chart(
        series,
        Axis("mean wait for an answer, s", 0.0, axis_limit(max(p[0] for p in points))),
        Axis(f"mean power of the {what}, mW", 0.0, axis_limit(max(p[1] for p in points))),
        label="Mean power over mean latency for each policy as the charge falls",
        height=300,
    )
    return _sheet(
        "Energy against latency",
        f"Each dot is this whole {what} lived at one charge (80, 50, 45 ... 8 percent), as in the paper's "
        "Figure 8: lower and further left is better. Always performance and the one rule have one dot, as "
        "they do the same at every charge; where policies agree, their rings share a centre. Point "
        "at a dot to see its charge and mode.",
        _key(policies) + f'<div class="scroll">{drawn}</div>',
    )


def _day(result: Mapping[str, Any], what: str) -> str:
    policies = result["policies"]
    per_s = 1.0 if what == "day" else 1 / 60
    x = (
        Axis("time of day", 0.0, result["length_s"], clock_from_h=result["starts_h"])
        if what == "day"
        else Axis("minutes", 0.0, result["length_s"] * per_s)
    )

    def lines(name: str, y: Axis, label: str, *, step: bool = False, height: int = 150) -> str:
        series = [
            Series(
                p["title"],
                COLOURS[p["name"]],
                [(s["at_s"] * per_s, s[name]) for s in p["samples"]],
                step=step,
            )
            for p in policies
        ]
        return chart(series, x, y, label=label, height=height)

    warmest = axis_limit(max(s[k] for p in policies for s in p["samples"] for k in ("cell_c", "soc_c")))
    slowest = axis_limit(max((a["latency_s"] for p in policies for a in p["asked"]), default=1.0))
    waits = [
        Series(
            p["title"], COLOURS[p["name"]], [(a["at_s"] * per_s, a["latency_s"]) for a in p["asked"]],
            dots=True, notes=[_about(a) for a in p["asked"]],
            radius=0.65 * RADII[place], ring=place < len(policies) - 1,
        )
        for place, p in enumerate(policies)
    ]  # fmt: skip
    parts = [
        lines("percent", Axis("charge, %", 0.0, 100.0), f"Charge over the {what}"),
        "<h3>Mode</h3>" + legend(list(MODE_COLOURS.items())) + lanes(
            [(p["name"], _modes(p["samples"], per_s)) for p in policies], x, label=f"Mode over the {what}"
        ),
        lines("alpha", Axis("alpha", 0.0, 1.0), f"Alpha over the {what}", step=True, height=90),
        chart(waits, x, Axis("wait for an answer, s", 0.0, slowest), label="Latency of every question"),
        lines("cell_c", Axis("cell, °C", 15.0, warmest), "Cell temperature", height=110),
        lines("soc_c", Axis("processor, °C", 15.0, warmest), "Processor temperature", height=110),
    ]  # fmt: skip
    body = "".join(f'<div class="scroll">{part}</div>' for part in parts)
    return _sheet(
        "The day, hour by hour" if what == "day" else "The scenario, minute by minute",
        (
            "Charge jumps to 100 percent where an empty pack is exchanged for a full one."
            if what == "day"
            else "Charge jumps where a step puts in another pack."
        )
        + " Waits are from the end of the question to the first sound of the answer.",
        _key(policies) + body,
    )


def _about(asked: Mapping[str, Any]) -> str:
    return f"{asked['route']}, {asked['mode']}: {asked['latency_s']:.1f} s, {asked['mwh']:.1f} mWh"


def _modes(samples: Sequence[Mapping[str, Any]], per_s: float) -> list[tuple[float, float, str, str]]:
    blocks: list[tuple[float, float, str, str]] = []
    for sample in samples:
        at, colour, what = sample["at_s"] * per_s, MODE_COLOURS[sample["mode"]], sample["mode"]
        if blocks and blocks[-1][3] == what:
            blocks[-1] = (blocks[-1][0], at, colour, what)
        else:
            if blocks:
                blocks[-1] = (blocks[-1][0], at, *blocks[-1][2:])
            blocks.append((at, at, colour, what))
    return blocks


def _hours(policies: Policies, what: str) -> str:
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
            f"{terms['simulated_h']:.1f} h)</h3>{_rows(heads, rows)}"
        )
    return _sheet(
        "Hours on a charge, with every term",
        f"From full to empty, this {what} repeated without a charger.",
        '<div class="formula">hours = V · Ah · η / (P_idle + Σ rate · E)</div>' + "".join(parts),
    )


def _reflex(reflex: Mapping[str, Any] | None) -> str:
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
    return _sheet(
        "Closed questions without the language model",
        f"{reflex['answered_share']:.0%} of the questions about the present view are answered for "
        f"{reflex['work_share']:.0%} of the language model's work: "
        f"{reflex['saved_percent']:.1f} % less energy.",
        _rows(heads, rows),
    )


def _stages(policies: Policies) -> str:
    names = list(dict.fromkeys(name for policy in policies for name in policy["stages_mwh"]))
    rows = [[name, *[f"{p['stages_mwh'].get(name, 0.0):.1f}" for p in policies]] for name in names]
    rows.append(["all", *[f"{p['energy_mwh']:.1f}" for p in policies]])
    heads = ["stage", *[f"*{p['title']}, mWh" for p in policies]]
    return _sheet("Where the energy went", "Off the charger.", _rows(heads, rows))


def _share(mw: float, terms: Mapping[str, Any]) -> str:
    return f"{100 * mw / terms['mean_mw']:.1f} %"


def _key(policies: Policies) -> str:
    return legend([(policy["title"], COLOURS[policy["name"]]) for policy in policies])


def _sheet(title: str, about: str, body: str) -> str:
    return f'<section class="sheet"><h2>{title}</h2><p class="soft">{about}</p>{body}</section>'


def _rows(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
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

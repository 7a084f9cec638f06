"""The result of a rig run as one HTML page. It is made from the JSON alone, so it has no figure that is
not in the JSON; it loads nothing, so it opens from a USB stick.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from power.report.against import against
from power.report.evidence import evidence
from power.report.mode_colours import MODE_COLOURS
from power.report.power_chart import STATES, chart_legend, interval_bar, power_chart
from power.report.tables import (
    budget_cells,
    cell,
    figure_cells,
    interval,
    number,
    plain,
    sheet,
    table,
)

_STYLE = Path(__file__).with_name("style.css")
_BADGES = {"passed": "pass", "failed": "fail", "not judged": "open"}
"""Outcome -> its class in the style."""
DECLARED = "declared"
NO_QUESTIONS = 4
"""Number of terms of the hours without questions: the pack's three, and the power between questions."""
_KEPT_AWAKE = (
    " Kept awake: the meter keeps the PMU awake, and asleep the headband draws more than by itself, so that "
    "is not judged and tells no hours."
)
_OF_REPEATS = (
    "CI: over the repeats, by Student's t, "
    "without the meter's own error and without what another day changes."
)
_FORMULA = "hours = V · Ah · usable · 1000 / (P_idle + Σ rate · E)"


def page(result: Mapping[str, Any]) -> str:
    """The whole page."""
    figures = {entry["id"]: entry for entry in result["figures"]}
    sheets = [
        _head(result),
        _cards(result, figures),
        _overview(result),
        _states(result, figures),
        _questions(result, figures),
        _bricks(result, figures),
        _hours(result),
        against(result),
        evidence(result),
    ]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(result['scenario']['name'])}: power of the headband</title>"
        f"<style>{_STYLE.read_text(encoding='utf-8')}</style></head><body><main>{''.join(sheets)}</main></body></html>\n"
    )


def _head(result: Mapping[str, Any]) -> str:
    meter, conditions = result["meter"], result["conditions"]
    verdict = f'<span class="badge {_BADGES[result["outcome"]]}">{result["outcome"]}</span>'
    how = (
        "No instrument was there: the power is what the energy model expects of what the headband did. "
        "Seconds of work are this computer's, stretched to the board's; a busy one makes them longer. "
        "Intervals tell how much the repeats differ, not how good the model is."
        if meter["kind"] == "modelled"
        else f"Measured at {plain(meter['sample_rate_hz'])} samples a second. Intervals tell how much the "
        "repeats differ; the error of the meter itself, under Conditions, comes on top."
    )
    repeats = result["scenario"]["repeats"]
    return (
        f"<h1>{escape(result['scenario']['about'])}</h1>"
        f'<div>{verdict}<span class="badge {meter["kind"]}">{meter["kind"]}: {escape(meter["name"])}</span>'
        f'<span class="soft">scenario {escape(result["scenario"]["name"])}, {repeats} '
        f"repeat{'s' if repeats != 1 else ''}, {escape(str(conditions.get('board', '')))} board, "
        f"{escape(str(conditions.get('at', '')))}</span></div>"
        f'<p class="soft">{how}</p>'
    )


def _cards(result: Mapping[str, Any], figures: Mapping[str, Any]) -> str:
    cards = []
    for entry in result["hours"]:
        asking = "" if len(entry["terms"]) > NO_QUESTIONS else ", asked nothing"
        cards.append((f"{entry['hours']['value']:.3g} h", f"on the pack in {entry['mode']}{asking}"))
    asked = [e for i, e in figures.items() if i.startswith("question.") and i.endswith(".extra_mwh")]
    if asked:
        low, high = min(e["value"] for e in asked), max(e["value"] for e in asked)
        span = f"{low:.3g}" if low == high else f"{low:.3g}–{high:.3g}"
        cards.append((f"{span} mWh", "a question, above the power between questions"))
    held = sum(1 for entry in result["budgets"] if entry["verdict"] == "pass")
    if result["budgets"]:
        cards.append((f"{held} of {len(result['budgets'])}", "budgets kept"))
    items = "".join(
        f'<div class="card"><b>{value}</b><span class="soft">{escape(what)}</span></div>'
        for value, what in cards
    )
    return f'<div class="cards">{items}</div>'


def _overview(result: Mapping[str, Any]) -> str:
    view = result["overview"]
    return (
        '<section class="sheet"><h2>Power over time</h2>'
        '<p class="soft">The first repeat. Line: mean of each column of the picture; band: least to most. '
        "Below it, on the same time, what the headband says it did.</p>"
        f'{chart_legend([view])}<div class="scroll">{power_chart(view)}</div></section>'
    )


def _states(result: Mapping[str, Any], figures: Mapping[str, Any]) -> str:
    budgets = {entry["id"]: entry for entry in result["budgets"]}
    entries = _by_state([e for i, e in figures.items() if i.startswith("state.")])
    rows = [[*figure_cells(e), *budget_cells(budgets.get(e["id"].removesuffix(".mw")))] for e in entries]
    missing = [b for b in result["budgets"] if b["verdict"] == "not measured" and b["value_mw"] is None]
    rows += [[cell(b["id"]), *[cell("–", "n")] * 4, *budget_cells(b)] for b in missing]
    kept_awake = any(entry["verdict"] == "kept awake" for entry in result["budgets"])
    return sheet(
        "Milliwatts per state",
        "Mean power while a state of the headband held, per power mode. Dozing: devices suspend or resume. "
        "Time in which the rig brought it into another mode counts for none. A budget allows its tolerance "
        "and the meter's own error to either side: a headband that draws too little did not do its work. "
        "Too short: the state held for too few seconds to be judged. Meter too coarse: its error could hide "
        f"a rise of 20 %. {_OF_REPEATS}" + (_KEPT_AWAKE if kept_awake else ""),
        ["state", "*mW", "*95 % CI", "*repeats", "kind", "*budget", "*allowed ±", "verdict"],
        rows,
    )


def _by_state(entries: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """In the order of the modes, and in each from asleep to speaking."""

    def place(entry: Mapping[str, Any]) -> tuple[int, int]:
        mode, _, state = entry["id"].removeprefix("state.").removesuffix(".mw").partition("/")
        modes, states = list(MODE_COLOURS), list(STATES)
        return (
            modes.index(mode) if mode in modes else len(modes),
            states.index(state) if state in states else len(states),
        )

    return sorted(entries, key=place)


def _questions(result: Mapping[str, Any], figures: Mapping[str, Any]) -> str:
    entries = [e for i, e in figures.items() if i.startswith("question.") and i.endswith(".extra_mwh")]
    if not entries:
        return ""
    most = max(max(e["value"], e["p95"] or 0.0, (e["ci95"] or [0, 0])[1]) for e in entries)
    rows = []
    for entry in entries:
        name = entry["id"].removeprefix("question.").removesuffix(".extra_mwh")
        whole, lasted = figures[f"question.{name}.mwh"], figures[f"question.{name}.s"]
        rows.append(
            [
                cell(name.replace("/", " / ")),
                cell(number(whole["value"]), "n"),
                cell(number(entry["value"]), "n"),
                cell(interval(entry), "n"),
                cell(number(entry["p50"]), "n"),
                cell(number(entry["p95"]), "n"),
                cell(str(entry["n"]), "n"),
                cell(number(lasted["value"]), "n"),
                f"<td>{interval_bar(entry['value'], entry['ci95'], entry['p95'], most)}</td>",
            ]
        )
    charts = "".join(
        f"<div><h3>{escape(view['name'].replace('/', ' / '))}</h3>"
        f"{power_chart(view, width=360, height=120, named=False)}</div>"
        for view in result["questions"]
    )
    whole_table = sheet(
        "Milliwatt-hours per question",
        "From the wake word to the last word. Above idle: beyond what the mode draws between questions. "
        f"{_OF_REPEATS} In the bars: whisker the CI, red dot the 95th percentile.",
        [
            "mode / route",
            "*mWh",
            "*above idle",
            "*95 % CI",
            "*p50",
            "*p95",
            "*questions",
            "*seconds",
            "above idle",
        ],
        rows,
    )
    return (
        f'{whole_table}<section class="sheet"><h2>One question of each kind</h2>'
        f'<p class="soft">The one of median energy.</p>{chart_legend(result["questions"])}'
        f'<div class="pair">{charts}</div></section>'
    )


def _bricks(result: Mapping[str, Any], figures: Mapping[str, Any]) -> str:
    budgets = {entry["id"]: entry for entry in result["budgets"]}
    rows = []
    for entry in (e for i, e in figures.items() if i.startswith("brick.") and i.endswith(".mw")):
        energy = figures[entry["id"].removesuffix(".mw") + ".mwh"]
        rows.append(
            [
                *figure_cells(entry),
                cell(number(energy["value"]), "n"),
                *budget_cells(budgets.get(entry["id"].removesuffix(".mw"))),
            ]
        )
    if not rows:
        return ""
    return sheet(
        "Milliwatts per brick",
        "What each stage draws, above the awake headband with nothing at work, while no other brick works or "
        "is loaded: two at once share the cores. Too short: it hardly worked alone. And its share of the "
        f"energy, a run. {_OF_REPEATS}",
        ["stage", "*mW", "*95 % CI", "*repeats", "kind", "*mWh a run", "*budget", "*allowed ±", "verdict"],
        rows,
    )


def _hours(result: Mapping[str, Any]) -> str:
    parts = []
    for entry in result["hours"]:
        rows = [
            [
                cell(term["symbol"]),
                cell(f"{_term(term)} {term['unit'].replace('1/h', 'an hour')}".strip(), "n"),
                cell(term["label"]),
                cell(DECLARED if term["meter"] == DECLARED else f"{term['kind']}, {term['meter']}"),
                cell(term["source"], "soft"),
            ]
            for term in entry["terms"]
        ]
        missing = entry["not_measured"]
        note = f" Routes not asked here add nothing: {', '.join(missing)}." if missing else ""
        hours = entry["hours"]
        parts.append(
            f"<h3>{escape(entry['mode'])}: {number(hours['value'])} h"
            f"{' (95 % CI ' + interval(hours) + ')' if hours['ci95'] else ''}, "
            f"{number(entry['mean_mw']['value'])} mW on average, modelled from these terms</h3>"
            f'<p class="formula">{escape(_worked(entry))}</p>'
            f'<p class="soft">{escape(note)}</p>'
            f"{table(['term', '*value', 'what it is', 'kind, meter', 'source'], rows)}"
        )
    if not parts:
        return ""
    return (
        f'<section class="sheet"><h2>Hours on the pack</h2><p class="formula">{escape(_FORMULA)}</p>'
        f"{''.join(parts)}</section>"
    )


def _worked(entry: Mapping[str, Any]) -> str:
    terms = {term["symbol"]: _term(term) for term in entry["terms"]}
    asked = [
        f"{terms[symbol]}·{terms['E_' + symbol.removeprefix('rate_')]}"
        for symbol in terms
        if symbol.startswith("rate_")
    ]
    below = " + ".join([terms["P_idle"], *asked])
    above = f"{terms['V']} · {terms['Ah']} · {terms['usable']} · 1000"
    return f"{number(entry['hours']['value'])} h = {above} / ({below})"


def _term(term: Mapping[str, Any]) -> str:
    return plain(term["value"]) if term["meter"] == DECLARED else number(term["value"])

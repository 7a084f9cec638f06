"""The comparison as one HTML page, made from the JSON alone, which it contains; it loads nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from power.replay.page_charts import day_sheet, tradeoff_sheet
from power.replay.page_tables import (
    clips_sheet,
    draws_sheet,
    hours_sheet,
    policy_table,
    reflex_sheet,
    stages_sheet,
)

STYLE = Path(__file__).parents[1] / "report" / "style.css"
"""The style of every report."""


def page(result: Mapping[str, Any]) -> str:
    """The whole page."""
    policies = result["policies"]
    what = "scenario" if result["note"] else "day"
    sheets = [_head(result, what), _cards(result, what), policy_table(policies, what)]
    sheets += [tradeoff_sheet(policies, what), day_sheet(result, what)]
    sheets += [
        draws_sheet(result["draws"]),
        reflex_sheet(result["reflex"]),
        clips_sheet(result["clips"]),
        hours_sheet(policies, what),
        stages_sheet(policies),
    ]
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
        f"<h1>One {what}, six policies: {escape(result['day'])}</h1>"
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

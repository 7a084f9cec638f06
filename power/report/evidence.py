"""The evidence for a report: passed checks, clock alignment, conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from power.report.tables import amount, cell, number, plain, table


def evidence(result: Mapping[str, Any]) -> str:
    """The section as HTML."""
    checks = [
        [
            cell(name),
            cell(str(len(entries)), "n"),
            cell(_range([entry["found"] for entry in entries], entries[0]["unit"]), "n"),
            cell(_allowed(entries[0]), "n"),
        ]
        for name, entries in _by_name(result["checks"]).items()
    ]
    clocks = [
        [
            cell(str(number_), "n"),
            cell(entry["method"]),
            cell(f"{entry['offset_s'] * 1000:.2f} ms", "n"),
            cell(f"{entry['drift_ppm']:.0f} ppm", "n"),
            cell(f"{entry['residual_ms']:.2f} ms", "n"),
        ]
        for number_, entry in enumerate(result["alignment"], 1)
    ]
    meter = result["meter"]
    how = "measured" if meter["voltage_measured"] else "set, not measured"
    supply = f"{number(meter['voltage_mv'])} mV, {how}" if meter["voltage_mv"] else "not known"
    rows = [[cell("supply"), cell(supply)]]
    rows.append([cell("sample rate"), cell(f"{plain(meter['sample_rate_hz'])} Hz")])
    error = meter["error"]
    within = f"{error['rtol']:.1%} of what it shows and {plain(error['offset_ma'])} mA: {error['source']}"
    rows.append([cell("error of the meter itself"), cell(within)])
    if meter.get("shortest_event_s"):
        rows.append(
            [cell("events told within 5 %"), cell(f"from {meter['shortest_event_s'] * 1000:.2f} ms on")]
        )
    rows += [
        [cell(each["figures"]), cell(f"lasts {each['seconds'] * 1000:.2f} ms: too short for this meter")]
        for each in result.get("too_short", ())
    ]
    rows += [
        [cell(name), cell(str(value))]
        for name, value in result["conditions"].items()
        if not isinstance(value, Mapping)
    ]
    for mode, plan in result["conditions"].get("plans", {}).items():
        settings = ", ".join(
            f"{name.replace('_', ' ')} {value}" for name, value in plan.items() if value is not None
        )
        rows.append([cell(f"plan, {mode}"), cell(settings)])
    return (
        '<section class="sheet"><h2>Why to believe it</h2>'
        '<p class="soft">Every repeat passed these checks; one that fails any of them is refused.</p>'
        f"{table(['check', '*times', '*found', '*allowed'], checks)}"
        "<h3>Clocks</h3><p class='soft'>How the recording was brought onto the headband's clock: by the "
        "marker line; by the correlation of its power with what the journal says; or, where nothing was "
        "asked, by when it started.</p>"
        f"{table(['*repeat', 'method', '*offset', '*drift', '*disagreement'], clocks)}"
        f"<h3>Conditions</h3>{table(['', ''], rows)}</section>"
    )


def _by_name(checks: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    grouped: dict[str, list[Mapping[str, Any]]] = {}
    for check in checks:
        grouped.setdefault(check["name"], []).append(check)
    return grouped


def _allowed(check: Mapping[str, Any]) -> str:
    most = amount(check["limit"], check["unit"])
    if check["least"] is None:
        return f"at most {most}"
    least = amount(check["least"], check["unit"])
    return most if least == most else f"{least} to {most}"


def _range(values: Sequence[float], unit: str) -> str:
    low, high = amount(min(values), unit), amount(max(values), unit)
    return low if low == high else f"{low} to {high}"

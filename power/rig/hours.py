"""Hours on the pack: V * Ah * usable / (P_idle + sum of rate_k * E_k), with every term shown.

Where the headband sleeps between questions, P_idle is its power asleep, and each question wakes it and keeps
it awake for a while: the term `awake`, whose rate is that of all questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from power.rig.figures import FigureSource, figure, rounded

AWAKE = "awake"
ByRepeat = Mapping[int, float]
"""A value of each repeat that has it, by the repeat's number."""


@dataclass(frozen=True)
class Declared:
    """A number that the report assumes, and where it comes from."""

    value: float
    source: str


@dataclass(frozen=True)
class BudgetDay:
    """The pack, and the rate of questions by route."""

    voltage_v: Declared
    capacity_ah: Declared
    usable: Declared
    """Share of the energy in the pack that reaches the headband, 0..1."""
    per_hour: Mapping[str, Declared]
    """Questions per hour by route."""


def hours(
    day: BudgetDay,
    source: FigureSource,
    idle_mw: Mapping[str, ByRepeat],
    extra_mwh: Mapping[str, ByRepeat],
    around_mwh: Mapping[str, ByRepeat],
) -> list[dict[str, Any]]:
    """One entry per mode. `idle_mw`: power between questions by mode. `extra_mwh`: energy above that by
    "mode/route", the mean of each repeat. `around_mwh`: energy above that of waking up for a question and
    staying awake after it, by mode. Every term is of the same repeats, those that have all of them.

    A route that the scenario did not ask in a mode is listed as not measured and adds nothing. A mode in
    which the meter showed no power, as one with an offset may of a sleeping headband, has no hours. Hours and
    mean power are modelled whatever measured their terms, as pack and rates are.
    """
    modelled = FigureSource("modelled", source.meter)
    pack_mwh = day.voltage_v.value * day.capacity_ah.value * day.usable.value * 1000
    entries = []
    for mode, idle in idle_mw.items():
        asked = {
            route: extra_mwh[f"{mode}/{route}"] for route in day.per_hour if f"{mode}/{route}" in extra_mwh
        }
        rates = {route: day.per_hour[route] for route in asked}
        if asked and mode in around_mwh:
            asked[AWAKE] = around_mwh[mode]
            all_of_them = sum(rate.value for rate in rates.values())
            rates[AWAKE] = Declared(all_of_them, "the sum of the rates above")
        repeats = [n for n in idle if all(n in values for values in asked.values())]
        mean_mw = [
            idle[n] + sum(rates[route].value * values[n] for route, values in asked.items()) for n in repeats
        ]
        if min(mean_mw, default=0.0) <= 0:
            continue
        lasting = figure(
            modelled, f"hours.{mode}", f"hours on the pack, {mode}", "h", [[pack_mwh / mw] for mw in mean_mw]
        )
        mean = figure(modelled, f"mean.{mode}.mw", f"mean power, {mode}", "mW", [[mw] for mw in mean_mw])
        entries.append(
            {
                "mode": mode,
                "hours": lasting.as_dict(),
                "mean_mw": mean.as_dict(),
                "terms": _terms(
                    day,
                    mode,
                    [idle[n] for n in repeats],
                    {route: [values[n] for n in repeats] for route, values in asked.items()},
                    rates,
                    source,
                ),
                "not_measured": [route for route in day.per_hour if route not in asked],
            }
        )
    return entries


def _terms(
    day: BudgetDay,
    mode: str,
    idle: Sequence[float],
    asked: Mapping[str, Sequence[float]],
    rates: Mapping[str, Declared],
    source: FigureSource,
) -> list[dict[str, Any]]:
    terms = [
        _declared("V", "nominal voltage of the pack", "V", day.voltage_v),
        _declared("Ah", "capacity of the pack", "Ah", day.capacity_ah),
        _declared("usable", "share of it that can be used", "", day.usable),
        _found("P_idle", f"power between questions, {mode}", "mW", idle, source),
    ]
    for route, values in asked.items():
        every = "all" if route == AWAKE else route
        one = "waking up for one and staying awake after it" if route == AWAKE else f"one {route} question"
        terms.append(_declared(f"rate_{route}", f"{every} questions per hour", "1/h", rates[route]))
        terms.append(_found(f"E_{route}", f"{one}, above P_idle", "mWh", values, source))
    return terms


def _declared(symbol: str, label: str, unit: str, declared: Declared) -> dict[str, Any]:
    return {
        "symbol": symbol,
        "label": label,
        "unit": unit,
        "value": declared.value,
        "kind": "modelled",
        "meter": "declared",
        "source": declared.source,
    }


def _found(
    symbol: str, label: str, unit: str, values: Sequence[float], source: FigureSource
) -> dict[str, Any]:
    return {
        "symbol": symbol,
        "label": label,
        "unit": unit,
        "value": rounded(sum(values) / len(values)),
        "kind": source.kind,
        "meter": source.meter,
        "source": "this run",
    }

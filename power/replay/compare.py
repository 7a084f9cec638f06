"""One day under every policy: every figure, ready for JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from power.placement.site import modelled_site
from power.policy.config import PowerConfig
from power.replay.draws import draws
from power.replay.ranking import END_PERCENT, longest_end, on_front, until_empty
from power.twin.break_even import break_even
from power.twin.day import DAY_S, MOST_DAYS, Day
from power.twin.governors import AlwaysOn, Governor, OneRule, OurPolicy, PaperPolicy
from power.twin.hours import Hours, hours
from power.twin.parameters import Parameters
from power.twin.simulate import Machine, Twin
from power.twin.totals import RunTotals

LEVELS_PERCENT = (80, 50, 45, 40, 35, 30, 25, 21, 15, 8)
"""Charges of the trade-off; above 50 percent all plans are the same."""
AT_ONE_CHARGE = ("always", "rule", "rule-camera", "rule-soon")
"""Policies that do the same at every charge."""
GOAL_PERCENT = 42.3
"""Energy saved against always-on that the paper claims."""

Maker = Callable[[], Governor]


def compare(
    day: Day,
    parameters: Parameters,
    machine: Callable[[], Machine],
    *,
    pack: str = "micro",
    config: PowerConfig | None = None,
    tradeoff: bool = True,
    draw_count: int = 0,
) -> dict[str, Any]:
    """All figures of the comparison. `machine` makes a state machine for each run. `draw_count`: as many
    times with other values of every parameter, on other days.
    """
    makers = policies(config, pack)
    accounts = [Twin(parameters, make(), machine(), pack=pack).run(day) for make in makers]
    runs = [
        _lived(account, day, parameters, machine, make, pack, tradeoff)
        for account, make in zip(accounts, makers, strict=True)
    ]
    blind = Twin(parameters, AlwaysOn(config, camera=False), machine(), pack=pack).run(day)
    always, *_, ours = runs
    for run in runs:
        run["saved_percent"] = _saved(run["energy_mwh"], always["energy_mwh"])
    return {
        "kind": "modelled",
        "meter": "twin",
        "day": day.name,
        "about": day.about,
        "note": day.note,
        "starts_h": day.starts_h,
        "length_s": day.length_s,
        "packs_put_in": [
            {"at_s": event.at_s, "percent": event.percent}
            for event in day.recorded or ()
            if event.kind == "charge"
        ],
        "pack": pack,
        "capacity_mah": parameters["cell.capacity_mah"],
        "events": {kind: round(rate, 2) for kind, rate in day.rates().items()},
        "policies": runs,
        "break_even": break_even(parameters, pack, config),
        "draws": draws(day, parameters, machine, makers, pack=pack, count=draw_count) if draw_count else None,
        "reflex": _reflex(accounts[-1], day, parameters, machine, makers[-1], pack),
        "clips": _clips(accounts[-1], day, parameters, machine, makers[-1], pack),
        "verdict": {
            "goal_percent": GOAL_PERCENT,
            "saved_percent": ours["saved_percent"],
            "saved_percent_against_camera_off": _saved(ours["energy_mwh"], blind.battery_mwh),
            "goal_met": ours["saved_percent"] >= GOAL_PERCENT,
            "dominates": {run["name"]: dominates(ours, run) for run in runs[:-1]},
            "front": [run["name"] for run in runs if on_front(run, runs)],
            "longest_end": longest_end(ours, runs[:-1]),
            "hours": ours["hours"]["hours"],
            "parameters_estimated": sum(q.estimate for q in parameters.quantities.values()),
            "parameters": len(parameters.quantities),
        },
    }


def policies(config: PowerConfig | None, pack: str = "micro") -> tuple[Maker, ...]:
    """Makers of all policies that are compared, ours last."""
    return (
        lambda: AlwaysOn(config),
        lambda: PaperPolicy(config),
        lambda: OneRule(config),
        lambda: OneRule(config, camera=False),
        lambda: OneRule(config, camera=False, as_soon=True),
        lambda: OurPolicy(config, modelled_site(pack)),
    )


def _reflex(
    ours: RunTotals, day: Day, parameters: Parameters, machine: Callable[[], Machine], make: Maker, pack: str
) -> dict[str, Any] | None:
    """Our policy's day without and with a brick for closed questions; None for a pack without one."""
    if not parameters.pack(pack).reflex:
        return None
    days = {
        "without": lived(Twin(replace(parameters, reflex=False), make(), machine(), pack=pack).run(day)),
        "with": lived(ours),
    }
    kept = ("energy_mwh", "latency_s", "question_mwh", "stages_mwh")
    costs, tokens = parameters.pack(pack), day.answer_tokens.get("now", 0)
    written = costs.prefill + costs.token * tokens
    return {
        "answered_share": parameters[parameters.answered_share(pack)],
        "work_share": (costs.asked_of_reflex(tokens) + costs.read_for_reflex).full_clock_s
        / written.full_clock_s,
        **{name: {key: figures[key] for key in kept} for name, figures in days.items()},
        "saved_percent": _saved(days["with"]["energy_mwh"], days["without"]["energy_mwh"]),
    }


def _clips(
    ours: RunTotals, day: Day, parameters: Parameters, machine: Callable[[], Machine], make: Maker, pack: str
) -> dict[str, Any] | None:
    """Our policy's day without and with the pictures that are taken while a question is spoken; None for a
    pack that does not understand several in order.
    """
    if not parameters.pack(pack).motion:
        return None
    accounts = {
        "without": Twin(replace(parameters, motion=False), make(), machine(), pack=pack).run(day),
        "with": ours,
    }
    days = {name: lived(account) for name, account in accounts.items()}
    waits = {
        name: [a.latency_s for a in each.asked if a.route == "frames"] for name, each in accounts.items()
    }
    kept = ("energy_mwh", "latency_s", "question_mwh", "stages_mwh")
    return {
        "asked": len(waits["with"]),
        **{
            name: {key: days[name][key] for key in kept}
            | {"about_them_s": sum(waits[name]) / len(waits[name]) if waits[name] else None}
            for name in days
        },
        "more_percent": -_saved(days["with"]["energy_mwh"], days["without"]["energy_mwh"]),
    }


def dominates(ours: dict[str, Any], other: dict[str, Any]) -> dict[str, bool]:
    """Is the energy lower, and the mean latency at most a tenth of a second higher?"""
    return {
        "energy": ours["energy_mwh"] < other["energy_mwh"],
        "latency": ours["latency_s"]["mean"] <= other["latency_s"]["mean"] + 0.1,
    }


def lived(account: RunTotals) -> dict[str, Any]:
    """One run's figures. Energies are drawn from the pack; time on the charger is separate."""
    latencies = sorted(asked.latency_s for asked in account.asked)
    return {
        "energy_mwh": account.battery_mwh,
        "outside_mwh": account.outside_mwh,
        "on_battery_h": account.on_battery_s / 3600,
        "mean_mw": account.battery_mwh / account.on_battery_s * 3600 if account.on_battery_s else 0.0,
        "fresh_packs": account.fresh_packs,
        "questions": len(account.asked),
        "given": sum(asked.given for asked in account.asked),
        "latency_s": {
            "mean": sum(latencies) / len(latencies) if latencies else 0.0,
            "p50": _quantile(latencies, 0.5),
            "p95": _quantile(latencies, 0.95),
        },
        "question_mwh": sum(a.mwh for a in account.asked) / len(account.asked) if account.asked else 0.0,
        "asleep_share": account.asleep_s / account.on_battery_s if account.on_battery_s else 0.0,
        "mode_h": {mode: seconds / 3600 for mode, seconds in account.mode_s.items()},
        "stages_mwh": dict(sorted(account.by_stage.items(), key=lambda item: -item[1])),
    }


def hours_report(terms: Hours) -> dict[str, Any]:
    """Every term of the hours."""
    return {
        "formula": "hours = V * Ah * eta / (P_idle + sum of rate_k * E_k)",
        "hours": terms.hours,
        "simulated_h": terms.simulated_h,
        "volt": terms.volt,
        "ampere_hours": terms.ampere_hours,
        "eta": terms.eta,
        "eta_charge": terms.eta_charge,
        "eta_voltage": terms.eta_voltage,
        "eta_resistance": terms.eta_resistance,
        "idle_mw": terms.idle_mw,
        "mean_mw": terms.mean_mw,
        "events": [
            {"kind": event.kind, "per_hour": event.per_hour, "mwh": event.mwh, "mw": event.mw}
            for event in terms.events
        ],
    }


def _lived(
    account: RunTotals,
    day: Day,
    parameters: Parameters,
    machine: Callable[[], Machine],
    make: Maker,
    pack: str,
    tradeoff: bool,
) -> dict[str, Any]:
    last = Twin(parameters, make(), machine(), pack=pack)
    last.run(day, math.ceil(MOST_DAYS * DAY_S / day.length_s), charger=False, until_empty=True)
    end = Twin(parameters, make(), machine(), pack=pack, percent=END_PERCENT)
    end.run(day, math.ceil(MOST_DAYS * DAY_S / day.length_s), charger=False, until_empty=True)
    governor = make()
    return {
        "name": governor.name,
        "title": governor.title,
        "kind": "modelled",
        "meter": "twin",
        **lived(account),
        "hours": hours_report(hours(last.account, last.cell, parameters)),
        "charge": until_empty(last.account),
        "end": until_empty(end.account),
        "samples": [sample._asdict() for sample in account.samples],
        "asked": [asked._asdict() for asked in account.asked],
        "tradeoff": _tradeoff(day, parameters, machine, make, pack) if tradeoff else [],
    }


def _tradeoff(
    day: Day, parameters: Parameters, machine: Callable[[], Machine], make: Maker, pack: str
) -> list[dict[str, Any]]:
    """Mean power and latency of the day at several constant charges: the paper's Figure 8."""
    points = []
    for percent in LEVELS_PERCENT[:1] if make().name in AT_ONE_CHARGE else LEVELS_PERCENT:
        twin = Twin(parameters, make(), machine(), pack=pack, percent=percent, held=True)
        figures = lived(twin.run(day, charger=False))
        points.append(
            {
                "percent": percent,
                "mode": twin.plan.mode.value,
                "alpha": twin.plan.alpha,
                "mean_mw": figures["mean_mw"],
                "latency_s": figures["latency_s"]["mean"],
            }
        )
    return points


def _saved(mwh: float, of_mwh: float) -> float:
    return 100 * (1 - mwh / of_mwh) if of_mwh else 0.0


def _quantile(values: Sequence[float], share: float) -> float:
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0.0

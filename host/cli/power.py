"""`headband power ACTION`: runs the twin with the headband's state machine and prints its results."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from host.cli.power_remember import show_remembering
from host.cli.power_replay import show_replay
from host.cli.power_used import show_used
from host.states import StateMachine
from host.terminal.output_paths import print_unsaved, refuse_same_file, save_file, writable_file
from host.terminal.settings_file import chosen_settings
from host.terminal.usage import UsageError, print_json
from power.account.energy_model import EnergyError
from power.account.pmu_states import LEFT_AT_CUT_OFF_MWH, pmu_states
from power.placement.site import modelled_site
from power.policy.config import PowerConfig
from power.replay.compare import hours_report, lived
from power.replay.scenario_day import scenario_day, scenario_policy
from power.rig.scenario import ScenarioError, bundled_scenarios, find_scenario, load_scenario
from power.twin.day import MOST_DAYS, Day, load_day
from power.twin.day_csv import read_day_csv
from power.twin.governors import OurPolicy
from power.twin.hours import hours
from power.twin.modelled_trace import ModelledTrace
from power.twin.paper import paper_arithmetic
from power.twin.parameters import Parameters, TwinError, load_parameters
from power.twin.sensitivity import sensitivity
from power.twin.simulate import Twin


def power(options: argparse.Namespace) -> int:
    """Runs one action; returns the exit code."""
    actions: Mapping[str, Callable[[argparse.Namespace], int]] = {
        "twin": _twin,
        "replay": lambda options: show_replay(options, *_inputs(options, scenario=True)),
        "remember": lambda options: show_remembering(options, *_inputs(options)),
        "sensitivity": _sensitivity,
        "paper": _paper,
        "pmu": _pmu,
        "used": show_used,
    }
    trace, html = getattr(options, "trace", None), getattr(options, "html", None)
    read = [Path(name) for name in (getattr(options, "day", None), getattr(options, "policy", None)) if name]
    refuse_same_file((trace, html), read)
    writable_file(trace, "the trace")
    writable_file(html, "the page")
    try:
        return actions[options.action](options)
    except (TwinError, EnergyError, ScenarioError) as error:
        raise UsageError(str(error)) from None


def _inputs(options: argparse.Namespace, *, scenario: bool = False) -> tuple[Day, Parameters, PowerConfig]:
    """Day, parameters and policy settings of the options. `scenario`: accepts a scenario of the rig as the
    day.
    """
    parameters = load_parameters()
    if options.capacity_mah:
        parameters = parameters.scaled("cell.capacity_mah", float(options.capacity_mah))
    if options.reflex:
        parameters = replace(parameters, reflex=True)
    if options.pack is not None:
        parameters.pack(options.pack)
    config = chosen_settings(options.policy)
    parameters = parameters.known(
        {
            "sleep.quiet_s": config.listen.sleep_after_s,
            "talk.follow_up_s": config.listen.follow_up_s,
            "talk.pause_s": config.listen.pause_s,
            "talk.end_silence_s": config.listen.complete_silence_s,
        }
    )
    if scenario and _is_scenario(options.day):
        from host.rig.emulated import BATTERY_PERCENT  # imported here: it loads the whole headband

        day = scenario_day(
            load_scenario(find_scenario(options.day)), BATTERY_PERCENT, load_day("normal"), parameters
        )
        return day, parameters, scenario_policy(config.power)
    day = load_day("normal" if options.day.endswith(".csv") else options.day)
    if options.day.endswith(".csv"):
        day = read_day_csv(Path(options.day), day)
    return day, parameters, config.power


def _is_scenario(name: str) -> bool:
    """Whether `name` is a bundled scenario or a TOML file with steps; errors are left to the reader
    of days.
    """
    if not name.endswith(".toml"):
        return name in bundled_scenarios()
    try:
        return "step" in tomllib.loads(Path(name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False


def _twin(options: argparse.Namespace) -> int:
    day, parameters, config = _inputs(options)
    trace, site = ModelledTrace(), modelled_site(options.pack)
    twin = Twin(
        parameters, OurPolicy(config, site), StateMachine(), pack=options.pack,
        record=trace.add if options.trace else None,
    )  # fmt: skip
    account = twin.run(day, options.days)
    last = Twin(parameters, OurPolicy(config, site), StateMachine(), pack=options.pack)
    last.run(day, MOST_DAYS, charger=False, until_empty=True)
    unsaved = save_file(trace.write, options.trace)
    result: dict[str, Any] = {
        "kind": "modelled",
        "meter": "twin",
        "day": day.name,
        "about": day.about,
        "days": options.days,
        "pack": options.pack,
        "capacity_mah": parameters["cell.capacity_mah"],
        "events": day.rates(),
        "parameters": {name: q.value for name, q in parameters.quantities.items()},
        **lived(account),
        "hours": hours_report(hours(last.account, last.cell, parameters)),
    }
    if options.json:
        print_json(result)
        return 1 if print_unsaved([unsaved]) else 0
    latency = result["latency_s"]
    print(f"{day.name}: {day.about} (modelled; model pack {options.pack}, {result['capacity_mah']:g} mAh)")
    print(
        f"energy     {result['energy_mwh']:.0f} mWh off the charger in {result['on_battery_h']:.1f} h, "
        f"{result['mean_mw']:.0f} mW on average; asleep {100 * result['asleep_share']:.0f} percent"
    )
    if result["fresh_packs"]:
        print(f"           the battery ran empty and was exchanged {result['fresh_packs']} times")
    print(
        f"questions  {result['questions']}, {result['question_mwh']:.2f} mWh each; waited "
        f"{latency['mean']:.1f} s on average, 95 percent within {latency['p95']:.1f} s"
    )
    print("modes      " + ", ".join(f"{mode} {h:.1f} h" for mode, h in result["mode_h"].items()))
    print(
        "stages     "
        + ", ".join(f"{stage} {mwh:.0f}" for stage, mwh in result["stages_mwh"].items())
        + " mWh"
    )
    for line in _hours_lines(result["hours"]):
        print(line)
    return 1 if print_unsaved([unsaved]) else 0


def _hours_lines(terms: Mapping[str, Any]) -> list[str]:
    lines = [
        f"hours      {terms['hours']:.1f} on one charge = V Ah eta / (P_idle + sum of rate E), from full to "
        f"empty without a charger (the run ended at {terms['simulated_h']:.1f})",
        f"           V {terms['volt']} x Ah {terms['ampere_hours']} x eta {terms['eta']:.3f} (charge "
        f"{terms['eta_charge']:.3f}, voltage {terms['eta_voltage']:.3f}, resistance "
        f"{terms['eta_resistance']:.3f})",
        f"           P_idle {terms['idle_mw']:.1f} mW of {terms['mean_mw']:.1f} mW",
    ]
    lines += [
        f"           {event['kind']:8s} {event['per_hour']:6.2f} an hour x {event['mwh']:6.2f} mWh "
        f"= {event['mw']:6.1f} mW"
        for event in terms["events"]
    ]
    return lines


def _sensitivity(options: argparse.Namespace) -> int:
    day, parameters, config = _inputs(options)
    base_h, swings = sensitivity(parameters, day, StateMachine, pack=options.pack, config=config)
    if options.json:
        rows = [{**vars(swing), "swing_h": swing.swing_h} for swing in swings]
        print_json({"kind": "modelled", "meter": "twin", "day": day.name, "hours": base_h, "swings": rows})
        return 0
    print(
        f"{day.name}: {base_h:.1f} h on a charge (modelled); hours with one number at either end of its range"
    )
    for place, swing in enumerate(swings[:12], 1):
        first, last = sorted((swing.hours_low, swing.hours_high))
        mark = " <- decides" if place <= 3 else ""
        source = "estimate" if swing.estimate else "sourced"
        print(
            f"{swing.parameter:32s} {swing.low:8g} to {swing.high:8g}  {first:5.1f} to {last:5.1f} h  "
            f"({source}){mark}"
        )
    return 0


def _paper(options: argparse.Namespace) -> int:
    result = paper_arithmetic(load_parameters())
    if options.json:
        print_json(result)
    else:
        for number, step in enumerate(result["steps"], 1):
            print(f"{number}. {step}")
    return 0


def _pmu(options: argparse.Namespace) -> int:
    states = pmu_states()
    if options.json:
        print_json({"kind": "modelled", "states": [state.report() for state in states.values()]})
        return 0
    for state in states.values():
        low, high = state.range_mw
        print(f"{state.name}: {state.mw:.3g} mW, {low:.3g} to {high:.3g} (modelled){state.verdict}")
        for name, part in state.parts.items():
            print(f"  {name:18s} {part.value:8.4g} mW  {part.source}")
    for name in ("off", "dozing"):
        lasts_h = states[name].hours(LEFT_AT_CUT_OFF_MWH)
        print(f"the {LEFT_AT_CUT_OFF_MWH:g} mWh left at the cut-off last {lasts_h:.0f} h {name}")
    return 0

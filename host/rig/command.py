"""`headband rig run|list|meters`: measures a scenario on a headband with a meter, and writes the report."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from host.config import Config, with_pack
from host.rig.emulated import emulated_subject
from host.rig.journal_follower import RigFault
from host.rig.play import Subject, play
from host.rig.service import service_subject
from host.terminal.output_paths import print_unsaved, refuse_same_file, save_file, writable_folder
from host.terminal.settings_file import chosen_settings
from host.terminal.usage import UsageError, one_line, print_json
from power.account.energy_model import EnergyModel, load_energy_model
from power.meters.available import available
from power.meters.meter import Meter, MeterError, open_meter
from power.report.against import changed, differing
from power.report.page import page
from power.rig.baseline import BaselineError, Instrument, comparable, load_baseline
from power.rig.budgets import BudgetError, Outcome, load_budgets, require_known
from power.rig.checks.refusal import Refusal
from power.rig.comparison import compare, too_few
from power.rig.run import Repeat, evaluate
from power.rig.scenario import Scenario, ScenarioError, bundled_scenarios, find_scenario, load_scenario

EXIT_STATUS: Mapping[Outcome, int] = {"passed": 0, "failed": 1, "not judged": 3}
_NO_JOURNAL = (
    "It is played on the emulated board in this computer, which the meter has to measure; a headband is "
    "followed with --journal FILE."
)
VIEW = Path(__file__).parents[1] / "demo" / "1-view.png"


def rig(options: argparse.Namespace) -> int:
    """`headband rig ACTION`; returns the exit code: 1 for a refused run or a failed budget, 3 where one could
    not be judged.
    """
    actions: Mapping[str, Callable[[argparse.Namespace], int]] = {
        "run": _run,
        "list": _list,
        "meters": _meters,
    }
    try:
        return actions[options.action](options)
    except (ScenarioError, MeterError, BudgetError, BaselineError) as error:
        raise UsageError(str(error)) from None


def _list(options: argparse.Namespace) -> int:
    scenarios = [load_scenario(find_scenario(name)) for name in bundled_scenarios()]
    if options.json:
        print_json([{"name": s.name, "about": s.about, "repeats": s.repeats} for s in scenarios])
    else:
        for scenario in scenarios:
            print(f"{scenario.name:14s} {scenario.about}")
    return 0


def _meters(options: argparse.Namespace) -> int:
    if options.json:
        print_json([asdict(meter) for meter in available()])
    else:
        for meter in available():
            print(f"{meter.spec:26s} {meter.what}" + (f". {meter.missing}" if meter.missing else ""))
    return 0


def _run(options: argparse.Namespace) -> int:
    scenario = load_scenario(find_scenario(options.scenario))
    budgets = load_budgets()
    require_known(scenario.budgets, budgets)
    meter = None if options.meter == "twin" else open_meter(options.meter)
    if options.journal is not None and not os.path.isfile(options.journal):
        raise UsageError(f"There is no journal '{options.journal}'.")
    repeats = scenario.repeats if options.repeats is None else options.repeats
    baseline = None if options.against is None else load_baseline(options.against)
    if baseline is not None:
        kind, name = ("modelled", "twin") if meter is None else (meter.kind, meter.name)
        board = _board(emulated=options.journal is None)
        comparable(baseline, scenario.name, Instrument(kind, name, board), repeats)
        for label, needed in () if options.json else too_few(baseline, repeats, budgets.change):
            more = f"{needed} of either run would" if needed else "no number of repeats would"
            print(f"{repeats} repeats will not notice a change by 20 % of {label}: {more}")
    model = load_energy_model()
    reports = [options.out / name for name in ("report.json", "report.html")]
    refuse_same_file(
        reports, (options.against, options.journal, options.config, find_scenario(options.scenario))
    )
    writable_folder(options.out, "the report")
    if meter is not None and options.journal is None:
        print(_NO_JOURNAL, file=sys.stderr)
    began_s = time.time()
    try:
        played, plans, conditions = asyncio.run(_play(scenario, meter, model, repeats, options))
        result = evaluate(scenario, played, plans, model, budgets, conditions)
    except (Refusal, RigFault) as refusal:
        print(f"Refused: {one_line(refusal)}", file=sys.stderr)
        return 1
    result["conditions"]["took_s"] = round(time.time() - began_s)
    if baseline is not None:
        result["baseline"] = {
            "file": options.against.name,
            "at": baseline["conditions"].get("at", ""),
            "pack": baseline["conditions"]["pack"],
            "figures": compare(result["figures"], baseline, budgets.change),
        }
        worse = [entry for entry in result["baseline"]["figures"] if entry["verdict"] == "worse"]
        if worse:
            result.update(outcome="failed", passed=False)
    unsaved = _write(result, options.out)
    if options.json:
        print_json(result)
    else:
        print(_summary(result, options.out))
    return 1 if print_unsaved(unsaved) else EXIT_STATUS[result["outcome"]]


async def _play(
    scenario: Scenario, meter: Meter | None, model: EnergyModel, repeats: int, options: argparse.Namespace
) -> tuple[list[Repeat], Mapping[str, Any], dict[str, Any]]:
    config = _config(options)
    notify = (lambda text: None) if options.json else (lambda text: print(text, flush=True))
    first_mode = next((step.mode for step in scenario.steps if step.mode), "performance")
    async with AsyncExitStack() as stack:
        if meter is not None:
            stack.push_async_callback(meter.close)
        subject: Subject
        if options.journal is None:
            subject = await stack.enter_async_context(emulated_subject(config.pack, config, VIEW, first_mode))
        else:
            subject = service_subject(options.journal)
        played = await play(scenario, subject, meter, model, repeats, notify)
        return played, dict(subject.plans), _conditions(subject, config, options.pack)


def _board(*, emulated: bool) -> str:
    return "emulated" if emulated else "headband"


def _conditions(subject: Subject, config: Config, named_pack: str | None) -> dict[str, Any]:
    """`named_pack`: by `--pack`; this computer's settings say nothing of another one's pack."""
    return {
        "at": time.strftime("%Y-%m-%d %H:%M:%S %z"),
        "board": _board(emulated=subject.emulated),
        "computer": f"{platform.machine()}, {platform.system()} {platform.release()}",
        "load of this computer": f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores",
        "pack": config.pack if subject.emulated else named_pack or "the headband's own",
        "plans": {
            mode: {
                "cpu_max_khz": plan.cpu_max_khz,
                "cores": plan.online_cpus,
                "residency": plan.residency,
                "frame_interval_s": plan.frame_interval_s,
                "why": plan.reason,
            }
            for mode, plan in subject.plans.items()
        },
    }


def _write(result: Mapping[str, Any], folder: Path) -> list[str | None]:
    """Writes the report's files; for each one returns None, or why it could not be written."""
    texts = {"report.json": json.dumps(result, indent=1, ensure_ascii=False), "report.html": page(result)}

    def write(path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts[path.name], encoding="utf-8")

    return [save_file(write, folder / name) for name in texts]


def _summary(result: Mapping[str, Any], folder: Path) -> str:
    meter = result["meter"]
    lines = [f"{result['scenario']['about']}, {meter['kind']} ({meter['name']})"]
    for entry in result["figures"]:
        if entry["id"].startswith("state.") or entry["id"].endswith((".extra_mwh", "repeat.mwh")):
            spread = (
                "" if entry["ci95"] is None else f"  95 % CI {entry['ci95'][0]:.4g} to {entry['ci95'][1]:.4g}"
            )
            lines.append(f"  {entry['value']:10.4g} {entry['unit']:4s} {entry['label']}{spread}")
    for entry in result["hours"]:
        without = entry["not_measured"]
        of_these = f", not counting questions of: {', '.join(without)}" if without else ""
        lines.append(
            f"  {entry['hours']['value']:10.3g} h    on the pack in {entry['mode']}, modelled{of_these}"
        )
    for entry in result["budgets"]:
        if entry["verdict"] != "pass":
            found = "" if entry["value_mw"] is None else f": {entry['value_mw']:.0f} mW"
            lines.append(
                f"  budget {entry['id']} {entry['verdict']}{found}, {entry['budget_mw']:.0f} planned"
            )
    if any(entry["verdict"] == "too short" for entry in result["budgets"]):
        lines.append("  what held for too short a time to be judged, more repeats measure")
    if any(entry["verdict"] == "not measured" for entry in result["budgets"]):
        lines.append("  what is not measured did not happen in every repeat, or not long enough to be seen")
    if any(entry["verdict"] == "kept awake" for entry in result["budgets"]):
        lines.append(
            f"  {meter['name']} keeps the PMU awake: asleep, the headband draws more than by itself; that "
            "is not judged, and tells no hours; use another meter"
        )
    if any(entry["verdict"] == "meter too coarse" for entry in result["budgets"]):
        lines.append(
            f"  the error of {meter['name']} could hide a rise of 20 %: compare with an earlier run "
            "(--against), or enter in power/budgets.toml what its calibration says"
        )
    against = result.get("baseline", {}).get("figures", [])
    if against:
        worse, better = (
            sum(each["verdict"] == verdict for each in against) for verdict in ("worse", "better")
        )
        lines.append(
            f"  against {result['baseline']['file']}: {len(against)} figures, {worse} worse, {better} better"
        )
        lines += [f"  {sentence}" for sentence in differing(result)]
    for entry in against:
        if entry["verdict"] in ("worse", "better"):
            lines.append(f"  {entry['label']}: {changed(entry)} against the baseline, {entry['verdict']}")
        elif entry["verdict"] == "too few repeats" and entry["id"].startswith(("state.", "brick.")):
            more = f", {entry['repeats_needed']} of either run would" if entry["repeats_needed"] else ""
            lines.append(f"  {entry['label']}: too few repeats to notice a change by 20 %{more}")
    said = {
        "passed": "passed",
        "failed": "FAILED",
        "not judged": "not judged: nothing is over or under its budget, but not every budget could be judged",
    }[result["outcome"]]
    lines.append(f"{said}; the report is {folder / 'report.html'}")
    return "\n".join(lines)


def _config(options: argparse.Namespace) -> Config:
    return with_pack(chosen_settings(options.config), options.pack)

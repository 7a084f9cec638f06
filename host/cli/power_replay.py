"""`headband power replay`: one day under every policy, as text, JSON or a page."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from host.states import StateMachine
from host.terminal.output_paths import print_unsaved, save_file
from host.terminal.usage import print_json
from power.policy.config import PowerConfig
from power.replay.compare import compare
from power.replay.page import page
from power.replay.ranking import END_PERCENT
from power.twin.day import Day
from power.twin.parameters import Parameters


def show_replay(options: argparse.Namespace, day: Day, parameters: Parameters, config: PowerConfig) -> int:
    """Compares the policies on that day; returns the exit code."""
    result = compare(
        day, parameters, StateMachine, pack=options.pack, config=config,
        tradeoff=bool(options.html or options.json), draw_count=options.draws,
    )  # fmt: skip
    unsaved = save_file(lambda path: path.write_text(page(result), encoding="utf-8"), options.html)
    if options.json:
        print_json(result)
        return 1 if print_unsaved([unsaved]) else 0
    print(f"{day.name}: {day.about} (modelled; model pack {options.pack}, {result['capacity_mah']:g} mAh)")
    if day.note:
        print(textwrap.fill(day.note, 110))
    for line in _table(result["policies"]):
        print(line)
    verdict = result["verdict"]
    print(
        f"against always performance with its camera off between questions: "
        f"{verdict['saved_percent_against_camera_off']:.1f} percent less"
    )
    for name, wins in verdict["dominates"].items():
        print(
            f"against {name}: energy {'lower' if wins['energy'] else 'NOT lower'}, "
            f"latency {'no worse' if wins['latency'] else 'WORSE'}"
        )
    front = "is on" if "ours" in verdict["front"] else "is NOT on"
    longest = "is" if verdict["longest_end"] else "is NOT"
    print(
        f"our policy {front} the Pareto front of hours, mean wait and answers from full to empty; it "
        f"{longest} ahead of every other in hours from {END_PERCENT:g} percent to the end at equal answers"
    )
    for line in (*_of_break_even(result["break_even"]), *_of_draws(result["draws"])):
        print(line)
    if result["reflex"] is not None:
        print(_of_reflex(result["reflex"]))
    if result["clips"] is not None:
        print(_of_clips(result["clips"]))
    if options.html and not unsaved:
        print(f"page       {options.html}")
    return 1 if print_unsaved([unsaved]) else 0


def _table(policies: Sequence[Mapping[str, Any]]) -> list[str]:
    """One line per policy: the day, a pack from full to empty, and its end."""
    lines = [
        f"{'':28s} {'the day':^40s} {'full to empty':^24s} {f'from {END_PERCENT:g} percent':^24s}",
        f"{'':28s} {'mWh':>6s} {'saved':>6s} {'answered':>8s} {'wait':>7s} {'p95':>7s}  "
        + "  ".join([f"{'hours':>6s} {'answered':>8s} {'wait':>7s}"] * 2),
    ]
    for policy in policies:
        latency = policy["latency_s"]
        lines.append(
            f"{policy['title']:28s} {policy['energy_mwh']:6.0f} {policy['saved_percent']:5.1f}% "
            f"{_answered(policy):>8s} {latency['mean']:5.2f} s {latency['p95']:5.2f} s  "
            + "  ".join(
                f"{run['hours']:6.2f} {_answered(run):>8s} {run['wait_s']:5.2f} s"
                for run in (policy["charge"], policy["end"])
            )
        )
    return lines


def _answered(run: Mapping[str, Any]) -> str:
    return f"{run['given']}/{run['questions']}"


def _of_reflex(reflex: Mapping[str, Any]) -> str:
    before, after, saved = reflex["without"], reflex["with"], reflex["saved_percent"]
    return (
        f"closed questions without the language model ({reflex['answered_share']:.0%} of those about the "
        f"view, for {reflex['work_share']:.0%} of its work): {before['energy_mwh']:.0f} -> "
        f"{after['energy_mwh']:.0f} mWh ({abs(saved):.1f} percent {'less' if saved > 0 else 'more'}), "
        f"{before['question_mwh']:.2f} -> {after['question_mwh']:.2f} mWh a question, "
        f"wait {before['latency_s']['mean']:.2f} -> {after['latency_s']['mean']:.2f} s mean"
    )


def _of_clips(clips: Mapping[str, Any]) -> str:
    before, after = clips["without"], clips["with"]
    text = (
        f"pictures while every question is spoken, in case it asks about the last seconds: "
        f"{before['energy_mwh']:.0f} -> {after['energy_mwh']:.0f} mWh ({clips['more_percent']:.1f} percent "
        f"more), {before['question_mwh']:.2f} -> {after['question_mwh']:.2f} mWh a question"
    )
    if not clips["asked"]:
        return f"{text}; none asks about them"
    return (
        f"{text}; {clips['asked']} ask about them, wait {before['about_them_s']:.2f} -> "
        f"{after['about_them_s']:.2f} s mean"
    )


def _of_break_even(sums: Mapping[str, float]) -> list[str]:
    return [
        f"break-even: asleep after {sums['sleep_after_s']:.1f} quiet seconds; models are worth keeping from "
        f"{sums['keep_from_questions_per_hour']:.2g} questions an hour on (loading all of them again takes "
        f"{sums['reload_mwh']:.2f} mWh, keeping them {sums['keeping_mw']:.2g} mW)"
    ]


def _of_draws(sums: Mapping[str, Any] | None) -> list[str]:
    if sums is None:
        return []
    return [
        f"in {sums['count']} draws of all parameters, "
        f"{'each on another day of this kind' if sums['other_days'] else 'with the same events each time'}: "
        "on the front in "
        f"{sums['on_front']:.0%}, ahead from {END_PERCENT:g} percent to the end in "
        f"{sums['longest_end']:.0%}, "
        f"both in {sums['both']:.0%} (goal {sums['goal']:.0%}: {'met' if sums['goal_met'] else 'NOT met'}); "
        f"the end lasts {100 * sums['end_margin']['median']:.1f} percent longer than under the best other "
        f"(median; in a tenth less than {100 * sums['end_margin']['p10']:.1f})"
    ]

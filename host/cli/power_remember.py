"""`headband power remember`: what it costs to remember what is seen, as text or JSON."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from host.states import StateMachine
from host.terminal.usage import print_json
from power.policy.config import PowerConfig
from power.remembering.compare import remembering
from power.remembering.way import STAYS_AWAKE
from power.twin.day import Day
from power.twin.parameters import Parameters

_PLACING = {
    "plan": "new views, as deep as the plan says",
    "whole": "new views, to full depth at once",
    "every look": "every look, to full depth",
}
_STAYING = {"stays if new": "if the view was new (no headband does)", "stays": "always"}
_STAYS = {"stays if new": "stays awake if the view was new", "stays": "stays awake after every look"}
_EYES = {"vision": "by the eye that sees for questions", "recall": "by an eye that only the memory has"}


def show_remembering(
    options: argparse.Namespace, day: Day, parameters: Parameters, config: PowerConfig
) -> int:
    """Simulates one pack, or each; returns the exit code."""
    packs = [options.pack] if options.pack else sorted(parameters.packs)
    found = [
        remembering(
            day, parameters, StateMachine, pack=pack, config=config, every_s=options.every,
            shortest=options.shortest, draw_count=options.draws,
        )
        for pack in packs
    ]  # fmt: skip
    if options.json:
        print_json({"kind": "modelled", "packs": found})
        return 0
    print(f"{day.name}: {day.about} (modelled; {parameters['cell.capacity_mah']:g} mAh)")
    for result in found:
        for line in lines(result):
            print(line)
    return 0


def lines(result: Mapping[str, Any]) -> Iterator[str]:
    """The figures of one pack as text."""
    off = result["off"]
    yield ""
    yield f"model pack {result['pack']}: views placed {_EYES[result['eye']]}, {result['place_s']:.2g} s each"
    yield (
        f"{'':42s} {'hours':>6s} {'mWh a day':>9s} {'of it':>7s} {'looks':>7s} {'views':>6s} "
        f"{'let go':>6s} {'mWh a view':>10s} {'MB':>6s} {'processor':>9s}"
    )
    yield f"{'memory off':42s} {off['hours']:6.1f} {off['day_mwh']:9.0f}"
    before: float | str | None = ""
    for way in result["ways"]:
        if way["look_every_s"] != before:
            before = way["look_every_s"]
            yield _looking(way["look_every_s"])
        yield "  " + _row(_PLACING[way["placing"]], way)
    yield "stays awake for its quiet seconds after such a look, as before:"
    for way in result["staying"]:
        yield "  " + _row(_STAYING[way["after_look"]], way)
    ends = result["range"]
    yield (
        f"the headband's way, from one end of the ranges of power/remembering/costs.toml and of the memory's "
        f"own bricks to the other: "
        f"{_span(ends['hours'], 1)} h, {_span(ends['remembering_mwh'])} mWh a day, "
        f"{_span(ends['views'])} views"
    )
    yield from _of_draws(result["draws"], result["goal_h"])
    met = "met" if result["goal_met"] else "MISSED"
    yield f"with memory on {result['ways'][0]['hours']:.1f} h; goal {result['goal_h']:g} h: {met}"
    if result["shortest"] is not None:
        way = result["shortest"]
        yield (
            f"woken for a look every {way['look_every_s']:g} s while it sleeps, or less often, it still "
            f"lasts {result['goal_h']:g} h, and has {way['looks']:.0f} looks and "
            f"{way['views']:.0f} views of a day"
        )


def _of_draws(found: Mapping[str, Any] | None, goal_h: float) -> Iterator[str]:
    if found is None:
        return
    yield (
        f"{found['count']} draws of all parameters, each on another day of this kind; medians and 95 % of "
        f"them:"
    )
    for at, way in enumerate(found["ways"]):
        name = _PLACING[way["placing"]] if way["after_look"] == "sleeps" else _STAYS[way["after_look"]]
        yield (
            f"  {name:40s} {way['median_hours']:.1f} h, {_span(way['hours'], 1)} h, "
            f"{_span(way['remembering_mwh'])} mWh a day, {_span(way['views'])} views; "
            f"{goal_h:g} h in {100 * way['goal_share']:.0f} %"
            + (f"; shorter than the first in {100 * way['shorter_share']:.0f} %" if at else "")
        )


def _looking(every_s: float | None) -> str:
    if every_s is None:
        return "looks while it is awake, and once after its plan's longest sleep, as the headband does:"
    if every_s == STAYS_AWAKE:
        return "stays awake while it is worn, which no headband does:"
    return f"woken every {every_s:g} s for one look, to sleep again at once, which no headband does:"


def _row(name: str, way: Mapping[str, Any]) -> str:
    view = "-" if way["view_mwh"] is None else f"{way['view_mwh']:.2f}"
    return (
        f"{name:40s} {way['hours']:6.1f} {way['day_mwh']:9.0f} {way['remembering_mwh']:7.0f} "
        f"{way['looks']:7.0f} {way['views']:6.0f} {way['dropped']:6.0f} {view:>10s} {way['stored_mb']:6.1f} "
        f"{100 * way['processor_share']:8.2f}%"
    )


def _span(ends: list[float], digits: int = 0) -> str:
    return f"{ends[0]:.{digits}f} to {ends[1]:.{digits}f}"

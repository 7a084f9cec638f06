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
AS_IF = (
    "its eye is one graph and it has no text tower, so it cannot remember today; modelled as if its eye "
    "could stop at a depth"
)


def show_remembering(
    options: argparse.Namespace, day: Day, parameters: Parameters, config: PowerConfig
) -> int:
    """Simulates one pack, or each; returns the exit code."""
    packs = [options.pack] if options.pack else sorted(parameters.packs)
    found = [
        remembering(
            day, parameters, StateMachine, pack=pack, config=config, every_s=options.every,
            shortest=options.shortest,
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
    yield f"pack {result['pack']}{f': {AS_IF}' if result['as_if'] else ''}"
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
    ends = result["range"]
    yield (
        f"the headband's way, from one end of the ranges of power/remembering/costs.toml to the other: "
        f"{_span(ends['hours'], 1)} h, {_span(ends['remembering_mwh'])} mWh a day, "
        f"{_span(ends['views'])} views"
    )
    met = "met" if result["goal_met"] else "MISSED"
    yield f"with memory on {result['ways'][0]['hours']:.1f} h; goal {result['goal_h']:g} h: {met}"
    if result["shortest"] is not None:
        way = result["shortest"]
        yield (
            f"woken for a look every {way['look_every_s']:g} s while it sleeps, or less often, it still "
            f"lasts {result['goal_h']:g} h, and has {way['looks']:.0f} looks and "
            f"{way['views']:.0f} views of a day"
        )


def _looking(every_s: float | None) -> str:
    if every_s is None:
        return "looks while it is awake, and sleeps no longer than its plan says, as the headband does:"
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

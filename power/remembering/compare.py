"""What it costs to remember on a day: the way of the headband beside simple baselines, ready for JSON."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from power.placement.site import modelled_site
from power.policy.config import PowerConfig
from power.remembering.draws import Figures, intervals
from power.remembering.twin import RememberingTwin, StaysAwake
from power.remembering.way import (
    PLACINGS,
    STAYS_AWAKE,
    AfterLook,
    Remembering,
    ViewCosts,
    load_costs,
    placing_eye,
    quantities,
)
from power.replay.ranking import until_empty
from power.twin.day import DAY_S, MOST_DAYS, Day
from power.twin.governors import OurPolicy
from power.twin.parameters import Parameters, of_memory
from power.twin.simulate import Machine, Twin

GOAL_H = 24.0
"""So long a normal day's pack has to last with the memory on."""
SHORTEST_S = range(2, 601)
"""Whole seconds between two looks for which a sleeping headband is woken: the shortest is sought in it."""
CORES = 4
_DEAR_WHEN_LOW = ("new_scale_s",)
"""Numbers whose low end makes remembering dearer; of the others it is the high one."""


def remembering(
    day: Day,
    parameters: Parameters,
    machine: Callable[[], Machine],
    *,
    pack: str,
    config: PowerConfig | None = None,
    every_s: Sequence[float] = (),
    shortest: bool = False,
    draw_count: int = 0,
) -> dict[str, Any]:
    """All figures of one pack. `every_s`: also a headband that is woken for a look so often while it sleeps.
    `shortest`: also the shortest such time with which `GOAL_H` is reached. `draw_count`: also intervals over
    so many draws of all parameters, each on another day. Raises `TwinError` for a pack that cannot remember.
    """

    def drawn_figures(day: Day, parameters: Parameters, how: Remembering) -> Figures:
        way = _World(day, parameters, machine, pack, config).way(how)
        return Figures(way["hours"], way["remembering_mwh"], way["views"])

    world, costs = _World(day, parameters, machine, pack, config), load_costs()
    of_pack = replace(parameters, remembering=True).pack(pack)
    off = Twin(parameters, OurPolicy(config, modelled_site(pack)), machine(), pack=pack)
    ways = [
        world.way(Remembering(costs, placing, look_s))
        for look_s in (None, *every_s, STAYS_AWAKE)
        for placing in PLACINGS
    ]
    ends = [
        _World(day, memory_at(parameters, pack, dearest=each), machine, pack, config).way(
            Remembering(costs_at(costs, dearest=each))
        )
        for each in (True, False)
    ]
    others = [world.way(Remembering(costs, after_look=each)) for each in get_args(AfterLook)[1:]]
    return {
        "kind": "modelled",
        "meter": "twin",
        "day": day.name,
        "about": day.about,
        "pack": pack,
        "capacity_mah": parameters["cell.capacity_mah"],
        "eye": placing_eye(of_pack)[0],
        "place_s": Remembering(costs).whole(of_pack).full_clock_s,
        "off": {"hours": world.hours_off(), "day_mwh": off.run(day).battery_mwh},
        "ways": ways,
        "staying": others,
        "range": {key: sorted(each[key] for each in ends) for key in ("hours", "remembering_mwh", "views")},
        "goal_h": GOAL_H,
        "goal_met": ways[0]["hours"] >= GOAL_H,
        "shortest": world.shortest(costs) if shortest else None,
        "draws": intervals(
            day, parameters, compared_over_draws(costs), drawn_figures, count=draw_count, goal_h=GOAL_H
        )
        if draw_count
        else None,
    }


def compared_over_draws(costs: ViewCosts) -> list[Remembering]:
    """The headband's way first, then its strongest simple rivals."""
    others = [Remembering(costs, after_look=each) for each in get_args(AfterLook)[1:]]
    return [Remembering(costs), Remembering(costs, "whole"), *others]


def costs_at(costs: ViewCosts, *, dearest: bool) -> ViewCosts:
    """Every number of remembering at the end of its range at which it takes most energy, or least."""
    ends = {
        name: each.high if (name not in _DEAR_WHEN_LOW) is dearest else each.low
        for name, each in quantities().items()
    }
    return replace(costs, **ends)


def memory_at(parameters: Parameters, pack: str, *, dearest: bool) -> Parameters:
    """The numbers of a pack's bricks for the memory alone likewise."""
    ends = {
        name: each.high if dearest else each.low
        for name, each in parameters.quantities.items()
        if of_memory(name) and name.startswith(f"pack.{pack}.")
    }
    return parameters.changed(ends)


@dataclass(frozen=True)
class _World:
    """What all ways of remembering have in common."""

    day: Day
    parameters: Parameters
    machine: Callable[[], Machine]
    pack: str
    config: PowerConfig | None

    @property
    def _days(self) -> int:
        return math.ceil(MOST_DAYS * DAY_S / self.day.length_s)

    def twin(self, how: Remembering) -> RememberingTwin:
        """A headband with a full pack that remembers so."""
        kind = StaysAwake if how.look_every_s == STAYS_AWAKE else OurPolicy
        governor = kind(self.config, modelled_site(self.pack), remembering=True)
        return RememberingTwin(self.parameters, governor, self.machine(), how, pack=self.pack)

    def hours(self, twin: Twin) -> float:
        """From full to empty."""
        run = twin.run(self.day, self._days, charger=False, until_empty=True)
        return float(until_empty(run)["hours"])

    def hours_off(self) -> float:
        """The same without remembering."""
        governor = OurPolicy(self.config, modelled_site(self.pack))
        return self.hours(Twin(self.parameters, governor, self.machine(), pack=self.pack))

    def way(self, how: Remembering) -> dict[str, Any]:
        """The figures of one way, of the day and from full to empty."""
        twin = self.twin(how)
        twin.run(self.day)
        told = twin.remembered
        worn_s = sum(span.end_s - span.start_s for span in self.day.spans if span.worn)
        each = how.placing == "every look" and told.looks
        new = told.views * told.new / told.looks if each else told.views
        return {
            "placing": how.placing,
            "look_every_s": how.look_every_s,
            "after_look": how.after_look,
            "hours": self.hours(self.twin(how)),
            "day_mwh": twin.account.battery_mwh,
            "remembering_mwh": told.mwh,
            "looks": told.looks,
            "stored": told.views,
            "views": new,
            "dropped": told.dropped,
            "view_mwh": told.mwh / new if new else None,
            "stored_mb": told.views * how.costs.row_bytes / 1e6,
            "processor_share": told.core_s / (CORES * worn_s) if worn_s else 0.0,
            "deepened": told.deepened,
            "outside_mwh": told.outside_mwh,
        }

    def shortest(self, costs: ViewCosts) -> dict[str, Any] | None:
        """The way of the shortest of `SHORTEST_S` with which the pack lasts `GOAL_H`; None: with none."""

        def lasts(every_s: int) -> bool:
            return self.hours(self.twin(Remembering(costs, "plan", every_s))) >= GOAL_H

        at = bisect.bisect_left(SHORTEST_S, True, key=lasts)
        return self.way(Remembering(costs, "plan", SHORTEST_S[at])) if at < len(SHORTEST_S) else None

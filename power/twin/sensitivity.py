"""Sensitivity of the hours: each parameter alone at the low and the high end of its range."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from power.placement.site import modelled_site
from power.policy.config import PowerConfig
from power.twin.day import MOST_DAYS, Day
from power.twin.governors import OurPolicy
from power.twin.parameters import Parameters, of_memory
from power.twin.simulate import Machine, Twin


@dataclass(frozen=True)
class Swing:
    """The hours at both ends of one parameter's range."""

    parameter: str
    low: float
    high: float
    hours_low: float
    """With the parameter at its low end."""
    hours_high: float
    estimate: bool
    """Is the parameter an estimate?"""

    @property
    def swing_h(self) -> float:
        """Difference of the hours."""
        return abs(self.hours_high - self.hours_low)


def lasting_h(
    parameters: Parameters, day: Day, machine: Machine, *, pack: str, config: PowerConfig | None
) -> float:
    """Hours until a full pack is empty, the day repeated without a charger."""
    twin = Twin(parameters, OurPolicy(config, modelled_site(pack)), machine, pack=pack)
    twin.run(day, MOST_DAYS, charger=False, until_empty=True)
    return twin.account.seconds / 3600


def _unused(parameters: Parameters, pack: str) -> tuple[str, ...]:
    """How the names of those quantities begin that say nothing of the pack: of a brick that it has not, and
    estimates for all packs of what is known of this one.
    """
    own = {
        "reflex": ("reflex_answered_share", "reflex_s", "load_reflex_s", "reflex_mib"),
        "motion": ("clip_unit_s", "clip_answer_s", "load_motion_s"),
    }
    for_all = {
        "reflex": ("answered_share", "work_share", "load_share", "memory_share"),
        "motion": ("unit_share", "answer_share", "load_share"),
    }
    found = []
    costs = parameters.pack(pack)
    for brick, there in (("reflex", costs.reflex), ("motion", costs.motion)):
        if not there:
            found += [f"{brick}.", *(f"pack.{pack}.{name}" for name in own[brick])]
            continue
        for name, estimate in zip(own[brick], for_all[brick], strict=True):
            if f"pack.{pack}.{name}" in parameters.quantities:
                found.append(f"{brick}.{estimate}")
    return tuple(found)


def sensitivity(
    parameters: Parameters,
    day: Day,
    machine: Callable[[], Machine],
    *,
    pack: str = "micro",
    config: PowerConfig | None = None,
) -> tuple[float, list[Swing]]:
    """The hours with the given parameters, and every parameter's swing, the largest first."""

    def lasting(changes: dict[str, float]) -> float:
        return lasting_h(parameters.changed(changes), day, machine(), pack=pack, config=config)

    unused = _unused(parameters, pack)
    swings = []
    for name, quantity in parameters.quantities.items():
        of_another = name.startswith("pack.") and not name.startswith(f"pack.{pack}.")
        if quantity.low == quantity.high or of_another or name.startswith(unused) or of_memory(name):
            continue
        low, high = lasting({name: quantity.low}), lasting({name: quantity.high})
        swings.append(Swing(name, quantity.low, quantity.high, low, high, quantity.estimate))
    return lasting({}), sorted(swings, key=lambda swing: -swing.swing_h)

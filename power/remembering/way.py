"""How a simulated headband remembers what it sees, and what that takes.

The headband looks at the plan's interval, as long as its computer is awake; after the plan's longest sleep
it wakes up for one look, and sleeps on (`host/turn/glance.py`). Every look passes the view gate; a new view
waits for the encoder, is placed as deep as the plan says, and is written to the store
(`host/turn/intake.py`). The other ways of looking and placing are what that is compared with.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from hw.settings import SettingsError, read_settings
from power.account.energy_model import Number
from power.policy.plan import Mode, PowerPlan
from power.twin.parameters import Quantity, TwinError
from power.twin.work import RECALL, PackCosts, Work

COSTS_FILE = Path(__file__).with_name("costs.toml")
Placing = Literal["plan", "whole", "every look"]
"""What is placed, and how deep: new views as deep as the plan says; new views to full depth at once, in every
mode; every look to full depth, without a gate. An eye that only the memory has places fully or not at all.
"""
PLACINGS: tuple[Placing, ...] = get_args(Placing)
AfterLook = Literal["sleeps", "stays if new", "stays"]
"""What follows a look for which the plan's longest sleep has ended: it sleeps on; it stays awake for its
quiet time where the view was new, or always, and looks on at the plan's interval.
"""
STAYS_AWAKE = 0.0
"""`Remembering.look_every_s` of a headband that does not suspend while it is worn."""


@dataclass(frozen=True)
class RememberingTable:
    """The file."""

    remember: Mapping[str, Number]


@dataclass(frozen=True)
class ViewCosts:
    """Numbers of `costs.toml`; times in seconds on the board at full clocks."""

    new_scale_s: float
    new_shape: float
    soon_new_share: float
    """Of the looks in the quiet time after one that ended a sleep and showed a new view, so many are new."""
    soon_seen_share: float
    """The same after one that showed a view already seen."""
    gate_s: float
    store_s: float
    waiting_views: float
    again_s: float
    shallow_share: float
    whole_share: float
    found_share: float
    """What finding the things in a view at full depth takes, in a pack whose object detector reads the eye
    that places views.
    """
    row_bytes: float

    def new_share(self, after_s: float) -> float:
        """Share of the looks so long after the last one that show a new view, 0 to 1."""
        return -math.expm1(-((max(0.0, after_s) / self.new_scale_s) ** self.new_shape))


@dataclass(frozen=True)
class Remembering:
    """How a headband remembers."""

    costs: ViewCosts
    placing: Placing = "plan"
    look_every_s: float | None = None
    """Seconds between two single looks for which it is woken from its sleep, to sleep again at once;
    `STAYS_AWAKE`: it does not sleep while it is worn; None: as often as its plan says, as the headband does.
    """
    after_look: AfterLook = "sleeps"
    """With `look_every_s` None; the headband's way is "sleeps"."""

    def place(self, pack: PackCosts, plan: PowerPlan) -> Work | None:
        """The work of placing one view; None where it is stored without a place."""
        if self.placing != "plan":
            return self.whole(pack)
        if plan.mode is Mode.PERFORMANCE:
            return self.looked_through(pack)
        if plan.mode is not Mode.THROTTLED or plan.residency == "one_at_a_time":
            return None
        return self.first_depth(pack)

    def whole(self, pack: PackCosts) -> Work:
        """The work of placing one view at full depth."""
        return pack.vision * self.costs.whole_share if pack.recall is None else pack.recall

    def looked_through(self, pack: PackCosts) -> Work:
        """The same, with what finding the things in it takes."""
        found = pack.vision * self.costs.found_share if pack.recall is None else Work()
        return self.whole(pack) + found

    def first_depth(self, pack: PackCosts) -> Work:
        """The work of placing one view at the first exit, the only one of an eye for the memory alone."""
        return pack.vision * self.costs.shallow_share if pack.recall is None else pack.recall

    def deepening(self, pack: PackCosts) -> Work:
        """The work of taking one on to full depth, from its stored activation, or from its picture where it
        has no place yet.
        """
        whole = self.looked_through(pack)
        return whole + (self.first_depth(pack) * -1.0 if pack.recall is None else Work())

    def shallow(self, pack: PackCosts, plan: PowerPlan) -> bool:
        """Whether a view is deepened later, while it charges."""
        if pack.recall is not None:
            return self.place(pack, plan) is None
        return self.placing == "plan" and plan.mode is not Mode.PERFORMANCE


@dataclass
class Remembered:
    """Totals of a run. Energies in mWh drawn from the pack, above what the same time would have taken."""

    looks: float = 0.0
    new: float = 0.0
    """Looks that show a new view."""
    views: float = 0.0
    """In the store."""
    dropped: float = 0.0
    """New, but let go because too many were waiting."""
    mwh: float = 0.0
    core_s: float = 0.0
    """Seconds of one core."""
    deepened: float = 0.0
    """Views placed anew while it charged."""
    outside_mwh: float = 0.0
    """For them, from outside power."""


def placing_eye(pack: PackCosts) -> tuple[str, str]:
    """The brick that places views, and the stage whose power it draws: the memory's own on the cores, or the
    eye for questions. Raises `TwinError` for a pack that cannot remember.
    """
    if pack.recall is not None:
        return RECALL, "vision"
    if pack.vision_stage.endswith("_npu"):
        raise TwinError(
            f"The pack {pack.name} cannot remember: its eye is one graph, and it has no {RECALL} brick."
        )
    return "vision", pack.vision_stage


def quantities(file: Path = COSTS_FILE) -> dict[str, Quantity]:
    """The numbers of the file by name. Raises `TwinError` when it cannot be read, or a number lacks its range
    or is missing.
    """
    try:
        table: RememberingTable = read_settings(RememberingTable, file, "table of remembering")
    except SettingsError as error:
        raise TwinError(str(error)) from None
    found = {}
    for name, each in table.remember.items():
        if each.low is None or each.high is None:
            raise TwinError(f"{file} gives no range for remember.{name}.")
        found[name] = Quantity(each.value, each.low, each.high, each.source)
    if wrong := set(found) ^ set(ViewCosts.__dataclass_fields__):
        raise TwinError(f"{file} needs other numbers: {', '.join(sorted(wrong))}.")
    return found


def load_costs(changed: Mapping[str, float] | None = None) -> ViewCosts:
    """The numbers of the file, some of them changed. Raises `TwinError`."""
    costs = ViewCosts(**{name: each.value for name, each in quantities().items()})
    return replace(costs, **(changed or {}))

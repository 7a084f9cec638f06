"""What the rules of placement know of one headband: its table, its bricks, and where each could compute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from power.placement.ahead import UNKNOWN, Ahead, choose_ahead
from power.placement.as_json import modelled_tables
from power.placement.choice import Placed, choose_all
from power.placement.table import Place, Table


@dataclass(frozen=True)
class Site:
    """A pack on a board."""

    table: Table | None = None
    """None: nothing is known."""
    possible: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)
    """By brick, the places for which it has a model here, the pack's own first."""
    reflex: bool = False
    """The pack answers closed questions without the language model."""
    _placed: dict[tuple[str, int], tuple[Placed, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """By mode and cores with every place plugged in: a policy asks at every reading of the battery."""
    _ahead: dict[tuple[str, tuple[Placed, ...], bool, float | None], Ahead] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def placed(
        self, mode: str, cores: int, unplugged: Mapping[Place, str] | None = None
    ) -> tuple[Placed, ...]:
        """Every brick's placement in a mode, with at most so many threads."""
        if self.table is None:
            return ()
        if unplugged:
            return choose_all(self.table, mode, self.possible, cores=cores, unplugged=unplugged)
        if (mode, cores) not in self._placed:
            self._placed[mode, cores] = choose_all(self.table, mode, self.possible, cores=cores)
        return self._placed[mode, cores]

    def ahead(
        self, mode: str, placed: tuple[Placed, ...], *, alone: bool, room_mib: float | None = 0.0
    ) -> Ahead:
        """What is begun before a question ends; `room_mib` as `choose_ahead` has it."""
        if self.table is None:
            return UNKNOWN
        key = mode, placed, alone, room_mib
        if key not in self._ahead:
            self._ahead[key] = choose_ahead(
                self.table, mode, placed, alone=alone, reflex=self.reflex, room_mib=room_mib
            )
        return self._ahead[key]


@cache
def modelled_site(pack: str) -> Site:
    """A pack on the modelled board, with everything that is known of it; nothing is known of other packs."""
    table = modelled_tables().get(pack)
    if table is None:
        return Site()
    possible: dict[str, tuple[Place, ...]] = {}
    for brick in table.bricks:
        places = dict.fromkeys(each.place for each in table.costs if each.brick == brick)
        possible[brick] = tuple({**places, "cores": None})
    return Site(table, possible, "reflex" in possible)

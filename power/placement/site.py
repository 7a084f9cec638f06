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

    def placed(
        self, mode: str, cores: int, unplugged: Mapping[Place, str] | None = None
    ) -> tuple[Placed, ...]:
        """Every brick's placement in a mode, with at most so many threads."""
        if self.table is None:
            return ()
        return choose_all(self.table, mode, self.possible, cores=cores, unplugged=unplugged)

    def ahead(self, mode: str, placed: tuple[Placed, ...], *, alone: bool) -> Ahead:
        """What is begun before a question ends."""
        if self.table is None:
            return UNKNOWN
        return choose_ahead(self.table, mode, placed, alone=alone, reflex=self.reflex)


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

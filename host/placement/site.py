"""What the rules of placement are given: the table for a pack, and where each of its bricks could compute."""

from __future__ import annotations

from models.brick import Placement
from models.pack.catalogue import Pack
from power.placement.as_json import modelled_tables
from power.placement.site import Site
from power.placement.table import Place, Table

PLACES: dict[Placement, Place] = {Placement.CPU: "cores", Placement.NPU: "npu", Placement.GPU: "gpu"}


def site_of(pack: Pack, table: Table | None = None) -> Site:
    """For a pack as it was loaded here. `table`: measured here; None: the modelled one, if there is any."""
    table = table or modelled_tables().get(pack.name)
    possible = {name: possible_places(PLACES[spec.placement]) for name, spec in pack.bricks.items()}
    return Site(table, possible, "reflex" in pack.bricks)


def possible_places(first: Place) -> tuple[Place, ...]:
    """The pack's own place, and the cores, which can compute everything."""
    return (first,) if first == "cores" else (first, "cores")

"""What the rules of placement are given: the table for a pack, and where each of its bricks could compute."""

from __future__ import annotations

from contextlib import suppress

from host.placement.store import TunedProblem, origin_of, read_clip_costs, read_tuned, tuned_path
from models.brick import Placement
from models.pack.catalogue import Pack
from models.sensing.latency import StepCosts
from power.placement.as_json import modelled_tables
from power.placement.site import Site
from power.placement.table import Place, Table

PLACES: dict[Placement, Place] = {Placement.CPU: "cores", Placement.NPU: "npu", Placement.GPU: "gpu"}


def site_here(board: str, pack: Pack, journal: str) -> tuple[Site, str | None]:
    """The site by the table measured for this kind of board and pack, which lies beside the journal, else by
    the modelled one; and a sentence where a measured table cannot be used.
    """
    try:
        return site_of(pack, read_tuned(tuned_path(journal, board, pack.name), origin_of(board, pack))), None
    except TunedProblem as problem:
        return site_of(pack), str(problem)


def clip_costs_here(board: str, pack: Pack, journal: str) -> StepCosts | None:
    """What a clip's steps take, as measured on this kind of board with this pack; None where they were not.
    A file that cannot be used is told by `site_here`.
    """
    with suppress(TunedProblem):
        return read_clip_costs(tuned_path(journal, board, pack.name), origin_of(board, pack))
    return None


def site_of(pack: Pack, table: Table | None = None) -> Site:
    """For a pack as it was loaded here. `table`: measured here; None: the modelled one, if there is any."""
    table = table or modelled_tables().get(pack.name)
    possible = {name: possible_places(PLACES[spec.placement]) for name, spec in pack.bricks.items()}
    return Site(table, possible, "reflex" in pack.bricks)


def possible_places(first: Place) -> tuple[Place, ...]:
    """The pack's own place, and the cores, which can compute everything."""
    return (first,) if first == "cores" else (first, "cores")

"""Check of `headband doctor` for the measured table of placements."""

from __future__ import annotations

import asyncio
from pathlib import Path

from host.doctor.finding import Finding
from models.pack.catalogue import PackError, load_pack

TUNE = "measure it with: headband tune"


async def placement_finding(journal: str, board: str, pack: str | Path) -> Finding:
    """Says whether what the models take was measured on this board with this pack."""
    from host.placement.store import TunedProblem, origin_of, read_tuned, tuned_path

    try:
        loaded = await asyncio.to_thread(load_pack, pack, verify=False)
    except PackError:
        return Finding("placement", "note", "see pack")
    origin = origin_of(board, loaded)
    try:
        table = read_tuned(tuned_path(journal, board, loaded.name), origin)
    except TunedProblem as problem:
        says, _, fix = str(problem).rpartition("; ")
        return Finding("placement", "note", f"{says}. The modelled table is used.", fix)
    if table is None and board == "emulated":
        return Finding("placement", "ok", "the modelled times of an RK3566, which is what is emulated")
    if table is None:
        return Finding(
            "placement", "note", f"pack '{loaded.name}' was not measured on this board", f"{TUNE}."
        )
    return Finding("placement", "ok", f"pack '{loaded.name}' was measured here")

"""`headband tune`: measures what each model takes on this computer, and keeps it for placement's rules."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Any

from host.app.open_board import chosen_board, of_other_computer, usable_npu
from host.config import Config, with_pack
from host.placement.site import site_of
from host.placement.store import (
    Origin,
    TunedProblem,
    clip_as_json,
    origin_of,
    read_clip_costs,
    read_tuned,
    tuned_path,
    write_tuned,
)
from host.terminal.settings_file import chosen_settings
from host.terminal.usage import UsageError, print_json
from models.brick import BrickError
from models.pack.catalogue import Pack, load_pack
from models.process.residency import BrickFailed
from models.sensing.latency import StepCosts
from power.placement.ahead import Ahead
from power.placement.as_json import to_json
from power.placement.choice import Placed
from power.placement.site import Site
from power.placement.table import MODES, Table
from power.policy.config import PowerConfig
from power.policy.savings import begun_ahead


def tune(options: argparse.Namespace) -> int:
    """Measures, or shows what is known; returns the exit code. Raises `UsageError`, `PackError`."""
    config = with_pack(chosen_settings(options.config), options.pack)
    board = chosen_board(config.board, options.board)
    pack = load_pack(config.pack, npu=usable_npu(board))
    origin, path = origin_of(board.kind, pack), tuned_path(config.journal.path, board.kind, pack.name)
    try:
        if options.show:
            table, clip = read_tuned(path, origin), read_clip_costs(path, origin)
            return _show(table, clip, pack, path, config, options.json)
        if path is None:
            raise UsageError(
                "With [journal] path empty nothing is kept, so there is nowhere to keep a table."
            )
        other = of_other_computer(board)
        if other is not None:
            raise UsageError(f"{other} What is measured here is no time of it.")
        _require_writable(path)
        table, clip = _measured(pack, origin, config.power.cores)
        write_tuned(path, table, origin, clip)
    except TunedProblem as problem:
        raise UsageError(str(problem)) from None
    except (BrickFailed, BrickError) as error:
        print(f"Nothing was kept: {error}", file=sys.stderr)
        return 1
    return _show(table, clip, pack, path, config, options.json)


def _require_writable(path: Path) -> None:
    """Asks before minutes of measuring. Raises `TunedProblem`."""
    probe = path.with_name(f"{path.name}.probe")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise TunedProblem(f"{path} cannot be written ({error.strerror}).") from None


def _measured(pack: Pack, origin: Origin, cores: int) -> tuple[Table, StepCosts | None]:
    """cores: most that the headband uses. A clip's steps are measured as performance places the bricks by
    the times that were just measured.
    """
    from host.placement.clip_steps import step_times
    from host.placement.measure import measured_table

    def progress(line: str) -> None:
        print(line, file=sys.stderr)

    progress(f"Measuring pack {origin.pack} on {origin.computer}; minutes.")
    table = asyncio.run(measured_table(pack, origin.board, progress))
    placed = site_of(pack, table).placed("performance", cores)
    times = asyncio.run(step_times(pack, progress, placed))
    return table, None if times is None else times.costs


def _show(
    table: Table | None,
    clip: StepCosts | None,
    pack: Pack,
    path: Path | None,
    config: Config,
    as_json: bool,
) -> int:
    """Prints the table in use and what follows from it in each mode."""
    site = site_of(pack, table)
    measured = table is not None
    if as_json:
        print_json(_as_json(site, clip, path if measured else None, config))
        return 0
    used = site.table
    if used is None:
        print(f"Nothing is known of pack '{pack.name}' here: measure it with: headband tune")
        return 0
    print(f"Measured: {path}" if measured else "Modelled, not measured here; measure with: headband tune")
    print("brick   task      place threads       s  [low, high]          J   MiB  kind")
    for cost in used.costs:
        if cost.mode == "performance":
            where = f"{cost.brick:7} {cost.task:9} {cost.place:5} {cost.threads:7}"
            takes = f"{cost.seconds:7.3f}  {f'[{cost.low_s:.3f}, {cost.high_s:.3f}]':18} {cost.energy_j:5.2f}"
            print(f"{where} {takes} {cost.memory_mib:5.0f}  {cost.kind}")
    for mode in MODES:
        placed = site.placed(mode, config.power.cores)
        print(f"{mode}:")
        for each in placed:
            print(f"  {each.brick}: {each.place}, threads {each.threads}: {each.reason}")
        ahead = _ahead(site, mode, placed, config.power)
        taken = ", taken in by the language model" if ahead.prefill else ""
        taken += (
            ", the camera's sensor at the sound that wakes the computer" if ahead.sensor == "sound" else ""
        )
        print(f"  ahead: the picture at the {ahead.picture}{taken}: {ahead.reason}")
    if "motion" in pack.bricks:
        _show_clip(clip)
    return 0


def _ahead(
    site: Site, mode: str, placed: tuple[Placed, ...], config: PowerConfig, *, alone: bool | None = None
) -> Ahead:
    """What is begun before a question ends, as far as the settings permit it. `alone`: with room for one
    brick at a time; None: as the settings have it in that mode.
    """
    limit_mib = config.cascade_memory_mib
    if alone is None:
        alone = mode == "cascade" and limit_mib is not None
    room_mib = limit_mib if alone and config.cascade_prefetch else 0.0
    return begun_ahead(site.ahead(mode, placed, alone=alone, room_mib=room_mib), config)


def _show_clip(clip: StepCosts | None) -> None:
    if clip is None:
        print("A clip's steps were not measured here: every clip is looked at in the usual way.")
        return
    print("A clip's steps, measured:")
    for (depth, pictures), seconds in sorted(clip.encode_s.items()):
        print(f"  {pictures} through {depth:2} blocks: {seconds:.4f} s")
    print(f"  a unit of the motion brick {clip.unit_s:.4f} s, an answer {clip.answer_s:.4f} s")


def _as_json(site: Site, clip: StepCosts | None, path: Path | None, config: Config) -> dict[str, Any]:
    modes = {}
    for mode in MODES:
        placed = site.placed(mode, config.power.cores)
        modes[mode] = {
            "placed": {
                each.brick: {"place": each.place, "threads": each.threads, "reason": each.reason}
                for each in placed
            },
            "ahead": {
                room: {
                    "picture": way.picture,
                    "prefill": way.prefill,
                    "sensor": way.sensor,
                    "reason": way.reason,
                }
                for room, way in (
                    ("together", _ahead(site, mode, placed, config.power, alone=False)),
                    ("one_at_a_time", _ahead(site, mode, placed, config.power, alone=True)),
                )
            },
        }
    return {
        "file": None if path is None else str(path),
        "table": None if site.table is None else to_json(site.table),
        "clip": clip_as_json(clip),
        "modes": modes,
    }

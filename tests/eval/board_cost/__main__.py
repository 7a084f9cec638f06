"""What the packs' bricks will cost on an RK3566, modelled, and the model beside published figures.

The counts that it works from are kept in power/board_cost/counted.json: instructions, and lines of memory
that simulated caches lacked, of the aarch64 builds. `--count` counts them anew under QEMU (qemu-user, a C
compiler, a network the first time), minutes to an hour each; without it nothing is run."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Annotated

from host.terminal.usage import os_error_sentence
from hw.settings import Range, SettingsError, argument
from models.atomic_file import write_whole
from power.board_cost.board import Board, load_boards
from power.board_cost.bricks import Brick, Cost, cost, load_bricks, missing_runs
from power.board_cost.counts import Counts
from power.board_cost.tables import tables
from power.board_cost.validation import (
    COUNTED,
    Source,
    Validation,
    load_counted,
    load_published,
    validate,
)
from power.twin.work import COUNTED_FILE
from tests.eval.board_cost import first_piece, waits
from tests.eval.board_cost.emulated import CannotCount, missing
from tests.eval.board_cost.here import longer
from tests.eval.board_cost.runs import counted, runs

AIM_MEDIAN, AIM_WORST = 0.20, 0.45
_BOARD = "rk3566"
_CORES = 4
_MHZ = argument(Annotated[float, Range(100, 10_000, "MHz")])
_SECONDS = argument(Annotated[float, Range(1, 1_000_000, "seconds")])


def main(arguments: Sequence[str] | None = None) -> int:
    """Counts what is asked for and prints the tables; 2 for bad input or where nothing can be counted, 1
    where the system refuses.
    """
    options = _options(arguments)
    try:
        if options.count is not None:
            _count(options.count, options.timeout, options.uncounted)
        return _show(options)
    except (SettingsError, CannotCount, ValueError) as error:
        print(f"just board-cost: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"just board-cost: {os_error_sentence(error)}", file=sys.stderr)
        return 1


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="just board-cost", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--count", nargs="*", metavar="RUN", help="count these runs anew; without a name, all"
    )
    parser.add_argument(
        "--uncounted", action="store_true", help="with --count: only those that have not been counted yet"
    )
    parser.add_argument(
        "--timeout", type=_SECONDS, default=3600, metavar="S", help="most seconds for a run (3600)"
    )
    parser.add_argument(
        "--cores", type=int, choices=(1, 2, 3, 4), default=_CORES, help=f"cores at work ({_CORES})"
    )
    parser.add_argument("--cpu-mhz", type=_MHZ, metavar="MHZ", help="the cores' clock (1860)")
    parser.add_argument("--ddr-mhz", type=_MHZ, metavar="MHZ", help="the memory's clock (1056)")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--runs", action="store_true", help="list what can be counted, and what has been")
    shown.add_argument("--json", action="store_true", help="print one JSON object")
    shown.add_argument(
        "--here",
        action="store_true",
        help="run the micro pack's bricks here and print how many times longer a core of the board takes",
    )
    shown.add_argument(
        "--waits",
        action="store_true",
        help="print the waits of the packs on the battery twin, by part, beside their goals",
    )
    shown.add_argument(
        "--write", action="store_true", help="write the battery twin's tables, power/twin/counted.toml"
    )
    options = parser.parse_args(arguments)
    if options.uncounted and options.count is None:
        parser.error("--uncounted says what --count counts; give both")
    usual = (options.cores, options.cpu_mhz, options.ddr_mhz) == (_CORES, None, None)
    if not usual and (options.runs or options.here or options.waits or options.write):
        parser.error("another operating point is for the table of costs alone (also as --json)")
    return options


def _count(wanted: list[str], timeout_s: float, only_new: bool = False) -> None:
    """Counts runs one after the other, each kept as soon as it is counted, so that an interrupted count goes
    on with `--uncounted`. Raises `CannotCount` at the end if some could not be counted.
    """
    known = runs()
    for name in wanted:
        if name not in known:
            raise ValueError(f"There is no run {name!r}; `just board-cost --runs` lists them.")
    problem = missing()
    if problem is not None:
        raise CannotCount(problem)
    sources, rows = load_published()
    boards = load_boards()
    on = {row.run: sources[row.source].board for row in rows if row.run}
    names = [name for name in wanted or known if not (only_new and name in load_counted())]
    failed = []
    for name in names:
        start_s = time.monotonic()
        try:
            with tempfile.TemporaryDirectory() as folder:
                regions = counted(name, Path(folder), boards[on.get(name, _BOARD)], timeout_s)
        except CannotCount as error:
            failed.append(name)
            print(f"{name}: not counted. {error}", file=sys.stderr)
            continue
        keep({**load_counted(), name: regions})
        instructions = sum(each.instructions for each in regions)
        print(f"{name}: {instructions:,} instructions, {time.monotonic() - start_s:.0f} s", file=sys.stderr)
    if failed:
        raise CannotCount(f"{len(failed)} of {len(names)} runs could not be counted, for the reasons above.")


def keep(kept: Mapping[str, Sequence[Counts]], path: Path = COUNTED) -> None:
    """Writes counts, a line for each run; those that were there stay where that fails."""
    lines = (
        f" {json.dumps(name)}: {json.dumps([asdict(each) for each in kept[name]])}" for name in sorted(kept)
    )
    write_whole(path, "{\n" + ",\n".join(lines) + "\n}\n")


def _show(options: argparse.Namespace) -> int:
    if options.here:
        for stage, board_s, here_s, ratio in longer():
            on_board = f"{1e3 * board_s:.0f} ms on one core by the counts"
            print(f"{stage}: {on_board}, {1e3 * here_s:.1f} ms here: {ratio:.1f} times")
        return 0
    if options.waits:
        print("\n".join([*waits.lines(), "", *first_piece.lines()]))
        return 0
    if options.write:
        write_whole(COUNTED_FILE, twin_tables())
        print(f"wrote {COUNTED_FILE}")
        return 0
    sources, rows = load_published()
    boards, bricks, kept = load_boards(), load_bricks(), load_counted()
    if options.runs:
        print("\n".join(f"{'counted' if name in kept else '       '}  {name}" for name in runs()))
        return 0
    found = validate(rows, sources, boards, kept)
    if not found.compared:
        raise ValueError("No published program has been counted; `just board-cost --count` counts them.")
    board = boards[_BOARD]
    costs = {
        name: cost(brick, kept, board, found, options.cores, options.cpu_mhz, options.ddr_mhz)
        for name, brick in bricks.items()
        if not missing_runs(brick, kept)
    }
    if options.json:
        print(json.dumps(_as_json(found, costs, options)))
        return 0
    print("\n".join([*_published(found, sources), "", *_costs(bricks, costs, kept, board, options)]))
    return 0


def twin_tables() -> str:
    """The twin's tables by the kept counts, at full clocks. Raises ValueError for an uncounted run."""
    sources, rows = load_published()
    boards, kept = load_boards(), load_counted()
    wanted = [brick for brick in load_bricks().values() if brick.twin]
    uncounted = dict.fromkeys(run for brick in wanted for run in missing_runs(brick, kept))
    if uncounted:
        raise ValueError(f"The twin's tables need counts of {', '.join(uncounted)} (--count --uncounted).")
    found = validate(rows, sources, boards, kept)
    return tables(cost(brick, kept, boards[_BOARD], found, cores=4) for brick in wanted)


def _as_json(found: Validation, costs: Mapping[str, Cost], options: argparse.Namespace) -> dict[str, object]:
    return {
        "kind": "modelled",
        "cores": options.cores,
        "published": [
            {"source": each.row.source, "program": each.row.program, "cores": each.row.cores,
             "published_ms": each.row.ms, "predicted_ms": each.held_out_ms, "error": each.error}
            for each in found.compared
        ],
        "cannot": [
            {"program": row.program, "why": row.cannot or "not counted yet"} for row in found.left_out
        ],
        "median_error": found.median_error,
        "worst_error": found.worst_error,
        "factors": asdict(found.fit),
        "bricks": {
            name: {"ms": each.ms, "low_ms": each.low_ms, "high_ms": each.high_ms, "unit": each.brick.unit}
            for name, each in costs.items()
        },
    }  # fmt: skip


def _published(found: Validation, sources: Mapping[str, Source]) -> list[str]:
    lines = ["Published on Cortex-A55 cores, and predicted by the model fitted to the other programs", ""]
    lines.append(
        f"{'source':12} {'program':18} {'cores':>5} {'published':>11} {'predicted':>11} {'error':>6}"
    )
    for each in found.compared:
        row = each.row
        lines.append(
            f"{row.source:12} {row.program:18} {row.cores:5} {row.ms:8.1f} ms {each.held_out_ms:8.1f} ms "
            f"{each.error:+6.0%}"
        )
    programs = len({each.row.program for each in found.compared})
    lines.append("")
    lines.append(
        f"median {found.median_error:.0%}, worst {found.worst_error:.0%} of {len(found.compared)} figures of "
        f"{programs} programs (aim {AIM_MEDIAN:.0%}, {AIM_WORST:.0%}); factors on cores "
        f"{found.fit.core:.2f}, on memory {found.fit.memory:.2f}"
    )
    plain = [abs(each.ms / each.row.ms - 1) for each in found.compared]
    lines.append(f"without any factor: median {median(plain):.0%}, worst {max(plain):.0%}")
    for row in found.left_out:
        if row.cannot:
            lines.append(f"not run: {row.source}, {row.program}. {row.cannot}")
    waiting = sum(not row.cannot for row in found.left_out)
    if waiting:
        lines.append(f"{waiting} more published figures wait for their counts (`--runs` lists them)")
    lines += ["", *(f"{name}: {each.what}; clock: {each.clock}" for name, each in sources.items())]
    return lines


def _costs(
    bricks: Mapping[str, Brick], costs: Mapping[str, Cost], kept: Mapping[str, Sequence[Counts]],
    board: Board, options: argparse.Namespace,
) -> list[str]:  # fmt: skip
    at = options.cpu_mhz or board.cpu_mhz.value, options.ddr_mhz or board.ddr_mhz.value
    lines = [
        f"Modelled on {options.cores} cores of an RK3566 at {at[0]:.0f} MHz, memory at {at[1]:.0f} MHz",
        "",
    ]
    for name, brick in bricks.items():
        if name not in costs:
            lines.append(f"{brick.title}: not counted yet ({', '.join(missing_runs(brick, kept))})")
            continue
        each = costs[name]
        lines.append(
            f"{brick.title}: {each.ms:.1f} ms [{each.low_ms:.1f} to {each.high_ms:.1f}]\n  {brick.how}"
        )
    return lines


if __name__ == "__main__":
    raise SystemExit(main())

"""What is found again of held-out days by words, and what it costs to have remembered it.

    python -m tests.eval memory [--seeds 3] [--days 2] [--views 1000] [--pack micro] [--again 1 6]

The views of a day pass the view gate, as on a headband; those that it keeps are placed at every exit, as the
store rounds them. Compared are each exit for all views, the exits that the pack's predictor says, a fixed
exit no shallower than their mean, and the exits of the labels that the predictor was trained to give. `taken
on`: the nearest views of a query pass the rest of the blocks and are compared again; `--again` does so from
what a store has of a view, and says how long a headband takes for it. `eval eye` has the same text and views
without the gate, and the decoder's answers searched as words.

    python -m tests.eval memory --section healing [--cache FOLDER] [--epochs 5] [--methods none progressive]

compares ways to heal the exits (`tests.eval.memory.healing`), an hour or more on two cores: what is trained
is kept in the cache, and an interrupted run goes on from there. It needs the training environment.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from models.exit_predictor import ExitPredictor, PredictorError, read
from models.pack.catalogue import Pack, PackError, load_pack
from models.pack.chain import PREDICTOR, Chain
from models.train.over_runs import over
from models.train.world.home.day import day
from tests.eval.arguments import counted
from tests.eval.eye.days import AT, candidates
from tests.eval.eye.held_home import picture_of
from tests.eval.eye.page import Lacks, Table
from tests.eval.eye.pieces import Eye, Rgb, loaded, phrases, with_text
from tests.eval.memory import stored_bytes, taking_on
from tests.eval.memory.again import Again, recall_methods, taken_on, write
from tests.eval.memory.again import read as read_again
from tests.eval.memory.again import table as taken_on_table
from tests.eval.memory.days import Places, Remembered, kept_of, of_pack, remembered
from tests.eval.memory.healing import section as healing
from tests.eval.memory.methods import FULL, ORACLE, Figures, depth_error, figures, ways

FIRST_SEED, APART = 9_000, 100
"""Days of seed n begin here plus n times that."""
STORED_VIEWS, TIMED_VIEWS = 64, 200


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; the exit status."""
    options = _parser().parse_args(arguments)
    try:
        pack = load_pack(options.pack)
        chain = with_text(pack)
    except (PackError, Lacks) as error:
        print(error, file=sys.stderr)
        return 2
    began_s = time.monotonic()
    if options.section == "healing":
        return _healing(pack, chain, options)
    options.keep = None if options.keep is None else of_pack(options.keep, pack)
    days, texts, again = _days(pack, chain, options)
    predictor, lacking = predictor_of(pack, chain, options.predictor)
    told: list[Mapping[str, Figures]] = []
    for each, words in zip(days, texts, strict=True):
        found = ways(each, words, chain.exit_depths, predictor)
        told.append({name: figures(way, each, chain.exit_depths) for name, way in found.items()})
    tables = [_found_again(days, told, predictor, lacking, chain)]
    if options.again:
        tables.append(_taken_on(days, texts, again, options.again, chain))
        shown = _pictures(options.views, TIMED_VIEWS)
        tables.append(taking_on.table(taking_on.times(pack, shown, options.again)))
    kept = float(np.mean([each.places.shape[1] for each in days]))
    stored = _pictures(options.views, STORED_VIEWS)
    tables.append(stored_bytes.table(pack, chain, stored, kept, options.views))
    print("\n\n".join(table.text() for table in tables))
    print(f"  ({time.monotonic() - began_s:.0f} s)")
    return 0


def _healing(pack: Pack, chain: Chain, options: argparse.Namespace) -> int:
    seeds = [FIRST_SEED + APART * seed + number for seed in (1, 2, 3) for number in range(options.days)]
    try:
        found = healing.tables(pack, chain, seeds, options)
    except Lacks as error:
        print(error, file=sys.stderr)
        return 2
    print("\n\n".join(table.text() for table in found))
    return 0


def predictor_of(pack: Pack, chain: Chain, given: Path | None) -> tuple[ExitPredictor | None, str]:
    """The given predictor, else the pack's, or why there is none."""
    options = pack.bricks["vision"].options
    if given is None and PREDICTOR not in options:
        depth = options.get("remember_depth") or chain.exit_depths[-1]
        return (
            None,
            f"Pack '{pack.name}' has no predictor and remembers views at the exit after block {depth}.",
        )
    path = given or Path(options[PREDICTOR])
    try:
        return read(path, options["encoder"], chain.exit_depths, chain.embedding), ""
    except PredictorError as error:
        return None, str(error)


def _days(
    pack: Pack, chain: Chain, options: argparse.Namespace
) -> tuple[list[Remembered], list[Places], list[Mapping[str, Again]]]:
    days, again = [], []
    with loaded(pack.bricks["vision"]) as brick:
        for seed in range(1, options.seeds + 1):
            for number in range(options.days):
                began = FIRST_SEED + APART * seed + number
                days.append(remembered(Eye(brick), chain, began, options.views, options.keep))
                if options.again:
                    again.append(_again(Eye(brick), chain, began, options))
                print(f"day {began}: {days[-1].places.shape[1]} of {options.views} views", flush=True)
    with loaded(pack.bricks["text"]) as tower:
        return days, [phrases(tower, each.queries) for each in days], again


def _again(eye: Eye, chain: Chain, began: int, options: argparse.Namespace) -> Mapping[str, Again]:
    exits = "_".join(map(str, options.again))
    file = None if options.keep is None else options.keep / f"{began}_{options.views}_again_{exits}.npz"
    found = None if file is None else read_again(file)
    if found is None:
        found = taken_on(eye, chain, kept_of(candidates(began, options.views))[1], options.again)
        if file is not None:
            write(file, found)
    return found


def _taken_on(
    days: Sequence[Remembered],
    texts: Sequence[Places],
    again: Sequence[Mapping[str, Again]],
    depths: Sequence[int],
    chain: Chain,
) -> Table:
    return taken_on_table(days, [
        recall_methods(day, words, depths, chain.exit_depths, found)
        for day, words, found in zip(days, texts, again, strict=True)
    ])  # fmt: skip


def _found_again(
    days: Sequence[Remembered],
    told: Sequence[Mapping[str, Figures]],
    predictor: ExitPredictor | None,
    lacking: str,
    chain: Chain,
) -> Table:
    rows = []
    for name in told[0]:
        each = [day[name] for day in told]
        cells = [over([day.percent[at] for day in each], shares=True) for at in range(len(AT))]
        relative = [
            100 * one.first / max(full[FULL].first, 1e-9) for one, full in zip(each, told, strict=True)
        ]
        blocks = "" if each[0].depth is None else f"{np.mean([day.depth for day in each]):.2f}"
        query = f"{np.mean([day.query_blocks for day in each]):.0f}" if each[0].query_blocks else ""
        rows.append((name, *cells, over(relative), blocks, query))
    seen, kept = sum(each.seen for each in days), sum(each.places.shape[1] for each in days)
    queries = sum(len(each.queries) for each in days)
    unanswerable = sum(int((~each.answerable).sum()) for each in days)
    lost = sum(int((each.answerable & ~each.right.any(axis=1)).sum()) for each in days)
    notes = [
        "Intervals are over days, Student's. Places are int8 with a scale, as stored.",
        f"No view of the day answers {unanswerable} queries, and {lost} more only views that the gate did "
        f"not keep: {ORACLE!r} is what is left.",
        lacking,
    ]
    if predictor is not None:
        errors = [depth_error(each, predictor, chain.exit_depths) for each in days]
        notes.append(f"Predicted depth, from the label's: {over(errors, ' blocks')}. {predictor.chosen}")
    columns = ("method", *(f"R@{k}" for k in AT), "R@1 of full depth's", "blocks a view", "blocks a query")
    title = f"{queries} queries on {len(days)} held-out days; the gate keeps {kept} of {seen} views"
    return Table(title, columns, rows, [note for note in notes if note])


def _pictures(views: int, count: int) -> list[Rgb]:
    """The first of a held-out day."""
    return [picture_of(each) for each in day(FIRST_SEED, max(views, 100), "held").views[:count]]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="just eval memory", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=counted, default=3, help="(default 3)")
    parser.add_argument("--days", type=counted, default=2, help="held-out days of each seed (default 2)")
    parser.add_argument(
        "--views", type=counted, default=1000, help="of each day, 100 at least (default 1000)"
    )
    parser.add_argument("--pack", default="micro", help="by name or folder")
    parser.add_argument("--predictor", type=Path, help="a predictor's file in place of the pack's")
    parser.add_argument(
        "--again", type=counted, nargs="*", default=(), metavar="BLOCK",
        help="exits after which views stop and are taken on for a question, from picture or activation",
    )  # fmt: skip
    parser.add_argument("--section", choices=("remembered", "healing"), default="remembered")
    group = parser.add_argument_group("--section healing; --seeds are then those of the trainings")
    group.add_argument("--cache", type=Path, default=Path(".cache/train/heal"), help="(default %(default)s)")
    group.add_argument("--epochs", type=counted, default=5, help="of each stage (default 5)")
    group.add_argument("--train-days", type=counted, default=4, help="of each seed (default 4)")
    group.add_argument("--methods", nargs="*", choices=tuple(healing.METHODS), help="(default all)")
    parser.add_argument("--keep", type=Path, help="a folder where encoded days are kept for the next time")
    return parser


if __name__ == "__main__":
    sys.exit(main())

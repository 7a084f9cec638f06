"""Command-line options of `headband rig`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Annotated

from hw.settings import Range, argument

_repeats = argument(Annotated[int, Range(1, 1000, "repeats")])


def rig_options(parser: argparse.ArgumentParser, common: argparse.ArgumentParser) -> None:
    """Adds the actions of `headband rig`; `common`: the options that `run` takes beside its own."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    run = actions.add_parser(
        "run", parents=[common], help="play a scenario while a meter records, and write a report",
        description="Exit status 0: within every budget; 1: not, or the run was refused because it proves "
        "nothing; 3: nothing is over or under its budget, but one that the scenario asks for could not be "
        "judged.",
    )  # fmt: skip
    run.add_argument("scenario", metavar="SCENARIO", help="name of a bundled scenario, or a TOML file")
    run.add_argument(
        "--meter", default="twin", metavar="SPEC", help="NAME or NAME:PORT, see `rig meters` (default: twin)"
    )
    run.add_argument(
        "--against",
        type=Path,
        metavar="JSON",
        help="compare with the report.json of an earlier run, from three repeats on",
    )
    run.add_argument(
        "--repeats", type=_repeats, metavar="N", help="1 to 1000, instead of the scenario's own number"
    )
    run.add_argument(
        "--out", type=Path, default=Path("headband-rig"), metavar="FOLDER", help="where the report goes"
    )
    run.add_argument(
        "--journal", type=Path, metavar="FILE",
        help="measure the real headband whose service writes this journal, instead of the emulated board",
    )  # fmt: skip
    run.add_argument("--json", action="store_true", help="print the report's JSON instead of text")
    for name, what in (("list", "the bundled scenarios"), ("meters", "the meters that can be named")):
        action = actions.add_parser(name, help=what)
        action.add_argument("--json", action="store_true", help="print JSON instead of text")

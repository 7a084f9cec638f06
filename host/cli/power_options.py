"""Command-line options of `headband power`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Annotated

from host.terminal.usage import SETTINGS_RULE
from hw.settings import Range, argument

_capacity = argument(Annotated[int, Range(100, 8_000, "mAh")])
_days = argument(Annotated[int, Range(1, 366, "days")])
_seconds = argument(Annotated[float, Range(2, 86_400, "seconds")])
_draws = argument(Annotated[int, Range(0, 1000, "draws")])

SCENARIO = (
    "or a scenario of the rig (a name of `headband rig list`, or a .toml file): a step with a mode puts in "
    "the pack that stands for that mode, and each policy decides for itself what to do with it"
)
DAY = (
    "a bundled day (light, normal, heavy), a day file (.toml), or a day as it was lived (.csv with the "
    "columns time, what, value, described in power/twin/day_csv.py)"
)


def power_options(parser: argparse.ArgumentParser) -> None:
    """Adds the actions of `headband power`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    common = _common(parser, "micro")

    twin = actions.add_parser("twin", parents=[common], help="play a modelled day and say what it costs")
    twin.add_argument("day", nargs="?", default="normal", metavar="DAY", help=f"{DAY}; default: normal")
    twin.add_argument(
        "--days", type=_days, default=1, metavar="N", help="play so many days in a row, 1 to 366"
    )
    twin.add_argument("--trace", type=Path, metavar="FILE", help="save the power over time as CSV")

    replay = actions.add_parser(
        "replay",
        parents=[common],
        help="compare six policies on the same day or scenario, as a page with pictures",
    )
    replay.add_argument("day", metavar="DAY", help=f"{DAY}, {SCENARIO}")
    replay.add_argument(
        "--draws",
        type=_draws,
        default=0,
        metavar="N",
        help="repeat N times, 0 to 1000, each time with other values of every parameter on another day: how "
        "often does the ranking hold?",
    )
    replay.add_argument("--html", type=Path, metavar="FILE", help="write the page there")

    remember = actions.add_parser(
        "remember",
        parents=[_common(parser, "every one")],
        help="what it costs to remember what is seen, compared with simple baselines",
    )
    remember.add_argument("day", nargs="?", default="normal", metavar="DAY", help=f"{DAY}; default: normal")
    remember.add_argument(
        "--every",
        type=_seconds,
        action="append",
        default=[],
        metavar="S",
        help="also as if a sleeping headband were woken for a look every S seconds, 2 to 86_400; may be "
        "given more than once",
    )
    remember.add_argument(
        "--shortest",
        action="store_true",
        help="also find the shortest such time with which the battery lasts 24 hours (a minute a pack)",
    )

    remember.add_argument(
        "--draws",
        type=_draws,
        default=0,
        metavar="N",
        help="repeat N times, 0 to 1000, each time with other values of every parameter on another day: "
        "medians and 95 %% of the headband's way and its nearest rivals (six seconds a draw and model pack)",
    )

    swings = actions.add_parser(
        "sensitivity", parents=[common], help="which numbers decide how long the battery lasts"
    )
    swings.add_argument("day", nargs="?", default="normal", metavar="DAY", help=f"{DAY}; default: normal")

    used = actions.add_parser("used", help="what used this headband's battery: measured or modelled")
    used.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help=f"settings; the ledger lies beside their journal ({SETTINGS_RULE})",
    )
    used.add_argument("--json", action="store_true", help="print one JSON object instead of text")

    pmu = actions.add_parser("pmu", help="what the microcontroller draws in each of its states, with sources")
    pmu.add_argument("--json", action="store_true", help="print one JSON object instead of text")

    paper = actions.add_parser("paper", help="work through 0.375 W and 20.8 hours on 2000 mAh")
    paper.add_argument("--json", action="store_true", help="print one JSON object instead of text")


def _common(parser: argparse.ArgumentParser, pack: str) -> argparse.ArgumentParser:
    """The options of every simulation; `pack`: what is simulated where none is named."""
    common = type(parser)(add_help=False)
    common.add_argument(
        "--capacity-mah",
        type=_capacity,
        metavar="N",
        help="capacity of the battery, 100 to 8000 (default 2000)",
    )
    common.add_argument(
        "--policy", type=Path, metavar="FILE", help=f"settings file for the policy ({SETTINGS_RULE})"
    )
    common.add_argument(
        "--pack",
        default=None if pack == "every one" else pack,
        metavar="NAME",
        help=f"model pack whose costs count: micro, standard, fast; default: {pack}",
    )
    common.add_argument(
        "--reflex",
        action="store_true",
        help="as if the model pack answered closed questions without the language model (the shares in "
        "power/twin/parameters.toml); replay then says what that saves",
    )
    common.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    return common

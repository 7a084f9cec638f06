"""Command-line options of `headband memory`."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Annotated

from host.terminal.usage import SETTINGS_RULE
from hw.settings import Range, argument

_count = argument(Annotated[int, Range(1, 1000, "views")])
_view = argument(Annotated[int, Range(1, 1_000_000_000)])
_UNITS_S = {"m": 60.0, "h": 3600.0, "d": 86_400.0}


def duration(text: str) -> float:
    """Seconds of a duration on the command line, such as 30m, 1h or 2d."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([mhd])", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text} is no duration such as 30m, 1h or 2d")
    return float(found[1]) * _UNITS_S[found[2]]


def memory_options(parser: argparse.ArgumentParser, boards: tuple[str, ...]) -> None:
    """Adds the actions of `headband memory`."""
    kind = type(parser)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    common = kind(add_help=False)
    common.add_argument("--config", type=Path, metavar="FILE", help=f"settings ({SETTINGS_RULE})")
    common.add_argument(
        "--board", choices=boards, help="which board keeps the key (default: as in the settings)"
    )
    json = kind(add_help=False)
    json.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    pack = kind(add_help=False)
    pack.add_argument("--pack", metavar="NAME", help="the pack whose text tower places the words")

    actions.add_parser("status", parents=[common, json], help="how much is remembered, and since when")
    search = actions.add_parser(
        "search", parents=[common, json, pack], help="find the views that fit some words best"
    )
    search.add_argument("words", metavar="WORDS", help='what to look for, for example "my keys"')
    search.add_argument("--count", type=_count, default=10, metavar="N", help="1 to 1000 views (default 10)")
    search.add_argument("--last", type=duration, metavar="TIME", help="only views of the last 30m, 1h, 2d ..")
    show = actions.add_parser(
        "show", parents=[common, json], help="show one view, and with --out save its picture"
    )
    show.add_argument("id", type=_view, metavar="ID", help="number of the view")
    show.add_argument("--out", type=Path, metavar="FILE", help="save its picture, a JPEG that is not sealed")
    forget = actions.add_parser(
        "forget", parents=[common], help="delete views so that they can't come back",
        description="With --all the key is destroyed first, in the microcontroller, and then the rows; a "
        "headband that runs has to be ended before (exit 1), or told \"forget everything\".",
    )  # fmt: skip
    forget.add_argument("id", type=_view, nargs="?", metavar="ID", help="number of one view")
    forget.add_argument("--last", type=duration, metavar="TIME", help="every view of the last 30m, 1h, 2d ..")
    forget.add_argument("--all", action="store_true", help="every view, and the key")
    actions.add_parser(
        "verify", parents=[common, json], help="open every row, to find damaged ones",
        description="Exit status 0: all are whole; 1: some are damaged.",
    )  # fmt: skip
    actions.add_parser(
        "rebuild", parents=[common], help="make the index anew from the rows, and compact the file"
    )
    export = actions.add_parser("export", parents=[common], help="save every picture, and an index of them")
    export.add_argument("folder", type=Path, metavar="DIR", help="a folder that is empty or not there yet")
    report = actions.add_parser(
        "report", parents=[common, pack], help="a timeline with pictures as one HTML file, not sealed"
    )
    report.add_argument("out", type=Path, metavar="OUT.html", help="where it goes")
    report.add_argument(
        "--query", action="append", default=[], metavar="WORDS",
        help="also what these words find, and how alike it is; may be given several times",
    )  # fmt: skip

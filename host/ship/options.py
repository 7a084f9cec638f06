"""The command line of `headband deploy` and `headband wheels`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def ship_options(commands: argparse._SubParsersAction[Any]) -> None:
    """Adds both."""
    deploy = commands.add_parser(
        "deploy",
        help="bring this checkout's application onto a headband, by ssh",
        description="Sends what changed, starts it on trial, and makes it the current release once it is "
        "healthy; otherwise the one before runs again. Wants 30 percent of battery or the charger. "
        "Exit status 0: it runs; 1: it does not, and one sentence says why.",
    )
    deploy.add_argument("host", metavar="HOST", help="as ssh takes it, for example root@headband.local")
    deploy.add_argument(
        "--ssh-config", type=Path, metavar="FILE", help="read by ssh instead of ~/.ssh/config"
    )
    deploy.add_argument(
        "--board", choices=("rk3566", "rk3588", "emulated"), default="rk3566",
        help="for the settings of a headband that has none yet (default rk3566)",
    )  # fmt: skip
    wheels = commands.add_parser(
        "wheels", help="fetch what a deploy sends, so that it needs no network itself"
    )
    wheels.add_argument("--machine", choices=("aarch64", "x86_64"), default="aarch64")

"""The command line of `headband deploy`, `headband wheels` and `headband signers`.

Every command reads it, so it imports nothing of what they do: with that would come OpenSSL, three mebibytes
of a process that listens all day.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Annotated, Any

from host.ship.wheels.debian import DEBIANS
from hw.settings import Range, argument

CELLS = ("lco", "nmc", "nca", "lfp")
"""Kinds of cell that the gauge knows, as `hw.pmu.cell_curve.PROFILES`, which no command line imports."""
SIGNERS = "the keys that this computer trusts to sign deploys and packs"
"""What `headband signers` is for."""
SIGNERS_MORE = (
    "They are in /etc/headband/signers, which only root may change. The first deploy to a headband asks "
    "whether it shall trust your key."
)
_capacity = argument(Annotated[int, Range(100, 30_000, "mAh")])


def ship_options(commands: argparse._SubParsersAction[Any]) -> None:
    """Adds both subcommands."""
    deploy = commands.add_parser(
        "deploy",
        help="bring this checkout's application onto a headband, by ssh",
        description="Sends what changed, starts it on trial, and makes it the current release once it is "
        "healthy; otherwise the one before runs again. Wants 30 percent of battery or the charger. "
        "`just deploy` stands for --firmware, `just deploy-app` goes without. "
        "The deploy is signed with your ssh key. If the headband trusts no key yet, you are asked whether "
        "it shall trust yours; from then on it refuses what another key signed. "
        "Exit status 0: it runs; 1: it does not, and one sentence says why; 2: bad input, not accepted "
        "there, or the firmware failed.",
    )
    deploy.add_argument(
        "host",
        type=_computer,
        metavar="HOST",
        help="as ssh takes it: root@headband.local the first time, then also headband-deploy@headband.local",
    )
    deploy.add_argument(
        "--ssh-config", type=_file, metavar="FILE", help="configuration for ssh instead of ~/.ssh/config"
    )
    deploy.add_argument(
        "--board", choices=("rk3566", "rk3588", "emulated"), default="rk3566",
        help="board for the settings of a headband that has none yet (default rk3566)",
    )  # fmt: skip
    deploy.add_argument(
        "--rollback", action="store_true",
        help="bring nothing: go back to the release before, after a trial; a second time undoes it",
    )  # fmt: skip
    deploy.add_argument(
        "--key", type=_file, metavar="FILE",
        help="ssh key to sign with (default: of those in ~/.ssh and the agent, one that the headband trusts, "
        "else the first); ssh tries it too",
    )  # fmt: skip
    deploy.add_argument(
        "--trust-key", action="store_true",
        help="a headband that trusts no key yet trusts this one from now on, without asking",
    )  # fmt: skip
    deploy.add_argument(
        "--allow-downgrade", action="store_true",
        help="also bring a lower version than the headband has had",
    )  # fmt: skip
    deploy.add_argument(
        "--firmware", action="store_true", help="bring the PMU's firmware first, over USB from this computer"
    )
    pmu_options(deploy)
    deploy.add_argument(
        "--loader", action="store_true",
        help="also replace the PMU's main.py and loader, which otherwise stay",
    )  # fmt: skip
    cell_options(deploy)
    signers_options(
        commands.add_parser(
            "signers",
            help=SIGNERS,
            description=SIGNERS_MORE,
        )
    )
    wheels = commands.add_parser(
        "wheels", help="fetch what a deploy sends, so that it needs no network itself"
    )
    wheels.add_argument(
        "--machine", choices=("aarch64", "x86_64"), default="aarch64",
        help="processor of the headband's computer (default aarch64)",
    )  # fmt: skip
    wheels.add_argument(
        "--debian", type=int, choices=[each.number for each in DEBIANS], default=DEBIANS[0].number,
        help=f"its Debian (default {DEBIANS[0].number})",
    )  # fmt: skip
    for command in (deploy, wheels):
        command.add_argument(
            "--npu", action="store_true",
            help="include the bindings of a Rockchip NPU (Debian 12 only); you agree to their licence, which "
            "NOTICE names",
        )  # fmt: skip


def pmu_options(command: argparse.ArgumentParser) -> None:
    """Adds the options that choose a PMU on USB."""
    command.add_argument("--port", metavar="P", help="serial port of the PMU, for example /dev/ttyACM0")
    command.add_argument(
        "--serial-id", metavar="S", help="serial number of the board, if several are plugged in; without it "
        "and --port it takes the one board with MicroPython",
    )  # fmt: skip


def cell_options(command: argparse.ArgumentParser) -> None:
    """Adds the options that say which cell is in the headband."""
    command.add_argument("--cell", choices=CELLS, help="kind of cell that is in the headband")
    command.add_argument(
        "--capacity-mah", type=_capacity, metavar="N", help="its design capacity, 100 to 30_000 mAh"
    )


def _computer(text: str) -> str:
    user, at, name = text.rpartition("@")
    nameless = not name or (at and not user) or text.startswith("-")
    if nameless or any(each.isspace() for each in text):
        raise argparse.ArgumentTypeError(f"{text!r} is not the name of a computer")
    return text


def _file(text: str) -> Path:
    try:
        Path(text).open("rb").close()
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{text} cannot be read ({error.strerror})") from None
    return Path(text)


def signers_options(parser: argparse.ArgumentParser) -> None:
    """Adds the actions."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="the fingerprints of the trusted keys")
    add = actions.add_parser("add", help="trust a key from now on")
    add.add_argument("key", metavar="FILE", help="with the public key of ssh; - is standard input")
    remove = actions.add_parser("remove", help="trust a key no longer")
    remove.add_argument("key", metavar="FINGERPRINT", help="as `list` shows it, SHA256:...")

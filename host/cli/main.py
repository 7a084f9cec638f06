"""The command line `headband`. Exit 0 for success, 2 for bad usage or bad input (one clear sentence), 1 for
a fault.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Annotated

from host.cli.memory_options import memory_options
from host.cli.models_options import models_options
from host.cli.power_options import power_options
from host.cli.rig_options import rig_options
from host.ship.options import cell_options, pmu_options, ship_options
from host.system.no_core_dump import disable_core_dumps
from host.terminal.parser import Parser
from host.terminal.usage import SETTINGS_RULE, UsageError, one_line, os_error_sentence
from host.terminal.version import program_version
from hw.settings import Range, argument
from power.policy.plan import MODES

BOARDS = ("emulated", "rk3566", "rk3588", "laptop")
CHOICES = ("auto", *MODES)
"""What --mode takes."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one subcommand and returns its exit code."""
    return prepare(arguments)()


def prepare(arguments: Sequence[str] | None = None) -> Callable[[], int]:
    """Reads the arguments, imports what the subcommand needs, and returns a function that runs it."""
    options = _parser(program_version()).parse_args(arguments)
    disable_core_dumps()
    if options.command == "doctor":  # imports nothing else, because it has to report missing packages
        from host.doctor.command import doctor

        return partial(doctor, options)
    return partial(_run, _subcommand(options.command), options)


def _subcommand(name: str) -> Callable[[argparse.Namespace], int]:
    """The function of a subcommand; only the module that it is in is imported."""
    if name == "firmware":
        from host.flash.command import firmware

        return firmware
    if name in ("deploy", "wheels"):
        from host.ship import command

        return command.deploy if name == "deploy" else command.wheels
    if name == "signers":
        from host.ship.signers import run_signers

        return run_signers
    if name == "recording":
        from host.cli.recording import recording

        return recording
    if name == "forget":
        from host.cli.forget import forget

        return forget
    if name == "releases":
        from host.cli.releases import releases

        return releases
    if name == "replay":
        from host.cli.replay import replay

        return replay
    if name == "rig":
        from host.rig.command import rig

        return rig
    if name == "power":
        from host.cli.power import power

        return power
    if name == "tune":
        from host.cli.tune import tune

        return tune
    if name == "memory":
        from host.cli.memory import memory

        return memory
    if name == "models":
        from host.cli.models import models

        return models
    if name == "status":
        from host.cli.status import status

        return status
    from host.cli import ask_run as commands

    function: Callable[[argparse.Namespace], int] = getattr(commands, name)
    return function


def _run(function: Callable[[argparse.Namespace], int], options: argparse.Namespace) -> int:
    """Runs a subcommand. Expected errors are printed as one sentence; returns the exit code."""
    from host.app.day_script import ScriptError
    from host.config import ConfigError
    from host.wearer.only_one import AlreadyRuns
    from hw.audio.sound_and_picture_files import MediaError
    from hw.device import DeviceError
    from models.pack.catalogue import PackError
    from models.process.rss import use_one_heap

    use_one_heap()  # before any thread starts
    try:
        return function(options)
    except (UsageError, ConfigError, ScriptError, MediaError, PackError) as error:
        print(one_line(error), file=sys.stderr)
        return 2
    except (AlreadyRuns, DeviceError) as error:
        print(one_line(error), file=sys.stderr)
        return 1
    except OSError as error:
        print(one_line(os_error_sentence(error)), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


@cache
def _parser(version: str = "") -> argparse.ArgumentParser:
    parser = Parser(
        prog="headband",
        description="An offline AI headband: ask about what is in front of you, and hear the answer.",
        epilog="Exit status 0: success; 1: a fault; 2: bad usage or bad input, in one sentence.",
    )
    parser.add_argument("--version", action="version", version=version, help="say which version this is")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    settings = Parser(add_help=False)
    settings.add_argument("--config", type=Path, metavar="FILE", help=f"settings ({SETTINGS_RULE})")
    common = Parser(add_help=False, parents=[settings])
    common.add_argument(
        "--pack",
        metavar="NAME",
        help="model pack by name or folder (default: the chosen one, at first micro)",
    )
    boards = Parser(add_help=False)
    boards.add_argument(
        "--board", choices=BOARDS, help="which board (default: [board] kind in the settings, else emulated)"
    )

    ask = commands.add_parser(
        "ask", parents=[common, boards], help="answer one question about a picture",
        description="On the emulated board the question is a recording and the picture a file. On every "
        "other board you speak after the tone, and its camera takes the picture.",
    )  # fmt: skip
    ask.add_argument(
        "--audio", type=Path, metavar="FILE", help="the spoken question, a WAV; - is standard input"
    )
    ask.add_argument(
        "--image", type=Path, action="append", default=[], metavar="FILE",
        help="what the camera sees, PNG or JPEG; given twice, the earlier view comes first",
    )  # fmt: skip
    ask.add_argument(
        "--battery", type=percent, metavar="N", help="percent in the emulated battery (default 80)"
    )
    ask.add_argument(
        "--mode", choices=CHOICES, default="auto", help="ask for a mode instead of leaving it to the battery"
    )
    ask.add_argument(
        "--out", type=Path, metavar="FILE",
        help="where the emulated board puts the answer's sound (default answer.wav)",
    )  # fmt: skip
    ask.add_argument("--trace", type=Path, metavar="FILE", help="save the turn as a Chrome/Perfetto trace")
    ask.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    ask.add_argument(
        "--keep", action="store_true",
        help="load and save what `run` keeps: timers, loudness, recording, memory, journal, energy; without "
        "it the emulated board starts afresh and saves nothing (every other board always saves it)",
    )  # fmt: skip

    run = commands.add_parser(
        "run", parents=[common, boards], help="wear it: listen and answer until stopped",
        description="A second headband in the same folder ends with exit status 1. If the journal cannot be "
        "written, it says so once, on standard error.",
    )  # fmt: skip
    run.add_argument(
        "--script", type=Path, metavar="FILE", help="a day for the emulated board: what happens, and when"
    )
    run.add_argument(
        "--mode", choices=CHOICES, default="auto", help="ask for a mode instead of leaving it to the battery"
    )
    run.add_argument(
        "--real-time", action="store_true",
        help="play the day at its own pace instead of as fast as its work allows",
    )  # fmt: skip
    run.add_argument(
        "--service", action="store_true",
        help="for systemd: report the state to systemd, and print nothing of what is said",
    )  # fmt: skip
    run.add_argument(
        "--out", type=Path, metavar="FOLDER", help="where spoken.wav, timeline.svg and trace.json go"
    )
    run.add_argument("--trace", type=Path, metavar="FILE", help="save the run as a Chrome/Perfetto trace")
    run.add_argument(
        "--json", action="store_true",
        help="print one JSON line per turn instead of text, and one before them if recording is off",
    )  # fmt: skip

    demo = commands.add_parser("demo", parents=[common], help="watch and hear it answer in each power mode")
    demo.add_argument(
        "--fast", action="store_true", help="play it as fast as possible instead of in real time"
    )
    demo.add_argument(
        "--out", type=Path, default=Path("headband-demo"), metavar="FOLDER", help="where its files go"
    )

    status = commands.add_parser(
        "status", parents=[common, boards], help="board, battery, power plan, model pack and recording"
    )
    status.add_argument("--battery", type=percent, metavar="N", help="percent in the emulated battery")
    printed = status.add_mutually_exclusive_group()
    printed.add_argument(
        "--diagram", action="store_true", help="print the state machine as a Mermaid diagram"
    )
    printed.add_argument("--json", action="store_true", help="print one JSON object instead of text")

    tune = commands.add_parser(
        "tune", parents=[common, boards],
        help="measure how long each model takes here, to choose where it runs and what begins early",
        description="Takes minutes, and keeps the times in a file for this board and model pack. Without it "
        "the modelled times of an RK3566 count. Energy stays modelled.",
    )  # fmt: skip
    tune.add_argument("--show", action="store_true", help="measure nothing: print what is known")
    tune.add_argument("--json", action="store_true", help="print one JSON object instead of text")

    doctor = commands.add_parser(
        "doctor", parents=[common, boards],
        help="check every part, and say how to repair what is broken",
        description="One line for each part. Exit status 0: healthy; 1: something is broken.",
    )  # fmt: skip
    doctor.add_argument("--battery", type=percent, metavar="N", help="percent in the emulated battery")
    doctor.add_argument("--json", action="store_true", help="print one JSON object instead of text")

    recording = commands.add_parser(
        "recording", parents=[settings, boards],
        help="show whether it may hear and see, or switch that (emulated board or laptop)",
        description="Without on or off it shows the state, the reason, and what switches recording on. On a "
        "headband only the wearer's hand does that, at its button or its switch: there this command changes "
        "nothing (exit 2). On the emulated board and a laptop a headband that runs obeys at once, unless it "
        "sleeps (exit 1).",
    )  # fmt: skip
    recording.add_argument("state", nargs="?", choices=("on", "off"), help="switch recording on or off")
    recording.add_argument("--json", action="store_true", help="print one JSON object instead of text")

    forget = commands.add_parser(
        "forget", parents=[settings], help="remove the journal and the record of what used energy",
        description="Settings and timers stay. Stop a running headband first (exit 1).",
    )  # fmt: skip
    forget.add_argument(
        "--logs", action="store_true", help="needed: remove the journal and the energy ledger"
    )

    replay = commands.add_parser(
        "replay", help="feed the events of a journal to the rules again, and compare the actions",
        description="It also reads the older journal file, which the headband put aside. Exit status 0: the "
        "same actions; 1: other actions; 2: no run in it.",
    )  # fmt: skip
    replay.add_argument("journal", type=Path, metavar="JOURNAL", help="a headband's journal.jsonl")
    replay.add_argument(
        "--show", action="store_true", help="print every event, the state after it, and the actions"
    )
    replay.add_argument("--json", action="store_true", help="print one JSON object instead of text")

    releases = commands.add_parser(
        "releases", help="on a headband: the release that runs and the one before, and whether they are good",
        description="A release is good when its self-test has passed in two starts. One that fails before "
        "that, or at two boots in succession, gives way to the one before by itself. `headband rollback` on "
        "the headband goes back at once.",
    )  # fmt: skip
    releases.add_argument("--json", action="store_true", help="print one JSON object instead of text")

    memory_options(
        commands.add_parser("memory", help="what the headband remembers: search it, forget, export"), BOARDS
    )
    ship_options(commands)
    models_options(commands.add_parser("models", help="model packs: list, fetch, import, verify, use"))
    power_options(commands.add_parser("power", help="the headband's twin: model a day of use"))
    rig_options(
        commands.add_parser("rig", help="measure what a headband draws, and judge it by budgets"), common
    )

    firmware = commands.add_parser(
        "firmware",
        help="the PMU on USB: what runs there, its log, new firmware",
        description="Exit status 0: done; 2: not, and one sentence says why.",
    )
    actions = firmware.add_subparsers(dest="action", required=True, metavar="ACTION")
    board = Parser(add_help=False)
    pmu_options(board)
    deploy = actions.add_parser(
        "deploy", parents=[board], help="bring this checkout's firmware onto the PMU",
        description="Copies what changed into the slot that does not run, verifies it there, restarts the "
        "PMU and keeps the new firmware once it has answered; otherwise the previous one comes back. Wants "
        "30 percent of battery or the charger. On an empty board it installs the loader as well.",
    )  # fmt: skip
    deploy.add_argument("--dry-run", action="store_true", help="say what would be copied, change nothing")
    deploy.add_argument(
        "--loader", action="store_true", help="also replace main.py and the loader, which otherwise stay"
    )
    cell_options(deploy)
    cell_options(
        actions.add_parser(
            "cell",
            parents=[board],
            help="show which cell the gauge expects, or set it",
            description="The PMU keeps the kind of cell in its flash. It learns the cell's capacity and "
            "curve from one discharge, from a finished charge to the cut-off. With another name or capacity "
            "it forgets what it learned.",
        )
    )
    actions.add_parser("version", parents=[board], help="what runs on the PMU, and its battery")
    actions.add_parser("log", parents=[board], help="what the PMU noted since it started")
    actions.add_parser(
        "repl", parents=[board], help="leave the port to MicroPython's prompt, with guard and watchdog off"
    )
    _describe(parser)
    return parser


def _describe(parser: argparse.ArgumentParser) -> None:
    """Begins the description of each subcommand with its help sentence."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for named in action._choices_actions:
                command, says = action.choices[named.dest], str(named.help)
                more = f" {command.description}" if command.description else ""
                command.description = f"{says[0].upper()}{says[1:]}.{more}"
                _describe(command)


percent = argument(Annotated[int, Range(0, 100, "percent")])
"""Converts a battery charge on the command line, 0 to 100 percent."""

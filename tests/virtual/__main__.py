"""`just virtual-board`: deploys to a Debian for arm64 under QEMU, uses it as a wearer would, runs the
doctor and cuts its power, and prints the figures. A report is always written: which steps passed, which
failed and why, which were not reached. Exit status 0: all passed. Times are under emulation, many times
longer than a headband's.
"""

from __future__ import annotations

import argparse
import platform
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Annotated, NoReturn

from host.ship.release import ROOT
from hw.settings import Range, argument
from tests.virtual import image, steps
from tests.virtual import wire as wiring
from tests.virtual.machine import NAME, Machine, VirtualBoardError, cpu
from tests.virtual.report import Report

REPORT = ROOT / "virtual-board.json"
CUTS = argument(Annotated[int, Range(0, 1000, "cuts")])


def main(arguments: list[str] | None = None) -> int:
    """Builds what is missing, then runs every chosen step."""
    options = _options(arguments)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    say = _Teller()
    try:
        problem = image.lacking_to_run(options.suite)
        if problem:
            if not options.stay:  # else the report of an earlier run would be taken for that of this one
                Report(options.json, say).end(problem.rstrip("."))
            raise VirtualBoardError(problem)
        processor = cpu()
        with TemporaryDirectory(prefix="virtual-board-") as folder:
            at = options.folder or Path(folder)
            if options.stay:
                with Machine(image.root(say, options.suite), at) as machine:
                    return _stay(machine, options.folder is not None, say)
            return _run(options, at, processor, say)
    except (VirtualBoardError, OSError) as problem:
        print(problem, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _run(options: argparse.Namespace, folder: Path, processor: str, say: Callable[[str], None]) -> int:
    """Runs the steps and writes a report, also when they are interrupted."""
    report = Report(options.json, say)
    report.figures |= {"host": platform.platform(), "cpu": processor, "suite": options.suite}
    how = "ended by a fault"
    try:
        with (
            Machine(image.root(say, options.suite), folder) as machine,
            steps.Steps(machine, options, report, say) as all_of,
        ):
            chosen = all_of.chosen()
            report.expect([step.name for step in chosen])
            try:
                steps.carry_out(chosen, report, all_of.restore)
                machine.off()
            finally:
                if not report.held:
                    report.figures["console"] = machine.last_words()
        how = "carried out"
    except VirtualBoardError as problem:
        how = str(problem)
    except KeyboardInterrupt:
        how = "stopped"
        raise
    except SystemExit:
        how = "stopped by a signal"
        raise
    finally:
        report.end(how)
    return 0 if report.held else 1


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


class _Teller:
    """Prints lines that begin with the time since the start."""

    def __init__(self) -> None:
        self._begin_s = time.monotonic()

    def __call__(self, text: str) -> None:
        print(f"{time.monotonic() - self._begin_s:6.0f} s  {text}", flush=True)


def _stay(machine: Machine, kept: bool, say: Callable[[str], None]) -> int:
    """Keeps the board and its PMU on until Ctrl-C or until the board switches off."""
    wire = wiring.Wire(machine)
    wire.charge(wiring.FULL)
    machine.plug(wire.adapter)
    if not (kept and machine.disk.exists()):
        machine.blank()
    machine.on()
    machine.wait()
    config = machine.ssh_config
    say(f"it is on until you press Ctrl-C; into it: ssh -F {config} {NAME}")
    say(f"onto it: ./justw deploy-app {NAME} --ssh-config {config} --board emulated")
    with suppress(KeyboardInterrupt):
        machine.until_off()
    machine.off()
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="just virtual-board", description=__doc__)
    parser.add_argument(
        "--suite", choices=image.SUITES, default=image.SUITE, help=f"its Debian (default {image.SUITE})"
    )
    parser.add_argument("--cuts", type=CUTS, default=20, metavar="N", help="cuts of the power (default 20)")
    parser.add_argument(
        "--steps", nargs="*", choices=steps.NAMES, default=steps.NAMES, help="only these (default: all)"
    )
    parser.add_argument("--stay", action="store_true", help="only leave it on, and say how to reach it")
    parser.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        default=REPORT,
        help=f"where the report goes (default {REPORT.name})",
    )
    parser.add_argument(
        "--folder", type=Path, help="keep the board's disk and console there; --stay goes on with it"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())

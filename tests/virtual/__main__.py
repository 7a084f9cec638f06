"""`just virtual-board`: a Debian 12 for arm64 under QEMU is deployed to, worn, examined and cut off, and the
figures are printed. Exit status 0: everything held. Times are under emulation, many times a headband's.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from hw.settings import Range, argument
from tests.virtual import devices, firmware, gauges, image, lines, trial
from tests.virtual import wire as wiring
from tests.virtual.attached import Check
from tests.virtual.machine import NAME, Machine, VirtualBoardError, cpu

STEPS = ("firmware", "demo", "doctor", "devices", "broken", "watchdog", "cuts")
CUTS = argument(Annotated[int, Range(0, 1000, "cuts")])
NO_CHANGE_SHARE = 0.2
"""A deploy of what is there already takes less of the first one's time."""


def main() -> int:
    """Builds what is missing, then every step that was asked for."""
    options = _options()
    report: dict[str, Any] = {"host": platform.platform()}
    say = _Teller()
    try:
        report["cpu"] = cpu()
        root = image.root(say)
        with (
            TemporaryDirectory(prefix="virtual-board-") as folder,
            Machine(root, options.folder or Path(folder)) as machine,
        ):
            if options.stay:
                return _stay(machine, options.folder is not None, say)
            held = _steps(machine, options, report, say)
    except VirtualBoardError as problem:
        print(problem, file=sys.stderr)
        return 1
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    return 0 if held else 1


class _Teller:
    """Lines with the time since the start in front."""

    def __init__(self) -> None:
        self._begin_s = time.monotonic()

    def __call__(self, text: str) -> None:
        print(f"{time.monotonic() - self._begin_s:6.0f} s  {text}", flush=True)


def _stay(machine: Machine, kept: bool, say: Callable[[str], None]) -> int:
    """Leaves it on, with its PMU, until Ctrl-C or its own end."""
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


def _steps(
    machine: Machine, options: argparse.Namespace, report: dict[str, Any], say: Callable[[str], None]
) -> bool:
    held: dict[str, bool] = {}
    wire = wiring.Wire(machine)
    machine.plug(wire.adapter)

    def check(name: str, holds: bool, says: str) -> None:
        held[name] = holds
        say(f"{'ok    ' if holds else 'BROKEN'} {name}: {says}")

    machine.blank()
    machine.on()
    report["first_boot_s"] = machine.wait()
    say(f"a bare Debian 12 is up after {report['first_boot_s']:.0f} s")

    with firmware.plugged_in() as usb:
        both = usb if "firmware" in options.steps else None
        first = trial.deploy(machine, usb=both)
        report["first_deploy"] = asdict(first)
        check("deploy from nothing", first.code == 0, f"{first.seconds:.0f} s; {_last(first.said)}")
        if first.code:
            say(first.said)
            return False
        again = trial.deploy(machine, usb=both)
    share = again.seconds / first.seconds
    report["second_deploy"] = {**asdict(again), "share": share}
    check("deploy of the same", again.code == 0 and share < NO_CHANGE_SHARE,
          f"{again.seconds:.0f} s, {share:.1%} of the first; {_last(again.said)}")  # fmt: skip
    with trial.variant(1) as changed:
        small = trial.deploy(machine, changed)
    report["small_deploy"] = asdict(small)
    check("deploy of one changed file", small.code == 0, f"{small.seconds:.0f} s; {_last(small.said)}")
    good = trial.listening(machine)
    check(
        "no network", trial.service_has_no_network(machine), "only a loopback that is down, IPAddressDeny set"
    )

    if "doctor" in options.steps:
        code, findings = trial.doctor(machine)
        report["doctor"] = findings
        broken = [each["part"] for each in findings if each["health"] == "broken"]
        check("doctor", code == 0, f"{len(findings)} parts looked at, broken: {', '.join(broken) or 'none'}")
    if "devices" in options.steps:
        looks: dict[str, Callable[[], list[Check]]] = {
            "devices": lambda: devices.examine(machine, wire),
            "wire": lambda: wiring.examine(machine, wire),
            "lines": lambda: lines.examine(machine),
            "gauges": lambda: gauges.examine(machine),
        }
        for name, look in looks.items():
            looked = look()
            report[name] = [asdict(each) for each in looked]
            for each in looked:
                check(each.name, each.held, each.says)
    if "demo" in options.steps:
        shown = trial.demo(machine)
        report["demo"] = asdict(shown)
        check("demo", shown.code == 0, f"{shown.seconds:.0f} s")
    if "broken" in options.steps:
        with trial.variant(2, broken=True) as bad:
            refused = trial.deploy(machine, bad)
        report["broken_deploy"] = asdict(refused)
        after = trial.listening(machine)
        check(
            "a broken release",
            refused.code == 1 and after == good,
            f"{after} listens; {_first(refused.said)}",
        )
    if "watchdog" in options.steps:
        seconds = trial.hang(machine)
        report["watchdog_s"] = seconds
        check("a hanging service", True, f"killed and listening again {seconds:.0f} s later")

    machine.off()
    machine.on()
    machine.wait()
    trial.listening(machine)
    report["boot_to_listening_s"] = trial.boot_to_listening_s(machine)
    say(f"boot to listening: {report['boot_to_listening_s']:.0f} s under emulation")
    if "cuts" in options.steps and options.cuts:
        cuts = trial.cut_deploys(machine, options.cuts, small.seconds, first.seconds, say)
        report["cuts"] = [asdict(each) for each in cuts]
        late = sum(each.too_late for each in cuts)
        large = sum(each.new_environment for each in cuts)
        check(
            "cuts of the power",
            True,
            f"{len(cuts)} of {len(cuts)} boots listen; {large} deploys made a new environment, "
            f"{late} cuts came after the deploy",
        )
        report["last_deploy"] = asdict(trial.deploy(machine))
        check("a deploy after them", report["last_deploy"]["code"] == 0, _last(report["last_deploy"]["said"]))
    machine.off()
    return all(held.values())


def _last(said: str) -> str:
    return (said.strip().splitlines() or ["it said nothing"])[-1]


def _first(said: str) -> str:
    return next((line for line in said.splitlines() if "not healthy" in line), _last(said))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="just virtual-board", description=__doc__)
    parser.add_argument(
        "--cuts",
        type=CUTS,
        default=20,
        metavar="N",
        help="cuts of the power (default 20)",
    )
    parser.add_argument("--steps", nargs="*", choices=STEPS, default=STEPS, help="only these (default: all)")
    parser.add_argument("--stay", action="store_true", help="only leave it on, and say how to reach it")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    parser.add_argument(
        "--folder", type=Path, help="keep the board's disk and console there; --stay goes on with it"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

"""Releases that are accepted and fail later on the virtual board: the one before has to run by itself."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass

from tests.virtual import trial
from tests.virtual.attached import Check
from tests.virtual.machine import Machine, VirtualBoardError

IN_SERVICE = """
import os as _os
if "STATE_DIRECTORY" in _os.environ:
    import pathlib as _pathlib
    import threading as _threading
    _boots = _pathlib.Path(_os.environ["STATE_DIRECTORY"], "boots-{number}")
    _seen = set(_boots.read_text().split()) if _boots.exists() else set()
    _seen.add(_pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip())
    _boots.write_text(" ".join(_seen))
    if {boots} and len(_seen) > {boots}:
        raise SystemExit("this release fails at a boot")
    if {seconds}:
        _end = _threading.Timer({seconds}, _os._exit, (1,))
        _end.daemon = True
        _end.start()
"""
"""Code of a release that ends after so many seconds, or at the boot after so many others; 0: not."""
GONE_BACK_S = 1800.0
"""Time limit under emulation for the release before to run again."""
TESTED_S = 1800.0
"""The same for a self-test to pass."""


@dataclass(frozen=True)
class Failing:
    """A release that fails later."""

    name: str
    number: int
    """Of the variant of this checkout."""
    seconds: int = 0
    """From its start to its end; 0: it does not end by itself."""
    boots: int = 0
    """Boots after which it starts no more, the one of the deploy included; 0: it always starts."""

    @property
    def code(self) -> str:
        """What is added to a checkout."""
        return IN_SERVICE.format(number=self.number, boots=self.boots, seconds=self.seconds)


KINDS = (
    Failing("after a minute", 31, seconds=60),
    Failing("after one boot", 32, boots=1),
    Failing("after three boots", 33, boots=3),
)


def replaced(machine: Machine, kind: Failing, say: Callable[[str], None]) -> Check:
    """Deploys such a release and boots until it fails; whether the release before runs by itself. Raises
    `VirtualBoardError`.
    """
    before = trial.listening(machine)
    with trial.variant(kind.number, more=kind.code) as root:
        done = trial.deploy(machine, root)
    if done.code:
        raise VirtualBoardError(f"It was not accepted: {done.said.strip()}")
    failing = _current(machine)
    for boot in range(1, kind.boots + 1):
        if boot < kind.boots:
            _tested(machine)
        else:
            trial.listening(machine)  # a boot that ends before the service began is none of its boots
        machine.off()
        machine.on()
        machine.wait()
        say(f"boot {boot} of {kind.boots} of a release that fails {kind.name}")
    began_s = time.monotonic()
    while _current(machine) != before:
        if time.monotonic() - began_s > GONE_BACK_S:
            return Check(kind.name, False, f"{failing} is still current after {GONE_BACK_S:.0f} s")
        time.sleep(2.0)
    runs = trial.listening(machine)
    seconds = time.monotonic() - began_s
    said = json.loads(machine.call("headband releases --json").stdout)
    held = runs == before and said["gave_way"] and said["before"]["release"] == failing
    return Check(kind.name, held, f"{before} listens again {seconds:.0f} s later; {said['before']['says']}")


def said_by_the_next_deploy(machine: Machine) -> Check:
    """Whether a deploy of this checkout says that a release failed."""
    done = trial.deploy(machine)
    line = next((each for each in done.said.splitlines() if "by itself" in each and "failed" in each), "")
    return Check("the next deploy says so", done.code == 0 and bool(line), line or done.said.strip()[-200:])


def _current(machine: Machine) -> str:
    return machine.call("basename $(readlink /opt/headband/current)").stdout.strip()


def _tested(machine: Machine) -> None:
    """Waits until the self-test of this start has passed."""
    until_s = time.monotonic() + TESTED_S
    proof = "/var/lib/headband/proof.json"
    while time.monotonic() < until_s:
        said = machine.call(f"cat {proof}", check=False).stdout
        count = machine.call("cat /opt/headband/boot.json", check=False).stdout
        try:
            if json.loads(said)["start"] == json.loads(count)["start"] and json.loads(said)["self_test"]:
                return
        except (ValueError, KeyError, TypeError):
            pass
        time.sleep(5.0)
    raise VirtualBoardError(f"No self-test was over within {TESTED_S:.0f} s.")

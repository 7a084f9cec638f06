"""The board's GPIO lines on the kernel's `gpio-sim`, set while the service runs: the alert line makes it read
its battery, and the recording switch makes it close microphone and camera.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from host.turn.announcing import SWITCHED_OFF
from tests.virtual import gauges
from tests.virtual.attached import CAPTURE, JOURNAL, Check, attached, tried
from tests.virtual.machine import Machine

LABEL = "headband-lines"
NAMES = ("PMU_WAKE", "PMU_ALERT", "BUTTON", "RECORDING_OFF", "MARKER")
"""Names of the chip's lines, by offset."""
TABLE = f"""\
[lines]
wake = "PMU_WAKE"
alert = "PMU_ALERT"
button = "{LABEL} {NAMES.index("BUTTON")}"
recording_off = "RECORDING_OFF"
marker = "MARKER"
"""
"""Lines of a board.toml, with both notations for a line."""
PULLS = 5
AT_ONCE_S = 8.0
"""Longest time from an alert to a reading under emulation; the plan's readings are 30 s apart."""
OFF = "recording is off: the switch is at off"
"""The service's status while the switch is off."""
_CHIP = "/sys/kernel/config/gpio-sim/headband"
_PULLED = "the alert line is pulled"
_STAMPED = re.compile(r"\[\s*(\d+\.\d+)\] (.*)")
_CAMERAS = "ls -l /proc/[0-9]*/fd 2> /dev/null | grep -c /dev/video"
_PATIENCE_S = 300.0


def make(machine: Machine) -> None:
    """Creates the chip, if it does not exist."""
    named = "".join(f"mkdir line{i}; echo {name} > line{i}/name\n" for i, name in enumerate(NAMES))
    machine.call(
        "set -e; modprobe gpio-sim\n"
        "mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config\n"
        f"[ ! -d {_CHIP} ] || exit 0; mkdir -p {_CHIP}/bank; cd {_CHIP}/bank\n"
        f"echo {len(NAMES)} > num_lines; echo {LABEL} > label\n{named}echo 1 > ../live; udevadm settle"
    )


def pull(name: str, way: str) -> str:
    """The shell command that sets a line's pull to "up" or "down"."""
    chip = f"$(cat {_CHIP}/dev_name)/$(cat {_CHIP}/bank/chip_name)"
    return f"echo pull-{way} > /sys/devices/platform/{chip}/sim_gpio{NAMES.index(name)}/pull"


@contextmanager
def held(machine: Machine, name: str) -> Iterator[None]:
    """The shell command of a closed contact to ground. A request of the line sets its pull-up, which
    overrides gpio-sim's pull, so the pull is repeated.
    """
    loop = f"while :; do {pull(name, 'down')}; sleep 0.2; done"
    pid = machine.call(f"nohup sh -c '{loop}' > /dev/null 2>&1 & echo $!").stdout.strip()
    try:
        yield
    finally:
        machine.call(f"kill {pid}; {pull(name, 'up')}")


def examine(machine: Machine) -> Iterator[Check]:
    """Starts the service with the recording switch at off, moves the switch to on, off and on, and activates
    the alert line in between.
    """
    make(machine)
    point = gauges.POINTS[0]
    bus = gauges.make(machine, "dyndbg=+p")  # the kernel logs each transfer
    gauges.fill(machine, bus, point)
    with ExitStack() as switch:
        switch.enter_context(held(machine, "RECORDING_OFF"))
        said = _announcements(machine)
        with attached(machine, f'i2c_bus = {bus}\ngauge = "{point.kind}"\n{TABLE}'):
            yield _off(machine, "a start with recording off", said)
            switch.close()
            yield _on(machine, "recording on after it")
            yield tried(lambda: _alert(machine, point.address))
            said = _announcements(machine)
            with held(machine, "RECORDING_OFF"):
                yield _off(machine, "recording off in use", said)
            yield _on(machine, "recording on again")


def answers_s(log: str, call: str, answer: str) -> list[float]:
    """Seconds from each line of the kernel's log with `call` to the next one with `answer`; infinite if there
    is none before the next call or the end of the log.
    """
    waits_s: list[float] = []
    called_s: float | None = None
    for stamped in filter(None, map(_STAMPED.match, log.splitlines())):
        at_s, text = float(stamped[1]), stamped[2]
        if call in text:
            waits_s.append(math.inf)
            called_s = at_s
        elif called_s is not None and answer in text:
            waits_s[-1] = at_s - called_s
            called_s = None
    return waits_s


def _alert(machine: Machine, address: int) -> Check:
    """A short pulse, as of the PMU, which releases the line when it is read."""
    once = f"echo {_PULLED} > /dev/kmsg; {pull('PMU_ALERT', 'down')}; sleep 0.05; {pull('PMU_ALERT', 'up')}"
    machine.call(f"dmesg -C; for i in $(seq {PULLS}); do {once}; sleep {AT_ONCE_S:g}; done")
    asked = f"addr 0x{address:02x}, read"
    waits_s = answers_s(machine.call("dmesg").stdout, _PULLED, asked)
    says = f"the battery is read {', '.join(f'{wait_s:.2f}' for wait_s in waits_s)} s after {PULLS} pulls"
    return Check("the alert line", len(waits_s) == PULLS and max(waits_s) < AT_ONCE_S, says)


def _off(machine: Machine, name: str, said: int) -> Check:
    def told() -> bool:
        state = _state(machine)
        return state == (OFF, "closed", "0") and _announcements(machine) > said

    return Check(name, _soon(told), _in_words(machine))


def _on(machine: Machine, name: str) -> Check:
    def listens() -> bool:
        status, microphone, _ = _state(machine)
        return status == "listening" and microphone != "closed"

    return Check(name, _soon(listens), _in_words(machine))


def _state(machine: Machine) -> tuple[str, str, str]:
    """The service's status, the state of the microphone's stream, and the number of open camera
    descriptors.
    """
    ask = f"systemctl show -p StatusText --value headband; head -n 1 {CAPTURE}; {_CAMERAS}"
    status, microphone, cameras = machine.call(ask, check=False).stdout.splitlines()
    return status, microphone, cameras


def _in_words(machine: Machine) -> str:
    status, microphone, cameras = _state(machine)
    said = f", and it has said so {_announcements(machine)} times" if status == OFF else ""
    return f"{status}; microphone {microphone.removeprefix('state: ')}, cameras open: {cameras}{said}"


def _announcements(machine: Machine) -> int:
    return int(machine.call(f"grep -cs '{SWITCHED_OFF}' {JOURNAL}", check=False).stdout or 0)


def _soon(held: Callable[[], bool]) -> bool:
    until_s = time.monotonic() + _PATIENCE_S
    while not held():
        if time.monotonic() > until_s:
            return False
        time.sleep(1.0)
    return True

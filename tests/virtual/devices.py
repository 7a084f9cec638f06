"""The real board's classes on drivers of the virtual board's kernel: ALSA's loopback as microphone and
speaker, the test camera `vivid`, the lines of `gpio-sim`, the PL031's alarm, and the PMU's firmware behind an
I2C adapter on USB (`tests.virtual.wire`).
"""

from __future__ import annotations

from tests.virtual import lines, trial
from tests.virtual.attached import Check, attached
from tests.virtual.machine import Machine
from tests.virtual.wire import Wire, wired


def examine(machine: Machine, wire: Wire) -> list[Check]:
    """Checks that the service listens on these devices, that a press of the button reaches it, and that the
    doctor finds nothing broken.
    """
    lines.make(machine)
    with attached(machine, f"{wired(machine, wire)}{lines.TABLE}"):
        trial.listening(machine)
        machine.call("systemctl stop headband")
        with lines.held(machine, "BUTTON"):
            code, findings = trial.doctor(machine)
    broken = [f"{each['part']} ({each['says']})" for each in findings if each["health"] == "broken"]
    seen = next(each["says"] for each in findings if each["part"] == "lines")
    return [
        Check("the kernel's own devices", code == 0, f"broken: {', '.join(broken) or 'none'}"),
        Check("the button", "button" in seen, f"lines: {seen}"),
    ]

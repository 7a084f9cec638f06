"""The real board's classes on drivers of the virtual board's kernel: ALSA's loopback as microphone and
speaker, the test camera `vivid`, the lines of `gpio-sim` and the PL031's alarm. QEMU's board has no I2C bus:
the PMU and its battery are missing, as the doctor has to say.
"""

from __future__ import annotations

from tests.virtual import lines, trial
from tests.virtual.attached import attached
from tests.virtual.machine import Machine

MISSING = {"PMU", "battery"}
"""Parts that are on the I2C bus."""


def examine(machine: Machine) -> list[dict[str, str]]:
    """What the doctor finds there, after the service has come to listen on these devices. Meanwhile somebody
    presses the button.
    """
    lines.make(machine)
    with attached(machine, f'gauge = "pmu"\n{lines.TABLE}'):
        trial.listening(machine)
        machine.call("systemctl stop headband")
        with lines.held(machine, "BUTTON"):
            _, findings = trial.doctor(machine)
    return findings

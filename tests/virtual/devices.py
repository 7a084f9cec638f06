"""The real board's classes on drivers of the virtual board's kernel: ALSA's loopback as microphone and
speaker, the test camera `vivid`, the PL061's lines and the PL031's alarm. Debian 12's kernel for arm64 has
neither i2c-stub nor gpio-sim, and QEMU's board no I2C bus: the PMU and its battery are missing, as the doctor
has to say.
"""

from __future__ import annotations

from tests.virtual import trial
from tests.virtual.machine import Machine

MISSING = {"PMU", "battery", "light"}
"""Parts that are on the I2C bus."""
_SETTINGS = "/etc/headband/headband.toml"
_BOARD = """\
compatible = "linux,dummy-virt"
gauge = "pmu"
[lines]
wake = "9030000.pl061 4"
alert = "9030000.pl061 5"
button = "9030000.pl061 6"
[sound]
microphone = "plughw:CARD=Loopback,DEV=1"
speaker = "plughw:CARD=Loopback,DEV=0"
[camera]
width_px = 640
height_px = 480
"""


def examine(machine: Machine) -> list[dict[str, str]]:
    """What the doctor finds there, after the service has come to listen on these devices."""
    machine.call("modprobe snd-aloop && modprobe vivid n_devs=1 && udevadm settle")
    machine.call(f"cp {_SETTINGS} {_SETTINGS}.before")
    machine.call(f"cat > /etc/headband/board.toml <<'END'\n{_BOARD}END\n")
    machine.call(f'printf \'[board]\\nkind = "rk3566"\\nfile = "/etc/headband/board.toml"\\n\' > {_SETTINGS}')
    try:
        machine.call("systemctl restart headband", patience_s=600.0)
        trial.listening(machine)
        machine.call("systemctl stop headband")
        _, findings = trial.doctor(machine)
    finally:
        machine.call(f"mv {_SETTINGS}.before {_SETTINGS}; systemctl restart headband", patience_s=600.0)
    return findings

"""The virtual board as a headband with devices: the service runs on drivers of the board's own kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from tests.virtual.machine import Machine

CAPTURE = "/proc/asound/Loopback/pcm1c/sub0/status"
"""Where ALSA shows the state of the microphone's stream: "closed", or state and owner."""
MICROPHONE, MOUTH = "plughw:CARD=Loopback,DEV=1,SUBDEV=0", "plughw:CARD=Loopback,DEV=0,SUBDEV=0"
SPEAKER, EARS = "plughw:CARD=Loopback,DEV=0,SUBDEV=1", "plughw:CARD=Loopback,DEV=1,SUBDEV=1"
"""Two substreams of the loopback card: what is played on one device is recorded on the other."""
JOURNAL = "/var/lib/headband/.local/state/headband/journal.jsonl"
"""The service's file on the board."""
_SETTINGS = "/etc/headband/headband.toml"
_SOUND_AND_CAMERA = f"""\
[sound]
microphone = "{MICROPHONE}"
speaker = "{SPEAKER}"
[camera]
width_px = 640
height_px = 480
"""


@dataclass(frozen=True)
class Check:
    """One thing that was checked on the board."""

    name: str
    held: bool
    says: str


@contextmanager
def attached(machine: Machine, board: str) -> Iterator[None]:
    """A context manager: the service runs with ALSA's loopback, the test camera `vivid` and those first lines
    of a board.toml; afterwards it runs as before. The service has started, but may not listen yet. Raises
    `VirtualBoardError`.
    """
    text = f'compatible = "linux,dummy-virt"\n{board}{_SOUND_AND_CAMERA}'
    machine.call("modprobe snd-aloop && modprobe vivid n_devs=1 && udevadm settle")
    machine.call(f"cp {_SETTINGS} {_SETTINGS}.before")
    machine.call(f"cat > /etc/headband/board.toml <<'END'\n{text}END\n")
    machine.call(f'printf \'[board]\\nkind = "rk3566"\\nfile = "/etc/headband/board.toml"\\n\' > {_SETTINGS}')
    try:
        _give_bus(machine)
        machine.call("systemctl restart headband", timeout_s=600.0)
        yield
    except Exception:
        detach(machine)
        raise
    else:  # not after an interruption, which must not wait for this
        detach(machine)


def _give_bus(machine: Machine) -> None:
    """Has udev give the service's user the bus that the settings name, as the next deploy would."""
    program = (
        "from pathlib import Path; from host.ship.target.system_files import SystemFiles; "
        "SystemFiles(Path('/')).prepare(Path('/opt/headband/current'))"
    )
    release = "/opt/headband/current"
    machine.call(f'PYTHONPATH={release} {release}/venv/bin/python -B -P -c "{program}"')
    machine.call("udevadm control --reload && udevadm trigger --subsystem-match=i2c-dev && udevadm settle")


def detach(machine: Machine) -> None:
    """Restores the service's earlier settings and restarts it. May be called again."""
    machine.call(f"[ ! -e {_SETTINGS}.before ] || mv {_SETTINGS}.before {_SETTINGS}")
    _give_bus(machine)
    machine.call("systemctl restart headband", timeout_s=600.0)


def tried(look: Callable[[], Check], times: int = 3) -> Check:
    """Repeats a check that may fail on a busy computer: the first success, else the last failure."""
    for number in range(1, times + 1):
        check = look()
        if check.held:
            return check if number == 1 else replace(check, says=f"{check.says} (at try {number})")
    return replace(check, says=f"{check.says} ({times} tries)")

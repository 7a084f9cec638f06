"""The virtual board as a headband with devices: the service runs on drivers of the board's own kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from tests.virtual.machine import Machine

CAPTURE = "/proc/asound/Loopback/pcm1c/sub0/status"
"""What ALSA says of the microphone's stream: "closed", or its state and owner."""
MICROPHONE, MOUTH = "plughw:CARD=Loopback,DEV=1,SUBDEV=0", "plughw:CARD=Loopback,DEV=0,SUBDEV=0"
SPEAKER, EARS = "plughw:CARD=Loopback,DEV=0,SUBDEV=1", "plughw:CARD=Loopback,DEV=1,SUBDEV=1"
"""Two cables of that card: what is played at one end is recorded at the other."""
JOURNAL = "/var/lib/headband/.local/state/headband/journal.jsonl"
"""The service's, there."""
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
    """One thing that was looked at there."""

    name: str
    held: bool
    says: str


@contextmanager
def attached(machine: Machine, board: str) -> Iterator[None]:
    """The service runs with ALSA's loopback, the test camera `vivid` and that beginning of a board.toml, and
    as before afterwards. It has started, and need not listen yet. Raises `VirtualBoardError`.
    """
    text = f'compatible = "linux,dummy-virt"\n{board}{_SOUND_AND_CAMERA}'
    machine.call("modprobe snd-aloop && modprobe vivid n_devs=1 && udevadm settle")
    machine.call(f"cp {_SETTINGS} {_SETTINGS}.before")
    machine.call(f"cat > /etc/headband/board.toml <<'END'\n{text}END\n")
    machine.call(f'printf \'[board]\\nkind = "rk3566"\\nfile = "/etc/headband/board.toml"\\n\' > {_SETTINGS}')
    try:
        machine.call("systemctl restart headband", patience_s=600.0)
        yield
    except Exception:
        detach(machine)
        raise
    else:  # who stops the run does not wait for it
        detach(machine)


def detach(machine: Machine) -> None:
    """The service runs with the settings from before. Harmless when it does already."""
    back = f"[ ! -e {_SETTINGS}.before ] || mv {_SETTINGS}.before {_SETTINGS}"
    machine.call(f"{back}; systemctl restart headband", patience_s=600.0)


def tried(look: Callable[[], Check], times: int = 3) -> Check:
    """What a person would try once more on a busy computer: the first look that held, else the last."""
    for number in range(1, times + 1):
        check = look()
        if check.held:
            return check if number == 1 else replace(check, says=f"{check.says} (at try {number})")
    return replace(check, says=f"{check.says} ({times} tries)")

"""A laptop as the board: `laptop_board()` opens its microphone, loudspeaker and camera.

The computer is not suspended, its clocks and cores are not changed, and its temperature is not checked. There
is no microcontroller, hence no button, no light and no wake-up by sound.
"""

from __future__ import annotations

import os
from pathlib import Path

from hw.absent import AbsentLight, AbsentLine, AbsentSpeaker
from hw.board import Board
from hw.device import DeviceError, Speaker
from hw.gauges.power_supply import PowerSupplyGauge
from hw.key_file import FileKeyPage
from hw.linux.alsa import AlsaMicrophone, AlsaSpeaker
from hw.linux.system_clock import SystemClock
from hw.linux.v4l2_camera import V4l2Camera
from hw.linux.wiring import Wiring

MOST_CELLS = 4
"""Largest number of cells in series in a laptop's battery."""
_SOUND_SERVERS = ("pulse/native", "pipewire-0")
"""Sockets under XDG_RUNTIME_DIR of sound servers, which may provide a remote microphone."""


def laptop_board(
    wiring: Wiring | None = None,
    sysfs_root: Path = Path("/sys"),
    dev_root: Path = Path("/dev"),
    key_file: Path | None = None,
) -> Board:
    """Open the computer's devices; of the wiring, only sound and camera are used. Missing devices are in
    `problems`; a microphone or camera that is plugged in later is used from then on. `key_file`: where the
    memory's key is kept.
    """
    wiring = wiring or Wiring()
    clock = SystemClock()
    problems = _missing(wiring, dev_root)
    speaker: Speaker
    try:
        speaker = AlsaSpeaker(clock, wiring.sound.speaker)
    except DeviceError as error:
        speaker = AbsentSpeaker(str(error))
        problems.append(str(error))
    return Board(
        microphone=AlsaMicrophone(wiring.sound.microphone),
        camera=V4l2Camera(wiring.camera, dev_root),
        speaker=speaker,
        light=AbsentLight(),
        gauge=PowerSupplyGauge(sysfs_root, most_cells=MOST_CELLS, mains=True),
        clock=clock,
        wake=AbsentLine(),
        alert=AbsentLine(),
        button=AbsentLine(),
        key_page=None if key_file is None else FileKeyPage(key_file),
        sysfs_root=sysfs_root,
        clocks=None,
        thermal_zones=(),
        compatible=wiring.compatible,
        problems=tuple(problems),
    )


def _missing(wiring: Wiring, dev_root: Path) -> list[str]:
    """Missing devices, found without opening any."""
    problems = []
    server = any(
        (Path(os.environ.get("XDG_RUNTIME_DIR", "/nonexistent")) / name).exists() for name in _SOUND_SERVERS
    )
    if not server and not any(dev_root.glob("snd/pcmC*D*c")):
        problems.append("There is no microphone: this computer has no sound device that records.")
    camera = wiring.camera.device
    if camera == "auto" and not any(dev_root.glob("video*")):
        problems.append("There is no camera: this computer has no video device.")
    elif camera != "auto" and not Path(camera).exists():
        problems.append(f"There is no camera: {camera} does not exist.")
    return problems

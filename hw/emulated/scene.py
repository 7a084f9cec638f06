"""Inputs of an emulated headband that runs unattended: battery cell, camera picture, background sound. Read
from the file that `[board] file` in `headband.toml` names when the board's kind is "emulated".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from hw.audio.sound_and_picture_files import read_wav
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.settings import Range, SettingsError, read_settings


@dataclass(frozen=True)
class Surroundings:
    """Paths are relative to the file that names them."""

    battery_percent: Annotated[float, Range(0, 100, "percent")] = 80.0
    """Charge of the cell, 0 to 100 percent."""
    charging: bool = False
    """Outside power is connected."""
    view: str = ""
    """A picture, or a folder of pictures of which each capture returns the next; empty: the caller's."""
    background: str = ""
    """A WAV file that the microphone hears repeatedly; empty: silence."""


def read_scene(path: Path) -> Surroundings:
    """Raises `SettingsError`, one sentence naming what is wrong."""
    scene: Surroundings = read_settings(Surroundings, path)
    found = {}
    for name in ("view", "background"):
        where = path.parent / getattr(scene, name)
        if getattr(scene, name) and not where.exists():
            raise SettingsError(f"The {name} {where} is not there (in {path}).")
        found[name] = str(where) if getattr(scene, name) else ""
    return replace(scene, view=found["view"], background=found["background"])


def board_in(
    scene: Surroundings,
    view: Path,
    *,
    real_time: bool = True,
    sound_card: bool = True,
    key_file: Path | None = None,
) -> EmulatedBoard:
    """A board with these inputs; `view` is used where the scene has none; `key_file` as in `emulated_board`.
    Raises `MediaError`.
    """
    return emulated_board(
        battery_percent=scene.battery_percent,
        charging=scene.charging,
        view=scene.view or view,
        background=read_wav(scene.background) if scene.background else None,
        real_time=real_time,
        sound_card=sound_card,
        key_file=key_file,
    )

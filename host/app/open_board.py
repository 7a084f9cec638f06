"""Opens the board that the command line or `headband.toml` names."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import hw
from host.config import BoardConfig, BoardKind, ConfigError
from hw.board import Board
from hw.settings import SettingsError
from models.pack.npu_fit import Npu, find_npu

_SYS, _DEV = Path("/sys"), Path("/dev")
_VIEW = Path(__file__).parents[1] / "demo" / "1-view.png"


def chosen_board(config: BoardConfig, kind: BoardKind | None) -> BoardConfig:
    """The board settings with `kind` from the command line, if given; a file for another kind is dropped."""
    if kind is None or kind == config.kind:
        return config
    return replace(config, kind=kind, file="")


def open_board(
    config: BoardConfig,
    battery_percent: int | None = None,
    *,
    real_time: bool = False,
    sysfs_root: Path = _SYS,
    dev_root: Path = _DEV,
    key_file: Path | None = None,
) -> Board:
    """Opens a board. Raises `ConfigError` for a bad `board.toml`; missing devices are listed in the board's
    `problems`. `battery_percent`: charge of an emulated board, instead of its scene's; `real_time`: emulated
    devices take as long as real ones; `key_file`: what stands in for the PMU's flash with the memory's key on
    a computer that is no headband.
    """
    if config.kind == "emulated":
        return _emulated(config, battery_percent, real_time, key_file)
    from hw.linux.wiring import read_wiring

    try:
        wiring = read_wiring(wiring_path(config))
    except SettingsError as error:
        raise ConfigError(str(error)) from error
    if config.kind == "laptop":
        from hw.laptop.board import laptop_board

        return laptop_board(wiring, sysfs_root, dev_root, key_file)
    from hw.rk3566.board import rk3566_board

    return rk3566_board(wiring, sysfs_root, dev_root)


def _emulated(
    config: BoardConfig, battery_percent: int | None, real_time: bool, key_file: Path | None
) -> Board:
    from hw.emulated.scene import (  # imported here: it loads the emulated firmware
        Surroundings,
        board_in,
        read_scene,
    )

    try:
        scene = read_scene(Path(os.path.expanduser(config.file))) if config.file else Surroundings()
    except SettingsError as error:
        raise ConfigError(str(error)) from error
    if battery_percent is not None:
        scene = replace(scene, battery_percent=battery_percent)
    return board_in(scene, _VIEW, real_time=real_time, sound_card=real_time, key_file=key_file)


def wiring_path(config: BoardConfig) -> Path:
    """Path of the file with a real board's wiring."""
    if config.file:
        return Path(os.path.expanduser(config.file))
    return Path(hw.__file__).with_name(config.kind) / "board.toml"


def usable_npu(config: BoardConfig) -> Npu | None:
    """The NPU that the bricks may use; None for an emulated board, also on a computer that has one."""
    return None if config.kind == "emulated" else find_npu()


def wrong_computer(board: Board, kind: str) -> str | None:
    """A sentence if the board's wiring is for another computer than this; None if it fits."""
    return _other_than(board.compatible, board.sysfs_root, kind)


def of_other_computer(config: BoardConfig, sysfs_root: Path = _SYS) -> str | None:
    """The same of a board that is not opened. Raises `ConfigError` for a bad `board.toml`."""
    if config.kind == "emulated":
        return None
    from hw.linux.wiring import read_wiring

    try:
        return _other_than(read_wiring(wiring_path(config)).compatible, sysfs_root, config.kind)
    except SettingsError as error:
        raise ConfigError(str(error)) from error


def _other_than(compatible: str, sysfs_root: Path, kind: str) -> str | None:
    tree = sysfs_root / "firmware/devicetree/base/compatible"
    known = tree.read_bytes().decode(errors="replace").split("\0") if tree.exists() else []
    if not compatible or compatible in known:
        return None
    return f"This computer is no {kind}: its device tree does not say {compatible}."

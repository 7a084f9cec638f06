"""The subcommand `status`, and the settings as a command line has them."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import replace

from host.app.open_board import chosen_board, open_board, usable_npu
from host.config import Config, with_pack
from host.states import INITIAL, diagram
from host.terminal.settings_file import chosen_settings, settings_file, settings_in_words
from host.terminal.usage import UsageError, print_json
from host.wearer.recording_state import recording_state
from host.wearer.saved_settings import saved_settings_path
from models.pack.catalogue import load_pack
from power.policy.policy import Policy
from power.policy.soc_temperature import soc_temperature_c


def status(options: argparse.Namespace) -> int:
    """`headband status`: prints the state of board, battery, mode, pack and recording."""
    if options.diagram:
        print(diagram(), end="")
        return 0
    config = settings(options)
    only_emulated(options, config, "battery")
    pack = load_pack(config.pack, npu=usable_npu(config.board))
    board = open_board(config.board, options.battery)
    reading = board.gauge.read()
    soc_c = soc_temperature_c(board.sysfs_root, board.thermal_zones)
    plan, _ = Policy(config.power).decide(reading, board.clock.monotonic(), soc_temperature_c=soc_c)
    recording = recording_state(board, saved_settings_path(config))
    asyncio.run(board.close())
    file = settings_file(options.config)
    result = {
        "settings": None if file is None else str(file),
        "board": config.board.kind,
        "problems": board.problems,
        "battery": {
            "state": reading.state,
            "percent": reading.percent,
            "voltage_mv": reading.voltage_mv,
            "current_ma": reading.current_ma,
            "charging": reading.charging,
            "problem": reading.problem,
        },
        "mode": plan.mode.value,
        "mode_reason": plan.reason,
        "residency": plan.residency,
        "pack": {
            "name": pack.name,
            "version": pack.version,
            "bricks": {n: s.placement.value for n, s in pack.bricks.items()},
        },
        "caution": config.answer.caution if pack.heeds_caution else None,
        "wake_word": config.wake.word,
        "recording": recording.as_dict(),
        "states": {**INITIAL, "power": plan.mode.value, "recording": "on" if recording.on else "off"},
    }
    if options.json:
        print_json(result)
        return 0
    battery = f"{reading.percent} percent at {reading.voltage_mv} mV ({reading.state})"
    if reading.problem is not None:
        battery = f"{reading.state}: {reading.problem}"
    elif reading.voltage_mv is None:
        battery = "none: it runs from the mains"
    print(f"settings   {settings_in_words(options.config)}")
    print(f"board      {config.board.kind}, battery {battery}")
    for problem in board.problems:
        print(f"{'':11}{problem}")
    print(f"mode       {plan.mode.value}: {plan.reason}; bricks {plan.residency.replace('_', ' ')}")
    places = ", ".join(f"{name} on {spec.placement.value}" for name, spec in pack.bricks.items())
    print(f"pack       {pack.name} {pack.version}: {places}")
    if pack.heeds_caution:
        by = "closed questions without the language model, " if "reflex" in pack.bricks else ""
        print(f"answers    {by}with {config.answer.caution} caution")
    print(f"wake word  {config.wake.word.replace('_', ' ')}")
    print(f"recording  {recording}")
    return 0


def settings(options: argparse.Namespace) -> Config:
    """The settings, with the options of the command line applied."""
    config = chosen_settings(options.config)
    config = replace(config, board=chosen_board(config.board, getattr(options, "board", None)))
    return with_pack(config, options.pack)


def only_emulated(options: argparse.Namespace, config: Config, *names: str) -> None:
    """Raises `UsageError` if an option was given that has no meaning with real devices, where these are."""
    for name in names if config.board.kind != "emulated" else ():
        given = getattr(options, name)
        if given not in (None, []) and given is not False:
            flag = name.replace("_", "-")
            raise UsageError(f"--{flag} is for the emulated board; {config.board.kind} has real devices.")

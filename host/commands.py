"""What the subcommands do: read the person's files, compose a headband, run it, tell the result."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from host.app import Headband
from host.cli import UsageError, print_json
from host.config import Config, load_config, with_pack
from host.report import memory_report, summary, turn_report
from host.states import diagram
from host.trace import write_trace
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.media import read_image, read_wav
from models.memory import PeakSampler, rss_mib
from models.pack import load_pack
from power.plan import Mode

TAIL_S = 5.0
"""Silence queued behind a recorded question, in seconds: longer than any endpointing."""


def ask(options: argparse.Namespace) -> int:
    """`headband ask`: one recorded question, one spoken answer."""
    config = _config(options)
    question = read_wav(options.audio)
    frames = [read_image(path) for path in options.image]
    _writable(options.out)
    pack = load_pack(config.pack)
    board = emulated_board(
        battery_percent=options.battery, view=frames or None, real_time=False, audio_out=options.out
    )
    report = asyncio.run(_ask(board, pack, config, options, question))
    if options.json:
        print_json(report)
    else:
        print(summary(report))
    return 1 if report["failure"] else 0


async def _ask(
    board: EmulatedBoard, pack: Any, config: Config, options: argparse.Namespace, question: Any
) -> Any:
    silence = np.zeros(int(TAIL_S * board.microphone.sample_rate), np.int16)
    config = replace(config, answer=replace(config.answer, earcons=False))
    with PeakSampler() as peak:
        async with Headband(board, pack, config, request=_request(options.mode)) as headband:
            for _ in options.image[:-1]:
                await headband.parts.eyes.look()
            if headband.plan.residency == "resident":
                await headband.parts.bricks.settled()
            board.microphone.say(np.concatenate([question, silence]))
            asked_s = headband.timeline.clock()
            turn = await headband.ask()
            pids = headband.parts.bricks.pids()
            server = rss_mib(pids["fork_server"]) if "fork_server" in pids else 0.0
        events = headband.brick_events
    if options.trace:
        write_trace(headband.timeline.spans, options.trace)
    await board.close()
    memory = memory_report(peak, events, server)
    spoken = str(board.speaker.path) if turn.answer else None
    return turn_report(turn, events, asked_s, memory, spoken)


def run(options: argparse.Namespace) -> int:
    """`headband run`: listen and answer, here on the emulated board under a day script."""
    from host.script import load_script
    from host.wear import wear

    config = _config(options)
    script = load_script(options.script)
    return wear(script, config, options)


def demo(options: argparse.Namespace) -> int:
    """`headband demo`: the bundled day, in real time, with a picture at the end."""
    from host.wear import show_demo

    return show_demo(_config(options), options)


def status(options: argparse.Namespace) -> int:
    """`headband status`: what the board, the battery and the pack say now."""
    if options.diagram:
        print(diagram(), end="")
        return 0
    config = _config(options)
    pack = load_pack(config.pack)
    board = emulated_board(battery_percent=options.battery, real_time=False, sound_card=False)
    headband = Headband(board, pack, config)
    reading, plan = headband.parts.reading, headband.plan
    asyncio.run(board.close())
    result = {
        "board": "emulated",
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
        "wake_word": config.wake.word,
        "states": headband.machine.as_dict(),
    }
    if options.json:
        print_json(result)
        return 0
    print(
        f"board      emulated, battery {reading.percent} percent at {reading.voltage_mv} mV ({reading.state})"
    )
    print(f"mode       {plan.mode.value}: {plan.reason}; bricks {plan.residency.replace('_', ' ')}")
    places = ", ".join(f"{name} on {spec.placement.value}" for name, spec in pack.bricks.items())
    print(f"pack       {pack.name} {pack.version}: {places}")
    print(f"wake word  {config.wake.word.replace('_', ' ')}")
    return 0


def _config(options: argparse.Namespace) -> Config:
    return with_pack(load_config(options.config), options.pack)


def _request(mode: str) -> Mode | None:
    return None if mode == "auto" else Mode(mode)


def _writable(path: Path) -> None:
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file for the answer's sound.")
    if not path.resolve().parent.is_dir():
        raise UsageError(f"The folder {path.resolve().parent} for the answer's sound does not exist.")

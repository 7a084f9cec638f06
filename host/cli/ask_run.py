"""The subcommands `ask`, `run` and `demo`: read the files, run a headband, print the result."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from host.app.headband import Headband
from host.app.turn_report import Announced, memory_report, rest_of_recording, summary, turn_report
from host.cli.status import only_emulated, settings
from host.config import Config
from host.observe.trace import write_trace
from host.system.open_files import allow_open_files
from host.terminal.output_paths import print_unsaved, refuse_same_file, save_file, writable_file
from host.terminal.usage import UsageError, print_json
from host.wearer.only_one import only_one
from host.wearer.recording_state import refuse_without_recording
from host.wearer.saved_settings import memory_key_file, saved_settings_path
from hw.audio.sound_and_picture_files import read_image, read_wav
from models.pack.abilities import require_live
from models.pack.catalogue import Pack, find_pack, load_pack
from models.pack.manifest import read_manifest
from models.process.rss import PeakSampler, rss_mib
from power.policy.plan import Mode

if TYPE_CHECKING:
    from hw.emulated.board import EmulatedBoard

BATTERY_PERCENT = 80
"""In the emulated battery, where the command line says nothing."""
SOUND_FILE = Path("answer.wav")
"""Where the answer's sound goes, where the command line says nothing."""
TAIL_S = 5.0
"""Silence after a recorded question, in seconds; longer than the longest endpointing silence."""


def ask(options: argparse.Namespace) -> int:
    """`headband ask`: one question, one spoken answer."""
    allow_open_files()
    config = settings(options)
    if config.board.kind == "emulated" and not options.keep:
        config = replace(config, journal=replace(config.journal, path=""))
    sound: Path = SOUND_FILE if options.out is None else options.out
    refuse_same_file((sound, options.trace), (options.audio, *options.image, options.config))
    writable_file(options.trace, "the trace")
    if config.board.kind != "emulated":
        from host.app.on_devices import ask_on_devices

        only_emulated(options, config, "audio", "image", "battery", "out")
        _require_live_pack(config)
        return ask_on_devices(config, options)
    if options.audio is None:
        raise UsageError("The emulated board needs a recorded question: --audio FILE.")
    question = read_wav(options.audio)
    frames = [read_image(path) for path in options.image]
    writable_file(sound, "the answer's sound")
    _require_live_pack(config)
    pack = load_pack(config.pack)
    with only_one(config):
        return _asked(question, frames, sound, pack, config, options)


def _asked(
    question: Any, frames: list[Any], sound: Path, pack: Pack, config: Config, options: argparse.Namespace
) -> int:
    from hw.emulated.board import emulated_board

    board = emulated_board(
        battery_percent=BATTERY_PERCENT if options.battery is None else options.battery,
        view=frames or None,
        real_time=False,
        audio_out=sound,
        key_file=memory_key_file(config),
    )
    refuse_without_recording(board, saved_settings_path(config))
    report = asyncio.run(_ask(board, pack, config, options, question))
    if options.json:
        print_json(report)
    else:
        print(summary(report))
        if report["rest"]:
            print(f"  rest     {report['rest']}")
        if report["route"] in ("now", "frames") and not options.image:
            print("  sight    none: no picture was given with --image")
    return 1 if print_unsaved(report["unsaved"]) or report["failure"] else 0


async def _ask(
    board: EmulatedBoard, pack: Any, config: Config, options: argparse.Namespace, question: Any
) -> Any:
    silence = np.zeros(int(TAIL_S * board.microphone.sample_rate), np.int16)
    # Where a wearer says nothing for some seconds, nobody will; a recording may begin with silence.
    patience_s = max(config.listen.start_timeout_s, len(question) / board.microphone.sample_rate)
    listen = replace(config.listen, start_timeout_s=patience_s)
    config = replace(config, answer=replace(config.answer, earcons=False), listen=listen)
    told = Announced()
    try:
        with PeakSampler() as peak:
            request = _request(options.mode)
            async with Headband(board, pack, config, request=request, observe=told.observe) as headband:
                for _ in options.image[:-1]:
                    await headband.recent_views.look()
                if headband.plan.residency == "resident":
                    await headband.bricks.settled()
                board.microphone.say(np.concatenate([question, silence]))
                asked_s = headband.timeline.clock()
                turn = await headband.ask()
                await headband.remembered()
                heard_s = headband.listening.heard_s
                seen = headband.recent_views.newest
                pids = headband.bricks.pids()
                server = rss_mib(pids["fork_server"]) if "fork_server" in pids else 0.0
            events = headband.brick_events
    finally:
        await board.close()  # the sound's file is whole, also where Ctrl-C ends this
    trace_fault = save_file(partial(write_trace, headband.timeline.spans), options.trace)
    memory = memory_report(peak, events, server)
    spoken = str(board.speaker.path) if turn.answer and not board.speaker.fault else None
    faults = (board.speaker.fault, trace_fault, headband.settings_store.problem)
    report = turn_report(turn, events, asked_s, memory, spoken, faults, seen, told.sentences)
    return report | {"rest": rest_of_recording(question, heard_s, turn.heard.cut, listen)}


def run(options: argparse.Namespace) -> int:
    """`headband run`: listens and answers; on the emulated board by a day script."""
    allow_open_files()
    config = settings(options)
    writable_file(options.trace, "the trace")
    if config.board.kind != "emulated" or options.service:
        from host.app.on_devices import run_on_devices

        if options.service and options.script:
            raise UsageError("A service lives through no script: leave out --script.")
        only_emulated(options, config, "script", "real_time", "out")
        _require_live_pack(config)
        return run_on_devices(config, options)
    if options.script is None:
        raise UsageError("The emulated board needs a day to live through: --script FILE.")
    from host.app.day_script import load_script
    from host.app.on_script import wear

    script = load_script(options.script)
    _require_live_pack(config)
    return wear(script, config, options)


def demo(options: argparse.Namespace) -> int:
    """`headband demo`: the bundled day, in real time, with a picture at the end."""
    from host.app.on_script import show_demo

    allow_open_files()
    config = settings(options)
    _require_live_pack(config)
    return show_demo(config, options)


def _require_live_pack(config: Config) -> None:
    """Raises `PackError` for a pack that answers no questions."""
    manifest = read_manifest(find_pack(config.pack))
    require_live(manifest.name, manifest.bricks)


def _request(mode: str) -> Mode | None:
    return None if mode == "auto" else Mode(mode)

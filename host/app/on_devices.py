"""`headband run` and `headband ask` with real devices."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from contextlib import suppress
from functools import partial
from typing import Any

from host.app.headband import Headband
from host.app.narrator import Narrator, turn_json
from host.app.open_board import open_board, usable_npu, wrong_computer
from host.app.own_files import own_files
from host.app.probation import Probation, this_start
from host.app.stop_signals import STOP_GRACE_S, StopSignals
from host.app.turn_report import Announced, memory_report, summary, turn_report
from host.config import Config
from host.observe.trace import write_trace
from host.system.systemd_notify import Notifier
from host.terminal.output_paths import print_unsaved, save_file
from host.terminal.usage import UsageError, print_json
from host.turn.turn import Turn
from host.wearer.only_one import only_one
from host.wearer.recording_state import refuse_without_recording, tell_recording
from host.wearer.saved_settings import memory_key_file, saved_settings_path
from hw.board import Board
from hw.device import DeviceError
from models.pack.catalogue import Pack, load_pack
from models.process.rss import PeakSampler, rss_mib
from power.policy.plan import Mode

_DEVICES = ("microphone", "camera", "speaker")


def run_on_devices(config: Config, options: argparse.Namespace) -> int:
    """`headband run` until Ctrl-C, SIGTERM or the wearer switches off; returns the exit code. Raises
    `AlreadyRuns`.
    """
    pack = load_pack(config.pack, npu=usable_npu(config.board))
    with only_one(config):
        return _worn(pack, config, options)


def _worn(pack: Pack, config: Config, options: argparse.Namespace) -> int:
    board = _open_board(config)
    narrator = Narrator(quiet=options.json or options.service)
    _print_problems(board, pack)
    hears = options.service or tell_recording(board, saved_settings_path(config), options.json)
    if hears and not options.json and not options.service:
        print(f'Say "{config.wake.word.replace("_", " ")}", then ask. Ctrl-C ends it.', flush=True)
    headband, failed = asyncio.run(_run(board, pack, config, narrator, options))
    trace_fault = save_file(partial(write_trace, headband.timeline.spans), options.trace)
    return 1 if print_unsaved([trace_fault]) or failed else 0


async def _run(
    board: Board, pack: Pack, config: Config, narrator: Narrator, options: argparse.Namespace
) -> tuple[Headband, bool]:
    """The headband, which has ended, and whether it ended because its self-test failed."""
    service = os.environ if options.service else {}
    notifier, probation = Notifier(service), Probation(*this_start(service))

    told = {name for name in _DEVICES if any(f"no {name}:" in problem for problem in board.problems)}

    def observe(event: str, fields: dict[str, Any]) -> None:
        if event == "brick" and headband.state.interaction == "stopping":
            return  # Ctrl-C ends the bricks as well, which is no news
        if event == "device" and fields["device"] in told:
            told.remove(fields["device"])  # `_print_problems` has told that it is missing
        else:
            narrator.observe(event, fields)
        notifier.observe(event, fields)
        probation.observe(event, fields)
        if options.json and not options.service and event == "turn":
            turn = narrator.turns[-1]
            print_json(turn_json(turn, headband.brick_events), indent=None)
            sys.stdout.flush()
        del narrator.turns[:-1]  # keeps memory bounded

    request = None if options.mode == "auto" else Mode(options.mode)
    headband = Headband(board, pack, config, request=request, observe=observe, went_back=probation.went_back)
    headband.guard.on_progress = notifier.beat
    stops = StopSignals(headband.stop, STOP_GRACE_S if options.service else None)
    try:
        with stops:
            async with headband:
                with stops.while_it_runs():
                    async with probation.of(headband), own_files(service).watched(headband):
                        await headband.run()
        probation.stopped()
    finally:
        notifier.stopping()
        await _close_board(board)
    return headband, probation.failed


def ask_on_devices(config: Config, options: argparse.Namespace) -> int:
    """`headband ask`: one question after the tone; returns the exit code. Raises `AlreadyRuns`."""
    pack = load_pack(config.pack, npu=usable_npu(config.board))
    with only_one(config):
        return _asked(pack, config, options)


def _asked(pack: Pack, config: Config, options: argparse.Namespace) -> int:
    board = _open_board(config)
    try:
        refuse_without_recording(board, saved_settings_path(config))
    except DeviceError:
        asyncio.run(_close_board(board))
        raise
    report = asyncio.run(_ask(board, pack, config, options))
    if options.json:
        print_json(report)
    else:
        print(summary(report))
    return 1 if print_unsaved(report["unsaved"]) or report["failure"] else 0


async def _ask(board: Board, pack: Pack, config: Config, options: argparse.Namespace) -> dict[str, Any]:
    request = None if options.mode == "auto" else Mode(options.mode)
    microphone_error: DeviceError | None = None
    told = Announced()
    try:
        with PeakSampler() as peak:
            async with Headband(board, pack, config, request=request, observe=told.observe) as headband:
                if headband.plan.residency == "resident":
                    await headband.bricks.settled()
                try:
                    await anext(
                        aiter(board.microphone)
                    )  # checks that the microphone delivers, before the prompt
                    _print_problems(board, pack)
                    if not options.json:
                        print("Ask now.", flush=True)
                    asked_s = headband.timeline.clock()
                    turn: Turn = await headband.ask()
                    await headband.remembered()
                    seen = headband.recent_views.newest
                    pids = headband.bricks.pids()
                    server = rss_mib(pids["fork_server"]) if "fork_server" in pids else 0.0
                except (
                    DeviceError
                ) as error:  # raised later: after a crash the guard would restart the computer
                    microphone_error = error
            events = headband.brick_events
    finally:
        await _close_board(board)
    if microphone_error is not None:
        raise microphone_error
    trace_fault = save_file(partial(write_trace, headband.timeline.spans), options.trace)
    memory = memory_report(peak, events, server)
    faults = (trace_fault, headband.settings_store.problem)
    return turn_report(turn, events, asked_s, memory, None, faults, seen, told.sentences)


def _open_board(config: Config) -> Board:
    board = open_board(config.board, real_time=True, key_file=memory_key_file(config))
    problem = wrong_computer(board, config.board.kind)
    if problem is not None:  # the knobs would change another computer's clocks and cores
        asyncio.run(_close_board(board))
        raise UsageError(f"{problem[:-1]}; choose another with --board.")
    return board


def _print_problems(board: Board, pack: Pack) -> None:
    for problem in board.problems:
        print(problem, file=sys.stderr, flush=True)
    if pack.left_out is not None and not pack.left_out.missing:
        print(f"{pack.left_out.says} The processor's cores do its work.", file=sys.stderr, flush=True)


async def _close_board(board: Board) -> None:
    with suppress(DeviceError):
        await board.close()

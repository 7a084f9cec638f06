"""`headband run --script` and `headband demo`: runs the emulated headband while a day script acts on its
board.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from host.app.day_script import Script, ScriptEvent, load_script
from host.app.headband import Headband
from host.app.narrator import Narrator, turn_json
from host.app.script_world import ScriptedWorld
from host.app.turn_stages import HEADBAND
from host.config import Config
from host.observe.timeline import Span, Timeline
from host.observe.trace import picture, write_trace
from host.terminal.output_paths import print_unsaved, refuse_same_file, save_file, writable_folder
from host.terminal.usage import UsageError, print_json
from host.turn.turn import Turn
from host.wearer.only_one import only_one, only_one_in
from host.wearer.recording_state import tell_recording
from host.wearer.saved_settings import memory_key_file, saved_settings_path
from hw.emulated.board import emulated_board
from hw.emulated.simulated_time import SimulatedTimeLoop
from hw.linux.system_clock import SystemClock, boot_id
from hw.private_file import write_private
from models.pack.catalogue import Pack, load_pack
from models.place import command, place
from models.process.residency import BrickEvent
from models.process.rss import PeakSampler
from power.policy.plan import Mode

DEMO_CASCADE_MIB = 2048
DEMO = Path(__file__).parents[1] / "demo" / "demo.toml"


@dataclass
class DayResult:
    """The result of a day."""

    turns: list[Turn]
    timeline: Timeline
    brick_events: list[BrickEvent]
    skipped_events: Sequence[ScriptEvent]
    audible: bool
    """Whether a sound card played the answers."""
    sound_fault: str | None = None
    """Why the sound could not be saved; None if it could."""
    stopped: bool = False
    """Whether Ctrl-C ended it; what has been is written all the same."""

    @property
    def exit_code(self) -> int:
        """Of the command that ran it."""
        if self.stopped:
            return 130
        return 1 if any(turn.failure for turn in self.turns) else 0


def wear(script: Script, config: Config, options: argparse.Namespace) -> int:
    """`headband run --script`; returns the exit code. Raises `AlreadyRuns`, once the options are known to be
    right.
    """
    narrator = Narrator(quiet=options.json)
    out: Path | None = options.out
    refuse_same_file(_output_files(out), _input_files(script, options))
    refuse_same_file((options.trace, *_output_files(out)[:1]), _input_files(script, options))
    writable_folder(out, "sound, trace and picture")
    pack = load_pack(config.pack)
    with only_one(config):
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
        day = _run_day(script, pack, config, narrator, not options.real_time, options.mode, out)
    unsaved = [day.sound_fault, save_file(partial(write_trace, day.timeline.spans), options.trace)]
    if out is not None:
        unsaved += _write_results(out, day)
    if not options.json:
        _print_skipped(day)
        if out is not None:
            print(f"\nIn {out}:\n{_listing(out)}")
    return day.exit_code or (1 if print_unsaved(unsaved) else 0)


def _output_files(out: Path | None) -> tuple[Path, ...]:
    """The output files in the folder."""
    return () if out is None else tuple(out / name for name in _FILES)


def _input_files(script: Script, options: argparse.Namespace) -> list[Path | None]:
    """The input files of a day."""
    files = [file for event in script.events for file in (*event.say, event.image)]
    return [options.config, getattr(options, "script", None), *files]


def show_demo(config: Config, options: argparse.Namespace) -> int:
    """`headband demo`; returns the exit code."""
    script = load_script(DEMO)
    narrator = Narrator()
    out: Path = options.out
    refuse_same_file(_output_files(out), _input_files(script, options))
    writable_folder(out, "the demo's files")
    pack = load_pack(config.pack)
    with only_one_in(out):
        return _demonstrated(script, pack, with_demo_journal(config, out), narrator, options)


def _demonstrated(
    script: Script, pack: Pack, config: Config, narrator: Narrator, options: argparse.Namespace
) -> int:
    out: Path = options.out
    if config.power.cascade_memory_mib is None:  # in cascade it shows what a small memory makes of the turns
        config = replace(config, power=replace(config.power, cascade_memory_mib=DEMO_CASCADE_MIB))
    print("The headband on the emulated board: wake word, question, look, think, speak, in each power mode.")
    with PeakSampler(period_s=0.1) as peak:
        day = _run_day(script, pack, config, narrator, options.fast, "auto", out)
    unsaved = print_unsaved([day.sound_fault, *_write_results(out, day)])
    print(f"\nmemory: main {peak.main_rss_mib:.0f} MiB, peak of all processes {peak.tree_mib:.0f} MiB")
    silent = "" if day.audible or options.fast else "\n(No sound card was found, so nothing was heard.)"
    demo = "host/demo" if place() == "checkout" else DEMO.parent
    print(f"\nIn {out}:\n{_listing(out)}{silent}\n{_TRY_NEXT.format(headband=command(), demo=demo)}")
    return day.exit_code or (1 if unsaved else 0)


def with_demo_journal(config: Config, out: Path) -> Config:
    """The settings with journal, saved settings and ledger in the demo's folder, where those of an earlier
    demo are deleted. Raises `UsageError` if that is the folder of the wearer's own journal, or holds what no
    demo wrote.
    """
    own = Path(config.journal.path).expanduser().parent if config.journal.path else None
    if own is not None and os.path.realpath(own) == os.path.realpath(out):
        raise UsageError(
            f"{out} holds the headband's own journal and settings; name another folder with --out."
        )
    earlier = [out / name for name in ("journal.jsonl", "kept.json", "energy.json") if (out / name).exists()]
    if earlier and not any((out / name).exists() for name in (_DEMO_MARK, "timeline.svg")):
        raise UsageError(f"{earlier[0]} is of no demo; name another folder with --out.")
    for path in earlier:
        path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # a folder that can't be written says so as its files are written
        (out / _DEMO_MARK).touch()
    return replace(config, journal=replace(config.journal, path=str(out / "journal.jsonl")))


_DEMO_MARK = ".demo"
"""Says that a demo began to write into a folder, and may delete what stands there under its files' names."""
_FILES = {
    "spoken.wav": "every answer, as spoken",
    "timeline.svg": "the turns as a picture: open it in a browser",
    "trace.json": "the same for ui.perfetto.dev",
    "journal.jsonl": "every transition and its cause",
    "energy.json": "what used the battery, hour by hour, modelled",
}
_TRY_NEXT = """
Try next:
  {headband} ask --audio {demo}/1-find.wav --image {demo}/1-view.png --battery 15
  {headband} ask --audio YOUR.wav --image YOUR.png --json
  {headband} run --script {demo}/demo.toml --mode cascade
  {headband} status --diagram"""


def _write_results(out: Path, day: DayResult) -> list[str | None]:
    """Writes trace and picture; returns why one could not be written, None for each that was."""
    drawn = picture(chapters(day.turns, day.timeline.spans))
    return [
        save_file(partial(write_trace, day.timeline.spans), out / "trace.json"),
        save_file(lambda path: write_private(path, drawn), out / "timeline.svg"),
    ]


def _listing(out: Path) -> str:
    """The output files that exist, one per line."""
    there = [f"  {name:14} {what}" for name, what in _FILES.items() if (out / name).exists()]
    if not (out / "spoken.wav").exists():
        there.insert(0, "  (no spoken.wav: nothing was said)")
    return "\n".join(there)


def _print_skipped(day: DayResult) -> None:
    for event in day.skipped_events:
        why = "no answer began after it" if event.at_s is None else "the headband was off"
        print(f"[[event]] {event.number} of the script did not happen: {why}.")


def _run_day(
    script: Script, pack: Pack, config: Config, narrator: Narrator, fast: bool, mode: str, out: Path | None
) -> DayResult:
    if not fast:
        return asyncio.run(_run(script, pack, config, narrator, None, mode, out))
    # What is kept of the day, such as remembered views, is not of a time to come: the day ends at present.
    with asyncio.Runner(loop_factory=partial(SimulatedTimeLoop, script.end_s)) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, SimulatedTimeLoop)
        return runner.run(_run(script, pack, config, narrator, loop, mode, out))


async def _run(
    script: Script,
    pack: Pack,
    config: Config,
    narrator: Narrator,
    rush: SimulatedTimeLoop | None,
    mode: str,
    out: Path | None,
) -> DayResult:
    """Runs the day; `rush`: the event loop that skips idle time, None for real time."""
    board = emulated_board(
        clock=SystemClock() if rush is None else rush.clock,
        audio_out=None if out is None else out / "spoken.wav",
        sound_card=rush is None,
        sleeps=True,
        key_file=memory_key_file(config),
    )
    day = DayResult(narrator.turns, _timeline(rush), [], (), board.speaker.audible)
    world = ScriptedWorld(script, board, narrator.heading, lambda on: narrator.observe("rail", {"on": on}))
    narrator.now_s = lambda: world.now_s
    world.set_up()
    tell_recording(world.board, saved_settings_path(config), narrator.quiet)

    this_day = asyncio.current_task()

    def observe(event: str, fields: dict[str, Any]) -> None:
        world.observe(event, fields)
        if this_day is None or not this_day.cancelling():  # Ctrl-C ends the bricks as well, which is no news
            narrator.observe(event, fields)
            if event == "turn" and narrator.quiet:  # at once, so that Ctrl-C takes nothing of it away
                events = [*day.brick_events, *headband.brick_events]
                print_json(turn_json(fields["turn"], events), indent=None)
                sys.stdout.flush()

    try:
        passing_time = asyncio.create_task(world.pass_unheard_time())
        this_run = uuid4().hex  # simulated time begins anew with every run, and goes on over its restarts
        boots: Callable[[], str] = boot_id if rush is None else lambda: this_run
        while True:
            headband = Headband(
                world.board, pack, config, request=None if mode == "auto" else Mode(mode), observe=observe,
                on_chunk=world.on_sound, timeline=day.timeline, boot=boots,
            )  # fmt: skip
            if rush is not None:
                bricks = headband.bricks
                rush.busy_elsewhere = lambda bricks=bricks: bricks.busy  # type: ignore[misc]
            async with headband:
                await world.run_headband(headband)
            day.brick_events += headband.brick_events
            if world.over.is_set() or not await world.wait_for_power():
                break
            world.board = world.board.restarted()
        passing_time.cancel()
    except asyncio.CancelledError:
        day.stopped = this_day is not None and this_day.cancelling() > 0
        if not day.stopped:
            raise
    finally:
        await world.board.close()  # the sound's file is whole, also where Ctrl-C ends the day
    day.skipped_events = world.skipped_events
    day.sound_fault = world.board.speaker.fault
    return day


def _timeline(rush: SimulatedTimeLoop | None) -> Timeline:
    return Timeline() if rush is None else Timeline(rush.elapsed_s)


def chapters(turns: Sequence[Turn], spans: Sequence[Span]) -> list[tuple[str, list[Span]]]:
    """The chapters of the picture, each with its title: every turn from the wake word to the end of the
    answer, and every announcement.
    """
    listening_spans = [span for span in spans if span.track == HEADBAND and span.name == "listening"]
    made = []
    for turn in turns:
        begins = [span.start_s for span in listening_spans if abs(span.end_s - turn.started_s) < 0.1]
        title = f'{turn.plan.mode.value}: "{turn.transcript}" - "{turn.answer}"'
        made.append((min(begins, default=turn.started_s) - 0.1, turn.ended_s or turn.started_s, title))
    for span in spans:
        asked = any(begin_s <= span.start_s <= end_s for begin_s, end_s, _ in made)
        if span.track == "speaker" and not asked:
            made.append((span.start_s - 0.1, span.end_s, f'unasked: "{span.name}"'))
    return [(title, _within(spans, begin_s, end_s)) for begin_s, end_s, title in sorted(made)]


def _within(spans: Sequence[Span], begin_s: float, end_s: float) -> list[Span]:
    return [
        replace(span, start_s=max(span.start_s, begin_s), end_s=min(span.end_s, end_s))
        for span in spans
        if span.track != "turn" and span.end_s > begin_s and span.start_s < end_s
    ]

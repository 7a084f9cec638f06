"""Wearing the emulated headband: a day script acts on the board while the headband listens; someone
watches.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from host.app.day_script import Script, ScriptEvent, load_script
from host.app.headband import Headband
from host.app.narrator import Narrator, turn_json
from host.app.script_world import World
from host.app.turn_stages import HEADBAND
from host.config import Config
from host.observe.timeline import Span, Timeline
from host.observe.trace import picture, write_trace
from host.session.parts import Turn
from host.terminal.output_paths import apart, missed, saved, writable_folder
from host.terminal.usage import UsageError, print_json
from host.wearer.recording_state import tell_recording
from host.wearer.saved_settings import saved_settings_path
from hw.emulated.board import emulated_board
from hw.emulated.simulated_time import RushingLoop
from hw.linux.system_clock import SystemClock, boot_id
from models.pack.catalogue import load_pack
from models.place import command, place
from models.process.residency import BrickEvent
from models.process.rss import PeakSampler
from power.policy.plan import Mode

DEMO = Path(__file__).parents[1] / "demo" / "demo.toml"


@dataclass
class Lived:
    """A day that is over."""

    turns: list[Turn]
    timeline: Timeline
    brick_events: list[BrickEvent]
    unlived: Sequence[ScriptEvent]
    audible: bool
    """There was a sound card to hear it."""
    sound_fault: str | None = None
    """Why what it said is in no file."""


def wear(script: Script, config: Config, options: argparse.Namespace) -> int:
    """`headband run --script`; returns the exit code."""
    narrator = Narrator(quiet=options.json)
    out: Path | None = options.out
    apart(_files(out), _read_by(script, options))
    apart((options.trace, *_files(out)[:1]), _read_by(script, options))
    writable_folder(out, "sound, trace and picture")
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    lived = _live(script, config, narrator, not options.real_time, options.mode, out)
    unsaved = [lived.sound_fault, saved(partial(write_trace, lived.timeline.spans), options.trace)]
    if out is not None:
        unsaved += _leave(out, lived)
    if options.json:
        for turn in lived.turns:
            print_json(turn_json(turn, lived.brick_events), indent=None)
    else:
        _tell_unlived(lived)
        if out is not None:
            print(f"\nIn {out}:\n{_left(out)}")
    return 1 if missed(unsaved) or any(turn.failure for turn in lived.turns) else 0


def _files(out: Path | None) -> tuple[Path, ...]:
    """What is left in the folder."""
    return () if out is None else tuple(out / name for name in _FILES)


def _read_by(script: Script, options: argparse.Namespace) -> list[Path | None]:
    """The files that a day is made of."""
    files = [file for event in script.events for file in (*event.say, event.image)]
    return [options.config, getattr(options, "script", None), *files]


def show_demo(config: Config, options: argparse.Namespace) -> int:
    """`headband demo`; returns the exit code."""
    script = load_script(DEMO)
    narrator = Narrator()
    out: Path = options.out
    apart(_files(out), _read_by(script, options))
    writable_folder(out, "the demo's files")
    out.mkdir(parents=True, exist_ok=True)
    config = own_notes(config, out)
    print("The headband on the emulated board: wake word, question, look, think, speak, in each power mode.")
    with PeakSampler(period_s=0.1) as peak:
        lived = _live(script, config, narrator, options.fast, "auto", out)
    unsaved = missed([lived.sound_fault, *_leave(out, lived)])
    print(f"\nmemory: main {peak.main_rss_mib:.0f} MiB, peak of all processes {peak.tree_mib:.0f} MiB")
    silent = "" if lived.audible or options.fast else "\n(No sound card was found, so nothing was heard.)"
    demo = "host/demo" if place() == "checkout" else DEMO.parent
    print(f"\nIn {out}:\n{_left(out)}{silent}\n{_TRY_NEXT.format(headband=command(), demo=demo)}")
    return 1 if unsaved or any(turn.failure for turn in lived.turns) else 0


def own_notes(config: Config, out: Path) -> Config:
    """The settings with a journal and what lies beside it in the demo's folder, begun anew each time. Raises
    `UsageError` for the folder of the wearer's own.
    """
    if config.journal.path and Path(config.journal.path).expanduser().parent.resolve() == out.resolve():
        raise UsageError(
            f"{out} holds the headband's own journal and settings; name another folder with --out."
        )
    for name in ("journal.jsonl", "kept.json", "energy.json"):
        (out / name).unlink(missing_ok=True)
    return replace(config, journal=replace(config.journal, path=str(out / "journal.jsonl")))


_FILES = {
    "spoken.wav": "every answer, as spoken",
    "timeline.svg": "the turns as a picture: open it in a browser",
    "trace.json": "the same for ui.perfetto.dev",
    "journal.jsonl": "every transition and its cause",
    "energy.json": "what used the battery, hour by hour, modelled",
}
_TRY_NEXT = """
Try next:
  {headband} ask --audio {demo}/1-colour.wav --image {demo}/1-view.png --battery 15
  {headband} ask --audio YOUR.wav --image YOUR.png --json
  {headband} run --script {demo}/demo.toml --mode cascade
  {headband} status --diagram"""


def _leave(out: Path, lived: Lived) -> list[str | None]:
    """Why trace and picture could not be written; None for each that was."""
    drawn = picture(chapters(lived.turns, lived.timeline.spans))
    return [
        saved(partial(write_trace, lived.timeline.spans), out / "trace.json"),
        saved(lambda path: path.write_text(drawn, encoding="utf-8"), out / "timeline.svg"),
    ]


def _left(out: Path) -> str:
    """The files that are there, one a line."""
    there = [f"  {name:14} {what}" for name, what in _FILES.items() if (out / name).exists()]
    if not (out / "spoken.wav").exists():
        there.insert(0, "  (no spoken.wav: nothing was said)")
    return "\n".join(there)


def _tell_unlived(lived: Lived) -> None:
    for event in lived.unlived:
        why = "no answer began after it" if event.at_s is None else "the headband was off"
        print(f"[[event]] {event.number} of the script did not happen: {why}.")


def _live(
    script: Script, config: Config, narrator: Narrator, fast: bool, mode: str, out: Path | None
) -> Lived:
    if not fast:
        return asyncio.run(_wear(script, config, narrator, None, mode, out))
    with asyncio.Runner(loop_factory=RushingLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, RushingLoop)
        return runner.run(_wear(script, config, narrator, loop, mode, out))


async def _wear(
    script: Script, config: Config, narrator: Narrator, rush: RushingLoop | None, mode: str, out: Path | None
) -> Lived:
    """Lives the day; `rush` where the work alone is to take time."""
    pack = load_pack(config.pack)
    board = emulated_board(
        clock=SystemClock() if rush is None else rush.clock,
        audio_out=None if out is None else out / "spoken.wav",
        sound_card=rush is None,
        sleeps=True,
    )
    lived = Lived(narrator.turns, _timeline(rush), [], (), board.speaker.audible)
    world = World(script, board, narrator.tell, lambda on: narrator.observe("rail", {"on": on}))
    narrator.now_s = lambda: world.now_s
    world.set_up()
    tell_recording(world.board, saved_settings_path(config), narrator.quiet)

    def observe(event: str, fields: dict[str, Any]) -> None:
        world.watch(event, fields)
        narrator.observe(event, fields)

    going_on = asyncio.create_task(world.go_on())
    boots: Callable[[], str] = boot_id if rush is None else lambda: ""  # its clock is nobody else's
    while True:
        headband = Headband(
            world.board, pack, config, request=None if mode == "auto" else Mode(mode), observe=observe,
            on_chunk=world.on_sound, timeline=lived.timeline, boot=boots,
        )  # fmt: skip
        if rush is not None:
            bricks = headband.parts.bricks
            rush.at_work = lambda bricks=bricks: bricks.at_work  # type: ignore[misc]
        async with headband:
            await world.live(headband)
        lived.brick_events += headband.brick_events
        if world.over.is_set() or not await world.powered_again():
            break
        world.board = world.board.restarted()
    going_on.cancel()
    await world.board.close()
    lived.unlived = world.unlived
    lived.sound_fault = world.board.speaker.fault
    return lived


def _timeline(rush: RushingLoop | None) -> Timeline:
    return Timeline() if rush is None else Timeline(rush.lived_s)


def chapters(turns: Sequence[Turn], spans: Sequence[Span]) -> list[tuple[str, list[Span]]]:
    """The picture's parts, each with its title: every turn from the wake word to the end of the answer, and
    what was said unasked.
    """
    listened = [span for span in spans if span.track == HEADBAND and span.name == "listening"]
    made = []
    for turn in turns:
        begins = [span.start_s for span in listened if abs(span.end_s - turn.started_s) < 0.1]
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

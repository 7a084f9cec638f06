"""Wearing the emulated headband: a day script acts on the board while the headband listens; someone
watches.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import takewhile
from pathlib import Path

import numpy as np

from host.app import Headband
from host.config import Config
from host.narrator import SCRIPT_OVER, Narrator, turn_json
from host.outputs import apart, missed, saved, writable_folder
from host.parts import Turn
from host.script import Event, Script, load_script
from host.timeline import Span
from host.trace import picture, write_trace
from host.usage import print_json
from host.wishes import ANSWERING
from hw.emulated.board import EmulatedBoard, emulated_board
from models.memory import PeakSampler
from models.pack import load_pack
from power.plan import Mode

DEMO = Path(__file__).with_name("demo") / "demo.toml"
RATE = 16_000


class World:
    """Plays a script on the emulated board as time passes in the room."""

    def __init__(self, script: Script, board: EmulatedBoard, tell: Callable[[str], None], fast: bool) -> None:
        self._events = list(script.events)
        self._script = script
        self._board = board
        self._tell = tell
        self._fast = fast
        self._end_s = script.end_s
        self.headband: Headband | None = None

    def set_up(self) -> None:
        """What the script shows from second 0 on is there before the headband looks."""
        for event in takewhile(lambda event: event.at_s <= 0 and not event.say, tuple(self._events)):
            self._events.remove(event)
            self._act(event)

    def step(self, now_s: float) -> None:
        """Does what is due at `now_s` seconds of the sound in the room. A script's wearer is polite: what is
        to be said waits until an answer is over, and so does what comes after it, the day's end too.
        """
        answering = self.headband is not None and self.headband.machine.interaction in ANSWERING
        due = list(
            takewhile(lambda event: event.at_s <= now_s and not (event.say and answering), self._events)
        )
        spoken_s = 0.0
        for event in due:
            self._events.remove(event)
            if event.say:
                self._end_s = self._script.end_s + now_s - event.at_s
            spoken_s += self._act(event)
        waiting = answering and bool(self._events)
        if now_s >= self._end_s and self.headband is not None and not waiting:
            self.headband.stop(SCRIPT_OVER)
            if self._board.microphone.asleep:
                self._board.wake.set(True)  # somebody taps on it
        elif due and self._fast:
            self.hurry(now_s + spoken_s)

    def on_sound(self, _: float) -> None:
        """The headband heard something."""
        self.step(self._board.microphone.position_s)

    async def go_on(self) -> None:
        """Lets the world go on while the headband sleeps; never returns."""
        while True:
            await asyncio.sleep(0.1)
            if self._board.microphone.asleep:
                self._board.microphone.pass_by()
                self.step(self._board.microphone.position_s)

    def hurry(self, now_s: float) -> None:
        """Queues silence from `now_s` up to the next event, so that a day does not take a day."""
        until_s = self._events[0].at_s if self._events else self._end_s
        self._board.microphone.say(np.zeros(max(0, int((until_s - now_s) * RATE)), np.int16))

    def _act(self, event: Event) -> float:
        """Does what the event says; returns the seconds of speech it queued."""
        if event.note:
            self._tell(event.note)
        if event.battery is not None or event.charging is not None:
            level = self._board.gauge.read().percent if event.battery is None else event.battery
            self._board.set_battery(level or 0, charging=bool(event.charging))
            if self.headband is not None:
                self.headband.expect_power_change()
        if event.image is not None:
            self._board.camera.show(event.image)
            if self._fast and self.headband is not None:
                self.headband.watch_now()  # seconds pass in milliseconds: the next look would come too late
        clips = [self._board.microphone.say(path) for path in event.say]
        return sum(len(clip.pcm) for clip in clips) / RATE


def wear(script: Script, config: Config, options: argparse.Namespace) -> int:
    """`headband run --script`; returns the exit code."""
    narrator = Narrator(quiet=options.json)
    out = options.out
    apart(_files(out), _read_by(script, options))
    apart((options.trace, *_files(out)[:1]), _read_by(script, options))
    writable_folder(out, "sound, trace and picture")
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    headband = asyncio.run(_wear(script, config, narrator, not options.real_time, options.mode, out))
    trace_fault = saved(partial(write_trace, headband.timeline.spans), options.trace)
    if options.json:
        for turn in narrator.turns:
            print_json(turn_json(turn, headband), indent=None)
    failed = missed([_speaker_fault(headband), trace_fault]) or any(turn.failure for turn in narrator.turns)
    return 1 if failed else 0


def _files(out: Path | None) -> tuple[Path, ...]:
    """What is left in the folder."""
    names = ("spoken.wav", "trace.json", "timeline.svg", "journal.jsonl", "energy.json")
    return () if out is None else tuple(out / name for name in names)


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
    config = replace(config, journal=replace(config.journal, path=str(out / "journal.jsonl")))
    print("The headband on the emulated board: wake word, question, look, think, speak, in each power mode.")
    with PeakSampler(period_s=0.1) as peak:
        headband = asyncio.run(_wear(script, config, narrator, options.fast, "auto", out))
    drawn = picture(_chapters(narrator.turns, headband))
    unsaved = missed(
        [
            _speaker_fault(headband),
            saved(partial(write_trace, headband.timeline.spans), out / "trace.json"),
            saved(lambda path: path.write_text(drawn, encoding="utf-8"), out / "timeline.svg"),
        ]
    )
    print(f"\nmemory: main {peak.main_rss_mib:.0f} MiB, peak of all processes {peak.tree_mib:.0f} MiB")
    if not unsaved:
        print(_LAST_SCREEN.format(out=out, audible="" if headband.board.speaker.audible else _SILENT))  # type: ignore[attr-defined]
    return 1 if unsaved or any(turn.failure for turn in narrator.turns) else 0


def _speaker_fault(headband: Headband) -> str | None:
    """Why what it said is in no file."""
    return headband.board.speaker.fault  # type: ignore[attr-defined,no-any-return]


_SILENT = " (no sound card was found, so nothing was heard)"
_LAST_SCREEN = """
In {out}:
  spoken.wav     every answer, as spoken{audible}
  timeline.svg   the turns as a picture: open it in a browser
  trace.json     the same for ui.perfetto.dev
  journal.jsonl  every transition and its cause
  energy.json    what used the battery, hour by hour, modelled

Try next:
  ./justw headband ask --audio host/demo/1-colour.wav --image host/demo/1-view.png --battery 15
  ./justw headband ask --audio YOUR.wav --image YOUR.png --json
  ./justw headband run --script host/demo/demo.toml --mode cascade
  ./justw headband status --diagram"""


async def _wear(
    script: Script, config: Config, narrator: Narrator, fast: bool, mode: str, out: Path | None
) -> Headband:
    pack = load_pack(config.pack)
    first = next((event.battery for event in script.events if event.battery is not None), 80)
    audio_out = None if out is None else out / "spoken.wav"
    board = emulated_board(battery_percent=first, real_time=not fast, audio_out=audio_out, sleeps=not fast)
    world = World(script, board, narrator.tell, fast)
    world.set_up()
    request = None if mode == "auto" else Mode(mode)
    async with Headband(
        board, pack, config, request=request, observe=narrator.observe, on_chunk=world.on_sound
    ) as headband:
        world.headband = headband
        if fast:
            headband.battery.patience_s = 1.0  # nobody waits for an answer, and the day is the same each time
            await headband.parts.bricks.settled()
            world.hurry(0.0)
        going_on = asyncio.create_task(world.go_on())
        await headband.run()
        going_on.cancel()
    await board.close()
    return headband


def _chapters(turns: list[Turn], headband: Headband) -> list[tuple[str, list[Span]]]:
    chapters = []
    for turn in turns:
        end_s = turn.ended_s or turn.started_s
        spans = [
            span
            for span in headband.timeline.spans
            if span.track != "turn" and span.end_s > turn.started_s and span.start_s < end_s
        ]
        spans = [replace(s, start_s=max(s.start_s, turn.started_s), end_s=min(s.end_s, end_s)) for s in spans]
        chapters.append((f'{turn.plan.mode.value}: "{turn.transcript}" - "{turn.answer}"', spans))
    return chapters

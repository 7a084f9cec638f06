"""Latency from the end of speech to the first audible word: the headband in each mode, and blocking chains of
the same bricks.

    python -m tests.eval.cost.latency [--turns 30] [--pack micro --pack ballast] [--only performance ...]
                                 [--slowdown N] [--rival] [--cold] [--without-reflex] [--heard-again]

L = (first audible sample) - (end of speech). It includes the silence by which the end is detected, which is
also shown separately. Sound is in real time; the question is synthesised, after the demo's wake word. The
chains alternate within one run:

  (a)  blocking, resident: after the endpoint transcribe, encode, answer, synthesise, one after the other
  (b)  blocking, one brick at a time: the same, each loaded before and released after its use
  ours performance, throttled (35 % of charge), cascade (14 %), which keeps its models, "alone", the same with
       one at a time (`cascade_one_at_a_time`), and "strict", that with nothing ahead (`cascade_prefetch`
       false): the headband itself

`--slowdown N` measures in a clock in which all computing takes N times as long, as on slower cores
(`tests.eval.cost.slow_machine`); `--rival` keeps one core busy. The mode's latency target is the bar there as
here. With `--cold` no file of the pack is in the page cache when a turn begins.

Every turn is about the view whatever the transcript is, so that packs with random weights can be measured.
Where such a pack has a reflex brick, chance decides whether that one answers; `--without-reflex` leaves it
out. With `--heard-again` the headband hears every question as often as one that it did not hear surely.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from typing import Annotated, Any

import numpy as np

from host.app.headband import Headband
from host.config import AnswerConfig, Config, JournalConfig, ListenConfig
from host.hearing.endpointer import CHUNK, RecordedQuestion
from host.session.events import Pressed
from host.turn.turn import Turn
from hw.audio.sound_and_picture_files import read_image, read_wav
from hw.device import MICROPHONE_RATE_HZ, Pcm
from hw.emulated.board import EmulatedBoard, emulated_board
from hw.settings import Range, argument
from models.brick import Completion, Frame, Prompt, Sentence, Transcript, Utterance
from models.pack.catalogue import Pack, load_pack, pack_names
from models.process.bricks import Bricks
from models.process.read_ahead import files_of
from models.process.residency import Residency
from models.train.sound.espeak import Espeak
from power.policy.config import PowerConfig
from tests.demo_files import COLOUR, DEMO
from tests.eval.arguments import counted, require_packs
from tests.eval.cost.latency_report import Series, report
from tests.eval.cost.slow_machine import rival, run_stretched, slowdown
from tests.models.process.tree_memory import tree_pss_mib

PERCENT = {"performance": 80, "throttled": 35, "cascade": 14}
ANSWERING = ("reflex", "llm")
"""The bricks that answer questions about a picture."""
WAKE_WORD, VIEW = DEMO / COLOUR[0], DEMO / COLOUR[1]
WORD_S, WAKE_S = 0.75, 0.95
"""End of the wake word in that file, and length of the pause after it."""
QUESTION = "what is the colour of the large shape in the middle of the picture"
SILENCE_S = 0.55
"""A fixed silence that is longer than any pause of 0.4 s: `tests.eval.hearing.endpoint`."""
CONFIG = Config(
    answer=AnswerConfig(fixed_route="now", earcons=False),
    listen=ListenConfig(follow_up_s=0.0, sleep_after_s=0.0),
    journal=JournalConfig(path=""),
)
BY_SETTING = {
    "alone": PowerConfig(cascade_one_at_a_time=True),
    "strict": PowerConfig(cascade_one_at_a_time=True, cascade_prefetch=False),
}
"""Cascade that loads one model at a time."""


@cache
def question(text: str = QUESTION) -> Pcm:
    """Wake word and question, int16 at 16 kHz."""
    said = (Espeak().say(text, "en-us", words_per_minute=175) * 12_000).astype(np.int16)
    return np.concatenate(
        [read_wav(WAKE_WORD)[: int(WAKE_S * MICROPHONE_RATE_HZ)], np.zeros(1600, np.int16), said]
    )


@asynccontextmanager
async def worn(pack: Pack, mode: str) -> AsyncIterator[tuple[Headband, EmulatedBoard, asyncio.Queue[Turn]]]:
    """A listening headband and its turns."""
    config = replace(CONFIG, power=BY_SETTING.get(mode, CONFIG.power))
    turns: asyncio.Queue[Turn] = asyncio.Queue()

    def observe(event: str, fields: dict[str, Any]) -> None:
        if event == "turn":
            turns.put_nowait(fields["turn"])

    board = emulated_board(battery_percent=PERCENT.get(mode, PERCENT["cascade"]), sound_card=False)
    board.camera.show(read_image(VIEW))
    async with Headband(board, pack, config, observe=observe) as headband:
        listening = asyncio.create_task(headband.run())
        await headband.bricks.settled()
        yield headband, board, turns
        headband.stop()
        await listening
    await board.close()


async def ours(
    headband: Headband, board: EmulatedBoard, turns: asyncio.Queue[Turn], into: Series, text: str = QUESTION
) -> Turn:
    """One question from the wake word on, about a view that is new to the headband; the answer is stopped
    after its start.
    """
    headband.recent_views.forget()
    board.speaker.seconds_played = 0.0
    first = headband.timeline.clock()
    peak = asyncio.create_task(watch_memory(into))
    clip = board.microphone.say(question(text))
    listening_s: float | None = None
    while turns.empty():
        await asyncio.sleep((0.002 if listening_s is None else 0.02) * slowdown())
        if listening_s is None and headband.state.interaction == "listening":
            listening_s = board.clock.monotonic()
        if headband.state.interaction == "speaking" and board.speaker.seconds_played > 0:
            headband.queue.post(Pressed("choice"))
    turn = turns.get_nowait()
    peak.cancel()
    if turn.failure or turn.first_audio_s is None:
        heard = f"{turn.transcript!r}, answer {turn.answer!r}, {', '.join(turn.notes) or 'no notes'}"
        raise SystemExit(f"a turn failed: {turn.failure or 'nothing was said'} ({heard})")
    if listening_s is not None and clip.started_s is not None:
        into.woken_s.append(listening_s - (clip.started_s - CHUNK / MICROPHONE_RATE_HZ + WORD_S))
    into.silence_s.append(turn.endpoint_silence_s)
    into.work_s.append(turn.first_audio_s - turn.started_s)
    spans = [
        (s.start_s, s.end_s) for s in headband.timeline.spans if s.track in ("stt", "vision", "llm", "tts")
    ]
    into.bare_s.append(covered(spans, turn.started_s, turn.first_audio_s))
    while headband.state.interaction != "standby" or headband.timeline.clock() - first < 1.0:  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    await headband.bricks.settled()
    await asyncio.sleep(0.3)
    answering = [event for event in headband.brick_events if event.brick in ANSWERING]
    into.answering_s.append(sum(event.processor_s or 0.0 for event in answering if event.end_s > first))
    return turn


async def blocking(bricks: Bricks, heard: RecordedQuestion, tokens: int, into: Series) -> None:
    """The same question, one stage after the other."""
    peak = asyncio.create_task(watch_memory(into))
    image = read_image(VIEW)
    pcm = heard.pcm.astype(np.float32) / np.float32(32768)
    began_s = time.monotonic()
    said, rows, text, first_s = Transcript("", 0.0), None, "", None
    async for chunk in bricks.run("stt", Utterance(pcm)):
        said = chunk
    async for chunk in bricks.run("vision", Frame(image)):
        rows = chunk
    assert rows is not None
    async for chunk in bricks.run("llm", Prompt(said.text, (rows,), tokens)):
        text = chunk.text if isinstance(chunk, Completion) else text
    async for _ in bricks.run("tts", Sentence(text or "I cannot tell.")):
        first_s = first_s or time.monotonic()
    assert first_s is not None
    peak.cancel()
    into.silence_s.append(SILENCE_S)
    into.work_s.append(first_s - began_s)
    await bricks.settled()


async def watch_memory(into: Series) -> None:
    """Largest memory of this process and its children, ten times a second of the computer's own clock: so
    looking takes no more of a slow machine.
    """
    while True:
        into.peak_mib = max(into.peak_mib, tree_pss_mib())
        await asyncio.sleep(0.1 * slowdown())


async def listening_cost(seconds: float = 20.0) -> float:
    """Percent of one core that the main process needs to listen, including the emulated devices."""
    async with worn(load_pack("micro"), "performance"):
        await asyncio.sleep(2.0)
        before_s = time.process_time()
        await asyncio.sleep(seconds)
        return 100 * (time.process_time() - before_s) / seconds


def covered(spans: list[tuple[float, float]], start_s: float, end_s: float) -> float:
    """Seconds between start and end that are in at least one span."""
    total, at_s = 0.0, start_s
    for begin_s, stop_s in sorted(spans):
        begin_s, stop_s = max(begin_s, at_s), min(stop_s, end_s)
        if stop_s > begin_s:
            total += stop_s - begin_s
            at_s = stop_s
    return total


def forget_files(pack: Pack) -> None:
    """Has the system drop the pack's files from its page cache, but for what a process has mapped."""
    for path in {path for spec in pack.bricks.values() for path in files_of(spec)}:
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def chosen_pack(name: str, reflex: bool, again: bool) -> Pack:
    """The pack; reflex: its reflex brick is asked, if it has one; again: no transcript is sure enough."""
    pack = load_pack(name)
    bricks = {name: brick for name, brick in pack.bricks.items() if reflex or name != "reflex"}
    if again:
        options = {**bricks["stt"].options, "sure_from": 1.0}
        bricks["stt"] = replace(bricks["stt"], options=options)
    return replace(pack, bricks=bricks)


async def measure(pack: str, loaded: Pack, turns: int, modes: tuple[str, ...], cold: bool) -> None:
    """All chains on one pack, in rounds. cold: no file of it is in the page cache when a turn begins."""
    series = {name: Series() for name in ("a", "b", *modes)}
    heard: RecordedQuestion | None = None
    tokens = 32
    rounds = 3 if turns >= 3 else 1
    for number in range(rounds):
        share = turns * (number + 1) // rounds - turns * number // rounds
        for mode in modes:
            async with worn(loaded, mode) as (headband, board, taken):
                for warm in range(share + 1):
                    into = Series() if warm == 0 else series[mode]
                    if cold:
                        forget_files(loaded)
                    turn = await ours(headband, board, taken, into)
                    heard, tokens = turn.heard, turn.plan.answer_max_tokens
                    into.bar_s, into.ahead = turn.plan.latency_target_s, turn.plan.ahead.reason
        assert heard is not None
        for name, residency in (("a", Residency("resident")), ("b", Residency("one_at_a_time"))):
            bricks = Bricks(loaded, threads=os.cpu_count() or 1, on_event=series[name].note)
            await bricks.apply(residency)
            await bricks.start()
            await bricks.settled()
            for warm in range(share + 1):
                if cold:
                    forget_files(loaded)
                await blocking(bricks, heard, tokens, Series() if warm == 0 else series[name])
            await bricks.close()
    assert heard is not None
    report(pack, series, heard)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="just latency", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=counted, default=30)
    parser.add_argument("--pack", action="append", help="default: every pack on this machine")
    parser.add_argument(
        "--only", action="append", choices=(*PERCENT, *BY_SETTING), help="default: all but strict"
    )
    parser.add_argument(
        "--slowdown", type=times, default=1.0, metavar="N", help="computing takes N times longer"
    )
    parser.add_argument("--rival", action="store_true", help="one core is kept busy beside")
    parser.add_argument(
        "--cold", action="store_true", help="the pack's files are read from the disk each turn"
    )
    parser.add_argument(
        "--without-reflex", action="store_true", help="the language model answers, whatever reflex thinks"
    )
    parser.add_argument(
        "--heard-again", action="store_true", help="every question is heard again, as an unsure one"
    )
    options = parser.parse_args()
    require_packs(parser, options.pack or ())
    if options.slowdown != slowdown():
        command = [sys.executable, "-m", "tests.eval.cost.latency", *sys.argv[1:]]
        raise SystemExit(run_stretched(options.slowdown, command))
    with rival(options.rival):
        measured(options)


def measured(options: argparse.Namespace) -> None:
    """Everything, on the machine as it is."""
    beside = ", beside one busy process" if options.rival else ""
    print(f"cores {options.slowdown:g} times slower than this computer's{beside}")
    print(f"main process while listening: {asyncio.run(listening_cost()):.1f} % of one core")
    for pack in options.pack or pack_names():
        modes = tuple(options.only or (*PERCENT, "alone"))
        loaded = chosen_pack(pack, not options.without_reflex, options.heard_again)
        asyncio.run(measure(pack, loaded, options.turns, modes, options.cold))


times = argument(Annotated[float, Range(1, 100, "times")])
"""Converts the slowdown on the command line, 1 to 100 times."""


if __name__ == "__main__":
    main()

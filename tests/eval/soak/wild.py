"""A soak test with faults in one process: are resources freed, and is the journal consistent?"""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from host.app.headband import Headband
from host.config import AnswerConfig, Config, JournalConfig, ListenConfig
from host.states import POWER
from hw.device import LightPattern
from hw.emulated.board import emulated_board
from hw.emulated.room import Room
from models.pack.catalogue import load_pack
from models.process.rss import children
from power.policy.config import PowerConfig
from tests.eval.soak.census import Census, census, settle_threads
from tests.eval.soak.journal import faults, lines_of
from tests.eval.soak.voice import Voice
from tests.eval.soak.wearer import PATIENCE_S, Stuck, Wearer

ROOM = Room(gain_db=-10.0)
GROWTH_MIB = 6.0
"""Allowed growth of the main process's resident memory. Its records of the last turns (journal lines, spans,
events of bricks, turns of the ledger) are bounded, and reach their limits after some hundred turns.
"""
LEAST_TURNS = 0.3
"""Least number of turns per utterance; with fewer, the headband does not hear."""
COUNT_TURNS = 50
"""Number of turns between two counts."""
_LAST_LINES = 25

LISTEN = ListenConfig(follow_up_s=0.4, sleep_after_s=1.2, start_timeout_s=1.0)
"""Waits that are shorter than the defaults, to save time."""


@dataclass
class Result:
    """The result of a soak test. `problems`: empty if it passed."""

    seed: int
    seconds: float = 0.0
    turns: int = 0
    counts: list[tuple[int, Census]] = field(default_factory=list)
    """Number of turns, and the count of resources after them."""
    done: dict[str, int] = field(default_factory=dict)
    interrupted: dict[str, int] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)
    journal: dict[str, int] = field(default_factory=dict)
    """Number of journal lines, by kind."""
    problems: list[str] = field(default_factory=list)
    last_lines: list[str] = field(default_factory=list)


async def bad_day(
    turns: int,
    seed: int,
    pack_name: str = "micro",
    *,
    first_steps: tuple[str, ...] | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> Result:
    """Runs at least `turns` turns; the last is a question without faults, which has to be answered.
    `first_steps`: faults that are injected once each before the first count; None for all kinds.
    """
    result = Result(seed)
    began_s = time.monotonic()
    voice = Voice()
    with tempfile.TemporaryDirectory(prefix="headband-soak-") as folder:
        path = Path(folder) / "journal.jsonl"
        config = Config(
            listen=LISTEN,
            answer=AnswerConfig(length_scale=0.7),
            power=PowerConfig(dwell_s=0.0, fast_poll_s=2.0, slow_poll_s=2.0),
            journal=JournalConfig(str(path), max_bytes=1_000_000_000),
        )
        began_with = set(children(os.getpid()))
        board = emulated_board(sound_card=False, sleeps=True, room=ROOM)
        board.camera.show(voice.questions[0][1])
        board.light.set(LightPattern.STANDBY)  # its thread begins with the first pattern
        headband = Headband(
            board, load_pack(pack_name), config, observe=lambda event, fields: wearer.observe(event, fields)
        )
        wearer = Wearer(headband, board, voice, random.Random(seed))
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: result.problems.append(f"{context['message']}: {context.get('exception')!r}")
        )
        async with headband:
            acting = asyncio.create_task(_act(wearer, turns, first_steps, result, tell))
            result.problems += await _worn(wearer, acting)
        await board.close()
        if left := set(children(os.getpid())) - began_with:
            result.problems.append(f"processes are left over: {sorted(left)}")
        if not board.pmu.lines.rail_on or board.pmu.lines.reset_s:
            result.problems.append("the microcontroller restarted the computer")
        text = path.read_text(encoding="utf-8")
    lines, wrong = lines_of(text)
    result.problems += wrong + faults(lines)
    result.journal = Counter(_kind(line) for line in lines)
    result.last_lines = text.splitlines()[-_LAST_LINES:]
    result.turns, result.seconds = wearer.turns, time.monotonic() - began_s
    result.done, result.interrupted, result.failed = wearer.done, wearer.interrupted, wearer.failed
    result.problems += _grown(result.counts)
    return result


async def _worn(wearer: Wearer, acting: asyncio.Task[None]) -> list[str]:
    """Runs the headband until `acting` ends; returns the errors of both."""
    problems = []
    running = asyncio.create_task(wearer.headband.run())
    passing = asyncio.create_task(wearer.pass_time())
    await asyncio.wait([running, acting], return_when=asyncio.FIRST_COMPLETED)
    if not acting.done():
        problems.append("run ended by itself")
        acting.cancel()
    await wearer.leave()
    wearer.headband.stop("the day is over")
    wearer.board.wake.set(True)
    await asyncio.wait([running], timeout=PATIENCE_S)
    if not running.done():
        problems.append("run does not end")
        running.cancel()
    passing.cancel()
    for ended in await asyncio.gather(acting, running, passing, return_exceptions=True):
        if isinstance(ended, Exception):
            problems.append(f"{type(ended).__name__}: {ended}")
    return problems


async def _act(
    wearer: Wearer,
    turns: int,
    first_steps: tuple[str, ...] | None,
    result: Result,
    tell: Callable[[str], None],
) -> None:
    await wearer.quiet()
    for also in (*wearer.faults, "interrupt") if first_steps is None else first_steps:
        await wearer.step(also)
    await _count(wearer, result, tell)
    steps, begun = 0, wearer.turns
    while wearer.turns < turns - 1:
        await wearer.step()
        steps += 1
        if steps > 10 and wearer.turns - begun < steps * LEAST_TURNS:
            raise Stuck(f"{steps} things were said, and only {wearer.turns - begun} turns came of it.")
        if wearer.turns >= begun + COUNT_TURNS * len(result.counts):
            await _count(wearer, result, tell)
    await _count(wearer, result, tell, ask=True)


async def _count(wearer: Wearer, result: Result, tell: Callable[[str], None], *, ask: bool = False) -> None:
    await wearer.rest(ask)
    await settle_threads()
    count = census()
    result.counts.append((wearer.turns, count))
    tell(f"after {wearer.turns} turns: {count}")


def _grown(counts: list[tuple[int, Census]]) -> list[str]:
    if len(counts) < 2:
        return ["what it held was never counted twice"]
    (_, first), (_, last) = counts[0], counts[-1]
    grown = first.grown(last)
    growth_mib = last.resident_mib - first.resident_mib
    if abs(growth_mib) > GROWTH_MIB:
        grown.append(f"resident memory: {first.resident_mib:.1f} -> {last.resident_mib:.1f} MiB")
    return grown


def _kind(line: dict[str, Any]) -> str:
    if line["event"] == "transition" and line["region"] == POWER:
        return f"to {line['to']}"
    if line["event"] == "timers":
        return "timer announced" if "announced" in line else "timer"
    return str(line["event"])


def report(result: Result) -> str:
    """The result as a few lines of text."""
    lines = [f"bad day, seed {result.seed}: {result.turns} turns in {result.seconds:.0f} s"]
    for turns, count in result.counts:
        lines.append(f"  after {turns:4d} turns  {count}")
    for title, counts in (
        ("done", result.done),
        ("turns", result.interrupted),
        ("failed", result.failed),
        ("journal", result.journal),
    ):
        if counts:
            lines.append(f"  {title:8s}" + ", ".join(f"{name} {count}" for name, count in counts.items()))
    lines += [f"  PROBLEM {problem}" for problem in result.problems]
    if result.problems:
        lines += ["  the journal's last lines:", *(f"    {line}" for line in result.last_lines)]
    return "\n".join(lines)

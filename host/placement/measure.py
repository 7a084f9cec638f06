"""Measures the bricks on this computer: each task at each place with each number of threads, and their
medians.

Times are taken at the present clocks, which are those of performance; those of the other modes are taken from
them by the ratio that the modelled board has between its modes, and stay modelled. So does every energy.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hw.supply import BatteryReading
from models.brick import (
    MICROPHONE_RATE_HZ,
    BrickError,
    Embedding,
    Frame,
    Placement,
    Prefill,
    Prompt,
    Sentence,
    Utterance,
)
from models.closed_question import ClosedQuestion
from models.pack.catalogue import Pack
from models.process.bricks import Bricks
from models.process.residency import BrickEvent, BrickFailed, Residency
from power.account.energy_model import LOAD, EnergyModel, load_energy_model
from power.placement.as_json import MOST_THREADS, modelled_tables
from power.placement.table import MODES, Cost, Habits, ModeName, Place, Table, Task
from power.policy.plan import PowerPlan
from power.policy.policy import Policy

REPEATS = 3
FIRST_SENTENCE_TOKENS = 12
QUESTION = "what colour is the circle"
SENTENCE = "The circle is red and the square beside it is blue."
_PERCENT = {"performance": 80, "throttled": 35, "cascade": 12}
_PICTURE_PX = (480, 640, 3)
_PLAIN_STAGE = "llm"
"""The stage of the energy model for a brick that has none of its own."""


async def measured_table(
    pack: Pack, board: str, progress: Callable[[str], None], *, repeats: int = REPEATS
) -> Table:
    """The pack's table on this computer. Raises `BrickFailed` where a brick does not work on the cores; a
    place that does not work is told to `progress` and left out.
    """
    modelled = modelled_tables()
    known = modelled.get(pack.name)
    habits = (known or next(iter(modelled.values()))).habits
    energy = load_energy_model()
    plans = {mode: _plan(mode) for mode in MODES}
    rows: list[Cost] = []
    for place in _places(pack):
        for threads in _thread_counts() if place == "cores" else (1,):
            async with _bricks(pack, place, threads) as (bricks, events):
                for name in _at(pack, place):
                    try:
                        found = await _times(bricks, events, name, habits, repeats)
                    except (BrickFailed, BrickError) as error:
                        if place == "cores":
                            raise
                        progress(f"{name} does not work on the {place}: {error}")
                        continue
                    memory_mib = round(bricks.memory_mib()[name], 1)
                    for task, seconds in found.items():
                        rows += _in_all_modes(
                            name, task, place, threads, seconds, memory_mib, energy, plans, known
                        )
                        middle_s = statistics.median(seconds)
                        progress(f"{name:7} {task:9} {place:5} threads {threads}  {middle_s:8.3f} s")
    awake_w = tuple((mode, round(energy.stage_mw("idle", plans[mode]) / 1000, 4)) for mode in MODES)
    return Table(board, pack.name, habits, awake_w, tuple(rows))


def _places(pack: Pack) -> tuple[Place, ...]:
    return ("cores", "npu") if any(_on_npu(pack)) else ("cores",)


def _on_npu(pack: Pack) -> Iterator[str]:
    return (name for name, spec in pack.bricks.items() if spec.placement is Placement.NPU)


def _at(pack: Pack, place: Place) -> tuple[str, ...]:
    """The bricks that are measured there: no rule of placement uses times of the others."""
    names = _on_npu(pack) if place == "npu" else iter(pack.bricks)
    return tuple(name for name in names if name in ("stt", "vision", "reflex", "llm", "tts"))


def _thread_counts() -> tuple[int, ...]:
    cores = min(MOST_THREADS, os.cpu_count() or 1)
    return tuple(sorted({*range(1, min(4, cores) + 1), cores}))


@asynccontextmanager
async def _bricks(pack: Pack, place: Place, threads: int) -> AsyncIterator[tuple[Bricks, list[BrickEvent]]]:
    events: list[BrickEvent] = []
    alone = replace(pack, on_cores={}) if place == "npu" else pack
    bricks = Bricks(alone, on_event=events.append, threads=threads)
    if place == "cores":
        bricks.prefer(set(pack.on_cores), {})
    try:
        await bricks.apply(Residency("budgeted"))
        yield bricks, events
    finally:
        await bricks.close()


async def _times(
    bricks: Bricks, events: list[BrickEvent], name: str, habits: Habits, repeats: int
) -> dict[Task, list[float]]:
    """Seconds of each task of a brick. Raises `BrickFailed` or `BrickError`."""
    rows = _rows(bricks.pack, name)
    picture = None if rows is None or name != "llm" else bricks.put(rows)
    found: dict[Task, list[float]] = {}
    for number in range(repeats + 1):
        if picture is not None:
            # A prompt after the prefill of its picture, which is known by its slot, has only its words left.
            taken_s = await _seconds(bricks, name, Prefill((picture,)))
            prompt = Prompt(QUESTION, (picture,), FIRST_SENTENCE_TOKENS, keep=True)
            one: dict[Task, float] = {"picture": taken_s, "sentence": await _seconds(bricks, name, prompt)}
        else:
            task, request = _request(bricks, name, habits, None if rows is None else Embedding(rows))
            one = {task: await _seconds(bricks, name, request)}
        if number:  # the first warms up
            for task, seconds in one.items():
                found.setdefault(task, []).append(seconds)
        await bricks.release(name)
    loads = [each.end_s - each.start_s for each in events if (each.brick, each.kind) == (name, "load")]
    found["load"] = loads[1:] or loads
    bricks.discard(picture)
    return found


def _request(bricks: Bricks, name: str, habits: Habits, rows: Embedding | None) -> tuple[Task, Any]:
    random = np.random.default_rng(7)
    if name == "stt":
        time_s = np.arange(int(habits.spoken_s * MICROPHONE_RATE_HZ)) / MICROPHONE_RATE_HZ
        voiced = 0.2 * np.sin(2 * np.pi * 140 * time_s) * (np.sin(2 * np.pi * 3 * time_s) > 0)
        return "question", Utterance((voiced + 0.01 * random.standard_normal(len(time_s))).astype(np.float32))
    if name == "vision":
        return "picture", Frame(random.integers(0, 256, _PICTURE_PX, np.uint8))
    if name == "reflex":
        assert rows is not None
        return "question", ClosedQuestion(QUESTION, rows, certainty=1.0)
    if name == "llm":
        return "sentence", Prompt(QUESTION, (), FIRST_SENTENCE_TOKENS)
    return "sentence", Sentence(SENTENCE)


def _rows(pack: Pack, name: str) -> NDArray[np.float32] | None:
    """A picture's rows, of the shape that the brick reads; None for one that reads none."""
    giver = {"llm": "vision", "reflex": "reflex"}.get(name, "")
    if giver not in pack.bricks:
        return None
    options = pack.bricks[giver].options
    shape = int(options["tokens"]), int(options["width"])
    return np.random.default_rng(8).standard_normal(shape, np.float32)


async def _seconds(bricks: Bricks, name: str, request: Any) -> float:
    """From the request to the end of the answer, loaded before."""
    bricks.prepare(name)
    with suppress(BrickFailed, asyncio.TimeoutError):  # the request below meets it again
        await bricks.settled()
    began_s = time.monotonic()
    async for chunk in bricks.run(name, request):
        if isinstance(chunk, Embedding):
            bricks.discard(chunk)
    return time.monotonic() - began_s


def _in_all_modes(
    brick: str,
    task: Task,
    place: Place,
    threads: int,
    seconds: list[float],
    memory_mib: float,
    energy: EnergyModel,
    plans: dict[ModeName, PowerPlan],
    known: Table | None,
) -> Iterator[Cost]:
    stage = "load" if task == "load" else brick if brick in energy.stages else _PLAIN_STAGE
    if place == "npu" and f"{stage}_npu" in energy.stages:
        stage = f"{stage}_npu"
    middle_s, low_s, high_s = statistics.median(seconds), min(seconds), max(seconds)
    used = 1 if task == "load" else threads
    if task == "load" and threads != 1:
        return
    for mode, plan in plans.items():
        longer = 1.0 if mode == "performance" else _ratio(known, brick, task, place, used, mode, energy, plan)
        power_mw = energy.stage_mw(stage, replace(plan, online_cpus=used))
        measured = mode == "performance"
        yield Cost(
            brick,
            task,
            place,
            mode,
            used,
            round(middle_s * longer, 6),
            round(low_s * longer, 6) if len(seconds) > 1 else round(middle_s * longer, 6),
            round(high_s * longer, 6),
            round(middle_s * longer * power_mw / 1000, 6),
            memory_mib,
            "measured" if measured else "modelled",
            f"headband tune, median of {len(seconds)}"
            if measured
            else f"headband tune in performance, and the modelled ratio of the clocks, {longer:.3f}",
        )


def _ratio(
    known: Table | None,
    brick: str,
    task: Task,
    place: Place,
    threads: int,
    mode: ModeName,
    energy: EnergyModel,
    plan: PowerPlan,
) -> float:
    """How many times longer the mode's clocks make it: by the modelled rows, else as for cores' work."""
    if known is not None:
        full = known.find(brick, task, place, "performance", threads)
        slower = known.find(brick, task, place, mode, threads)
        if full is not None and slower is not None and full.seconds > 0:
            return slower.seconds / full.seconds
    return 1.0 if place == "npu" else energy.slower(plan, (LOAD,) if task == "load" else ())


def _plan(mode: ModeName) -> PowerPlan:
    reading = BatteryReading(_PERCENT[mode], 3800, -200, 25.0, False, "good")
    return Policy().decide(reading, 0.0)[0]

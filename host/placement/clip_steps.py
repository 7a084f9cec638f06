"""Measures what each step of a clip takes on this computer: pictures through the encoder by depth and number,
a unit and a question of the motion brick.
"""

from __future__ import annotations

import itertools
import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.brick import Activation, Encode, Resume
from models.clip import ClipQuestion, Unit, read_at
from models.pack.catalogue import Pack
from models.pack.motion_files import ClipLabels
from models.process.bricks import Bricks
from models.process.residency import Residency
from models.sensing.configuration import TOGETHER
from models.sensing.latency import StepCosts
from models.sensing.registration import small_picture
from power.placement.choice import Placed

REPEATS = 20
_WARM_UP = 2
_PICTURE_PX = (480, 640, 3)
_GAP_S = 0.2
_LIVES_S = 30.0


@dataclass(frozen=True)
class StepTimes:
    """Seconds of every step. encode_s: by depth and number of pictures, until their units at that depth are
    there, with those at shallower depths, where the motion brick reads these too. unit_s: a unit at the last
    depth.
    """

    encode_s: Mapping[tuple[int, int], tuple[float, ...]]
    unit_s: tuple[float, ...]
    answer_s: tuple[float, ...]

    @property
    def costs(self) -> StepCosts:
        """What 95 % of the requests do not exceed, so that a time limit is kept."""
        encode_s = {key: _most(each) for key, each in self.encode_s.items()}
        return StepCosts(encode_s, _most(self.unit_s), _most(self.answer_s))


async def step_times(
    pack: Pack, progress: Callable[[str], None], placed: Sequence[Placed] = (), *, repeats: int = REPEATS
) -> StepTimes | None:
    """Of a pack with a motion brick, None without. placed: where its bricks compute, and with how many
    threads; without it where the pack has them, with as many as `Bricks` gives. Raises `BrickFailed` or
    `BrickError` where a brick does not work.
    """
    if "motion" not in pack.bricks:
        return None
    bricks = Bricks(pack)
    if placed:
        threads = {each.brick: each.threads for each in placed}
        bricks.limit_threads(min(max(threads.values()), os.cpu_count() or 1), threads)
        bricks.prefer({each.brick for each in placed if each.place == "cores"}, {})
    try:
        await bricks.apply(Residency("budgeted"))
        return await _measured(bricks, progress, repeats)
    finally:
        await bricks.close()


async def _measured(bricks: Bricks, progress: Callable[[str], None], repeats: int) -> StepTimes:
    settings = bricks.pack.bricks["motion"].options
    random = np.random.default_rng(9)
    pictures = [random.integers(0, 256, _PICTURE_PX, np.uint8) for _ in range(TOGETHER)]
    encode_s: dict[tuple[int, int], tuple[float, ...]] = {}
    unit_s: list[float] = []
    answers_s: dict[int, list[float]] = {depth: [] for depth in settings["depths"]}
    numbers = itertools.count(-1, -1)  # no clip of a question has such a number
    question = _question(ClipLabels.read(Path(settings["labels"])))
    for depth in settings["depths"]:
        for together in (1, TOGETHER):
            taken: list[float] = []
            number = next(numbers)
            for at in range(repeats + _WARM_UP):
                taken_s = [_GAP_S * (at * together + place) for place in range(together)]
                took_s, units = await _through(bricks, pictures[:together], taken_s, depth, number)
                answered_s = (await _timed(bricks, "motion", ClipQuestion(*question, number)))[0]
                if at >= _WARM_UP:
                    taken.append(took_s)
                    unit_s += units
                    answers_s[depth].append(answered_s)
            encode_s[depth, together] = tuple(taken)
            progress(
                f"clip    {together} through {depth:2} blocks          {statistics.median(taken):8.4f} s"
            )
    answer_s = answers_s[max(answers_s)]  # it reads the most depths
    found = StepTimes(encode_s, tuple(unit_s), tuple(answer_s))
    progress(f"clip    a unit {found.costs.unit_s:.4f} s, an answer {found.costs.answer_s:.4f} s")
    return found


async def _through(
    bricks: Bricks, pictures: Sequence[NDArray[np.uint8]], taken_s: Sequence[float], depth: int, clip: int
) -> tuple[float, list[float]]:
    """Pictures through the encoder into the motion brick: seconds without the units at the last depth, and of
    each of these.
    """
    began_s, deadline_s = time.monotonic(), time.monotonic() + _LIVES_S
    made: list[Activation] = []
    units: list[float] = []
    for stop in read_at(bricks.pack.bricks["motion"].options, depth):
        seen = made
        further = Resume(tuple(seen), stop, deadline_s=deadline_s)
        request = further if seen else Encode(tuple(pictures), stop, deadline_s=deadline_s)
        made = (await _timed(bricks, "vision", request))[1]
        for each in seen:
            bricks.discard(each)
        units = [
            (await _timed(bricks, "motion", Unit(each, at_s, clip, small_picture(picture))))[0]
            for each, at_s, picture in zip(made, taken_s, pictures, strict=True)
        ]
    took_s = time.monotonic() - began_s - sum(units)
    for each in made:
        bricks.discard(each)
    return took_s, units


def _question(labels: ClipLabels) -> tuple[str, str, str]:
    """Family, thing and other thing of a question; it takes the same time whichever they are."""
    return next(iter(labels.families)), labels.things[0], ""


def _most(seconds: Sequence[float]) -> float:
    return float(np.quantile(seconds, 0.95))


async def _timed(bricks: Bricks, name: str, request: Any) -> tuple[float, list[Activation]]:
    began_s = time.monotonic()
    found = [chunk async for chunk in bricks.run(name, request)]
    return time.monotonic() - began_s, [each for each in found if isinstance(each, Activation)]

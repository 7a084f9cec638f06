"""E1: how long after the end of speech a question about 16 pictures is answered; `just bench sensing`.

A producer thread gives a picture every 0.2 s, a consumer thread encodes them and gives them to the motion
brick; each is pinned to a core of its own where there are two. Pictures are taken in as they come, against
all of them when speech has ended, one by one and in batches, in turn on the same held-out clips. Answers are
those of the pack's own bricks, in this process; the same pictures answered from the last two of them show
what taking them in early is worth without aggregation.
"""

from __future__ import annotations

import os
import queue
import random
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from models.brick import Brick, Encode, Resume
from models.clip import MOST_UNITS, ClipAnswer, Unit, read_at
from models.clip import ClipQuestion as Asked
from models.pack.catalogue import load_pack
from models.sensing.registration import small_picture
from models.train.recall.views import loaded
from models.train.world.clips.draw import random_clip
from models.train.world.clips.values import Clip
from models.train.world.home.picture.render import render
from tests.eval.eye.page import share

UNITS, GAP_S = 16, 0.2
_SIDE_PX = 192
Rgb = NDArray[np.uint8]
GOAL = "-75.83 %, at most 3 points lost"


@dataclass
class Way:
    """together: pictures that pass the encoder in one request. on_arrival: as they come. units: that the
    answer is read from.
    """

    name: str
    together: int
    on_arrival: bool
    units: int = MOST_UNITS
    waits_s: list[float] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)


class Chain:
    """The pack's encoder and motion brick, one clip after the other."""

    def __init__(self, eye: Brick, brick: Brick, depths: Sequence[int]) -> None:
        self._eye, self._brick, self._depths, self._clip = eye, brick, depths, 0

    def begin(self) -> None:
        """The next picture is the first of a clip."""
        self._clip += 1

    def take(self, pictures: Sequence[Rgb], first: int) -> None:
        """Takes pictures in; first: the number of the first of them."""
        made = tuple(self._eye.execute(Encode(tuple(pictures), self._depths[0])))
        for depth in self._depths:
            made = tuple(self._eye.execute(Resume(made, depth)))
            for at, each in enumerate(made):
                taken_s, small = GAP_S * (first + at), small_picture(pictures[at])
                list(self._brick.execute(Unit(each, taken_s, self._clip, small)))

    def ask(self, family: str, thing: str, other: str, units: int) -> ClipAnswer:
        """The answer from the newest units."""
        (answer,) = self._brick.execute(Asked(family, thing, other, self._clip, units))
        assert isinstance(answer, ClipAnswer)
        return answer


def pinned(core: int, work: Callable[[], None]) -> threading.Thread:
    """A thread on one core, where there is more than one."""

    def run() -> None:
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) > 1:
            os.sched_setaffinity(threading.get_native_id(), {cores[core % len(cores)]})
        work()

    return threading.Thread(target=run)


def answered(chain: Chain, clip: Clip, pictures: Sequence[Rgb], way: Way) -> None:
    """Shows a clip in real time; notes the wait for the first question's answer, and which are right."""
    shown: queue.Queue[tuple[int, Rgb] | None] = queue.Queue()
    ended_s: list[float] = []

    def produce() -> None:
        begun_s = time.perf_counter()
        for number, picture in enumerate(pictures):
            time.sleep(max(0.0, begun_s + GAP_S * number - time.perf_counter()))
            shown.put((number, picture))
        ended_s.append(time.perf_counter())
        shown.put(None)

    def consume() -> None:
        chain.begin()
        waiting: list[tuple[int, Rgb]] = []
        while (each := shown.get()) is not None:
            waiting.append(each)
            if way.on_arrival:
                chain.take([picture for _, picture in waiting], waiting[0][0])
                waiting.clear()
        for at in range(0, len(waiting), way.together):
            group = waiting[at : at + way.together]
            chain.take([picture for _, picture in group], group[0][0])
        for number, question in enumerate(clip.questions):
            found = chain.ask(question.family, question.thing, question.other, way.units)
            if number == 0:
                way.waits_s.append(time.perf_counter() - ended_s[0])
            way.right.append(found.label == question.answer)

    threads = [pinned(0, produce), pinned(1, consume)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def measure(name: str, clips: int) -> None:
    """Prints the table of one pack, a name or a folder."""
    pack = load_pack(name)
    if "motion" not in pack.bricks:
        print(f"Pack '{pack.name}' has no motion brick.")
        return
    depth = int(pack.bricks["motion"].options["depth"])
    ways = [
        Way("as they come", 1, True),
        Way("when speech has ended, one by one", 1, False),
        Way("when speech has ended, by four", 4, False),
        Way("when speech has ended, all at once", UNITS, False),
        Way("as they come, from the last two only", 1, True, units=2),
    ]
    rng = random.Random("waiting")
    with loaded(pack.bricks["vision"]) as eye, loaded(pack.bricks["motion"]) as brick:
        chain = Chain(eye, brick, read_at(pack.bricks["motion"].options, depth))
        for _ in range(clips):
            clip = random_clip(rng, "held", lambda _: tuple(GAP_S * each for each in range(UNITS)))
            pictures = [render(view, _SIDE_PX) for view in clip.views]
            for way in rng.sample(ways, len(ways)):
                answered(chain, clip, pictures, way)
    print(f"sensing: pack {pack.name} {pack.version}, {clips} held-out clips of {UNITS} pictures, ")
    print(f"units after {depth} blocks; end of speech to answer, goal of the first against each: {GOAL}")
    ours = statistics.median(ways[0].waits_s)
    for way in ways:
        middle, p95 = statistics.median(way.waits_s), float(np.quantile(way.waits_s, 0.95))
        less = f"the first takes {100 * (ours / middle - 1):+.1f} %" if way is not ways[0] else ""
        right = share(way.right)
        print(
            f"  {way.name:38} median {1000 * middle:6.1f} ms, 95 % {1000 * p95:6.1f}; right {right}; {less}"
        )

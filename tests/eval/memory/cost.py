"""What remembering costs, as far as it can be counted here: how many looks show a new view, and what a look's
gate, a view's place and its row in the store take.

    ./justw eval memory-cost

The view gate is the headband's, with what it keeps of the last views; the days are held-out ones of the drawn
home, whose small motions of the head are drawn anew for every view, however short the time between two. Times
are CPU seconds of this computer, medians. `power/remembering/costs.toml` has these numbers.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from host.config import MemoryConfig
from host.memory.brick import MemoryBrick
from host.memory.requests import Access, Remember
from host.memory.things import SeenThing, things_of
from host.memory.values import Moment
from host.sensing.kept_views import KeptViews
from host.sensing.view_gate import gate
from models.brick import Frame
from models.pack.catalogue import load_pack
from models.train.world.home.day import Day, day, day_seen_at
from tests.eval.eye.held_home import picture_of
from tests.eval.eye.pieces import Detects, Eye, Rgb, chain_in, detector_of, loaded

PACK = Path("models/packs/micro")
FIRST_SEED = 9700
INTERVALS_S = (0.5, 1.6, 5.0)
"""Of the plan: at 100, 65 and 20 percent."""
AWAKE_S, AWAKE_PER_HOUR = 20.0, 8.0
"""A question, its answer and the quiet after it; the normal day's questions and sounds while it is worn."""
WAKES_S = (15.0, 30.0, 60.0, 120.0, 300.0)
WATCHED_S = 300.0
"""Length of a stretch in which the computer stays awake."""
STRETCHES = 6
SLEEP_S, QUIET_LOOKS = 64.0, 6
"""From wake-up to wake-up of a headband that stays awake after a look, and its further looks then."""
TIMED = 40


@dataclass
class Share:
    """So many of the looks showed a new view."""

    new: int = 0
    looks: int = 0

    def __str__(self) -> str:
        return f"{100 * self.new / self.looks:5.1f} % of {self.looks}" if self.looks else "none"


def worn_moment(today: Day, rng: random.Random) -> float:
    """A moment at which the wearer walks or dwells."""
    worn = [segment for segment in today.segments if segment.what != "idle"]
    segment = rng.choices(worn, [each.seconds for each in worn])[0]
    return rng.uniform(segment.start_s, segment.end_s)


def looked(seed: int, stretches: Iterable[Sequence[float]], first: Share, further: Share) -> None:
    """Lives these stretches of the day, rising moments each, through one gate; the first look of each counts
    in `first`, the others in `further`.
    """
    by_time = {at_s: at for each in stretches for at, at_s in enumerate(each)}
    seen = day_seen_at(seed, sorted(by_time), "held")
    kept = KeptViews(lambda encoded: None)
    for view in seen.views:
        counted = further if by_time[view.at_s] else first
        counted.looks += 1
        counted.new += kept.view(picture_of(view), view.at_s).verdict.kept


def spaced(start_s: float, length_s: float, every_s: float) -> list[float]:
    """Moments of a stretch."""
    return [round(start_s + every_s * number, 3) for number in range(int(length_s / every_s))]


def apart(starts: Iterable[float], length_s: float) -> list[float]:
    """Those of the rising moments that are at least so far apart."""
    found: list[float] = []
    for start_s in starts:
        if not found or start_s - found[-1] >= length_s:
            found.append(start_s)
    return found


def new_shares(days: int, first_seed: int) -> None:
    """Prints how many looks show a new view, and the curve through these shares."""
    points: list[tuple[float, Share]] = []
    for interval_s in INTERVALS_S:
        first, further, watched = Share(), Share(), Share()
        for seed in range(first_seed, first_seed + days):
            rng = random.Random(f"cost {seed}")
            today = day(seed, split="held")
            hours = sum(each.seconds for each in today.segments if each.what != "idle") / 3600
            starts = sorted(worn_moment(today, rng) for _ in range(int(hours * AWAKE_PER_HOUR)))
            awake = [spaced(start_s, AWAKE_S, interval_s) for start_s in apart(starts, AWAKE_S)]
            looked(seed, awake, first, further)
            starts = sorted(worn_moment(today, rng) for _ in range(STRETCHES))
            stay = [spaced(start_s, WATCHED_S, interval_s) for start_s in apart(starts, WATCHED_S)]
            looked(seed, stay, Share(), watched)
        points += [(interval_s, further), (interval_s, watched)]
        print(f"a look every {interval_s:g} s while awake: first look after a sleep new {first},")
        print(f"    further looks of {AWAKE_S:g} s awake new {further}; of {WATCHED_S:g} s awake {watched}")
    soon_shares(days, first_seed)
    for every_s in WAKES_S:
        share = Share()
        for seed in range(first_seed, first_seed + days):
            today = day(seed, split="held")
            worn = [each for each in today.segments if each.what != "idle"]
            moments = [spaced(each.start_s, each.seconds, every_s) for each in worn]
            looked(seed, moments, share, share)
        points.append((every_s, share))
        print(f"a look every {every_s:g} s, asleep in between: new {share}")
    shape, scale_s = fitted(points)
    print(f"new after t seconds: 1 - exp(-(t / {scale_s:.1f} s) ^ {shape:.2f})")
    alone = [every_s / _hazard(share) ** (1 / shape) for every_s, share in points]
    print(f"    with that exponent each time alone gives {min(alone):.0f} to {max(alone):.0f} s")


def soon_shares(days: int, first_seed: int) -> None:
    """Prints how many looks in the quiet seconds after one that ended a sleep are new, by its verdict."""
    first, soon = Share(), {True: Share(), False: Share()}
    for seed in range(first_seed, first_seed + days):
        worn = [each for each in day(seed, split="held").segments if each.what != "idle"]
        wakes = [at_s for each in worn for at_s in spaced(each.start_s, each.seconds, SLEEP_S)]
        looks = range(1 + QUIET_LOOKS)
        by_time = {round(at_s + each * INTERVALS_S[0], 3): each for at_s in wakes for each in looks}
        kept, was_new = KeptViews(lambda encoded: None), False
        for view in day_seen_at(seed, sorted(by_time), "held").views:
            new = kept.view(picture_of(view), view.at_s).verdict.kept
            was_new = was_new if by_time[view.at_s] else new
            counted = soon[was_new] if by_time[view.at_s] else first
            counted.looks += 1
            counted.new += new
    print(f"a look every {SLEEP_S:g} s new {first}; the {QUIET_LOOKS} every {INTERVALS_S[0]:g} s after it:")
    print(f"    after a new one {soon[True]}; after one already seen {soon[False]}")


def fitted(points: Sequence[tuple[float, Share]]) -> tuple[float, float]:
    """Exponent and scale in seconds of the curve, by least squares on logarithms, every time as much as the
    others.
    """
    line = statistics.linear_regression(
        [math.log(every_s) for every_s, _ in points], [math.log(_hazard(share)) for _, share in points]
    )
    return line.slope, math.exp(-line.intercept / line.slope)


def _hazard(share: Share) -> float:
    """-ln(1 - share), of half a look more or less where it would be 0 or infinite."""
    part = min(max(share.new, 0.5), share.looks - 0.5) / share.looks
    return -math.log1p(-part)


def cpu_s(work: Callable[[Rgb], object], pictures: Sequence[Rgb]) -> float:
    """Median CPU seconds of this process for one picture."""
    times = []
    for picture in pictures:
        began_s = time.process_time()
        work(picture)
        times.append(time.process_time() - began_s)
    return statistics.median(times)


def work_of_a_view(first_seed: int) -> None:
    """Prints what one look and one new view take."""
    today = day(first_seed, 2000, "held")
    pictures = [picture_of(view) for view in random.Random(0).sample(today.views, TIMED)]
    seen = [gate(picture, ()).measured for picture in pictures[:4]]
    print(f"gate, a look: {1e3 * cpu_s(lambda picture: gate(picture, seen), pictures):.2f} ms of CPU here")
    pack = load_pack(PACK)
    chain = chain_in(pack)
    with loaded(pack.bricks["vision"]) as brick:
        eye = Eye(brick)
        whole_s = cpu_s(lambda picture: list(brick.execute(Frame(picture))), pictures)
        print(f"eye, the whole picture: {1e3 * whole_s:.1f} ms of CPU here")
        for depth in (chain.exit_depths[0], chain.exit_depths[-1]):
            placed_s = cpu_s(_place(eye, depth), pictures)
            most = chain.exit_depths[-1]
            print(f"    a place after {depth} of {most} blocks: {placed_s / whole_s:.3f} of that")
        with detector_of(pack) as detects:
            seen_s = cpu_s(_looked_through(eye, detects, chain.exit_depths[-1]), pictures)
            print(f"    with what the object detector finds there: {seen_s / whole_s:.3f} of it")
    written(pictures)


def _place(eye: Eye, depth: int) -> Callable[[Rgb], object]:
    return lambda picture: eye.embed(eye.encode([picture], depth))


def _looked_through(eye: Eye, detects: Detects, depth: int) -> Callable[[Rgb], object]:
    """A place at full depth, and the things in the view."""

    def work(picture: Rgb) -> object:
        activations = eye.encode([picture], depth)
        (rows,) = eye.rows(activations)
        found = detects(rows)
        return eye.embed(activations), () if found is None else things_of(found)

    return work


def written(pictures: Sequence[Rgb]) -> None:
    """Prints what a row of the store takes."""
    vector, things = np.full(256, 1 / 16, np.float32), (SeenThing("keys", 0.9, (("red", 1.0),)),) * 2
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        store = MemoryBrick()
        number = iter(range(1, 1 << 20))

        def add(picture: Rgb) -> None:
            moment = Moment("boot", float(next(number)), 1_790_000_000.0)
            access = Access(str(path), bytes(32), MemoryConfig(), moment)
            list(store.execute(Remember(access, picture, moment, "new", vector, 12, "e", things=things)))

        row_s = cpu_s(add, pictures)
        store.release()
        size = sum(file.stat().st_size for file in Path(folder).iterdir()) / len(pictures)
    print(f"store, a view: {1e3 * row_s:.2f} ms of CPU here, {size:.0f} bytes")


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description="What remembering costs, as far as it can be counted here.")
    parser.add_argument("--days", type=int, default=3, help="held-out days (default 3)")
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED, help=f"default {FIRST_SEED}")
    options = parser.parse_args()
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    new_shares(options.days, options.first_seed)
    work_of_a_view(options.first_seed)


if __name__ == "__main__":
    main()

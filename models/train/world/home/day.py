"""One wearer's day: time-stamped views, each to be rendered on its own, and where every thing was when.

    today = day(7, views=3000)
    for view in today.views: picture = render(view)

The same seed gives the same day. Training days and held-out days share no layout.
"""

from __future__ import annotations

import bisect
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from models.train.world.home.errands import POCKET, Move, errands
from models.train.world.home.layouts import Layout, layout
from models.train.world.home.random_views import aimed_at, cover_of, random_light, random_target
from models.train.world.home.schedule import Segment, schedule
from models.train.world.home.splits import PLACES, random_layout_number
from models.train.world.home.views import Camera, Cover, Light, Thing, View

FEWEST, MOST = 100, 20_000
_RATE = {"walk": 3.0, "dwell": 1.0, "idle": 0.04}
"""Views per second of a segment, relative to dwelling."""


@dataclass(frozen=True)
class Interval:
    """A thing was on `surface` (also "hand" or "pocket") of `place` from `start_s` to `end_s`, seconds after
    midnight.
    """

    kind: str
    place: str
    surface: str
    start_s: float
    end_s: float

    def __str__(self) -> str:
        """ "keys: kitchen table from 8:12 to 9:40"."""
        where = f"{self.place} {self.surface}".strip()
        return f"{self.kind}: {where} from {clock(self.start_s)} to {clock(self.end_s)}"


@dataclass(frozen=True)
class Day:
    """A day of `split`: `layouts` has the number of every place's layout; views are in order of time."""

    seed: int
    split: str
    layouts: Mapping[str, int]
    segments: tuple[Segment, ...]
    intervals: tuple[Interval, ...]
    views: tuple[View, ...]

    def where(self, kind: str, at_s: float) -> Interval | None:
        """Where the thing was at that time; None outside the day."""
        for interval in self.intervals:
            if interval.kind == kind and interval.start_s <= at_s < interval.end_s:
                return interval
        return None


def clock(at_s: float) -> str:
    """Seconds after midnight as "8:12"."""
    return f"{int(at_s // 3600)}:{int(at_s % 3600 // 60):02d}"


def _intervals(moves: tuple[Move, ...], end_s: float) -> tuple[Interval, ...]:
    found = []
    for index, move in enumerate(moves):
        later = (other.at_s for other in moves[index + 1 :] if other.thing.kind == move.thing.kind)
        found.append(Interval(move.thing.kind, move.place, move.thing.surface, move.at_s, next(later, end_s)))
    return tuple(found)


def _times(segments: tuple[Segment, ...], views: int) -> Iterator[tuple[Segment, float]]:
    """The segment and the time of each view: evenly spread, but sparse in idle hours and dense in walks."""
    ends, total = [], 0.0
    for segment in segments:
        total += segment.seconds * _RATE[segment.what]
        ends.append(total)
    for index in range(views):
        mark = total * (index + 0.5) / views
        number = bisect.bisect_left(ends, mark)
        segment = segments[number]
        yield segment, segment.end_s - (ends[number] - mark) / _RATE[segment.what]


@dataclass(frozen=True)
class _Gaze:
    """What the wearer looks at for a while."""

    segment: Segment
    until_s: float
    camera: Camera
    light: Light
    cover: Cover | None


def _gaze(segment: Segment, at_s: float, place: Layout, here: tuple[Thing, ...], rng: random.Random) -> _Gaze:
    lying = [thing for thing in here if not thing.held]
    target = rng.choice(lying) if lying and rng.random() < 0.7 else None
    x, y = (target.x, target.y - 14) if target else random_target(place, rng)
    camera = aimed_at(x, y, rng.uniform(95, 205), place, rng)
    cover = cover_of(target, rng.uniform(0.3, 0.9), rng) if target and rng.random() < 0.05 else None
    draw = rng.random()
    quality = "dark" if draw < (0.5 if segment.what == "idle" else 0.03) else "clear"
    if quality == "clear" and draw > (0.6 if segment.what == "walk" else 0.985):
        quality = "blurred"
    seconds = {"walk": 6.0, "dwell": 90.0, "idle": 1e6}[segment.what] * rng.uniform(0.4, 1.8)
    return _Gaze(segment, at_s + seconds, camera, random_light(rng, quality), cover)


def _near(camera: Camera, rng: random.Random, still: bool) -> Camera:
    """The camera after a small motion of the head, none where the headband lies still."""
    if still:
        return camera
    return Camera(
        camera.x + rng.gauss(0, 0.012) * camera.field,
        camera.y + rng.gauss(0, 0.012) * camera.field,
        camera.field * (1 + rng.gauss(0, 0.008)),
        camera.roll_deg + rng.gauss(0, 0.6),
    )


def day(seed: int, views: int = 3000, split: str = "train") -> Day:
    """The day of that seed with exactly `views` views; ValueError outside 100 to 20,000 views."""
    if not FEWEST <= views <= MOST:
        raise ValueError(f"a day has {FEWEST} to {MOST} views, not {views}")
    return _day(seed, split, lambda segments: _times(segments, views))


def day_seen_at(seed: int, moments: Sequence[float], split: str = "train") -> Day:
    """The day of that seed with a view at each of these moments, rising, seconds after midnight; those
    outside of the day are left out.
    """
    return _day(seed, split, lambda segments: _at(segments, moments))


Marks = Iterator[tuple[Segment, float]]


def _at(segments: tuple[Segment, ...], moments: Sequence[float]) -> Marks:
    ends = [segment.end_s for segment in segments]
    for at_s in moments:
        number = bisect.bisect_right(ends, at_s)
        if segments[0].start_s <= at_s and number < len(segments):
            yield segments[number], at_s


def _day(seed: int, split: str, marks: Callable[[tuple[Segment, ...]], Marks]) -> Day:
    rng = random.Random(f"day {split} {seed}")
    numbers = {place: random_layout_number(rng, split) for place in PLACES}
    places = {place: layout(place, number) for place, number in numbers.items()}
    segments = schedule(rng)
    moves = errands(segments, places, split, rng)
    return Day(
        seed,
        split,
        numbers,
        segments,
        _intervals(moves, segments[-1].end_s),
        tuple(_views(marks(segments), moves, places, rng)),
    )


def _views(
    marks: Iterable[tuple[Segment, float]],
    moves: tuple[Move, ...],
    places: Mapping[str, Layout],
    rng: random.Random,
) -> Iterator[View]:
    """The views in order of time, each with the things that are at its place at its time."""
    now: dict[str, Move] = {}
    pending, gaze = 0, None
    here: tuple[Thing, ...] = ()
    for segment, at_s in marks:
        moved = pending
        while pending < len(moves) and moves[pending].at_s <= at_s:
            now[moves[pending].thing.kind] = moves[pending]
            pending += 1
        if moved != pending or gaze is None or gaze.segment is not segment:
            here = tuple(
                m.thing for m in now.values() if m.place == segment.place and m.thing.surface != POCKET
            )
        place = places[segment.place]
        if gaze is None or gaze.segment is not segment or at_s >= gaze.until_s:
            gaze = _gaze(segment, at_s, place, here, rng)
        camera = _near(gaze.camera, rng, still=segment.what == "idle")
        light = replace(gaze.light, level=gaze.light.level * rng.uniform(0.97, 1.03))
        yield View(
            segment.place, place.number, here, camera, light, gaze.cover, rng.getrandbits(32), round(at_s, 3)
        )

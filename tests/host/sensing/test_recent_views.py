"""Earlier views, and the distinction from pictures of the same view."""

import asyncio

import numpy as np
import pytest
from PIL import Image, ImageFilter

from host.sensing.kept_views import View
from host.sensing.recent_views import LOOK_AGAIN_S, LOOKS, READY_S, RecentViews
from hw.emulated.camera import FileCamera
from hw.emulated.clock import FakeClock
from hw.emulated.sensor import SensorTimes
from hw.linux.system_clock import SystemClock
from models.sensing.picture_quality import quality_of

RNG = np.random.default_rng(2)


def scene(x: int) -> np.ndarray:
    """A grey, noisy picture with a small red square whose left edge is at column x."""
    picture = RNG.normal(120, 6, (128, 128, 3))
    picture[60:72, x : x + 12] = (200, 30, 30)
    return picture.clip(0, 255).astype(np.uint8)


def test_a_small_thing_that_moved_makes_an_earlier_view_and_grain_does_not() -> None:
    async def scenario() -> None:
        camera = FileCamera([scene(20), scene(20), scene(60), scene(60)])
        views = RecentViews(camera, SystemClock())
        first = await views.look()
        assert views.before(first) is None
        again = await views.look()
        assert views.before(again) is first
        moved = await views.look()
        assert views.before(moved) is again
        later = await views.look()
        assert views.before(later) is again
        assert views.before(moved) is again, "a later look at the same does not hide what came before"
        views.forget()
        assert views.before(moved) is None

    asyncio.run(scenario())


def patches(seed: int) -> np.ndarray:
    """Squares of 16 pixels in random colours."""
    colours = np.random.default_rng(seed).integers(0, 256, (8, 8, 3))
    return np.kron(colours, np.ones((16, 16, 1))).astype(np.uint8)


def blurred(picture: np.ndarray) -> np.ndarray:
    return np.asarray(Image.fromarray(picture).filter(ImageFilter.GaussianBlur(9)))


async def _at_once() -> bool:
    return True


@pytest.mark.parametrize(
    ("shown", "taken"),
    [
        ((patches(2),), 1),
        ((blurred(patches(2)), patches(2)), 2),
        ((blurred(patches(1)), patches(1)), 2),
        ((np.zeros_like(patches(0)), blurred(patches(2)), patches(2)), 3),
        ((blurred(patches(2)), np.zeros_like(patches(0))), 3),
        ((blurred(patches(2)), np.zeros_like(patches(0))) * 2 + (patches(2),), LOOKS),
        ((blurred(patches(2)), blurred(patches(2)), patches(2)), 2),
        ((np.zeros_like(patches(0)), np.zeros_like(patches(0)), patches(2)), 2),
    ],
)
def test_the_camera_looks_again_until_a_picture_is_clear(shown: tuple[np.ndarray, ...], taken: int) -> None:
    """The pictures that are not used leave no earlier look behind."""

    async def scenario() -> None:
        camera = FileCamera([patches(1), *shown])
        views = RecentViews(camera, SystemClock())
        first = await views.look()
        view = await views.look_until_clear(_at_once)
        assert camera.captures == 1 + taken
        best = max(shown[:taken], key=lambda each: quality_of(each).sharpness or 0.0)
        assert (view.rgb == best).all()
        assert views.before(view) is first

    asyncio.run(scenario())


def test_no_more_pictures_are_taken_once_the_question_has_ended() -> None:
    async def never() -> bool:
        return False

    async def scenario() -> None:
        camera = FileCamera([blurred(patches(1)), patches(1)])
        await RecentViews(camera, SystemClock()).look_until_clear(never)
        assert camera.captures == 1

    asyncio.run(scenario())


def test_what_was_seen_long_ago_or_before_a_sleep_is_no_earlier_view() -> None:
    async def scenario() -> None:
        clock = FakeClock()
        views = RecentViews(FileCamera([scene(20), scene(20), scene(60), scene(60)]), clock)
        for _ in range(2):
            await views.look()
        await clock.advance(61.0)
        moved = await views.look()
        assert views.before(moved) is not None and views.before(moved, 60.0) is None
        again = await views.look()
        assert views.before(again, 60.0) is moved
        views.slept()
        assert views.before(again) is None

    asyncio.run(scenario())


def test_watching_outlives_a_camera_that_fails_for_a_while() -> None:
    async def scenario() -> None:
        clock = FakeClock()
        camera = FileCamera()
        views = RecentViews(camera, clock)
        watching = asyncio.create_task(views.watch(0.5))
        await clock.advance(1.2)
        camera.show(scene(20))
        await clock.advance(1.0)
        camera.show(scene(60))
        assert views.before(await views.look()) is not None
        watching.cancel()

    asyncio.run(scenario())


def test_the_interval_counts_from_picture_to_picture() -> None:
    """A slow camera does not reduce the rate of captures, unless it is slower than the interval."""

    class Slow(FileCamera):
        def __init__(self, clock: FakeClock, seconds: float) -> None:
            super().__init__(scene(20))
            self.clock, self.seconds = clock, seconds

        async def capture(self) -> np.ndarray:
            await self.clock.sleep(self.seconds)
            return await super().capture()

    async def pictures(seconds: float) -> list[float]:
        clock = FakeClock(0.0)
        taken: list[float] = []

        def looked(start_s: float, view: View, changed: bool) -> None:
            taken.append(round(view.taken_s, 6))

        views = RecentViews(Slow(clock, seconds), clock, looked)
        watching = asyncio.create_task(views.watch(0.5))
        await clock.advance(2.0)
        watching.cancel()
        return taken

    assert asyncio.run(pictures(0.35)) == [0.35, 0.85, 1.35, 1.85]
    assert asyncio.run(pictures(0.8)) == [0.8, 1.6]


TIMES = SensorTimes(0.18, 1 / 30, 4)


def test_the_sensor_streams_on_for_looks_in_a_row_and_for_nobody_else() -> None:
    """While pictures are taken every half second it stays on, beside a question too; a single picture, or
    one every two seconds, is followed by nothing.
    """

    async def scenario() -> None:
        clock = FakeClock()
        camera = FileCamera(patches(1), clock, TIMES)

        def streaming() -> bool:
            return camera.streaming

        views = RecentViews(camera, clock)
        looking = asyncio.create_task(views.look())
        await clock.advance(0.4)
        await looking
        assert not streaming()
        use = camera.use
        assert (use.starts, use.frames) == (1, 5) and use.streamed_s == pytest.approx(0.18 + 5 / 30)
        seldom = asyncio.create_task(views.watch(2.0))
        await clock.advance(1.0)
        assert not streaming()
        often = asyncio.create_task(views.watch(0.5))
        await clock.advance(3.0)
        assert streaming()
        starts = camera.use.starts
        await clock.advance(60.0)
        assert (streaming(), camera.use.starts) == (True, starts)
        often.cancel()
        await clock.advance(1.5)
        assert not streaming()
        seldom.cancel()

    asyncio.run(scenario())


@pytest.mark.parametrize("ends", ["clear", "cancelled", "a defect", "unplugged"])
def test_however_a_look_ends_the_sensor_stops(ends: str) -> None:
    async def scenario() -> None:
        clock = FakeClock()
        shown = [np.zeros_like(patches(0)), blurred(patches(2)), patches(2)]
        camera = FileCamera(shown, clock, TIMES)

        async def again() -> bool:
            assert camera.streaming
            if ends == "a defect":
                raise RuntimeError("a defect")
            await clock.sleep(LOOK_AGAIN_S)
            return True

        looking = asyncio.create_task(RecentViews(camera, clock).look_until_clear(again))
        await clock.advance(0.5)
        if ends == "cancelled":
            looking.cancel()
        elif ends == "unplugged":
            camera.unplug()
        await clock.advance(2.0)
        await asyncio.wait([looking])
        assert not camera.streaming
        if ends == "clear":
            assert camera.use.starts == 1, "it streams on between the looks"
            assert camera.use.streamed_s < 0.35 + 2 * (LOOK_AGAIN_S + 0.05)

    asyncio.run(scenario())


async def _passes(clock: FakeClock, seconds: float) -> None:
    for _ in range(round(seconds / 0.01)):
        await clock.advance(0.01)


def _streams(camera: FileCamera) -> bool:
    return camera.streaming


@pytest.mark.parametrize("heard_s", [0.1, 0.39, 0.6])
def test_a_question_waits_for_no_sensor_that_a_sound_has_started(heard_s: float) -> None:
    """Nothing that was there before the question is looked at."""

    async def scenario() -> None:
        clock = FakeClock()
        camera = FileCamera([scene(20), patches(2)], clock, TIMES)
        seen: list[np.ndarray] = []
        views = RecentViews(camera, clock, lambda start_s, view, changed: seen.append(view.rgb))
        readying = asyncio.create_task(views.ready())
        await _passes(clock, heard_s)
        assert _streams(camera) and not seen and views.newest is None
        began_s = clock.monotonic()
        looking = asyncio.create_task(views.look_until_clear(_at_once))
        while not looking.done():
            await _passes(clock, 0.01)
        took_s = clock.monotonic() - began_s
        await asyncio.wait([readying])
        assert not _streams(camera) and camera.use.starts == 1
        assert took_s <= max(0.35 - heard_s, 0.0) + TIMES.frame_s + 0.03
        assert len(seen) == 1 and camera.captures == 2

    asyncio.run(scenario())


@pytest.mark.parametrize("ends", ["by itself", "asleep", "recording off", "unplugged", "cancelled"])
def test_a_sensor_that_no_question_needs_stops(ends: str) -> None:
    async def scenario() -> None:
        clock = FakeClock()
        camera = FileCamera(scene(20), clock, TIMES)
        views = RecentViews(camera, clock)
        readying = asyncio.create_task(views.ready())
        await _passes(clock, 0.3 if ends == "unplugged" else 0.45)
        if ends == "unplugged":
            camera.unplug()
        elif ends == "asleep":
            views.slept()
        elif ends == "recording off":
            await camera.record(False)
            views.forget()
        elif ends == "cancelled":
            readying.cancel()
        await _passes(clock, 0.2 if ends == "unplugged" else READY_S if ends == "by itself" else 0.02)
        assert readying.done() and not camera.streaming and views.newest is None
        assert camera.use.streamed_s <= 0.35 + READY_S + 0.03

    asyncio.run(scenario())


def test_a_sensor_that_was_not_needed_is_started_by_the_next_sound_again() -> None:
    async def scenario() -> None:
        clock = FakeClock()
        camera = FileCamera(patches(2), clock, TIMES)
        views = RecentViews(camera, clock)
        views.slept()
        for number in (1, 2):
            readying = asyncio.create_task(views.ready())
            await _passes(clock, 0.45)
            assert _streams(camera) and camera.use.starts == number
            await _passes(clock, READY_S)
            assert readying.done() and not _streams(camera)

    asyncio.run(scenario())

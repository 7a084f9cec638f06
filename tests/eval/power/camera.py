"""What pictures cost the battery, and what a question waits for one, by the rule for when the sensor streams.

    python -m tests.eval.power.camera [--minutes 30] [--seed 1]

The emulated camera on simulated time, asked by the headband's own `RecentViews`: a picture every so many
seconds as a plan says, and questions at random moments, each with one look at a clear view. Times of the
sensor are those of `power/twin/parameters.toml`, its power that of `power/rk3566.toml`: modelled. Rules:

  off after each    the sensor stops after every picture
  a second longer   it runs on for a second after every picture, as the headband's did before
  always on         it never stops
  as the headband   it runs on only while the next picture is wanted within a second
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Annotated

import numpy as np

from host.sensing.recent_views import RecentViews
from hw.device import CameraUse
from hw.emulated.camera import FileCamera
from hw.emulated.clock import FakeClock
from hw.emulated.sensor import SensorTimes
from hw.settings import Range, argument
from hw.supply import BatteryReading
from power.account.energy_model import load_energy_model
from power.policy.config import PowerConfig
from power.policy.plan import Mode
from power.policy.policy import Policy
from power.twin.parameters import load_parameters
from tests.eval.arguments import counted

FRAME_S = 1 / 30
SETTLING = 4
"""As `settling_frames` of `hw/rk3566/board.toml`."""
RULES = ("off after each", "a second longer", "always on", "as the headband")
STEP_S = 0.01
QUESTIONS_PER_MINUTE = 2.0
_minutes = argument(Annotated[float, Range(1, 1_000_000, "minutes")])


@dataclass(frozen=True)
class Found:
    """One rule at one interval."""

    use: CameraUse
    seconds: float
    waits_s: tuple[float, ...]
    """From a question's request for a picture to the picture."""


class _Ruled(FileCamera):
    """A camera that always or never expects a next picture, whatever it is told."""

    def __init__(self, clock: FakeClock, times: SensorTimes, *, next_expected: bool) -> None:
        super().__init__(clear_view(), clock, times)
        if next_expected:
            super().start(1.0 / times.hold_s)

    def start(self, rate_hz: float) -> None:
        """It does not listen."""

    def stop(self) -> None:
        """It does not listen."""


def clear_view() -> np.ndarray:
    """A picture that nobody looks at twice: sharp and bright, uint8 [48, 64, 3]."""
    squares = np.indices((48, 64)).sum(axis=0) // 4 % 2
    return np.repeat(np.where(squares, 220, 40).astype(np.uint8)[:, :, None], 3, axis=2)


def camera_of(rule: str, clock: FakeClock, times: SensorTimes) -> FileCamera:
    """The emulated camera under the rule."""
    if rule == "as the headband":
        return FileCamera(clear_view(), clock, times)
    if rule == "always on":
        times = replace(times, hold_s=1e6)
    return _Ruled(clock, times, next_expected=rule != "off after each")


def sensor_times() -> SensorTimes:
    """A single picture streams for `camera.capture_s`: the start, the settling frames and one more."""
    known = load_parameters()
    start_s = known["camera.capture_s"] - (SETTLING + 1) * FRAME_S
    return SensorTimes(start_s, FRAME_S, SETTLING, known["camera.streaming_s"])


async def find(rule: str, interval_s: float | None, seconds: float, seed: int) -> Found:
    """The use of the sensor in so many seconds; `interval_s` None: pictures for questions only."""
    clock, chance = FakeClock(), random.Random(seed)
    camera = camera_of(rule, clock, sensor_times())
    views = RecentViews(camera, clock)
    watching = None if interval_s is None else asyncio.create_task(views.watch(interval_s))
    waits_s: list[float] = []
    begin_s, each_s = clock.monotonic(), 60 / QUESTIONS_PER_MINUTE
    asks_s = [
        begin_s + number * each_s + chance.uniform(1, each_s - 5) for number in range(int(seconds / each_s))
    ]

    async def clear_already() -> bool:
        raise AssertionError("the view is clear at once")

    for ask_s in asks_s:
        await clock.advance(ask_s - clock.monotonic())
        looking = asyncio.create_task(views.look_until_clear(clear_already))
        while not looking.done():
            await clock.advance(STEP_S)
        waits_s.append((await looking).taken_s - ask_s)
    await clock.advance(begin_s + seconds - clock.monotonic())
    use = camera.use
    if watching is not None:
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching
    await camera.close()
    return Found(use, seconds, tuple(waits_s))


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="just eval camera", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=_minutes, default=30.0, metavar="M")
    parser.add_argument("--seed", type=counted, default=1)
    options = parser.parse_args()
    config, model = PowerConfig(), load_energy_model()
    plan = Policy(config).decide(_reading(), 0.0, Mode.PERFORMANCE)[0]
    camera_mw = model.stage_mw("capture", plan) - model.stage_mw("idle", plan)
    times = sensor_times()
    print(
        f"modelled: a single picture streams {times.start_s + (SETTLING + 1) * FRAME_S:.2f} s, "
        f"the streaming camera draws {camera_mw:.0f} mW, {QUESTIONS_PER_MINUTE:g} questions a minute"
    )
    for interval_s in (None, config.full_frame_interval_s, 1.6, config.slow_frame_interval_s):
        print("questions only" if interval_s is None else f"and a picture every {interval_s:g} s")
        for rule in RULES:
            found = asyncio.run(find(rule, interval_s, options.minutes * 60, options.seed))
            share = found.use.streamed_s / found.seconds
            print(
                f"  {rule:16s} starts {found.use.starts:5d}, frames {found.use.frames:6d}, streaming "
                f"{100 * share:5.1f} %, {share * camera_mw:5.1f} mW; a question's picture after "
                f"{1000 * fmean(found.waits_s):3.0f} ms (longest {1000 * max(found.waits_s):3.0f})"
            )


def _reading() -> BatteryReading:
    return BatteryReading(82, 4000, -400, 25.0, False, "good")


if __name__ == "__main__":
    main()

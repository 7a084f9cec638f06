"""Pictures taken while the head turns: is the question answered better when the camera looks again?

    ./justw eval look-again [--questions 240] [--seed 1]

A stranger's questions about one picture, as text, and a head that is turning when the wake word ends. The
product's own rule (`RecentViews.look_until_clear`) beside: the picture at the wake word alone; one picture at
the end of the question, which the answer has to wait for; and no motion at all. The turn is modelled: its
speed rises and falls as a half sine, with a peak of 60 to 240 degrees a second within 0.3 to 0.8 s, which the
wake word meets anywhere; the exposure is 10 to 33 ms, and the camera sees 66 degrees. A question takes a
second for each 2.6 of its words.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
from collections import defaultdict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from host.sensing.recent_views import LOOK_AGAIN_S, RecentViews
from hw.device import CameraUse, Image
from models.pack.catalogue import load_pack
from tests.eval.arguments import counted
from tests.eval.intervals import wilson_shown
from tests.eval.stranger.about_one import KNOWN
from tests.eval.stranger.all_questions import questions
from tests.eval.stranger.by_text import ByText
from tests.eval.stranger.questions import Question
from tests.eval.stranger.render import render

Rgb = NDArray[np.uint8]
FIELD_DEGREES = 66.0
WORDS_PER_S = 2.6
CAPTURE_S = 0.1


@dataclass(frozen=True)
class Turn:
    """A turn of the head. peak: degrees a second; at_s: how far it is when the wake word ends; angle: of the
    line along which it goes, radians.
    """

    peak: float
    lasts_s: float
    at_s: float
    exposure_s: float
    angle: float

    @classmethod
    def drawn(cls, rng: random.Random) -> Turn:
        lasts_s = rng.uniform(0.3, 0.8)
        return cls(
            rng.uniform(60, 240),
            lasts_s,
            rng.uniform(0, lasts_s),
            rng.uniform(0.010, 0.033),
            rng.choice((0.0, rng.uniform(0, math.pi))),
        )

    def degrees(self, after_s: float) -> float:
        """How far the head turns while the shutter is open, that long after the wake word."""
        at_s = self.at_s + after_s
        if at_s >= self.lasts_s:
            return 0.0
        return self.exposure_s * self.peak * math.sin(math.pi * at_s / self.lasts_s)


def shaken(picture: Rgb, turn: Turn, after_s: float) -> Rgb:
    """The mean of the places that the picture passes meanwhile."""
    length = turn.degrees(after_s) / FIELD_DEGREES * picture.shape[1]
    if length < 1:
        return picture
    reach = math.ceil(length / 2) + 1
    wide = np.pad(picture, ((reach, reach), (reach, reach), (0, 0)), "edge").astype(np.float32)
    places = np.linspace(-length / 2, length / 2, max(2, round(length)))
    height, width = picture.shape[:2]
    total = np.zeros(picture.shape, np.float32)
    for place in places:
        x, y = (reach + round(place * along(turn.angle)) for along in (math.cos, math.sin))
        total += wide[y : y + height, x : x + width]
    return (total / len(places)).astype(np.uint8)


class TurningCamera:
    """Sees a picture while the head turns; its own clock, too. `now_s`: seconds since the wake word."""

    def __init__(self, picture: Rgb, turn: Turn) -> None:
        self._picture, self._turn = picture, turn
        self.now_s = 0.0
        self.captures = 0

    def monotonic(self) -> float:
        return self.now_s

    def time(self) -> float:
        return self.now_s

    async def sleep(self, seconds: float) -> None:
        self.now_s += seconds

    @property
    def use(self) -> CameraUse:
        """Nothing is counted here."""
        return CameraUse()

    def start(self, rate_hz: float) -> None:
        """Nothing: it always streams."""

    def stop(self) -> None:
        """Nothing."""

    async def capture(self) -> Image:
        taken = shaken(self._picture, self._turn, self.now_s)
        self.now_s += CAPTURE_S
        self.captures += 1
        return taken

    async def record(self, on: bool) -> None:
        """Nothing: it always sees."""

    async def close(self) -> None:
        """Nothing to close."""


async def at_wake_word(camera: TurningCamera, question_s: float) -> Rgb:
    return (await RecentViews(camera, camera).look()).rgb


async def at_the_end(camera: TurningCamera, question_s: float) -> Rgb:
    await camera.sleep(question_s)
    return await at_wake_word(camera, question_s)


async def until_clear(camera: TurningCamera, question_s: float) -> Rgb:
    async def again() -> bool:
        await camera.sleep(LOOK_AGAIN_S)
        return camera.now_s < question_s

    return (await RecentViews(camera, camera).look_until_clear(again)).rgb


RULES: dict[str, Callable[[TurningCamera, float], Coroutine[None, None, Rgb]]] = {
    "at the wake word": at_wake_word,
    "again until it is clear": until_clear,
    "when the question ends": at_the_end,
}
STILL = "no motion at all"


def main(arguments: list[str] | None = None) -> int:
    """Prints the share of right answers by rule, and pictures per question."""
    parser = argparse.ArgumentParser(prog="just eval look-again", description=__doc__)
    parser.add_argument("--questions", type=counted, default=240, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    options = parser.parse_args(arguments)
    headband = ByText(load_pack("micro"))
    right: dict[str, list[bool]] = defaultdict(list)
    pictures: dict[str, int] = defaultdict(int)
    for place, question in enumerate(questions(options.questions, options.seed, tuple(KNOWN))):
        turn = Turn.drawn(random.Random(f"look again {options.seed} {place}"))
        clear = render(question.pictures[-1], len(question.pictures) - 1)
        right[STILL].append(_right(headband, question, clear))
        still = TurningCamera(clear, replace(turn, peak=0.0))
        asyncio.run(until_clear(still, len(question.text.split()) / WORDS_PER_S))
        pictures[STILL] += still.captures
        for name, rule in RULES.items():
            camera = TurningCamera(clear, turn)
            seen = asyncio.run(rule(camera, len(question.text.split()) / WORDS_PER_S))
            right[name].append(right[STILL][-1] if seen is clear else _right(headband, question, seen))
            pictures[name] += camera.captures
    headband.close()
    for name, outcomes in right.items():
        each = pictures[name] / len(outcomes)
        print(f"{name:<24} right {wilson_shown(outcomes)}, {each:.2f} pictures a question")
    return 0


def _right(headband: ByText, question: Question, picture: Rgb) -> bool:
    headband.see = lambda *_: picture
    return headband.ask(question).right


if __name__ == "__main__":
    raise SystemExit(main())

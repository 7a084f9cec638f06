"""Random questions about the last seconds: plans, words, cameras and bricks that change and fail at random.

The ring, `RecentViews` and everything of `host.turn.clip` are real; encoder and motion brick are doubles that
check what they are given. Time is simulated. `Walk.steps` counts what happened: pictures, requests and what
the wearer does.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import random
from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from host.answers.motion import ClipAsked
from host.observe.timeline import Timeline
from host.sensing.recent_views import RecentViews
from host.turn.clip.chooser import ClipChooser
from host.turn.clip.look import ClipLook
from host.turn.tools import Tools
from hw.device import Camera, Clock, DeviceError, Image
from hw.supply import BatteryReading
from models.brick import Activation, BrickError, Embed, Encode, Recall, Resume
from models.clip import MOST_UNITS, ClipAnswer, ClipQuestion, Forget, Held, Unit, read_at
from models.pack.catalogue import Pack, load_pack
from models.pack.motion_files import CHOICE
from models.process.residency import BrickBusy, BrickFailed
from models.process.rows_ring import RING_SLOTS
from models.ring.header import SlotState
from models.ring.ring import Ring
from models.sensing.configuration import AT_THE_END, TOGETHER
from models.sensing.latency import StepCosts
from models.train.world.clips.values import FAMILIES
from power.policy.plan import PowerPlan
from power.policy.policy import Policy
from tests.host.simulated import loop_clock
from tests.models.sensing.made import COSTS, choice_file

FAILURES = (BrickFailed, BrickError, BrickBusy)
TOKENS, WIDTH, SIDE_PX = 4, 2, 24
KEPT = 4 + 4
"""Slots of the ring in use beside a clip: of two questions, and of recent views."""
_CHARGES = (90, 40, 30)


class Doubles:
    """`Bricks` whose encoder writes a picture's number into its rows."""

    def __init__(self, walk: Walk, pack: Pack) -> None:
        self.pack, self._walk = pack, walk
        self.ring = Ring.create(RING_SLOTS, 1, TOKENS * WIDTH)
        self.loaded = {"vision", "motion"}
        self._clip: int | None = None
        self._units: dict[int, list[tuple[float, int]]] = {}
        self.whole = True
        """No brick has failed."""

    def pids(self) -> dict[str, int]:
        return dict.fromkeys(self.loaded, 1)

    def discard(self, activation: Activation) -> None:
        assert activation.slot is not None
        self.ring.discard(activation.slot)

    async def run(self, name: str, request: object, *, timeout_s: float = 60.0) -> AsyncGenerator[Any, None]:
        """As `Bricks.run`."""
        walk = self._walk
        walk.count(name)
        await walk.clock.sleep(walk.rng.choice((0.0, 0.01, 0.05, 0.4)))
        if walk.rng.random() < 0.03:
            self.whole = False
            if name == "motion":
                self._clip, self._units = None, {}
            if walk.rng.random() < 0.5:
                self.loaded.discard(name)
            raise walk.rng.choice((BrickFailed(name, "execute", "it died"), BrickError("It refuses.")))
        self.loaded.add(name)
        for each in self._answers(request):
            try:
                await walk.clock.sleep(0.0)
            except asyncio.CancelledError:  # `Bricks` frees what nobody takes
                if isinstance(each, Activation):
                    self.discard(each)
                raise
            yield each

    def _answers(self, request: object) -> Iterator[Any]:
        match request:
            case Encode():
                assert 1 <= len(request.frames) <= TOGETHER
                for rgb in request.frames:
                    yield Activation(request.depth, "", slot=self._written(rgb, request.deadline_s))
            case Resume():
                for each in request.activations:
                    assert each.depth < request.depth and each.slot is not None
                    with self.ring.peek(each.slot) as rows:
                        number = int(rows[0, 0])
                    yield Activation(request.depth, "", slot=self._filled(number))
            case Embed():
                vector = np.array([self._walk.rng.gauss(0, 1) for _ in range(4)], np.float32)
                yield Recall(vector / np.linalg.norm(vector), request.activations[0].depth, "")
            case Unit():
                yield self._took(request)
            case ClipQuestion():
                yield self._answered(request)
            case Forget() if self._clip == request.clip:
                self._clip, self._units = None, {}

    def _written(self, rgb: NDArray[np.uint8], deadline_s: float) -> Any:
        return self._filled(int(rgb[0, 0, 0]) + 256 * int(rgb[0, 0, 1]))

    def _filled(self, number: int) -> Any:
        slot = self.ring.allocate(TOKENS, WIDTH, deadline_s=math.inf)
        assert slot is not None
        slot.array[:] = float(number)
        return slot.commit()

    def _took(self, unit: Unit) -> Held:
        assert unit.activation.slot is not None
        with self.ring.peek(unit.activation.slot) as rows:  # fails if it was dropped unread
            number = int(rows[0, 0])
        if self._clip != unit.clip:
            self._clip, self._units = unit.clip, {}
        depth, settings = unit.activation.depth, self.pack.bricks["motion"].options
        units = self._units.setdefault(depth, [])
        assert set(self._units) <= set(read_at(settings, max(self._units))), "a clip has one depth"
        assert all(taken_s <= unit.taken_s for taken_s, _ in units), "units come in the order of time"
        assert number not in [each for _, each in units], "no picture is a unit twice"
        for shallower, before in self._units.items():
            known = (unit.taken_s, number) in before
            assert shallower >= depth or known or not self.whole, "shallower units come first"
        units.append((unit.taken_s, number))
        return Held(unit.clip, len(units), len(units) - 1)

    def _answered(self, question: ClipQuestion) -> ClipAnswer:
        here = self._units if self._clip == question.clip else {}
        units = min(max((len(each) for each in here.values()), default=0), question.units)
        if units < 2:
            return ClipAnswer("", 0.0, units)
        chance = self._walk.rng.random()
        return ClipAnswer("yes", chance, units, max(here), {"yes": chance, "no": 1 - chance})


class Shaking:
    """A camera that repeats, drops and delays pictures."""

    def __init__(self, walk: Walk) -> None:
        self._walk, self._number = walk, 0

    async def capture(self) -> Image:
        walk = self._walk
        walk.count("picture")
        await walk.clock.sleep(walk.rng.choice((0.0, 0.02, 0.02, 0.7)))
        kind = walk.rng.random()
        if kind < 0.08:
            raise DeviceError("The camera gave no picture.")
        self._number += kind > 0.2
        picture = np.full((SIDE_PX, SIDE_PX, 3), 90, np.uint8)
        picture[0, 0, 0], picture[0, 0, 1] = self._number % 256, self._number // 256 % 256
        return picture

    def stream(self, interval_s: float | None) -> None:
        """Sensors that stream are another test's matter."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


class Walk:
    """Questions one after the other, until `wanted` steps were taken."""

    def __init__(self, seed: int, wanted: int, folder: Path) -> None:
        self.rng, self.wanted, self._folder = random.Random(f"clip walk {seed}"), wanted, folder
        self.done: Counter[str] = Counter()
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.clock: Clock
        self._considering: list[asyncio.Task[None]] = []
        """What the words of a question had considered, which goes on while the wearer does."""

    def count(self, what: str) -> None:
        """One step."""
        self.done[what] += 1

    @property
    def steps(self) -> int:
        """So far."""
        return sum(self.done.values())

    async def run(self) -> None:
        """Fails at the first broken promise."""
        self.clock = loop_clock()
        pack = load_pack("micro")
        files = [self._file(number) for number in range(6)]
        while self.steps < self.wanted:
            spec = pack.bricks["motion"]
            options = {**spec.options, CHOICE: str(self.rng.choice(files))}
            options["shallower_too"] = self.rng.random() < 0.5
            known = replace(pack, bricks={**pack.bricks, "motion": replace(spec, options=options)})
            await self._question(known)

    def _file(self, number: int) -> Path:
        weights = {at: self.rng.gauss(0, 2) for at in range(9)}
        path = self._folder / f"choice-{number}.json"
        path.write_text(choice_file(weights, self.rng.choice((-9.0, 0.0, 9.0)), tuple(FAMILIES)).text())
        return path

    async def _question(self, pack: Pack) -> None:
        doubles, plan = Doubles(self, pack), self._plan()
        lent = [doubles._filled(0) for _ in range(KEPT)]
        costs = self.rng.choice((None, COSTS, COSTS.scaled(0.1), COSTS.scaled(20.0)))
        look = self._look(doubles, plan, costs)
        before = asyncio.all_tasks()
        try:
            await self._speak(look)
            if self.rng.random() < 0.2:
                look.abandon()
            else:
                await self._ask(look, plan)
        finally:
            await look.close()
        for _ in range(3):
            await asyncio.sleep(0)
        assert asyncio.all_tasks() <= before, "no work goes on when a question has ended"
        while self._considering:
            self._considering.pop().result()
        assert doubles._clip is None, "the motion brick forgets the clip"
        assert all(map(doubles.ring.still_has, lent)), "the ring has room for the clip beside what it keeps"
        for each in lent:
            doubles.ring.discard(each)
        assert set(doubles.ring.states()) == {SlotState.FREE}, "no ring slot is left filled"
        doubles.ring.close()
        self._check_choices(plan)

    def _plan(self) -> PowerPlan:
        reading = BatteryReading(self.rng.choice(_CHARGES), 3800, -200, 25.0, False, "good")
        plan = Policy().decide(reading, 0.0)[0]
        return replace(plan, latency_target_s=self.rng.choice((0.01, 0.5, 4.0)))

    def _look(self, doubles: Doubles, plan: PowerPlan, costs: StepCosts | None) -> ClipLook:
        def observe(event: str, fields: dict[str, Any]) -> None:
            self.told.append((event, fields))

        timeline = Timeline(self.clock.monotonic)
        views = RecentViews(cast(Camera, Shaking(self)), self.clock)
        chooser = ClipChooser(doubles.pack, None, costs, observe)
        power = type("Power", (), {"plan": plan})()
        none: Any = None
        bricks: Any = doubles
        tools = Tools(
            bricks, views, none, none, none, self.clock, none, timeline, none, power, observe, none,
            clip_chooser=chooser,
        )  # fmt: skip
        self.told.clear()
        assert plan.clip_interval_s is not None
        return ClipLook(tools, plan.clip_interval_s)

    async def _speak(self, look: ClipLook) -> None:
        for _ in range(self.rng.randint(0, 8)):
            await self.clock.sleep(self.rng.choice((0.0, 0.1, 0.5, 1.0)))
            what = self.rng.random()
            self.count("word")
            if what < 0.4:
                considers = look.consider(self.rng.choice((ClipAsked("whether"), ClipAsked("moved"), None)))
                self._considering.append(asyncio.create_task(considers))
            elif what < 0.6:
                look.go_on()
            elif what < 0.8:
                look.hold(self.rng.random() < 0.5)

    async def _ask(self, look: ClipLook, plan: PowerPlan) -> None:
        with contextlib.suppress(*FAILURES):
            answer = await look.ask(ClipAsked(self.rng.choice(("whether", "moved"))))
            self.count("answer")
            (clip,) = [fields for event, fields in self.told if event == "clip"]
            assert answer.units <= MOST_UNITS and clip["units"] == answer.units
            assert min(clip["not_encoded"], clip["not_sensed"], clip["dropped"], clip["encoded_late"]) >= 0
            assert plan.clip_interval_s is not None
            assert clip["interval_s"] >= plan.clip_interval_s

    def _check_choices(self, plan: PowerPlan) -> None:
        for event, fields in self.told:
            if event == "configuration":
                assert "problem" not in fields, fields["problem"]
                assert fields["reason"]
                assert plan.clip_interval_s is not None
                assert fields["interval_s"] >= plan.clip_interval_s
                assert plan.clip_on_arrival or fields["length"] == AT_THE_END

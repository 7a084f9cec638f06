"""The clip of a question, with the real bricks: what is looked at, how that is chosen, and when it stops."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from host.answers.motion import ClipAsked
from host.turn.clip.chooser import ClipChooser
from host.turn.clip.look import ClipLook
from hw.emulated.sensor import EmulatedSensor, SensorTimes
from models.brick import BrickError
from models.clip import ClipQuestion
from models.pack.motion_files import CHOICE
from models.process.answers import answers
from models.sensing.latency import StepCosts
from models.train.world.clips.draw import dense_times, random_clip
from models.train.world.clips.values import FAMILIES
from models.train.world.home.picture.render import render
from power.policy.plan import Mode
from tests.host.fake_speech import without_speech_models
from tests.host.simulated import simulate
from tests.host.workbench import QUIET, Bench, bench
from tests.models.sensing.made import COSTS, choice_file
from tests.models.sensing.made import gate as same_gate

MOVED = ClipAsked("moved")
NEVER, ALWAYS = -20.0, 20.0
ANY: dict[int, float] = {}
SECONDS = 3.1
PACK = without_speech_models(without=("reflex",))
USUAL_DEPTH = PACK.bricks["motion"].options["depth"]


@pytest.fixture(name="pictures", scope="module")
def drawn() -> list[Any]:
    rng = random.Random("clip look")
    clip = random_clip(rng, "validation", dense_times)
    while len(clip.views) < 20:
        clip = random_clip(rng, "validation", dense_times)
    return [render(view, 192) for view in clip.views]


@dataclass
class Looking:
    """A clip that is being looked at."""

    bench: Bench
    look: ClipLook

    def told(self, event: str) -> list[dict[str, Any]]:
        return [fields for name, fields in self.bench.told if name == event]

    @property
    def taken(self) -> int:
        """Pictures of the clip; the camera looks for other reasons too."""
        return sum(fields["gate"] == "clip" for fields in self.told("frame"))

    async def wait(self, seconds: float) -> None:
        await self.bench.board.clock.sleep(seconds)


@asynccontextmanager
async def looking(
    pictures: list[Any],
    tmp_path: Path,
    *,
    weights: dict[int, float] | None = None,
    gate: float = NEVER,
    costs: StepCosts | None = COSTS,
) -> AsyncIterator[Looking]:
    """weights: of the predictor; None for a pack without a table of choices."""
    async with worn() as b, looked_with(b, pictures, tmp_path, weights, gate, costs) as looking:
        yield looking


def worn(mode: Mode = Mode.PERFORMANCE) -> AbstractAsyncContextManager[Bench]:
    """A headband that is asked nothing aloud."""
    return bench(mode, battery=80.0 if mode is Mode.PERFORMANCE else 35.0, pack=PACK)


@asynccontextmanager
async def looked_with(
    b: Bench,
    pictures: list[Any],
    tmp_path: Path,
    weights: dict[int, float] | None,
    gate: float,
    costs: StepCosts | None = COSTS,
) -> AsyncIterator[Looking]:
    """That headband with the next clip before it."""
    tools = b.headband.tools
    spec = PACK.bricks["motion"]
    options = {name: value for name, value in spec.options.items() if name != CHOICE}
    if weights is not None:
        path = tmp_path / "choice.json"
        path.write_text(choice_file(weights, gate, tuple(FAMILIES)).text())
        options[CHOICE] = str(path)
    known = replace(PACK, bricks={**PACK.bricks, "motion": replace(spec, options=options)})
    chooser = ClipChooser(known, None, costs, tools.observe)
    for name in ("vision", "motion"):
        b.headband.bricks.prepare(name)
    await b.headband.bricks.settled()
    b.board.camera.show(pictures)
    interval_s = b.headband.plan.clip_interval_s
    assert interval_s is not None
    b.told.clear()
    look = ClipLook(replace(tools, clip_chooser=chooser), interval_s)
    try:
        yield Looking(b, look)
    finally:
        await look.close()


def test_without_measured_times_every_clip_is_looked_at_in_the_usual_way(
    pictures: list[Any], tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with looking(pictures, tmp_path, weights=ANY, costs=None) as s:
            await s.wait(SECONDS)
            answer = await s.look.ask(MOVED)
            assert answer.units == 16 and answer.depth == USUAL_DEPTH
            (told,) = s.told("configuration")
            assert "headband tune" in told["reason"] and told["interval_s"] == 0.2
            (clip,) = s.told("clip")
            assert clip["encoded_late"] <= 1 and clip["not_encoded"] == clip["not_sensed"] == 0

    simulate(scenario())


def test_a_pack_without_a_table_of_choices_says_so(pictures: list[Any], tmp_path: Path) -> None:
    async def scenario() -> None:
        async with looking(pictures, tmp_path) as s:
            await s.wait(1.0)
            await s.look.ask(MOVED)
            assert s.told("configuration")[0]["reason"] == "the pack has no table of choices"

    simulate(scenario())


def test_the_first_units_decide_how_the_rest_is_looked_at(pictures: list[Any], tmp_path: Path) -> None:
    async def scenario() -> None:
        async with looking(pictures, tmp_path, weights={1: 5.0, 6: 2.0}) as s:
            await s.wait(SECONDS)
            early = s.told("configuration")[0]
            assert early["when"] == "spoken" and early["interval_s"] == 0.4 and early["units"] == 4
            answer = await s.look.ask(MOVED)
            assert answer.units == 4
            frames = [each["start_s"] for each in s.told("frame") if each["gate"] == "clip"]
            gaps = [later - sooner for sooner, later in pairwise(frames[5:])]
            assert all(gap == pytest.approx(0.4, abs=0.05) for gap in gaps) and len(frames) < 12
            final = s.told("configuration")[1]
            assert final["when"] == "asked" and final["interval_s"] == 0.4
            assert final["predicted_ms"] <= 1000 * final["limit_s"]

    simulate(scenario())


def test_the_sensor_streams_on_when_another_interval_is_chosen(pictures: list[Any], tmp_path: Path) -> None:
    async def scenario() -> None:
        for_questions = replace(QUIET, power=replace(QUIET.power, frames_between_questions=False))
        async with bench(Mode.PERFORMANCE, pack=PACK, config=for_questions) as b:
            b.board.camera._sensor = EmulatedSensor(b.board.clock, SensorTimes(0.18, 1 / 30, 4))
            async with looked_with(b, pictures, tmp_path, {2: 5.0}, NEVER) as s:
                await s.wait(SECONDS)
                assert s.told("configuration")[0]["interval_s"] == 0.8
                assert b.board.camera.streaming and b.board.camera.use.starts == 1
            assert not b.board.camera.streaming

    simulate(scenario())


def test_another_depth_begins_the_clip_anew(pictures: list[Any], tmp_path: Path) -> None:
    async def scenario() -> None:
        async with looking(pictures, tmp_path, weights={5: 4.0, 7: 1.0, 0: 1.0}) as s:
            await s.wait(SECONDS)
            answer = await s.look.ask(MOVED)
            assert answer.depth == 12 and answer.units == 8
            assert not answer.reasons or "no longer kept" in answer.reasons[0]

    simulate(scenario())


def test_the_camera_stops_when_the_pictures_are_enough(pictures: list[Any], tmp_path: Path) -> None:
    async def scenario() -> None:
        async with looking(pictures, tmp_path, weights=ANY, gate=ALWAYS, costs=None) as s:
            await s.wait(1.5)
            await s.look.consider(MOVED)
            taken = s.taken
            await s.wait(1.0)
            assert s.taken == taken
            await s.look.ask(MOVED)
            (clip,) = s.told("clip")
            assert clip["not_sensed"] == 5

    simulate(scenario())


def test_the_camera_looks_on_when_the_wearer_speaks_on(pictures: list[Any], tmp_path: Path) -> None:
    async def scenario() -> None:
        async with looking(pictures, tmp_path, weights=ANY, gate=ALWAYS, costs=None) as s:
            await s.wait(1.5)
            await s.look.consider(MOVED)
            taken = s.taken
            s.look.go_on()
            await s.wait(1.0)
            assert s.taken > taken + 3
            await s.look.ask(MOVED)
            assert s.told("clip")[0]["not_sensed"] == 0

    simulate(scenario())


@pytest.mark.parametrize("at_last", [ClipAsked("first", "cup", "wallet"), ClipAsked("read"), None])
def test_the_camera_looks_on_when_the_words_become_another_question(
    pictures: list[Any], tmp_path: Path, at_last: ClipAsked | None
) -> None:
    """The first words of "what did I see first the cup or the wallet" are a whole question."""

    async def scenario() -> None:
        async with looking(pictures, tmp_path, weights=ANY, gate=ALWAYS, costs=None) as s:
            await s.wait(1.5)
            await s.look.consider(ClipAsked("first"))
            s.look._stopping._gate = same_gate(NEVER, tuple(FAMILIES))
            taken = s.taken
            await s.look.consider(ClipAsked("first"))
            await s.wait(1.0)
            assert s.taken == taken
            await s.look.consider(at_last)
            await s.wait(1.0)
            assert s.taken > taken + 3
            await s.look.ask(MOVED)
            assert s.told("clip")[0]["not_sensed"] == 0

    simulate(scenario())


def test_no_picture_is_encoded_while_the_recogniser_works(pictures: list[Any], tmp_path: Path) -> None:
    async def scenario() -> None:
        async with looking(pictures, tmp_path, weights=ANY, costs=None) as s:
            await s.wait(1.0)
            s.look.hold(True)
            await s.wait(1.0)
            taken = s.taken
            assert taken >= 9
            answer = await s.look.ask(MOVED)
            (clip,) = s.told("clip")
            assert 4 <= clip["encoded_late"] <= 6 and answer.units == taken

    simulate(scenario())


def test_a_gate_that_is_not_sure_stops_nothing(pictures: list[Any], tmp_path: Path) -> None:
    async def scenario() -> None:
        async with looking(pictures, tmp_path, weights=ANY, gate=NEVER, costs=None) as s:
            await s.wait(1.5)
            await s.look.consider(MOVED)
            taken = s.taken
            await s.wait(1.0)
            assert s.taken > taken + 3
            await s.look.ask(MOVED)
            assert s.told("clip")[0]["not_encoded"] == 0

    simulate(scenario())


def test_what_was_not_encoded_is_left_when_the_pictures_before_it_are_enough(
    pictures: list[Any], tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with worn(Mode.THROTTLED) as b:
            for gate, left in ((ALWAYS, True), (NEVER, False)):
                async with looked_with(b, pictures, tmp_path, ANY, gate, None) as s:
                    await s.wait(SECONDS)
                    answer = await s.look.ask(MOVED)
                    (clip,) = s.told("clip")
                    assert clip["encoded_late"] >= 7 and bool(clip["not_encoded"]) is left
                    assert answer.units + clip["not_encoded"] == clip["encoded_late"]

    simulate(scenario())


def test_a_motion_brick_that_dies_costs_an_answer_and_nothing_else(
    pictures: list[Any], tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with looking(pictures, tmp_path, weights={1: 1.0}, gate=ALWAYS) as s:
            await s.wait(1.0)
            await s.bench.headband.bricks.release("motion")
            await s.look.consider(MOVED)
            await s.wait(0.5)
            answer = await s.look.ask(MOVED)
            assert answer.units <= 8
            ring = s.bench.headband.bricks._pool.ring
            assert ring is not None

    simulate(scenario())


def test_nothing_of_a_clip_is_left_when_its_question_ends(pictures: list[Any], tmp_path: Path) -> None:
    async def scenario() -> None:
        async with worn() as b:
            async with looked_with(b, pictures, tmp_path, ANY, NEVER, None) as s:
                await s.wait(1.0)
                await s.look.ask(MOVED)
                question = ClipQuestion("moved", "", "", s.look._units._number)
                assert len(await answers(b.headband.bricks, "motion", question)) == 1
            with pytest.raises(BrickError, match="no unit of this clip"):
                await answers(b.headband.bricks, "motion", question)

    simulate(scenario())


def test_random_plans_and_words_keep_the_order_of_units(pictures: list[Any], tmp_path: Path) -> None:
    """Whatever is chosen, considered, stopped and taken back, an answer comes from the newest units."""

    async def scenario() -> None:
        rng = random.Random("random clips")
        async with worn() as b:
            for number in range(6):
                weights = {at: rng.gauss(0, 3) for at in range(9)}
                gate = rng.choice((NEVER, 0.0, ALWAYS))
                async with looked_with(b, pictures, tmp_path, weights, gate) as s:
                    for _ in range(rng.randint(1, 6)):
                        await s.wait(rng.uniform(0.0, 0.8))
                        await rng.choice((lambda: s.look.consider(MOVED), lambda: asyncio.sleep(0)))()
                        if rng.random() < 0.3:
                            s.look.go_on()
                    answer = await s.look.ask(MOVED)
                    (clip,) = s.told("clip")
                    assert answer.units <= 16 and clip["units"] == answer.units, number
                    assert clip["not_encoded"] >= 0 and clip["not_sensed"] >= 0
                    states = b.headband.bricks._pool.ring
                    assert states is not None
                    assert not any(each.name == "READING" for each in states.states())

    simulate(scenario())

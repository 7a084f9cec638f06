"""A headband that remembers: from the camera to the spoken sentence, and everything that stops it."""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from host.answers.certainty_replies import Grounds, how_sure, why
from host.answers.memory_replies import (
    ASK_FIRST,
    FORGETS_BY_TIME,
    FORGOTTEN_ALL,
    NOT_PARKED,
    NOTHING_THEN,
    OFF,
)
from host.answers.recollection import Recollection
from host.language.past.clock import midnight_of
from host.memory.client import NO_TOWER
from host.memory.files import files
from host.memory.key import DATABASE
from host.memory.values import BUSY, MemoryProblem
from host.sensing.view_gate import Rgb
from host.session.actions import SetRecording
from host.turn.intake import GATHER_S, TRIES, exits_for, looks_through
from models.brick import BrickError, Recall
from models.process.residency import BrickFailed
from power.policy.plan import Mode, PowerPlan
from tests.eval.eye.days import candidates
from tests.eval.eye.held_home import picture_of
from tests.eval.stranger_home.facts import SEEN
from tests.host.memory.wearing import wearing


@cache
def pictures() -> tuple[Rgb, ...]:
    """A held-out day's first views: a bag, a phone with others, a phone, nothing, a bottle."""
    day = candidates(9001, 100, 1)
    names = [{item.name for item in facts.items if item.state == SEEN} for facts in day.facts]
    wanted = (1, 2, 3, 5, 9)
    assert "phone" in names[2] & names[3] and not any("wallet" in names[at] for at in wanted)
    return tuple(picture_of(day.views[at]) for at in wanted)


def test_what_was_seen_is_found_again_and_forgotten(tmp_path: Path) -> None:
    async def scene() -> None:
        async with wearing(tmp_path) as wearer:
            await wearer.sees(pictures()[0], remembered=False)
            assert wearer.numbers == 0 and not files(tmp_path / DATABASE), "memory is off at first"
            assert await wearer.asks("when did you last see my keys") == OFF
            wearer.remember()
            assert wearer.light == "remembering"
            for picture in pictures()[1:]:
                await wearer.sees(picture)
            assert wearer.worked_for("vision") == wearer.worked_for("memory") == {"memory"}
            said = await wearer.asks("where did i leave my phone")
            assert "" in wearer.worked_for("memory"), "a question to the memory is no remembering"
            assert said.startswith("I saw your phone ") and "Your phone was " in said
            assert said.endswith(" sure.") and wearer.recalled is not None
            assert await wearer.asks("where did i leave my mobile") == said, "another word for it"
            unknown = await wearer.asks("where did i leave my phone during the meeting")
            assert unknown == f"I do not know when that was. {said}"
            assert await wearer.asks("where did i leave my phone") == said
            told, grounds = wearer.recalled, Grounds("device", recalled=wearer.recalled)
            assert why(grounds).startswith("I looked again at ") and "your phone" in why(grounds)
            assert how_sure(grounds) == f"I am {told.sure}. {why(grounds)}"
            assert await wearer.asks("when did i last see my wallet") == "I have not seen your wallet today."
            assert await wearer.asks("remember this as parking") == "I will keep this view as parking."
            assert (await wearer.asks("where was my parking")).startswith(
                "I kept the view that you called parking "
            )
            assert (
                await wearer.asks("forget the last hour") == "I have forgotten 5 pictures of the last hour."
            )
            assert await wearer.asks("forget everything") == FORGOTTEN_ALL
            assert wearer.recalled == Recollection(FORGOTTEN_ALL), "nothing of it is kept to refer to"
            assert not files(tmp_path / DATABASE) and not (tmp_path / "memory.key").exists()
            assert await wearer.asks("where did i leave my phone") == NOTHING_THEN
            wearer.remember(False)
            assert wearer.light == "standby"
            await wearer.sees(pictures()[0], remembered=False)
            assert not files(tmp_path / DATABASE)

    asyncio.run(scene())


def test_what_is_remembered_is_told_while_the_memory_is_off(tmp_path: Path) -> None:
    async def scene() -> None:
        async with wearing(tmp_path) as wearer:
            await wearer.saw(pictures()[2], 600.0)
            wearer.board.camera.show(pictures()[4])
            for question in ("where did i leave my phone", "do you remember where i put my mobile"):
                said = await wearer.asks_of_view(question)
                assert said.startswith("I saw your phone ten minutes ago. "), said
            said = await wearer.asks_of_view("where did i leave my wallet")
            assert said == "I have not seen your wallet in what I remember.", (
                "today it did not look all the time"
            )
            assert await wearer.asks_of_view("where is my phone") == "I do not see your phone here."
            assert await wearer.asks_of_view("forget everything") == FORGOTTEN_ALL
            assert await wearer.asks_of_view("where did i leave my phone") == "I do not see your phone here."

    asyncio.run(scene())


def test_what_a_view_shows_is_found_as_it_is_remembered(tmp_path: Path) -> None:
    async def scene() -> None:
        async with wearing(tmp_path) as wearer:
            wearer.remember()
            for picture in pictures()[2:]:
                await wearer.sees(picture)
            places, memory = wearer.headband.view_places, wearer.headband.memory
            assert places.named_in("my phone") == ("phone", "")
            nowhere = Recall(np.zeros(256, np.float32), places.exits[-1], places.identity)
            found = await memory.find(nowhere, 9, None, None, "phone")
            seen = {match.row.number: match.seen for match in found if match.seen is not None}
            assert seen.keys() == {1, 2, 3}, "all were looked through, and passed all of the eye"
            assert seen[1].probability > 0.9 > 0.1 > seen[3].probability
            assert {match.row.depth for match in found} == {places.exits[-1]}
            assert {row.number for row in await memory.surest(3)} <= {1, 2, 3}

    asyncio.run(scene())


def test_the_plan_says_whether_a_view_is_looked_through_at_once() -> None:
    def plan(mode: Mode, residency: str) -> PowerPlan:
        return cast(PowerPlan, SimpleNamespace(mode=mode, residency=residency))

    assert looks_through(plan(Mode.PERFORMANCE, "resident"))
    for mode, residency in (
        (Mode.PERFORMANCE, "one_at_a_time"), (Mode.THROTTLED, "resident"), (Mode.CASCADE, "resident"),
    ):  # fmt: skip
        assert not looks_through(plan(mode, residency))


def test_a_day_is_forgotten_and_what_was_seen_since_then_stays(tmp_path: Path) -> None:
    async def scene() -> None:
        async with wearing(tmp_path) as wearer:
            midnight_s = midnight_of(wearer.headband.board.clock.time())
            today_s = wearer.headband.board.clock.time() - midnight_s
            for ago_s in (today_s + 90_000, today_s + 50_000, today_s + 10_000, 0.5 * today_s):
                await wearer.saw(pictures()[0], ago_s)
            wearer.remember()
            waits = wearer.headband.memory.now()
            said = await wearer.asks_of_view("forget yesterday")
            assert said == "I have forgotten 2 pictures of what I saw yesterday."
            assert await wearer.headband.memory.remember(pictures()[1], waits, "new", None), "of today"
            assert await wearer.asks_of_view("forget the last minute") == (
                "I have forgotten one picture of the last minute."
            )
            await wearer.asks_of_view("forget yesterday")
            assert not await wearer.headband.memory.remember(pictures()[1], waits, "new", None)
            left = [row.time_s for row in await wearer.headband.memory.rows()]
            assert len(left) == 2 and left[0] < midnight_s - 86_400 and left[1] > midnight_s
            said = await wearer.asks_of_view("forget yesterday")
            assert said == "There was nothing of what I saw yesterday to forget."
            for part in ("forget what you saw in the bathroom", "forget everything since lunch"):
                assert await wearer.asks_of_view(part) == FORGETS_BY_TIME
            assert len(await wearer.headband.memory.rows()) == 2, "never more than was said"

    asyncio.run(scene())


def test_where_it_was_before_is_an_earlier_view_that_tells_of_another_place(tmp_path: Path) -> None:
    async def scene() -> None:
        async with wearing(tmp_path) as wearer:
            held = (pictures()[1], 3600.0), (pictures()[2], 1800.0), (pictures()[2], 600.0)
            for picture, ago_s in held:
                await wearer.saw(picture, ago_s)
            wearer.remember()
            assert await wearer.asks("and before that") == ASK_FIRST
            first = await wearer.asks("where did i leave my phone")
            assert first.startswith("I saw your phone ten minutes ago. ")
            before = await wearer.asks("and before that")
            assert before.startswith("Before that, I saw your phone ") and "on the bedroom bed" in before
            assert (await wearer.asks("where was it before that")).startswith("I did not see your phone")

    asyncio.run(scene())


def test_in_cascade_only_picture_and_time_are_kept_until_it_charges(tmp_path: Path) -> None:
    async def scene() -> None:
        async with wearing(tmp_path, Mode.CASCADE) as wearer:
            wearer.remember()
            await wearer.sees(pictures()[0])
            assert [row.depth for row in await wearer.headband.memory.rows()] == [0]
            assert set(wearer.headband.bricks.pids()) <= {"memory", "fork_server"}
            headband = wearer.headband
            await headband.deepening._pass()
            assert [row.depth for row in await headband.memory.rows()] == [0]
            headband.power_manager.request = None
            wearer.board.set_battery(60, charging=True)
            await headband.update_power()
            await headband.deepening._pass()
            whole = headband.view_places.exits[-1]
            assert [row.depth for row in await headband.memory.rows()] == [whole]
            assert "deepened" in wearer.told

    asyncio.run(scene())


def test_a_view_is_found_by_the_name_that_it_was_given_wherever_its_picture_ranks(tmp_path: Path) -> None:
    async def scene() -> None:
        async with wearing(tmp_path, Mode.CASCADE) as wearer:
            wearer.remember()
            wearer.board.camera.show(pictures()[1])
            assert await wearer.asks("remember this as parking") == "I will keep this view as parking."
            assert [row.depth for row in await wearer.headband.memory.rows()] == [0], "it is not placed yet"
            said = await wearer.asks("where was my parking")
            assert said == "I kept the view that you called parking just now."
            assert (await wearer.asks("where was my parking yesterday")).startswith("I did not see ")

    asyncio.run(scene())


@pytest.mark.parametrize("on", [True, False])
def test_a_kept_view_is_asked_for_by_its_name_in_other_words(tmp_path: Path, on: bool) -> None:
    async def scene() -> None:
        async with wearing(tmp_path) as wearer:
            wearer.board.camera.show(pictures()[4])
            before = await wearer.asks_of_view("where is my seat")
            assert "kept" not in before
            assert await wearer.asks_of_view("where did i park") == OFF
            assert await wearer.asks("remember this as my seat") == "I will keep this view as your seat."
            for question in ("where did i park", "where are we parked"):
                assert await wearer.asks_of_view(question) == NOT_PARKED, question
            assert await wearer.asks("remember this as parking") == "I will keep this view as parking."
            wearer.remember(on)
            seat = "I kept the view that you called your seat just now."
            for question in ("where is my seat", "where was my seat", "okay, where's the seat please"):
                assert await wearer.asks_of_view(question) == seat, question
            parking = "I kept the view that you called parking just now."
            for question in ("where is parking", "where did i park", "where have i parked my car"):
                assert await wearer.asks_of_view(question) == parking, question
            assert "I kept" not in await wearer.asks_of_view("where is the book on my seat")
            await wearer.asks_of_view("forget everything")
            assert await wearer.asks_of_view("where is my seat") == before

    asyncio.run(scene())


def test_a_pack_that_cannot_search_does_not_deny_a_kept_view(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene() -> None:
        async with wearing(tmp_path) as wearer:
            wearer.board.camera.show(pictures()[4])
            assert await wearer.asks("remember this as parking") == "I will keep this view as parking."
            monkeypatch.delitem(cast(Any, wearer.headband.bricks.pack.bricks), "text")
            assert await wearer.asks_of_view("where did i park") == NO_TOWER

    asyncio.run(scene())


def test_it_stops_with_recording_or_without_a_wearer_and_for_good_when_the_disk_is_full(
    tmp_path: Path,
) -> None:
    async def scene() -> None:
        async with wearing(tmp_path) as wearer:
            headband = wearer.headband

            async def full(*arguments: object, **named: object) -> int:
                raise MemoryProblem("The disk is full, so nothing more is remembered.")

            headband.memory.remember = full  # type: ignore[method-assign]
            wearer.remember()
            headband.intake._worn = lambda: False
            await wearer.sees(pictures()[1], remembered=False)
            headband.intake._worn = lambda: True
            headband.intake._record(SetRecording(0, False))
            await wearer.sees(pictures()[2], remembered=False)
            headband.intake._record(SetRecording(0, True))
            assert not headband.intake._waiting and wearer.numbers == 0
            await wearer.sees(pictures()[0])
            await wearer.sees(pictures()[3], remembered=False)
            await headband.queue.until(lambda state: state.at_rest and not state.settings.memory)
            assert wearer.told.count("memory") == 1 and not headband.memory.on
            spoken = [line for line in headband.journal.recent if line.get("event") == "announcement"]
            assert [line["kind"] for line in spoken] == ["memory stopped"]

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("problem", "times"),
    [(BrickError(BUSY), TRIES - 1), (BrickFailed("memory", "execute", "it was killed"), TRIES)],
)
def test_what_passes_by_itself_does_not_end_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: Exception, times: int
) -> None:
    monkeypatch.setattr("host.turn.intake.AGAIN_S", 0.1)

    async def scene() -> None:
        async with wearing(tmp_path) as wearer:
            headband, left = wearer.headband, times
            remember = headband.memory.remember

            async def failing(*arguments: Any, **named: Any) -> int:
                nonlocal left
                left -= 1
                if left >= 0:
                    raise problem
                return await remember(*arguments, **named)

            headband.memory.remember = failing  # type: ignore[method-assign]
            wearer.remember()
            await wearer.sees(pictures()[1])
            if times < TRIES:
                assert headband.memory.on and len(await headband.memory.rows()) == 1
                return
            await headband.queue.until(lambda state: state.at_rest and not state.settings.memory)
            spoken = [line for line in headband.journal.recent if line.get("event") == "announcement"]
            assert [line["kind"] for line in spoken] == ["memory stopped"]
            assert "brick" not in str(spoken)

    asyncio.run(scene())


def test_what_waits_to_be_remembered_is_forgotten_as_well(tmp_path: Path) -> None:
    async def scene() -> None:
        async with wearing(tmp_path) as wearer:
            wearer.remember()
            await wearer.sees(pictures()[1])
            await wearer.sees(pictures()[0], remembered=False)
            assert len(wearer.headband.intake._waiting) == 1
            await wearer.board.clock.sleep(0.1)
            assert await wearer.asks("forget everything") == FORGOTTEN_ALL
            await wearer.board.clock.sleep(4 * GATHER_S)
            assert not wearer.headband.intake._waiting and not files(tmp_path / DATABASE)

    asyncio.run(scene())


def test_the_plan_alone_says_how_deep_a_view_is_placed() -> None:
    def plan(mode: Mode, residency: str) -> PowerPlan:
        return cast(PowerPlan, SimpleNamespace(mode=mode, residency=residency))

    plans = (
        plan(Mode.PERFORMANCE, "resident"),
        plan(Mode.THROTTLED, "budgeted"),
        plan(Mode.CASCADE, "one_at_a_time"),
    )
    assert [exits_for(each, (1, 6, 12)) for each in plans] == [(1, 6, 12), (1,), ()]
    assert exits_for(plans[0], ()) == ()


@pytest.mark.parametrize("text", ["remember what you see", "stop remembering"])
def test_the_switch_is_a_command_to_the_device(text: str, tmp_path: Path) -> None:
    from host.language.router import Router

    assert Router().decide(text).route == "device"

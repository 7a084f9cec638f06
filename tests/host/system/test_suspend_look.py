"""A sleeping computer wakes up to look at what is to be remembered, and sleeps on."""

import asyncio
from dataclasses import replace

import pytest

from host.session.events import PlanDecided, Pressed
from host.system.suspend import EARLY_S, LONGEST_S, SHORTEST_S
from tests.host.system.sleeping_devices import Alarm, Sleeper
from tests.host.system.suspend_bench import NAPS, Nap, napping, suspends


@pytest.mark.parametrize(
    ("longest_s", "due_s", "told_s"),
    [(60.0, None, 60), (60.0, 600.0, 60), (60.0, 50.0, 39 - EARLY_S), (7200.0, None, LONGEST_S)],
)
def test_it_wakes_up_to_look_at_what_is_to_be_remembered(
    longest_s: float, due_s: float | None, told_s: float
) -> None:
    sleeper, alarm = Sleeper(), Alarm()
    nap = Nap(sleeper, alarm=alarm, due_s=due_s, longest_s=longest_s)

    async def scene() -> None:
        assert await nap.passes(11.0)
        await sleeper.around_suspend(lambda: asyncio.sleep(0))
        assert alarm.told == [int(told_s), 0]

    napping(nap, scene)


def test_it_looks_once_and_sleeps_on_until_something_else_ends_the_sleep() -> None:
    sleeper, alarm = Sleeper(), Alarm()
    nap = Nap(sleeper, alarm=alarm, longest_s=60.0)

    async def scene() -> None:
        assert await nap.passes(11.0)
        await sleeper.around_suspend(suspends(nap, 60.0, 60.0, 60.0))
        assert nap.looks == 3 and alarm.told == [60, 0] * 4
        assert nap.suspender.asleep and sleeper.slept == 1, "the microphone stays closed"
        nap.suspender.end()
        told = [(line["event"], line.get("by"), line.get("sleeps_on")) for line in nap.journal.recent]
        look = [("asleep", None, None), ("awake", "look", None), ("look", None, True)]
        assert told == [*look * 3, ("asleep", None, None), ("awake", "event", None)]
        assert nap.looks_again()

    napping(nap, scene)


@pytest.mark.parametrize(
    ("happens", "looks"),
    [
        ("a word before the look", 0),
        ("the switch before the look", 0),
        ("a timer is due", 0),
        ("a word", 1),
        ("the switch", 1),
        ("the button", 1),
        ("another plan", 1),
        ("a timer is set", 1),
    ],
)
def test_whatever_happens_around_a_look_ends_the_sleep(happens: str, looks: int) -> None:
    sleeper, alarm = Sleeper(), Alarm()
    due_s = 11 + 60.0 + EARLY_S + SHORTEST_S - 2 if happens == "a timer is due" else None
    nap = Nap(sleeper, alarm=alarm, longest_s=60.0, due_s=due_s)

    def happen() -> None:
        match happens.removesuffix(" before the look"):
            case "a word":
                sleeper.hears = True
            case "the switch":
                nap.moved = True
            case "the button":
                nap.queue.post(Pressed("listen"))
            case "another plan":
                nap.queue.post(PlanDecided(replace(NAPS, number=2, suspend_between_events=False), 0))
            case "a timer is set":
                nap.suspender._due_s = lambda: nap.clock.monotonic() + EARLY_S

    async def scene() -> None:
        assert await nap.passes(11.0)
        if looks:
            nap.meanwhile = happen
        elif due_s is None:
            nap.suspender._after_resume = resumed
        await sleeper.around_suspend(suspends(nap, 60.0, 60.0))
        assert nap.looks == looks and alarm.told == [60, 0]
        assert nap.cut_short is bool(looks), "a look that takes long does not delay it"

    async def resumed() -> None:
        happen()

    napping(nap, scene)


def test_a_sleep_that_something_ended_early_has_no_look() -> None:
    sleeper = Sleeper()
    nap = Nap(sleeper, alarm=Alarm(), longest_s=60.0)

    async def scene() -> None:
        assert await nap.passes(11.0)
        await sleeper.around_suspend(suspends(nap, 30.0))
        assert not nap.looks

    napping(nap, scene)


def test_without_an_alarm_it_sleeps_although_it_would_look() -> None:
    sleeper = Sleeper()
    nap = Nap(sleeper, longest_s=60.0)
    slept: list[bool] = []

    async def suspend() -> None:
        slept.append(True)

    async def scene() -> None:
        assert await nap.passes(11.0)
        await sleeper.around_suspend(suspend)
        assert slept

    napping(nap, scene)

"""When the computer sleeps between events, and what wakes it."""

import asyncio
from dataclasses import replace

import pytest

from host.session.actions import ReadyCamera
from host.session.events import Pressed, QuestionOpened
from host.session.values import PlanRules
from host.system.suspend import EARLY_S, LONGEST_S, NO_ALARM, RETRY_S, SHORTEST_S
from hw.device import DeviceError
from tests.host.system.sleeping_devices import Alarm, Sleeper
from tests.host.system.suspend_bench import NAPS, QUIET_S, Nap, napping


def test_it_sleeps_after_enough_quiet_seconds_and_not_before() -> None:
    nap = Nap(Sleeper())

    async def scene() -> None:
        assert not await nap.passes(9.0)
        nap.queue.post(Pressed("choice"))  # says the last answer again
        assert not await nap.passes(9.9)
        assert await nap.passes(0.2)
        assert nap.queue.state.falling_asleep is None, "the microphone may be read, which is the sleep"
        nap.looks_again()
        nap.clock.jump(60.0)
        nap.suspender.end()
        assert not nap.suspender.asleep and nap.looks_again()
        assert [line["slept_s"] for line in nap.journal.recent if line["event"] == "awake"] == [60.0]
        assert not await nap.passes(9.9)
        assert await nap.passes(0.2)

    napping(nap, scene)


def test_a_plan_may_shorten_the_quiet_time() -> None:
    nap = Nap(Sleeper(), plan=replace(NAPS, sleep_within_s=3.0))

    async def scene() -> None:
        assert not await nap.passes(2.9)
        assert await nap.passes(0.2)

    napping(nap, scene)


@pytest.mark.parametrize(
    "nap",
    [Nap(), Nap(Sleeper(), after_s=0.0), Nap(Sleeper(), plan=PlanRules(1))],
    ids=["no microphone that can listen", "switched off", "the plan"],
)
def test_a_headband_that_cannot_sleep_or_must_not_stays_awake(nap: Nap) -> None:
    async def scene() -> None:
        assert not await nap.passes(1000.0)

    napping(nap, scene)


def test_without_somebody_who_listens_it_stays_awake_and_tries_again_later() -> None:
    sleeper = Sleeper("The PMU does not answer.")
    nap = Nap(sleeper)

    async def scene() -> None:
        assert not await nap.passes(11.0)
        assert nap.looks_again()
        sleeper.problem = None
        assert not await nap.passes(RETRY_S - 1)
        assert await nap.passes(1.1)

    napping(nap, scene)


def test_a_computer_that_refuses_to_sleep_is_not_asked_again_at_once() -> None:
    sleeper = Sleeper()
    nap = Nap(sleeper)

    async def scene() -> None:
        assert await nap.passes(11.0)
        sleeper.suspend_refusal = "The kernel cannot suspend this computer."
        nap.suspender.end()
        assert nap.journal.recent[-1]["problem"] == sleeper.suspend_refusal
        assert not await nap.passes(RETRY_S - 1)
        assert await nap.passes(1.1)

    napping(nap, scene)


def test_what_begins_between_falling_asleep_and_the_suspend_keeps_the_computer_awake() -> None:
    """Its event has come already, so it would end no sleep."""
    sleeper = Sleeper()
    nap = Nap(sleeper)
    suspended: list[bool] = []

    async def suspend() -> None:
        suspended.append(True)

    async def scene() -> None:
        assert await nap.passes(11.0)
        nap.queue.post(QuestionOpened("the button"))
        for _ in range(5):
            await asyncio.sleep(0)
        with pytest.raises(DeviceError, match="began on the way to sleep"):
            await sleeper.around_suspend(suspend)
        assert not suspended

    napping(nap, scene)


def test_it_stays_awake_for_what_the_microcontroller_hears_beside_it() -> None:
    sleeper = Sleeper()
    nap = Nap(sleeper)

    async def scene() -> None:
        assert not await nap.passes(9.0)
        assert sleeper.beside == 1 and not sleeper.slept
        sleeper.hears = True
        assert not await nap.passes(2.0)
        assert nap.looks_again()
        sleeper.hears = False
        assert not await nap.passes(8.9)
        assert await nap.passes(0.3)

    napping(nap, scene)


@pytest.mark.parametrize("late_s", [0.0, 60.0])
def test_a_timer_wakes_the_computer_in_time(late_s: float) -> None:
    sleeper, alarm = Sleeper(), Alarm(late_s)
    nap = Nap(sleeper, alarm=alarm, due_s=600)

    async def scene() -> None:
        assert await nap.passes(11.0)
        await sleeper.around_suspend(lambda: asyncio.sleep(0))
        assert alarm.told == [int(589 - EARLY_S - late_s), 0]
        assert nap.resumed == 1

    napping(nap, scene)


@pytest.mark.parametrize("due_s", [None, 100_000.0])
@pytest.mark.parametrize("problem", [None, "It is broken."])
def test_no_sleep_lasts_longer_than_an_hour_where_an_alarm_works(
    due_s: float | None, problem: str | None
) -> None:
    """A microcontroller that forgot to listen would leave it deaf for ever."""
    sleeper, alarm = Sleeper(), Alarm(problem=problem)
    nap = Nap(sleeper, alarm=alarm, due_s=due_s)
    slept: list[bool] = []

    async def suspend() -> None:
        slept.append(True)

    async def scene() -> None:
        assert await nap.passes(11.0)
        if problem and due_s is not None:
            with pytest.raises(DeviceError, match="broken"):
                await sleeper.around_suspend(suspend)
            return
        await sleeper.around_suspend(suspend)
        assert slept and alarm.told == ([] if problem else [int(LONGEST_S), 0])

    napping(nap, scene)


def test_for_a_timer_that_ends_soon_it_stays_awake() -> None:
    nap = Nap(Sleeper(), alarm=Alarm(), due_s=10 + EARLY_S + SHORTEST_S - 0.1)

    async def scene() -> None:
        assert not await nap.passes(11.0)

    napping(nap, scene)


def test_where_nothing_can_wake_it_it_stays_awake_for_a_timer() -> None:
    nap = Nap(Sleeper(), due_s=5000)

    async def scene() -> None:
        for _ in range(3):
            assert not await nap.passes(1000.0)
        assert [line["problem"] for line in nap.journal.recent] == [NO_ALARM]

    napping(nap, scene)


def test_an_alarm_that_cannot_be_set_keeps_it_awake() -> None:
    sleeper = Sleeper()
    nap = Nap(sleeper, alarm=Alarm(problem="It is broken."), due_s=600)
    slept: list[bool] = []

    async def suspend() -> None:
        slept.append(True)

    async def scene() -> None:
        assert await nap.passes(11.0)
        with pytest.raises(DeviceError, match="broken"):
            await sleeper.around_suspend(suspend)
        assert not slept

    napping(nap, scene)


@pytest.mark.parametrize("by_sound", [False, True])
def test_what_ended_the_sleep_is_told(by_sound: bool) -> None:
    sleeper = Sleeper()
    nap = Nap(sleeper)

    async def scene() -> None:
        assert await nap.passes(QUIET_S + 0.1)
        sleeper.woken_by_sound = by_sound
        nap.suspender.end()
        assert any(isinstance(action, ReadyCamera) for action in nap.others.noted) == by_sound

    napping(nap, scene)

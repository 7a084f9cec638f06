"""The computer sleeps between events, and what is said to it then is heard and answered."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from host.config import GuardConfig, JournalConfig, ListenConfig
from host.event_queue import EventQueue
from host.observe.journal import Journal
from host.session.actions import Watch
from host.session.events import PlanDecided, Pressed, Started
from host.session.values import Options, PlanRules, WearerSettings
from host.system.reminder import Reminder
from host.system.suspend import EARLY_S, LONGEST_S, NO_ALARM, RETRY_S, SHORTEST_S, Suspender
from host.system.watchdog import WatchdogClient
from hw.audio.sound_and_picture_files import read_wav
from hw.device import MICROPHONE_RATE_HZ, DeviceError
from hw.emulated.board import emulated_board
from hw.emulated.clock import FakeClock
from tests.demo_files import DEVICE
from tests.host.session.doubles import EndsAtOnce
from tests.host.simulated import loop_clock, micro_headband, simulate
from tests.host.system.sleeping_devices import Alarm, Sleeper
from tests.host.workbench import DEMO, QUIET

NAPS = PlanRules(1, suspend_between_events=True)
"""A plan that lets the computer sleep."""
QUIET_S = 10.0


class Nap:
    """A session with nothing but its sleep: what else an action asks for is done at once."""

    def __init__(
        self,
        sleeper: Sleeper | None = None,
        *,
        plan: PlanRules = NAPS,
        after_s: float = QUIET_S,
        alarm: Alarm | None = None,
        due_s: float | None = None,
        longest_s: float | None = None,
    ) -> None:
        self.clock = FakeClock()
        self.looks = 0
        self.cut_short = False
        self.meanwhile: Callable[[], None] = lambda: None
        """What happens during a look."""
        self.moved = False
        self.journal = Journal(None, self.clock, max_bytes=100_000)
        self.queue = EventQueue(self.clock, Journal(None, self.clock))
        guard = WatchdogClient(self.queue, None, self.clock, GuardConfig(), self.journal)
        wakes_s = None if due_s is None else self.clock.monotonic() + due_s
        self.resumed = 0

        async def resumed() -> None:
            self.resumed += 1

        self.suspender = Suspender(
            self.queue,
            sleeper,  # type: ignore[arg-type]
            guard,
            self.clock,
            self.journal,
            lambda event, fields: None,
            alarm,
            lambda: wakes_s,
            resumed,
            lambda: self.moved,
            lambda: longest_s,
            self._look,
        )
        self.reminder = Reminder(self.queue, self.clock)
        performers = (self.suspender, self.reminder)
        self.others = EndsAtOnce(self.queue, performers)
        self.queue.add([*performers, self.others])
        self._options = Options(sleep_after_s=after_s)
        self._plan = plan

    async def _look(self, called: Callable[[], bool]) -> dict[str, object] | None:
        self.looks += 1
        self.clock.jump(1.0)
        self.meanwhile()
        self.cut_short = called()
        return None if self.cut_short else {"gate": "new"}

    def start(self) -> None:
        self.queue.post(Started(self._options, WearerSettings(), self._plan))

    async def passes(self, seconds: float) -> bool:
        """Time passes, while the main loop comes by; returns whether the computer is about to sleep."""
        steps = min(200, round(seconds / 0.05))
        for _ in range(steps):
            self.clock.jump(seconds / steps)
            self.reminder.poll()
            for _ in range(5):
                await asyncio.sleep(0)
        return self.suspender.asleep

    def looks_again(self) -> bool:
        """Whether the camera was told to look again since the last call."""
        told = any(isinstance(action, Watch) for action in self.others.noted)
        self.others.noted.clear()
        return told


def napping(nap: Nap, scene: Callable[[], Awaitable[None]]) -> None:
    async def whole() -> None:
        nap.start()
        await scene()
        await nap.queue.close()
        nap.queue.check()

    asyncio.run(whole())


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


def suspends(nap: Nap, *lengths_s: float) -> Callable[[], Awaitable[None]]:
    """A computer whose suspends last so long, the last of them for a second."""
    lengths = iter(lengths_s)

    async def suspend() -> None:
        nap.clock.jump(next(lengths, 1.0))

    return suspend


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


def test_a_sleeping_headband_learns_that_its_mode_has_to_change() -> None:
    config = replace(QUIET, listen=ListenConfig(follow_up_s=0.0, sleep_after_s=0.3))
    happened = {name: asyncio.Event() for name in ("asleep", "awake")}

    async def scene() -> str:
        board = emulated_board(clock=loop_clock(), battery_percent=55, sound_card=False, sleeps=True)
        async with micro_headband(
            board,
            config,
            observe=lambda event, fields: happened[event].set() if event in happened else None,
        ) as headband:
            running = asyncio.create_task(headband.run())
            async with asyncio.timeout(60):
                await happened["asleep"].wait()
                await board.clock.sleep(0.5)
                assert board.microphone.asleep
                board.set_battery(45)
                await happened["awake"].wait()
                while headband.plan.mode.value == "performance":
                    await board.clock.sleep(0.05)
            headband.stop()
            await running
            mode = headband.plan.mode.value
        await board.close()
        return mode

    assert simulate(scene()) == "throttled"


def test_what_is_said_to_a_sleeping_headband_is_answered(tmp_path: Path) -> None:
    listen = ListenConfig(follow_up_s=0.0, sleep_after_s=0.5)
    config = replace(QUIET, listen=listen, journal=JournalConfig(path=str(tmp_path / "journal.jsonl")))
    told: dict[str, dict[str, Any]] = {}
    happened = {name: asyncio.Event() for name in ("asleep", "turn")}

    def observe(event: str, fields: dict[str, Any]) -> None:
        if event in happened:
            told[event] = fields
            happened[event].set()

    async def scene() -> None:
        hiss = (np.random.default_rng(5).standard_normal(MICROPHONE_RATE_HZ) * 30).astype(np.int16)
        board = emulated_board(
            clock=loop_clock(), battery_percent=30, sound_card=False, sleeps=True, background=hiss
        )
        async with micro_headband(board, config, observe=observe) as headband:
            running = asyncio.create_task(headband.run())
            async with asyncio.timeout(60):
                await happened["asleep"].wait()
                assert board.microphone.asleep
                await board.clock.sleep(1.5)
                board.microphone.say(read_wav(DEMO / DEVICE[0]))
                await happened["turn"].wait()
                happened["asleep"].clear()
                await happened["asleep"].wait()
            headband.stop()
            board.wake.set(True)
            await running
        await board.close()

    simulate(scene())
    turn = told["turn"]["turn"]
    assert turn.decision.route == "device"
    assert turn.answer
    lines = [json.loads(line) for line in (tmp_path / "journal.jsonl").read_text().splitlines()]
    turn_s = next(line["mono_s"] for line in lines if line["event"] == "turn")
    slept_s = [line["mono_s"] for line in lines if line["event"] == "asleep"]
    assert all(at_s < turn_s or at_s >= turn_s + listen.sleep_after_s for at_s in slept_s)
    awake = next(line for line in lines if line["event"] == "awake")
    assert awake["by"] == "sound"
    assert awake["recorded_s"] > 0.5
    assert not [line for line in lines if line["event"] == "refused"]

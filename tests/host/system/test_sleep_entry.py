"""Whatever begins around the moment at which the computer falls asleep is heard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from host.config import GuardConfig
from host.event_queue import EventQueue, Performs
from host.observe.journal import Journal
from host.session import actions, events
from host.session.state import State
from host.session.values import Options, PlanRules, WearerSettings
from host.system.reminder import Reminder
from host.system.suspend import Suspender
from host.system.watchdog import WatchdogClient
from host.turn.glance import ASK_S
from hw.device import MICROPHONE_RATE_HZ, Pcm
from models.listening.wake_word import WakeWord
from models.train.sound.espeak import Espeak
from tests.host.session.doubles import EndsAtOnce
from tests.host.system.sleeping_devices import Alarm
from tests.hw.pmu.sleeping_headband import Headband, headband

QUIET_S = 3.0
PREPARE_S = 0.1
"""From the decision to sleep until camera and gauge are prepared; no sound is read meanwhile."""
LOOKS_AFTER_S = 2.0
LOOK_S = 1.4
RESUME_S = 0.8
FREEZE_S = 0.4
"""From the closed microphone until the computer is suspended."""


@pytest.fixture(scope="module")
def question() -> Pcm:
    espeak = Espeak()
    words = [espeak.say("okay nabu", "en-us"), np.zeros(3000), espeak.say("what is in front of me", "en-us")]
    pcm = np.round(np.concatenate(words) * 10_000).astype(np.int16)
    return pcm[int(np.argmax(np.abs(pcm) > 300)) :]


class Prepares:
    """Performs `PrepareSleep`, which takes its time."""

    def __init__(self, queue: EventQueue, band: Headband) -> None:
        self._queue, self._clock = queue, band.clock

    @property
    def performs(self) -> Performs:
        return {actions.PrepareSleep: self._begin}

    def _begin(self, action: actions.PrepareSleep) -> None:
        self._queue.spawn(self._prepare(action.number))

    async def _prepare(self, number: int) -> None:
        await self._clock.sleep(PREPARE_S)
        self._queue.post(events.ReadyToSleep(number))


class Band:
    """Session, suspender and both microphones of a headband whose other parts do nothing."""

    def __init__(self, looks_after_s: float | None = None) -> None:
        hiss = np.random.default_rng(5).standard_normal(MICROPHONE_RATE_HZ * 7) * 30
        self.headband = headband(hiss.astype(np.int16))
        clock, microphone = self.headband.clock, self.headband.microphone
        journal = Journal(None, clock)
        self.queue = EventQueue(clock, journal)
        inner = microphone._suspend

        async def suspend() -> None:
            await clock.sleep(FREEZE_S)
            if looks_after_s is None:
                await inner()
                return
            woken = asyncio.ensure_future(inner())
            alarm = asyncio.ensure_future(clock.sleep(looks_after_s))
            await asyncio.wait([woken, alarm], return_when=asyncio.FIRST_COMPLETED)
            if not woken.done():
                woken.cancel()
                await clock.sleep(RESUME_S)
            alarm.cancel()

        async def resumed() -> None:
            pass

        async def look(called: Callable[[], bool]) -> dict[str, object] | None:
            """A picture and its place, given up as soon as something calls."""
            self.looks += 1
            for _ in range(round(LOOK_S / ASK_S)):
                await clock.sleep(ASK_S)
                if called():
                    return None
            return {}

        microphone._suspend = suspend
        guard = WatchdogClient(self.queue, None, clock, GuardConfig(), journal)
        self.suspender = Suspender(
            self.queue,
            microphone,
            guard,
            clock,
            journal,
            lambda event, fields: None,
            None if looks_after_s is None else Alarm(),
            lambda: None,
            resumed,
            lambda: False,
            lambda: looks_after_s,
            look,
        )
        self.looks = 0
        self.reminder = Reminder(self.queue, clock)
        performers = (self.suspender, self.reminder, Prepares(self.queue, self.headband))
        self.queue.add([*performers, EndsAtOnce(self.queue, performers)])
        self.slept = False
        self.woken = False

    async def listen(self) -> None:
        """As the main loop, until the wake word."""
        wake = WakeWord("okay_nabu")
        async for pcm in self.headband.microphone:
            if self.suspender.asleep:
                self.suspender.end()
            if wake.process(pcm):
                self.woken = True
                return
            await self.queue.until(_ready)
            self.reminder.poll()
            await self.queue.until(_ready)

    async def lives(self, say_at_s: float | None, pcm: Pcm, until: Callable[[], bool]) -> float:
        """Starts; the question begins `say_at_s` after that. Returns how long it lasted until `until`."""
        clock = self.headband.clock
        plan = PlanRules(1, suspend_between_events=True)
        self.queue.post(events.Started(Options(sleep_after_s=QUIET_S), WearerSettings(), plan))
        listening = asyncio.create_task(self.listen())
        began_s = clock.monotonic()
        said = False
        while not until() and clock.monotonic() < began_s + QUIET_S + 12.0:
            if say_at_s is not None and not said and clock.monotonic() >= began_s + say_at_s:
                said = True
                self.headband.room.say(pcm)
            self.headband.pmu.catch_up()
            await clock.advance(0.02)
            self.slept = self.slept or self.suspender.asleep
        lasted_s = clock.monotonic() - began_s
        listening.cancel()
        await asyncio.wait([listening])
        await self.queue.close()
        return lasted_s


def _ready(state: State) -> bool:
    return state.applying is None and state.falling_asleep is None


@pytest.fixture(scope="module")
def entry_s(question: Pcm) -> float:
    """When a headband that nobody speaks to has left the listening to the microcontroller."""
    band = Band()
    return asyncio.run(band.lives(None, question, lambda: band.suspender.asleep))


def test_a_quiet_headband_sleeps_after_its_quiet_time(entry_s: float) -> None:
    """The microcontroller listens beside the host within that time, not after it."""
    assert entry_s == pytest.approx(QUIET_S + PREPARE_S, abs=0.1)


@settings(max_examples=9, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(offset_s=st.floats(-1.0, 1.0))
@example(offset_s=-0.15)
@example(offset_s=-0.06)
@example(offset_s=0.0)
def test_a_question_that_begins_around_the_sleep_is_heard(
    question: Pcm, entry_s: float, offset_s: float
) -> None:
    band = Band()
    asyncio.run(band.lives(entry_s + offset_s, question, lambda: band.woken))
    assert band.woken


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(offset_s=st.floats(-1.0, RESUME_S + LOOK_S + 1.0))
@example(offset_s=0.0)
@example(offset_s=RESUME_S)
@example(offset_s=RESUME_S + LOOK_S)
def test_a_question_that_begins_around_a_look_is_heard(
    question: Pcm, entry_s: float, offset_s: float
) -> None:
    """From before the alarm until after the computer sleeps again."""
    band = Band(LOOKS_AFTER_S)
    asyncio.run(band.lives(entry_s + FREEZE_S + LOOKS_AFTER_S + offset_s, question, lambda: band.woken))
    assert band.woken and (band.looks or offset_s < RESUME_S + ASK_S)


def test_what_the_microcontroller_hears_before_the_sleep_keeps_the_host_awake(
    question: Pcm, entry_s: float
) -> None:
    """Words that are no wake word: the host has heard them, and need not resume for them."""
    band = Band()
    other = question[int(0.9 * MICROPHONE_RATE_HZ) :]
    lasted_s = asyncio.run(band.lives(entry_s - 1.2, other, lambda: band.suspender.asleep))
    assert lasted_s > entry_s + 1.0 and not band.woken

"""Suspends the computer between events.

On an RK3566 only suspend saves much energy between questions: an idle board draws eight times the power of a
suspended one. A plan may therefore let the computer sleep as soon as nothing is in progress. Meanwhile the
microcontroller listens and wakes it (`hw.pmu.sleeping_microphone`); for a timer, and to look at what is to be
remembered, the real-time clock wakes it (`hw.linux.rtc_alarm`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from host.event_queue import EventQueue, Performs
from host.observe.journal import Journal
from host.session import actions, events
from host.system.watchdog import WatchdogClient
from hw.device import Clock, DeviceError, HandOver, SuspendableMicrophone, WakeAlarm

RETRY_S = 60.0
"""Pause after a suspend that failed."""
EARLY_S = 4.0
"""How long before it is due the computer is woken: resuming takes up to one second, loading a voice
two more.
"""
LONGEST_S = 3600.0
"""Longest sleep where an alarm can end it: a microcontroller that was reset and forgot that it has to listen
is told again.
"""
NO_ALARM = "Nothing can wake this computer for a timer, so it stays awake until that is done."
MOVED = "The recording switch was moved on the way to sleep."
BEGAN = "Something began on the way to sleep."
ALARM_EARLY_S = 1.0
"""Resolution of the real-time clock's alarm."""
CUT_SHORT = "Something called during the look, or it took too long."
SHORTEST_S = 5.0
"""Shortest sleep: the alarm must not fire before the kernel has suspended."""

Look = Callable[[Callable[[], bool]], Awaitable[dict[str, object] | None]]
"""Looks once, given a function that says whether something calls. Returns fields for the journal, None where
it was cut short.
"""


class Suspender:
    """Performs `ListenBeside` and `Sleep`. Call `end` when the next sound has arrived."""

    def __init__(
        self,
        queue: EventQueue,
        microphone: SuspendableMicrophone | None,
        guard: WatchdogClient,
        clock: Clock,
        journal: Journal,
        observe: Callable[[str, dict[str, Any]], None],
        alarm: WakeAlarm | None,
        due_s: Callable[[], float | None],
        after_resume: Callable[[], Awaitable[None]],
        switch_moved: Callable[[], bool],
        longest_s: Callable[[], float | None] = lambda: None,
        look: Look | None = None,
    ) -> None:
        """`microphone` None: this headband never sleeps. `due_s`: returns the monotonic time at which it has
        to be awake again, or None; without an `alarm` it stays awake until then. `after_resume` is awaited
        when the computer has resumed, or has not slept, before its microphone opens. `switch_moved`: does the
        recording switch stand elsewhere than the session knows? Then it does not sleep: the switch's edge is
        over, and would wake nobody. `longest_s`: after so many seconds of sleep it looks at what is to be
        remembered, None for never; without an alarm it does not. `look`: looks once; without it the computer
        stays awake then.
        """
        self._queue, self._observe = queue, observe
        self._microphone = microphone
        self._clock = clock
        self._journal = journal
        self._number: int | None = None
        self._asleep_since_s = 0.0
        self._guard = guard
        self._alarm = alarm
        self._due_s = due_s
        self._kept_awake = False
        self._beside_problem: str | None = None
        self._after_resume = after_resume
        self._switch_moved = switch_moved
        self._longest_s = longest_s
        self._look = look
        self._resumed_s = 0.0
        if microphone is not None:
            microphone.around_suspend = self._suspended
            microphone.handed_over = self._handed_over

    @property
    def performs(self) -> Performs:
        """Action -> method."""
        return {actions.ListenBeside: self._listen_beside, actions.Sleep: self._sleep}

    @property
    def asleep(self) -> bool:
        """From the moment at which the microcontroller listens until `end`."""
        return self._number is not None

    def _listen_beside(self, action: actions.ListenBeside) -> None:
        self._queue.spawn(self._begin_beside())

    async def _begin_beside(self) -> None:
        self._beside_problem = None
        if self._microphone is None:
            return
        try:
            await self._microphone.listen_beside()
        except DeviceError as error:
            self._beside_problem = str(error)  # told when the computer would sleep

    def _sleep(self, action: actions.Sleep) -> None:
        self._queue.spawn(self._begin(action.number))

    async def _begin(self, number: int) -> None:
        """Leaves the listening to the microcontroller: the next chunk of the microphone arrives after the
        sleep. Not if that hears something already: this computer has heard it from its beginning.
        """
        now_s = self._clock.monotonic()
        if self._microphone is None or not self._may():
            self._queue.post(events.SleepRefused(number, now_s))
            return
        try:
            if self._beside_problem is not None:
                raise DeviceError(self._beside_problem)
            quiet = await self._microphone.sleep()
        except DeviceError as error:
            self._journal.write("asleep", problem=str(error))
            self._queue.post(events.SleepRefused(number, now_s + RETRY_S))
            return
        if not quiet:
            self._queue.post(events.SleepRefused(number, now_s))
            return
        self._number = number
        self._tell_asleep()
        self._queue.post(events.FellAsleep(number))

    def _tell_asleep(self) -> None:
        self._asleep_since_s = self._clock.monotonic()
        self._journal.write("asleep")
        self._observe("asleep", {})

    def end(self) -> None:
        """Call it when the computer is awake again."""
        assert self._number is not None and self._microphone is not None
        number, self._number = self._number, None
        now_s = self._clock.monotonic()
        slept_s = now_s - self._asleep_since_s
        refused, by_sound = self._microphone.suspend_refusal, self._microphone.woken_by_sound
        if refused is not None:
            self._journal.write("awake", problem=refused)
        else:
            took = {"took_s": round(now_s - self._resumed_s, 3)} if by_sound else {}
            by = "sound" if by_sound else "event"
            self._journal.write("awake", slept_s=round(slept_s, 1), by=by, **took)
        self._observe("awake", {"slept_s": slept_s})
        retry_at_s = 0.0 if refused in (None, MOVED, BEGAN) else now_s + RETRY_S
        self._queue.post(events.Awoke(number, retry_at_s, by_sound))

    def _handed_over(self, over: HandOver) -> None:
        self._journal.write(
            "handed_over", recorded_s=round(over.recorded_s, 2), joined_by=over.joined_by,
            took_s=round(over.took_s, 3), lost_samples=over.lost_samples,
            bus_khz=None if over.bus_hz is None else round(over.bus_hz / 1000), problem=over.problem,
        )  # fmt: skip

    def _sleep_s(self) -> float | None:
        """Longest allowed sleep from now, seconds; None without a limit."""
        due_s = self._due_s()
        if due_s is None:
            return None
        late_s = 0.0 if self._alarm is None else self._alarm.late_s
        return due_s - self._clock.monotonic() - EARLY_S - late_s

    def _may(self) -> bool:
        sleep_s = self._sleep_s()
        if sleep_s is not None and self._alarm is None and not self._kept_awake:
            self._journal.write("asleep", problem=NO_ALARM)
        self._kept_awake = sleep_s is not None and self._alarm is None
        return sleep_s is None or (self._alarm is not None and sleep_s >= SHORTEST_S)

    async def _suspended(self, suspend: Callable[[], Awaitable[None]]) -> None:
        async def unless_moved() -> None:
            if self._switch_moved():
                raise DeviceError(MOVED)
            if self._number is not None and not self._queue.state.sleeps_on(self._number):
                raise DeviceError(BEGAN)  # its event has come, so it would end no sleep
            await suspend()

        try:
            while await self._asleep_until_called(unless_moved):
                if not await self._looked():
                    return
        finally:
            await self._after_resume()
            self._resumed_s = self._clock.monotonic()

    async def _looked(self) -> bool:
        """Looks once, between two suspends of one sleep; returns whether the sleep goes on. The
        microcontroller listens all the time, so nothing that is said meanwhile is lost.
        """
        if self._look is None or self._number is None or self._microphone is None:
            return False
        number, began_s, microphone = self._number, self._clock.monotonic(), self._microphone

        def called() -> bool:
            return microphone.called() or not self._sleeps_on(number)

        await self._after_resume()
        if called():
            return False
        slept_s = began_s - self._asleep_since_s
        self._journal.write("awake", slept_s=round(slept_s, 1), by="look")
        self._observe("awake", {"slept_s": slept_s})
        found = await self._look(called)
        took_s = round(self._clock.monotonic() - began_s, 3)
        on = found is not None and self._sleeps_on(number)
        self._journal.write("look", took_s=took_s, sleeps_on=on, **(found or {"problem": CUT_SHORT}))
        self._tell_asleep()
        return on

    def _sleeps_on(self, number: int) -> bool:
        return self._queue.state.sleeps_on(number) and not self._switch_moved() and self._may()

    async def _asleep_until_called(self, suspend: Callable[[], Awaitable[None]]) -> bool:
        """Suspends once; returns whether it slept for as long as the plan allows, and so has to look."""
        due_s = self._sleep_s()
        alarm = self._alarm
        if alarm is None:
            await self._guard.suspended(suspend)
            return False
        looks_after_s = self._longest_s()
        longest_s = min(LONGEST_S, looks_after_s or LONGEST_S)
        sleep_s = longest_s if due_s is None else min(longest_s, due_s)
        began_s = self._clock.monotonic()
        try:
            await asyncio.to_thread(alarm.set, max(1, int(sleep_s)))
        except DeviceError:
            if due_s is not None:
                raise
            await self._guard.suspended(suspend)
            return False
        try:
            await self._guard.suspended(suspend)
        finally:
            await asyncio.to_thread(alarm.clear)
        slept_s = self._clock.monotonic() - began_s
        to_look = looks_after_s is not None and sleep_s == longest_s
        return to_look and slept_s >= int(sleep_s) - ALARM_EARLY_S

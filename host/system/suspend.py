"""Suspends the computer between events.

On an RK3566 only suspend saves much energy between questions: an idle board draws eight times the power of a
suspended one. A plan may therefore let the computer sleep as soon as nothing is in progress. Meanwhile the
microcontroller listens and wakes it (`hw.pmu.sleeping_microphone`); for a timer the real-time clock wakes it
(`hw.linux.rtc_alarm`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from host.observe.journal import Journal
from host.system.watchdog import WatchdogClient
from hw.device import Clock, DeviceError, SuspendableMicrophone, WakeAlarm

RETRY_S = 60.0
"""Pause after a suspend that failed."""
EARLY_S = 4.0
"""How long before it is due the computer is woken: resuming takes up to one second, loading a voice
two more.
"""
NO_ALARM = "Nothing can wake this computer for a timer, so it stays awake until that is done."
SHORTEST_S = 5.0
"""Shortest sleep: the alarm must not fire before the kernel has suspended."""


class Suspender:
    """Measures the quiet time. Call `begin` in standby, and `end` when the next sound has arrived."""

    def __init__(
        self,
        microphone: SuspendableMicrophone | None,
        guard: WatchdogClient,
        clock: Clock,
        journal: Journal,
        after_s: float,
        alarm: WakeAlarm | None = None,
        due_s: Callable[[], float | None] = lambda: None,
    ) -> None:
        """`microphone` None, or `after_s` 0: this headband never sleeps. `due_s`: returns the monotonic time
        at which it has to be awake again, or None; without an `alarm` it stays awake until then.
        """
        self._microphone = microphone if after_s > 0 else None
        self._clock = clock
        self._journal = journal
        self._after_s = after_s
        self._quiet_since_s = clock.monotonic()
        self._asleep_since_s: float | None = None
        self._guard = guard
        self._alarm = alarm
        self._due_s = due_s
        self._kept_awake = False
        self.after_resume: Callable[[], Awaitable[None]] = _nothing
        """Called when the computer has resumed, before its microphone opens."""
        if microphone is not None:
            microphone.around_suspend = self._suspended

    @property
    def asleep(self) -> bool:
        """Between `begin` and `end`."""
        return self._asleep_since_s is not None

    def restart_quiet_time(self) -> None:
        """Restarts the quiet time, because something happened."""
        self._quiet_since_s = max(self._quiet_since_s, self._clock.monotonic())

    async def begin(self, within_s: float | None = None) -> bool:
        """After enough quiet time (at most `within_s`), lets the microcontroller listen: the next chunk read
        from the microphone arrives after the sleep. Returns whether it did.
        """
        now_s = self._clock.monotonic()
        after_s = self._after_s if within_s is None else min(within_s, self._after_s)
        if self._microphone is None or now_s - self._quiet_since_s < after_s or not self._may():
            return False
        try:
            await self._microphone.sleep()
        except DeviceError as error:
            self._quiet_since_s = now_s + RETRY_S
            self._journal.write("asleep", problem=str(error))
            return False
        self._asleep_since_s = now_s
        self._journal.write("asleep", after_quiet_s=round(now_s - self._quiet_since_s, 1))
        return True

    def end(self) -> float:
        """Call it when the computer is awake again; returns how long it slept, seconds."""
        assert self._asleep_since_s is not None
        slept_s = self._clock.monotonic() - self._asleep_since_s
        self._asleep_since_s = None
        assert self._microphone is not None
        heard, refused = self._microphone.last_hand_over, self._microphone.suspend_refusal
        self.restart_quiet_time()
        if refused is not None:
            self._quiet_since_s += RETRY_S
            self._journal.write("awake", problem=refused)
            return slept_s
        fields = {} if heard is None else {
            "recorded_s": round(heard.recorded_s, 2), "joined_by": heard.joined_by,
            "took_s": round(heard.took_s, 3), "lost_samples": heard.lost_samples, "problem": heard.problem,
        }  # fmt: skip
        self._journal.write("awake", slept_s=round(slept_s, 1), by="sound" if heard else "event", **fields)
        return slept_s

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
        await self._asleep_until_called(suspend)
        await self.after_resume()

    async def _asleep_until_called(self, suspend: Callable[[], Awaitable[None]]) -> None:
        sleep_s = self._sleep_s()
        if sleep_s is None or self._alarm is None:
            await self._guard.suspended(suspend)
            return
        alarm = self._alarm
        await asyncio.to_thread(alarm.set, max(1, int(sleep_s)))
        try:
            await self._guard.suspended(suspend)
        finally:
            await asyncio.to_thread(alarm.clear)


async def _nothing() -> None:
    pass

"""Reads the battery gauge in a thread, on request and when the alert line is active, so that a slow bus does
not block the event loop.

The loop waits at most `TIMEOUT_S` for a transfer and then uses the last reading. At most one transfer is in
progress and one more queued. Each fault of the gauge, and its recovery, is reported once.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from host.observe.journal import Journal
from hw.board import Board
from hw.device import DeviceError
from hw.supply import BatteryReading, ChargeWarner, EventSource, PmuEvent

TIMEOUT_S = 0.03
"""How long the main loop waits for a reading; one takes 15 ms on a bus of 100 kHz without faults."""
OVERDUE_S = 5.0
"""A transfer that takes longer makes the last reading stale."""
SETTLED_S = 60.0
"""After that long without a fault, a fault that was reported before is reported again."""
ALERT_PAUSE_S = (1.0, 30.0)
"""First and longest pause between two readings while the alert line stays active: it is stuck, or its events
cannot be read.
"""

GaugeResult = tuple[BatteryReading, tuple[PmuEvent, ...]]


class BatteryWatch:
    """Reads one board's gauge. Run `run` as a task; `close` ends the thread."""

    def __init__(
        self,
        board: Board,
        journal: Journal,
        notify: Callable[[str, dict[str, Any]], None] = lambda event, fields: None,
        on_event: Callable[[PmuEvent], None] = lambda event: None,
    ) -> None:
        """`notify` gets the event name ("battery" or "pmu") and the fields of each line written to the
        journal; `on_event` every event of the microcontroller, in the event loop.
        """
        self._gauge = board.gauge
        self._alert = board.alert
        self._clock = board.clock
        self._journal = journal
        self._notify = notify
        self._thread = ThreadPoolExecutor(1, "battery")
        self._queued: asyncio.Future[GaugeResult] | None = None
        self._requested, self._started, self._completed = 0, 0, 0  # numbers of readings
        self._started_s = 0.0
        self._latest = BatteryReading(
            None, None, None, None, False, "absent", "The battery has not been read yet."
        )
        self._reported: set[str] = set()
        self._good_since_s: float | None = None
        self.timeout_s = TIMEOUT_S
        """Default timeout of `refresh`, seconds."""
        self.news = False
        """True after a reading that no caller waited for: after an alert, or after the timeout of `refresh`.
        """
        self._on_event = on_event

    def read_now(self) -> BatteryReading:
        """Reads the gauge and blocks until it has answered; for the start, before the event loop runs."""
        self._accept((self._gauge.read(), ()))
        return self._latest

    @property
    def latest(self) -> BatteryReading:
        """The last reading; its state is "stale" while the next one takes longer than `OVERDUE_S`."""
        late_s = self._clock.monotonic() - self._started_s
        if self._started == self._completed or late_s < OVERDUE_S or self._latest.state != "good":
            return self._latest
        problem = f"The battery gauge has not answered for {late_s:.0f} seconds."
        return replace(self._latest, state="stale", problem=problem)

    async def refresh(self, timeout_s: float | None = None) -> BatteryReading:
        """A new reading if it arrives within `timeout_s` (None: `self.timeout_s`), else the last one."""
        read = self._request()
        await asyncio.wait([read], timeout=self.timeout_s if timeout_s is None else timeout_s)
        if not read.done():
            read.add_done_callback(self._note_news)
            self._report_state(self.latest)
        return self.latest

    async def run(self) -> None:
        """Reads the gauge whenever the alert line is active. Never returns."""
        pause_s = ALERT_PAUSE_S[0]
        while True:
            await self._alert_active()
            await asyncio.wait([self._request()])
            self.news = True
            if self._alert.active:
                await self._clock.sleep(pause_s)
                pause_s = min(2 * pause_s, ALERT_PAUSE_S[1])
            else:
                pause_s = ALERT_PAUSE_S[0]

    async def warn_below(self, percent: int) -> None:
        """Sets the charge below which the gauge activates the alert line, if it can; ignores a
        failing bus.
        """
        gauge = self._gauge
        if isinstance(gauge, ChargeWarner):
            with contextlib.suppress(DeviceError):
                await asyncio.get_running_loop().run_in_executor(self._thread, gauge.warn_below, percent)

    def close(self) -> None:
        """Ends the thread. May be called again."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _alert_active(self) -> None:
        waiting = asyncio.ensure_future(self._alert.wait())
        try:
            await asyncio.sleep(0)  # lets the wait begin, so that no edge is lost before the level is read
            if not self._alert.active:
                await waiting
        finally:
            waiting.cancel()

    def _request(self) -> asyncio.Future[GaugeResult]:
        """A reading that has not started yet, so that it is newer than the request."""
        if self._queued is None or self._requested == self._started:
            self._requested += 1
            loop = asyncio.get_running_loop()
            self._queued = loop.run_in_executor(self._thread, self._read, self._requested)
            self._queued.add_done_callback(self._finished)
        return self._queued

    def _read(self, number: int) -> GaugeResult:
        """In the thread: reads the battery and takes the microcontroller's events."""
        self._started, self._started_s = number, self._clock.monotonic()
        reading = self._gauge.read()
        if reading.state == "absent" or not isinstance(self._gauge, EventSource):
            return reading, ()
        return reading, self._gauge.take_events()

    def _note_news(self, _: object) -> None:
        self.news = True

    def _finished(self, read: asyncio.Future[GaugeResult]) -> None:
        self._completed += 1
        if not read.cancelled():
            self._accept(read.result())

    def _accept(self, read: GaugeResult) -> None:
        self._latest, events = read
        self._report_state(self._latest)
        for event in events:
            self._journal.write("pmu", kind=event.kind, detail=event.detail)
            self._notify("pmu", {"kind": event.kind, "detail": event.detail})
            asyncio.get_running_loop().call_soon(self._on_event, event)

    def _report_state(self, reading: BatteryReading) -> None:
        """Reports a change in the gauge's state."""
        now_s = self._clock.monotonic()
        if reading.state != "good":
            self._good_since_s = None
            self._report(re.sub(r"\d+", "#", str(reading.problem)), reading)
        elif self._reported:
            self._report("good", reading)
            self._good_since_s = now_s if self._good_since_s is None else self._good_since_s
            if now_s - self._good_since_s >= SETTLED_S:
                self._reported.clear()

    def _report(self, key: str, reading: BatteryReading) -> None:
        if key not in self._reported:
            self._reported.add(key)
            self._journal.write("battery", state=reading.state, problem=reading.problem)
            self._notify("battery", {"state": reading.state, "problem": reading.problem})

"""The battery as the event loop sees it: read in a thread of its own, at the alert line's call, and served
from the last reading while a bus takes its time.

However long a transfer blocks, the loop waits at most `PATIENCE_S` for it; one look is under way at a time,
and at most one waits for its end. What is wrong with the gauge is said once, and so is that it is right
again.
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
from hw.device import Board, DeviceError
from hw.supply import BatteryReading, ChargeWarner, EventSource, PmuEvent

PATIENCE_S = 0.03
"""How long a turn of the main loop waits for a look at the battery; a healthy one takes 15 ms at 100 kHz."""
OVERDUE_S = 5.0
"""A look that takes longer makes the last reading stale."""
SETTLED_S = 60.0
"""After being right for that long, a fault that comes back is said again."""
STILL_PULLED_S = (1.0, 30.0)
"""Between two looks while the alert line stays pulled (it is stuck, or its events cannot be read), at first
and at last.
"""

Look = tuple[BatteryReading, tuple[PmuEvent, ...]]


class BatteryWatch:
    """One board's gauge. `run` is to be a task; `close` ends the thread."""

    def __init__(
        self,
        board: Board,
        journal: Journal,
        tell: Callable[[str, dict[str, Any]], None] = lambda event, fields: None,
    ) -> None:
        """`tell("battery", ...)` and `tell("pmu", ...)` hear what the journal hears."""
        self._gauge = board.gauge
        self._alert = board.alert
        self._clock = board.clock
        self._journal = journal
        self._tell = tell
        self._thread = ThreadPoolExecutor(1, "battery")
        self._look_asked: asyncio.Future[Look] | None = None
        self._asked, self._begun, self._ended = 0, 0, 0  # looks so far
        self._began_s = 0.0
        self._latest = BatteryReading(
            None, None, None, None, False, "absent", "The battery has not been read yet."
        )
        self._said: set[str] = set()
        self._good_since_s: float | None = None
        self.patience_s = PATIENCE_S
        """How long `refresh` waits."""
        self.on_news: Callable[[], None] = lambda: None
        """Called after each look that nobody waited for: an alert's, or one that outlasted the patience."""
        self.on_event: list[Callable[[PmuEvent], None]] = []
        """Each is called with every event of the microcontroller, in the event loop."""

    def read_now(self) -> BatteryReading:
        """Look and wait for it, however long it takes: for the time before the event loop has work."""
        self._take((self._gauge.read(), ()))
        return self._latest

    @property
    def latest(self) -> BatteryReading:
        """The last reading; stale once the next one is overdue."""
        late_s = self._clock.monotonic() - self._began_s
        if self._begun == self._ended or late_s < OVERDUE_S or self._latest.state != "good":
            return self._latest
        problem = f"The battery gauge has not answered for {late_s:.0f} seconds."
        return replace(self._latest, state="stale", problem=problem)

    async def refresh(self, patience_s: float | None = None) -> BatteryReading:
        """A reading of now if there is one within `patience_s` (None: this watch's own), else the last."""
        look = self._ask()
        await asyncio.wait([look], timeout=self.patience_s if patience_s is None else patience_s)
        if not look.done():
            look.add_done_callback(lambda _: self.on_news())
            self._note(self.latest)
        return self.latest

    async def run(self) -> None:
        """Looks whenever the alert line is pulled. Never returns."""
        pause_s = STILL_PULLED_S[0]
        while True:
            await self._pulled()
            await asyncio.wait([self._ask()])
            self.on_news()
            if self._alert.active:
                await self._clock.sleep(pause_s)
                pause_s = min(2 * pause_s, STILL_PULLED_S[1])
            else:
                pause_s = STILL_PULLED_S[0]

    async def warn_below(self, percent: int) -> None:
        """Have the alert line pulled at that charge, where the gauge can; a bus that fails leaves it be."""
        gauge = self._gauge
        if isinstance(gauge, ChargeWarner):
            with contextlib.suppress(DeviceError):
                await asyncio.get_running_loop().run_in_executor(self._thread, gauge.warn_below, percent)

    def close(self) -> None:
        """Let the thread go. Harmless when repeated."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _pulled(self) -> None:
        waiting = asyncio.ensure_future(self._alert.wait())
        try:
            await asyncio.sleep(0)  # it waits now, so no edge is lost between the level and the wait
            if not self._alert.active:
                await waiting
        finally:
            waiting.cancel()

    def _ask(self) -> asyncio.Future[Look]:
        """A look that has not begun yet, so that it sees what is true now."""
        if self._look_asked is None or self._asked == self._begun:
            self._asked += 1
            loop = asyncio.get_running_loop()
            self._look_asked = loop.run_in_executor(self._thread, self._look, self._asked)
            self._look_asked.add_done_callback(self._finished)
        return self._look_asked

    def _look(self, number: int) -> Look:
        """In the thread: the reading and what happened."""
        self._begun, self._began_s = number, self._clock.monotonic()
        reading = self._gauge.read()
        if reading.state == "absent" or not isinstance(self._gauge, EventSource):
            return reading, ()
        return reading, self._gauge.take_events()

    def _finished(self, look: asyncio.Future[Look]) -> None:
        self._ended += 1
        if not look.cancelled():
            self._take(look.result())

    def _take(self, look: Look) -> None:
        self._latest, events = look
        self._note(self._latest)
        for event in events:
            self._journal.write("pmu", kind=event.kind, detail=event.detail)
            self._tell("pmu", {"kind": event.kind, "detail": event.detail})
            for listener in self.on_event:
                asyncio.get_running_loop().call_soon(listener, event)

    def _note(self, reading: BatteryReading) -> None:
        """Say what is new about the gauge itself."""
        now_s = self._clock.monotonic()
        if reading.state != "good":
            self._good_since_s = None
            self._say(re.sub(r"\d+", "#", str(reading.problem)), reading)
        elif self._said:
            self._say("good", reading)
            self._good_since_s = now_s if self._good_since_s is None else self._good_since_s
            if now_s - self._good_since_s >= SETTLED_S:
                self._said.clear()

    def _say(self, key: str, reading: BatteryReading) -> None:
        if key not in self._said:
            self._said.add(key)
            self._journal.write("battery", state=reading.state, problem=reading.problem)
            self._tell("battery", {"state": reading.state, "problem": reading.problem})

"""The energy meter of a running headband: divides time into intervals (turn, standby, asleep) and books the
energy of each in a ledger.

The microcontroller's counters are read in a thread at every boundary. An interval whose two readings succeed
is "measured", and the model only divides its energy among the stages; otherwise it is "modelled".
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from host.answers.energy_replies import Outlook
from host.energy.bricks_work import camera_work, clip_camera_s, work_since
from host.energy.energy_counters import CounterReader, with_measured_energy
from host.energy.ledger_store import read_ledger
from host.observe.journal import Journal
from host.observe.timeline import Timeline
from hw.board import Board
from hw.supply import BatteryReading, Energy
from models.atomic_file import PRIVATE, write_whole
from power.account.energy_model import EnergyModel
from power.account.ledger import Activity, Ledger, Spent
from power.account.ledger_json import LedgerError, as_json
from power.account.modelled_interval import BACKGROUND, Modelled, asleep, awake
from power.policy.plan import PowerPlan

MAX_STANDBY_INTERVAL_S = 60.0
"""Longest interval in standby."""
SAVE_S = 300.0
"""Between two saves in standby; a power loss loses at most this much standby."""
TIMEOUT_S = 0.3
"""Longest wait for the counters at most boundaries."""
TURN_END_TIMEOUT_S = 0.05
"""The same at the end of a turn, which delays what follows; a read takes 15 ms on a bus of 100 kHz."""
_ANSWERING = ("thinking", "speaking")
"""States of the interaction from which a wake word begins the next turn."""


@dataclass(frozen=True)
class _Boundary:
    """State at the boundary between two intervals."""

    activity: Activity
    """Of the interval that begins here."""
    monotonic_s: float
    """On the board's clock, which goes on while the computer is suspended."""
    clock_s: float
    """On the timeline's clock."""
    heard_s: float
    looked_s: float
    views: int
    wall_s: float
    plan: PowerPlan
    outside: bool
    counters: asyncio.Task[Energy | None]


class EnergyMeter:
    """Call `start` first, `observe` for every event, `end_turn` after each answer, and `close` last."""

    def __init__(
        self,
        board: Board,
        timeline: Timeline,
        journal: Journal,
        model: EnergyModel,
        path: Path | None,
        *,
        now: Callable[[], tuple[PowerPlan, BatteryReading]],
        heard_s: Callable[[], float] = lambda: 0.0,
        looked_s: Callable[[], float] = lambda: 0.0,
        empty_percent: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """`now`: returns the current plan and battery reading. `heard_s`, `looked_s`: return the seconds of
        sound heard, and in which the camera's sensor streamed, so far. `empty_percent`: the charge at which
        the headband stops. `path` None keeps the ledger in memory only.
        """
        self.ledger = Ledger()
        self.problem: str | None = None
        """Why the ledger could not be read or saved, as a sentence; None if it could."""
        self.timeout_s = TIMEOUT_S
        """See `TIMEOUT_S`."""
        self.turn_end_timeout_s = TURN_END_TIMEOUT_S
        """See `TURN_END_TIMEOUT_S`."""
        self._board, self._clock = board, board.clock
        self._timeline, self._journal, self._model, self._path = timeline, journal, model, path
        self._now, self._heard_s, self._looked_s = now, heard_s, looked_s
        self._empty_percent = empty_percent
        self._views = 0
        """Views that were remembered so far."""
        self._interval_start: _Boundary | None = None
        self._booking: asyncio.Task[Spent] | None = None
        self._answering_since_s = 0.0
        self._interrupted: asyncio.Task[Spent] | None = None
        """The booking of the last turn that a new question interrupted."""
        self._counters = CounterReader(board.energy)
        self._saving: asyncio.Task[None] | None = None
        self._save_lock = asyncio.Lock()
        self._saved_s = 0.0
        self._ticking: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Reads the saved ledger and begins the first interval."""
        if self._path is not None:
            try:
                self.ledger = await asyncio.to_thread(read_ledger, self._path)
            except LedgerError as error:
                self._report(str(error))
                with contextlib.suppress(OSError):
                    self._path.replace(self._path.with_suffix(".bad.json"))
        self._interval_start = self._boundary("standby", self.timeout_s)
        self._saved_s = self._clock.time()
        self._ticking = asyncio.create_task(self._tick())

    async def close(self) -> None:
        """Books the last interval and saves the ledger. May be called again."""
        if self._interval_start is None:
            return
        if self._ticking is not None:
            self._ticking.cancel()
        booking = self._end_interval("standby", self.timeout_s)
        self._interval_start = None
        await booking
        await self._save()

    def observe(self, event: str, fields: Mapping[str, Any]) -> None:
        """An observer of the headband; call it in the event loop."""
        if self._interval_start is None:
            return
        activity = self._interval_start.activity
        if event == "transition" and fields["region"] == "interaction":
            if fields["to"] == "thinking":
                self._answering_since_s = self._timeline.clock()
            if fields["to"] == "listening" and activity != "turn":
                self._end_interval("turn", self.timeout_s, mark=True)
            elif fields["on"] == "woken" and fields["to"] and fields["from"] in _ANSWERING:
                since_s = self._answering_since_s
                self._interrupted = self._end_interval("turn", self.timeout_s, answering_since_s=since_s)
            elif fields["to"] == "standby" and activity == "turn":
                self._end_interval("standby", self.timeout_s, ended="standby")  # no question was asked
        elif event == "memory" and "number" in fields:
            self._views += 1
        elif event == "asleep":
            self._end_interval("asleep", self.timeout_s)
        elif event == "awake":
            self._end_interval("standby", self.timeout_s)
            self._save_if_due()
        elif event == "plan" and activity == "standby":
            self._end_interval("standby", self.timeout_s)

    async def end_turn(self, answering_since_s: float, answered_by: str = "") -> Spent | None:
        """Ends a turn after its answer; returns its energy from the wake word to now, or to the next wake
        word if that interrupted the answer. `answering_since_s`: end of the question on the timeline's clock;
        `answered_by`: who answered, for the ledger. None when no turn was in progress.
        """
        if self._interval_start is None or self._interval_start.activity != "turn":
            return None
        if self._interrupted is not None and answering_since_s < self._interval_start.clock_s:
            return await self._interrupted
        spent = await self._end_interval(
            "standby",
            self.turn_end_timeout_s,
            answering_since_s=answering_since_s,
            answered_by=answered_by,
        )
        self._save_if_due(0.0)
        return spent

    def outlook(self) -> Outlook:
        """The figures from which a question about the battery is answered."""
        last = self.ledger.turns[-1] if self.ledger.turns else None
        today = self.ledger.day(self._clock.time())
        return Outlook(self.ledger.drain, today, last, self._empty_percent())

    async def _tick(self) -> None:
        while True:
            await self._clock.sleep(MAX_STANDBY_INTERVAL_S)
            if self._interval_start is not None and self._interval_start.activity == "standby":
                self._end_interval("standby", self.timeout_s)
            self._save_if_due()

    def _save_if_due(self, after_s: float = SAVE_S) -> None:
        due = abs(self._clock.time() - self._saved_s) >= after_s
        if due and (self._saving is None or self._saving.done()):
            self._saving = asyncio.create_task(self._save())

    def _boundary(self, activity: Activity, timeout_s: float, *, mark: bool = False) -> _Boundary:
        plan, reading = self._now()
        return _Boundary(
            activity, self._clock.monotonic(), self._timeline.clock(), self._heard_s(), self._looked_s(),
            self._views, self._clock.time(), plan, reading.charging,
            asyncio.create_task(self._counters.read(timeout_s, mark=mark)),
        )  # fmt: skip

    def _end_interval(
        self,
        following: Activity,
        timeout_s: float,
        *,
        mark: bool = False,
        answering_since_s: float | None = None,
        ended: Activity | None = None,
        answered_by: str = "",
    ) -> asyncio.Task[Spent]:
        """Ends the current interval (its activity is replaced by `ended`, if given) and begins the next; the
        returned task books it after the counters are read.
        """
        start = self._interval_start
        assert start is not None
        boundary = self._interval_start = self._boundary(following, timeout_s, mark=mark)
        activity = ended or start.activity
        modelled = self._modelled(start, boundary, answering_since_s)
        spent = Spent(
            activity,
            "modelled",
            boundary.wall_s,
            modelled.seconds,
            modelled.stages_mwh,
            "outside" if start.outside or boundary.outside else "battery",
            start.plan.mode.value,
            answered_by=answered_by,
            views=boundary.views - start.views,
        )
        self._booking = asyncio.create_task(self._book(spent, start, boundary, self._booking))
        return self._booking

    def _modelled(self, start: _Boundary, ended: _Boundary, answering_since_s: float | None) -> Modelled:
        if start.activity == "asleep":
            return asleep(ended.monotonic_s - start.monotonic_s, self._model)
        spans, native = reversed(self._timeline.spans), self._board.native
        work, unseen = work_since(start.clock_s, spans, self._model, native=native)
        if not native:
            hearing_until_s = ended.clock_s if answering_since_s is None else answering_since_s
            heard_s = ended.heard_s - start.heard_s
            unseen[BACKGROUND] = heard_s - (hearing_until_s - start.clock_s)
        clip_s = clip_camera_s(start.clock_s, reversed(self._timeline.spans))
        looked = camera_work(ended.looked_s - start.looked_s, start.plan, clip_s)
        return awake(
            work, start.clock_s, ended.clock_s, start.plan, self._model,
            native=native, unseen_s=unseen, besides_s=looked,
        )  # fmt: skip

    async def _book(
        self, spent: Spent, start: _Boundary, ended: _Boundary, before: asyncio.Task[Spent] | None
    ) -> Spent:
        if before is not None:
            await asyncio.wait([before])
        at_start, at_end = await start.counters, await ended.counters
        if self._board.energy is not None:
            spent = with_measured_energy(spent, at_start, at_end)
        self.ledger.book(spent)
        return spent

    async def _save(self) -> None:
        self._saved_s = self._clock.time()
        if self._path is None:
            return
        async with self._save_lock:
            try:
                text = json.dumps(as_json(self.ledger))
                await asyncio.to_thread(write_whole, self._path, text, PRIVATE)
                self.problem = None
            except OSError as error:
                self._report(f"The energy ledger cannot be saved: {error.strerror or error}.")

    def _report(self, problem: str) -> None:
        if problem != self.problem:
            self._journal.write("ledger", problem=problem)
        self.problem = problem

"""Remembers what the camera sees, while the wearer wants it: each new view once, between questions. What is
too old is deleted every day, also while the wearer wants nothing remembered.

The power plan alone decides how much a view may cost: with everything in memory as many blocks as the view
needs to be found again, in throttled the first exit, and only picture and time where one brick has room;
those are placed later.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

from host.event_queue import EventQueue, Performs
from host.memory.client import MemoryClient
from host.memory.clocks import DOUBTED_S
from host.memory.values import BUSY, MemoryProblem, Moment, Placed
from host.observe.observer import Observer
from host.observe.purpose import MEMORY, working_for
from host.sensing.kept_views import View
from host.session import actions, events
from host.turn.recalling.view_places import ViewPlaces
from host.turn.tools import PowerNow
from hw.device import Clock
from models.brick import BrickError
from models.process.residency import BrickFailed
from power.policy.plan import Mode, PowerPlan

WAITING_VIEWS = 4
"""So many new views wait for a pause between questions; then the oldest is let go."""
GATHER_S = 2.0
"""So long the first of them waits for others, which are then encoded as a batch."""
RETAIN_FIRST_S = 60.0
"""So long after the start, when all else is loaded, what is too old is deleted for the first time."""
RETAIN_AGAIN_S = DOUBTED_S
"""So long after that it is deleted again: by then the pause before the start counts as well."""
RETAIN_EVERY_S = 86_400.0
"""From then on."""
TRIES = 3
"""So often a view is stored where the memory's process ends, or another program holds the file meanwhile."""
AGAIN_S = 5.0
"""Pause before it is tried again."""
NOT_WORKING = "I can't remember what I see any more, because my memory does not work."
"""Spoken where its process ended each time; the journal has the cause."""
_PAUSE_S = 0.2


def exits_for(plan: PowerPlan, exits: tuple[int, ...]) -> tuple[int, ...]:
    """The exits between which a view is placed at once, depths in blocks; none: it is not placed."""
    if not exits or plan.mode in (Mode.CASCADE, Mode.CUTOFF) or plan.residency == "one_at_a_time":
        return ()
    return exits if plan.mode is Mode.PERFORMANCE else exits[:1]


def looks_through(plan: PowerPlan) -> bool:
    """Whether the object detector looks at a view at once; otherwise it does while it charges."""
    return plan.mode is Mode.PERFORMANCE and plan.residency == "resident"


class Intake:
    """Follows the wearer's setting and recording. `note` every view; `run` stores them, and deletes what is
    too old.
    """

    def __init__(
        self,
        memory: MemoryClient,
        places: ViewPlaces,
        power: PowerNow,
        clock: Clock,
        queue: EventQueue,
        observe: Observer,
        worn: Callable[[], bool],
        look_anew: Callable[[], None] = lambda: None,
    ) -> None:
        """`worn`: False while nobody wears the headband. `look_anew` makes the gate take the next picture for
        a new view: what is in view as the memory is switched on was seen before, and is to be remembered.
        """
        self._memory, self._places, self._power, self._clock = memory, places, power, clock
        self._queue, self._observe, self._worn, self._look_anew = queue, observe, worn, look_anew
        self._recording = True
        self._waiting: deque[tuple[View, Moment]] = deque(maxlen=WAITING_VIEWS)
        self._came = asyncio.Event()
        self._stored = asyncio.Event()
        """Nothing waits and nothing is being stored."""
        self._stored.set()
        self._hurried = False
        self.dropped = 0
        """New views that were let go because questions took all the time."""

    @property
    def performs(self) -> Performs:
        """Action -> method."""
        return {actions.WriteSettings: self._settings, actions.SetRecording: self._record}

    @property
    def wanted(self) -> bool:
        """Whether the wearer has memory and recording on."""
        return self._memory.on and self._recording

    def switch(self, on: bool) -> None:
        """Follows the wearer's setting; off: what waits is let go."""
        if on and not self._memory.on:
            self._look_anew()
        self._memory.switch(on)
        if not on:
            self._waiting.clear()

    def note(self, view: View) -> None:
        """Called with every picture; a new view is remembered when there is time for it."""
        if not (self.wanted and view.verdict.kept and self._worn()):
            return
        self.dropped += len(self._waiting) == WAITING_VIEWS
        self._waiting.append((view, self._memory.now()))
        self._stored.clear()
        self._came.set()

    async def stored(self) -> None:
        """Returns when nothing waits any more; no view waits for others meanwhile."""
        self._hurried = True
        try:
            await self._stored.wait()
        finally:
            self._hurried = False

    async def run(self) -> None:
        """Stores and deletes views until cancelled."""
        await asyncio.gather(self._store(), self._retain())

    async def _store(self) -> None:
        """What cannot be stored ends the memory, and is said once."""
        while True:
            await self._came.wait()
            self._came.clear()
            while self._waiting:
                await self._gathered()
                batch = list(self._waiting)
                self._waiting.clear()
                try:
                    with working_for(MEMORY):
                        await self._remember(batch)
                except (MemoryProblem, BrickError, BrickFailed) as problem:
                    if self._memory.on:
                        self.switch(False)
                        self._observe("memory", {"problem": str(problem)})
                        told = NOT_WORKING if isinstance(problem, BrickFailed) else str(problem)
                        self._queue.post(events.MemoryStopped(told))
            self._stored.set()

    async def _retain(self) -> None:
        """Looks at the clock often, which goes on while the headband sleeps; a pause does not."""
        due_s, next_s = self._clock.monotonic() + RETAIN_FIRST_S, RETAIN_AGAIN_S
        while True:
            await self._clock.sleep(RETAIN_FIRST_S)
            if self._clock.monotonic() < due_s or self._places.asked:
                continue
            try:
                with working_for(MEMORY):
                    if await self._memory.retain():
                        continue  # there may be more
            except (MemoryProblem, BrickError, BrickFailed) as problem:
                self._observe("memory", {"problem": str(problem)})
            due_s, next_s = self._clock.monotonic() + next_s, RETAIN_EVERY_S

    async def _gathered(self) -> None:
        """Returns when as many views wait as may, or the first has waited long enough, and nobody asks."""
        until_s = self._clock.monotonic() + GATHER_S
        while self._places.asked or (
            not self._hurried and len(self._waiting) < WAITING_VIEWS and self._clock.monotonic() < until_s
        ):
            await self._clock.sleep(_PAUSE_S)

    async def _remember(self, batch: Sequence[tuple[View, Moment]]) -> None:
        """Stores views, the first first."""
        exits = exits_for(self._power.plan, self._places.exits)
        found: Sequence[Placed] = [Placed()] * len(batch)
        if exits and batch:
            with suppress(BrickError, BrickFailed):  # they can be placed later, from their pictures
                views, look_through = [view for view, _ in batch], looks_through(self._power.plan)
                found = await self._places.place_all(views, exits, look_through=look_through)
        for (view, taken), placed in zip(batch, found, strict=True):
            if not self.wanted:
                return  # the wearer said so meanwhile
            number = await self._number(view, taken, placed)
            if number:
                depth = 0 if placed.place is None else placed.place.depth
                seen = {} if placed.things is None else {"things": len(placed.things)}
                self._observe("memory", {"number": number, "depth": depth, **seen})

    async def _number(self, view: View, taken: Moment, placed: Placed) -> int:
        """What `MemoryClient.remember` gives; tried again after what passes by itself, while it is wanted."""
        tries = 0
        while self.wanted:
            try:
                return await self._memory.remember(
                    view.rgb, taken, view.verdict.reason, placed.place,
                    activation=placed.activation, things=placed.things,
                )  # fmt: skip
            except (MemoryProblem, BrickError, BrickFailed) as problem:
                tries += 1
                if tries == TRIES or not (isinstance(problem, BrickFailed) or str(problem) == BUSY):
                    raise
            await self._clock.sleep(AGAIN_S)
        return 0

    def _settings(self, action: actions.WriteSettings) -> None:
        self.switch(action.settings.memory)

    def _record(self, action: actions.SetRecording) -> None:
        self._recording = action.on
        if not action.on:
            self._waiting.clear()

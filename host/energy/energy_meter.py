"""The energy ledger of a running headband: cuts time into turns, waiting and sleep, and books what each took.

At every cut the counters of the microcontroller are read, in a thread. Where both ends of a stretch could be
read, its energy is measured, and the model only divides it among the stages; else it is modelled, and says
so. A bus that fails costs nothing but the label.
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
from host.energy.energy_counters import Counters, judged
from host.energy.ledger_store import read_ledger
from host.observe.journal import Journal
from host.observe.timeline import Timeline
from hw.device import Board
from hw.supply import BatteryReading, Energy
from models.atomic_file import write_whole
from models.brick import Placement
from models.pack.catalogue import Pack
from power.account.energy_model import EnergyModel
from power.account.ledger import Activity, Ledger, Spent
from power.account.ledger_json import LedgerError, as_json
from power.account.modelled_stretch import BACKGROUND, Modelled, Work, asleep, awake
from power.policy.plan import PowerPlan

CUT_S = 60.0
"""Longest stretch of waiting."""
SAVE_S = 300.0
"""Between two savings while nobody asks; as much waiting a power loss forgets."""
PATIENCE_S = 0.3
"""For a look at the counters beside other work."""
HURRY_S = 0.05
"""For the one at the end of a turn, which holds up what comes next; a healthy one takes 15 ms at 100 kHz."""
_STAGES: Mapping[str, str] = {
    "stt": "stt",
    "vision": "vision",
    "llm": "llm",
    "tts": "tts",
    "speaker": "speak",
}
"""Track of the timeline -> stage of the model."""
_WORK = ("load", "execute")
_ANSWERING = ("thinking", "speaking")
"""States of the interaction from which a wake word begins the next turn."""


@dataclass(frozen=True)
class _Cut:
    """Where one stretch ends and the next begins."""

    activity: Activity
    """Of the stretch that begins."""
    clock_s: float
    heard_s: float
    looked_s: float
    wall_s: float
    plan: PowerPlan
    outside: bool
    look: asyncio.Task[Energy | None]


class EnergyLedger:
    """`start` first; then `observe` hears what happens, `end_turn` closes a turn, `close` is the end."""

    def __init__(
        self,
        board: Board,
        pack: Pack,
        timeline: Timeline,
        journal: Journal,
        model: EnergyModel,
        path: Path | None,
        *,
        now: Callable[[], tuple[PowerPlan, BatteryReading]],
        heard_s: Callable[[], float] = lambda: 0.0,
        looked_s: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """`now`: the plan and the battery of this moment. `heard_s`, `looked_s`: seconds of sound heard and
        of camera used so far. `path` None keeps the ledger in memory only.
        """
        self.ledger = Ledger()
        self.problem: str | None = None
        """Why the ledger could not be read or saved; a sentence."""
        self.patience_s = PATIENCE_S
        """How long a look at the counters may take beside other work."""
        self.hurry_s = HURRY_S
        """How long one may hold up what comes after a turn."""
        self._board, self._clock = board, board.clock
        self._timeline, self._journal, self._model, self._path = timeline, journal, model, path
        self._now, self._heard_s, self._looked_s = now, heard_s, looked_s
        npu = {n for n, spec in pack.bricks.items() if board.native and spec.placement is Placement.NPU}
        self._stages = {
            track: f"{stage}_npu" if track in npu and f"{stage}_npu" in model.stages else stage
            for track, stage in _STAGES.items()
        }
        self._began: _Cut | None = None
        self._booking: asyncio.Task[Spent] | None = None
        self._answering_since_s = 0.0
        self._interrupted: asyncio.Task[Spent] | None = None
        """Books the last turn that ended because the wearer asked anew."""
        self._counters = Counters(board.energy)
        self._saving: asyncio.Task[None] | None = None
        self._one_save = asyncio.Lock()
        self._saved_s = 0.0
        self._ticking: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Take on what was kept, and begin to count."""
        if self._path is not None:
            try:
                self.ledger = await asyncio.to_thread(read_ledger, self._path)
            except LedgerError as error:
                self._say(str(error))
                with contextlib.suppress(OSError):
                    self._path.replace(self._path.with_suffix(".bad.json"))
        self._began = self._cut("standby", self.patience_s)
        self._saved_s = self._clock.time()
        self._ticking = asyncio.create_task(self._tick())

    async def close(self) -> None:
        """Book the rest and save. Harmless when repeated."""
        if self._began is None:
            return
        if self._ticking is not None:
            self._ticking.cancel()
        booking = self._end("standby", self.patience_s)
        self._began = None
        await booking
        await self._save()

    def observe(self, event: str, fields: Mapping[str, Any]) -> None:
        """What the headband tells its observers; call it in the event loop."""
        if self._began is None:
            return
        activity = self._began.activity
        if event == "transition" and fields["region"] == "interaction":
            if fields["to"] == "thinking":
                self._answering_since_s = self._timeline.clock()
            if fields["to"] == "listening" and activity != "turn":
                self._end("turn", self.patience_s, mark=True)
            elif fields["on"] == "woken" and fields["to"] and fields["from"] in _ANSWERING:
                since_s = self._answering_since_s
                self._interrupted = self._end("turn", self.patience_s, answering_since_s=since_s)
            elif fields["to"] == "standby" and activity == "turn":
                self._end("standby", self.patience_s, ended="standby")  # nobody asked after all
        elif event == "asleep":
            self._end("asleep", self.patience_s)
        elif event == "awake":
            self._end("standby", self.patience_s, slept_s=float(fields["slept_s"]))
            self._save_if_due()
        elif event == "plan" and activity == "standby":
            self._end("standby", self.patience_s)

    async def end_turn(self, answering_since_s: float) -> Spent | None:
        """The answer is over: what the turn took, from the wake word on; up to the next one, where that
        silenced the answer. `answering_since_s`: when the question was heard to its end, on the timeline's
        clock. None when no turn was under way.
        """
        if self._began is None or self._began.activity != "turn":
            return None
        if self._interrupted is not None and answering_since_s < self._began.clock_s:
            return await self._interrupted
        spent = await self._end("standby", self.hurry_s, answering_since_s=answering_since_s)
        self._save_if_due(0.0)
        return spent

    def outlook(self) -> Outlook:
        """What there is to tell now."""
        last = self.ledger.turns[-1] if self.ledger.turns else None
        return Outlook(self.ledger.drain, self.ledger.day(self._clock.time()), last)

    async def _tick(self) -> None:
        while True:
            await self._clock.sleep(CUT_S)
            if self._began is not None and self._began.activity == "standby":
                self._end("standby", self.patience_s)
            self._save_if_due()

    def _save_if_due(self, after_s: float = SAVE_S) -> None:
        due = abs(self._clock.time() - self._saved_s) >= after_s
        if due and (self._saving is None or self._saving.done()):
            self._saving = asyncio.create_task(self._save())

    def _cut(self, activity: Activity, patience_s: float, *, mark: bool = False) -> _Cut:
        plan, reading = self._now()
        return _Cut(
            activity, self._timeline.clock(), self._heard_s(), self._looked_s(), self._clock.time(), plan,
            reading.charging, asyncio.create_task(self._counters.look(patience_s, mark=mark)),
        )  # fmt: skip

    def _end(
        self,
        following: Activity,
        patience_s: float,
        *,
        mark: bool = False,
        slept_s: float = 0.0,
        answering_since_s: float | None = None,
        ended: Activity | None = None,
    ) -> asyncio.Task[Spent]:
        """Ends the present stretch, which turned out to be `ended`, and begins the next; the task books it
        once the counters are read.
        """
        began = self._began
        assert began is not None
        cut = self._began = self._cut(following, patience_s, mark=mark)
        activity = ended or began.activity
        modelled = self._modelled(began, cut, slept_s, answering_since_s)
        spent = Spent(
            activity,
            "modelled",
            cut.wall_s,
            modelled.seconds,
            modelled.stages_mwh,
            "outside" if began.outside or cut.outside else "battery",
            began.plan.mode.value,
        )
        self._booking = asyncio.create_task(self._book(spent, began, cut, self._booking))
        return self._booking

    def _modelled(
        self, began: _Cut, ended: _Cut, slept_s: float, answering_since_s: float | None
    ) -> Modelled:
        if began.activity == "asleep":
            return asleep(max(slept_s, ended.wall_s - began.wall_s, 0.0), self._model)
        work, unseen = [], {}
        if not self._board.native:
            hearing_until_s = ended.clock_s if answering_since_s is None else answering_since_s
            heard_s = ended.heard_s - began.heard_s
            unseen[BACKGROUND] = heard_s - (hearing_until_s - began.clock_s)
        for span in reversed(self._timeline.spans):
            if span.end_s <= began.clock_s:
                break
            if span.track in self._stages and (span.track == "speaker" or span.name in _WORK):
                stage = self._stages[span.track]
                loads = span.track != "speaker" and span.name in self._model.stages
                work.append(Work(stage, span.start_s, span.end_s, span.name if loads else ""))
                late_s = span.details.get("sound_s", 0.0) - (span.end_s - span.start_s)
                if late_s > 0 and not self._board.native:
                    unseen[stage] = unseen.get(stage, 0.0) + late_s
        looked = {"capture": ended.looked_s - began.looked_s}
        return awake(
            work, began.clock_s, ended.clock_s, began.plan, self._model,
            native=self._board.native, unseen_s=unseen, besides_s=looked,
        )  # fmt: skip

    async def _book(
        self, spent: Spent, began: _Cut, ended: _Cut, before: asyncio.Task[Spent] | None
    ) -> Spent:
        if before is not None:
            await asyncio.wait([before])
        start, end = await began.look, await ended.look
        if self._board.energy is not None:
            spent = judged(spent, start, end)
        self.ledger.book(spent)
        return spent

    async def _save(self) -> None:
        self._saved_s = self._clock.time()
        if self._path is None:
            return
        async with self._one_save:
            try:
                await asyncio.to_thread(write_whole, self._path, json.dumps(as_json(self.ledger)))
                self.problem = None
            except OSError as error:
                self._say(f"The energy ledger cannot be saved: {error.strerror or error}.")

    def _say(self, problem: str) -> None:
        if problem != self.problem:
            self._journal.write("ledger", problem=problem)
        self.problem = problem

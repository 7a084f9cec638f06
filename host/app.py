"""The composition root: joins board, pack, policy and state machine into a headband that listens and
answers.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from host.barge import BargeIn
from host.battery import BatteryWatch
from host.condition import SETTLED_S, Condition, NotedCamera, SteadySpeaker
from host.config import Config
from host.duplex import Duplex
from host.eyes import Eyes
from host.guard import LOW_BATTERY, GuardWatch
from host.journal import Journal
from host.keeper import PowerKeeper
from host.kept import kept_path
from host.ledger import EnergyLedger
from host.ledger_file import ledger_path
from host.listen import Cut, Heard, UtteranceCutter
from host.nap import Nap
from host.rings import QUIET, Rings
from host.router import Router
from host.skills import DeviceState
from host.states import StateMachine, Transition
from host.timeline import Span, Timeline, seconds_since_launch
from host.turn import Glimpse, Observer, Parts, Reading, Turn, announce, play_earcon, take_turn
from host.wishes import Wishes
from host.work_notes import WorkNotes
from hw.clock import boot_id
from hw.device import BatteryReading, Board, DeviceError, LightPattern, PmuEvent
from models.lifecycle import BrickEvent, Bricks, Residency
from models.pack import Pack
from models.vad import VoiceActivity
from models.wake import WakeWord
from power.energy import load_energy_model
from power.plan import Mode, PowerPlan

DEAF = "I cannot hear anything, because the microphone does not answer."


class Headband:
    """One headband on one board. Use as an async context manager; then `ask` once or `run` until stopped."""

    def __init__(
        self,
        board: Board,
        pack: Pack,
        config: Config,
        *,
        request: Mode | None = None,
        observe: Observer | None = None,
        on_chunk: Callable[[float], None] | None = None,
    ) -> None:
        self.board = board
        self.timeline = Timeline()
        path = Path(config.journal.path).expanduser() if config.journal.path else None
        self.journal = Journal(path, board.clock, max_bytes=config.journal.max_bytes)
        self.brick_events: list[BrickEvent] = []
        self.machine = StateMachine(self._transition)
        self._notes = WorkNotes(self.journal, board, self.timeline, config.journal.work)
        self._tell = observe or (lambda event, fields: None)
        self._on_chunk = on_chunk or (lambda now_s: None)
        self._config = config
        self._keeper = PowerKeeper(board, config.power, self.machine, self.journal)
        speech = VoiceActivity()
        self._cutter = UtteranceCutter(
            WakeWord(config.wake.word, config.wake.threshold), speech, config.listen
        )
        self._cutter.judged = True
        self._microphone = board.sleeper or board.microphone
        self._hearing = Condition("microphone", board.clock, self.journal, self._observe, SETTLED_S)
        speaking = Condition("speaker", board.clock, self.journal, self._observe)
        seeing = Condition("camera", board.clock, self.journal, self._observe)
        self._glimpse: Glimpse | None = None
        self._reading: Reading | None = None
        self._watching: asyncio.Task[None] | None = None
        self._tones: set[asyncio.Task[None]] = set()
        self._stopped = False
        self.guard = GuardWatch(board.guard, board.clock, config.guard, self.journal)
        self._nap = Nap(
            board.sleeper, self.guard, board.clock, self.journal, config.listen.sleep_after_s,
            board.wake_alarm, lambda: self.rings.next_s,
        )  # fmt: skip
        self.battery = BatteryWatch(board, self.journal, self._observe)
        self.battery.on_news = self._battery_news
        self.battery.on_event += [self.guard.hear, self._touched]
        reading = self.battery.read_now()
        plan = self._keeper.decide(reading, request)
        self._next_poll_s = plan.battery_poll_s
        self._news = False
        device = DeviceState(volume_percent=config.answer.volume_percent, request=request)
        self.parts = Parts(
            bricks=Bricks(pack, on_event=self._brick_event, clock=self.timeline.clock),
            eyes=Eyes(NotedCamera(board.camera, seeing), board.clock),
            speaker=SteadySpeaker(board.speaker, speaking),
            light=board.light,
            clock=board.clock,
            router=Router(),
            machine=self.machine,
            timeline=self.timeline,
            config=config,
            device=device,
            reading=reading,
            plan=plan,
            observe=self._observe,
        )
        self.ledger = EnergyLedger(
            board, pack, self.timeline, self.journal, load_energy_model(), ledger_path(config),
            now=lambda: (self.parts.plan, self.parts.reading),
            heard_s=lambda: self._cutter.now_s,
            looked_s=lambda: self.parts.eyes.looked_s,
        )  # fmt: skip
        self.parts.outlook = self.ledger.outlook
        self.parts.eyes.on_look = self._looked
        barge = BargeIn(WakeWord(config.wake.word, steps=2), speech, config.barge)
        self._duplex = Duplex(self.parts, barge, config.barge, self._woken_over_answer)
        self.rings = Rings(self.parts, self.journal, kept_path(config), boot_id, self._announce)
        self._wishes = Wishes(self.parts, self.guard, self.rings, self._announce, self._listen, self.stop)

    async def __aenter__(self) -> Headband:
        await self.rings.start()
        self.journal.write("start", problems=self.board.problems)
        self.board.speaker.set_volume(self.parts.device.volume_percent)
        self._warming = asyncio.create_task(asyncio.to_thread(self.parts.router.warm))
        await self.ledger.start()
        await self.guard.start()
        self._battery_task = asyncio.create_task(self.battery.run())
        self._guard_task = asyncio.create_task(self.guard.run())
        await self.parts.bricks.start()
        await self._obey(self.parts.plan)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *error: object) -> None:
        await self._warming
        for task in [self._watching, self._battery_task, *self._tones]:
            await _ended(task)
        for ahead in (self._reading, self._glimpse):
            if ahead is not None:
                await ahead.close()
        await self.parts.bricks.close()
        await self.rings.keep()
        await self.ledger.close()
        self.battery.close()
        self._keeper.restore()
        await _ended(self._guard_task)
        await self.guard.leave(crashed=kind is not None and issubclass(kind, Exception))

    @property
    def plan(self) -> PowerPlan:
        """The power plan that holds now."""
        return self.parts.plan

    async def ask(self) -> Turn:
        """Answers the one question that the microphone is about to deliver, as if the button had been
        pressed.
        """
        self._listen()
        async for pcm in self._microphone:
            cut = self._cutter.feed(pcm)
            if cut is not None and cut.kind in ("utterance", "timeout"):
                return await self._answer(cut)
            self._read(cut)
        return await self._answer(Cut("timeout"))

    async def run(self) -> None:
        """Listens and answers until the microphone's stream ends, `stop` is called, or the battery is
        empty.
        """
        try:
            await self._listen_and_answer()
            await self._duplex.settle()
        finally:
            await self._duplex.close()

    async def _listen_and_answer(self) -> None:
        announced = False
        while not self._over():
            try:
                async for pcm in self._microphone:
                    self._hearing.works()
                    if self._nap.asleep:
                        await self._wake_up()
                    if not announced:
                        announced = True
                        self._observe("listening", {"after_s": seconds_since_launch()})
                    sounding = self._duplex.ear.hear(pcm, self.board.clock.monotonic())
                    if self._duplex.answering:
                        self._cutter.remember(sounding.pcm)
                        self._duplex.overhear(sounding)
                        self._on_chunk(self._cutter.now_s)
                        continue
                    self.guard.turned()
                    await self._hear(self._cutter.feed(sounding.pcm))
                    self._on_chunk(self._cutter.now_s)
                    await self._serve()
                    if self._quiet():
                        await self._poll()
                    if self._over():
                        break
                    await self._rest()
                else:
                    return
            except DeviceError as error:
                news = self._hearing.failed(str(error))
                self.guard.turned()  # deaf, but alive
                await self._duplex.settle()
                await self._serve()
                if self._over():
                    return
                if news:
                    await self._announce(DEAF)
                await self.board.clock.sleep(self._hearing.pause_s)
                await self.update_power()

    def stop(self, cause: str = "asked to stop") -> None:
        """Ends `run` after the present chunk or turn."""
        self._stopped = True
        self.machine.interact("stop", cause)

    async def _serve(self) -> None:
        await self._wishes.serve()
        await self.rings.serve()

    async def _rest(self) -> None:
        """Where the plan asks for it and nothing has been under way for a while, the computer sleeps."""
        if not self.plan.suspend_between_events or self.machine.interaction != "standby" or self._tones:
            self._nap.stir()
        elif await self._nap.begin(self.plan.sleep_within_s):
            await self.battery.warn_below(self._keeper.next_step_percent(self.parts.reading.percent or 0))
            if self._watching is not None:
                self._watching.cancel()
            self._observe("asleep", {})

    async def _wake_up(self) -> None:
        self._observe("awake", {"slept_s": self._nap.end()})
        self._watch(self.plan)
        await self.update_power()

    def _quiet(self) -> bool:
        return self.machine.interaction in QUIET

    def _over(self) -> bool:
        return self._stopped

    def expect_power_change(self) -> None:
        """The next chunk of a quiet moment reads the battery."""
        self._next_poll_s = 0.0

    def _battery_news(self) -> None:
        self._news = True

    async def _poll(self) -> None:
        """At the plan's rate, in seconds of microphone time, reads the battery; between, obeys the reading
        that an alert brought.
        """
        if self._cutter.now_s >= self._next_poll_s:
            await self.update_power()
            self._next_poll_s = self._cutter.now_s + self.plan.battery_poll_s
        elif self._news:
            await self._decide(self.battery.latest)
            self._next_poll_s = min(self._next_poll_s, self._cutter.now_s + self.plan.battery_poll_s)

    async def update_power(self) -> None:
        """Reads the battery, lets the policy decide, and obeys. Never in the middle of a turn."""
        await self._decide(await self.battery.refresh())

    async def _decide(self, reading: BatteryReading) -> None:
        self._news = False
        self.parts.reading = reading
        plan = self._keeper.decide(reading, self.parts.device.request)
        if plan != self.parts.plan:
            await self._obey(plan)
        if plan.mode is Mode.CUTOFF and not self._stopped:
            self.guard.switch_off(LOW_BATTERY, plan.reason)
            await self._wishes.serve()

    async def _obey(self, plan: PowerPlan) -> None:
        self.parts.plan = plan
        self._cutter.unit_s = plan.unit_s
        self._keeper.obey(plan)
        self.parts.bricks.threads = min(plan.threads, os.cpu_count() or 1)
        await self.parts.bricks.apply(
            Residency(plan.residency, plan.memory_ceiling_mib, plan.prefetch, plan.keep_fork_server)
        )
        self._watch(plan)
        self._observe("plan", {"mode": plan.mode.value, "reason": plan.reason})

    def _watch(self, plan: PowerPlan) -> None:
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None
        if plan.frame_interval_s is not None and plan.mode is not Mode.CUTOFF:
            self._watching = asyncio.create_task(self.parts.eyes.watch(plan.frame_interval_s))

    def _touched(self, event: PmuEvent) -> None:
        if event.kind == "button":
            self._keeper.sign()

    def _looked(self, start_s: float, end_s: float, changed: bool) -> None:
        self._observe("frame", {"start_s": start_s, "end_s": end_s})
        before = self._keeper.presence
        self._keeper.look(changed)
        if self._keeper.presence is not before:
            self.expect_power_change()

    def watch_now(self) -> None:
        """Take the next look between questions at once, where the plan has any; the interval starts anew."""
        if self._watching is not None:
            self._watch(self.parts.plan)

    async def _hear(self, cut: Cut | None) -> None:
        if cut is None:
            return
        if cut.kind == "woken":
            self.rings.acknowledge()
            self._woken("the wake word was heard")
        elif cut.kind == "speech" and self.machine.interaction == "follow_up":
            self._woken("the wearer spoke on without the wake word")
        elif cut.kind in ("pause", "resumed", "unit"):
            self._read(cut)
        elif cut.kind == "utterance" or (cut.kind == "timeout" and self.machine.interaction == "listening"):
            if self._duplex.possible:
                self._duplex.begin(self._answer(cut))
            else:
                await self._answer(cut)
        elif cut.kind == "timeout":
            self.machine.interact("closed", "nobody asked on")
            self.parts.light.set(LightPattern.STANDBY)
            self._tone("closed")

    def _read(self, cut: Cut | None) -> None:
        """Has the recogniser work on what was said so far, or stop because more is being said."""
        if cut is None or self._reading is None:
            return
        if cut.kind == "pause" and cut.heard is not None:
            self._reading.attempt(cut.heard)
        elif cut.kind == "resumed":
            self._reading.drop()
        elif cut.kind == "unit" and cut.heard is not None:
            self._reading.unit(cut.heard)

    def _listen(self) -> None:
        self._cutter.open()
        self._woken("the button was pressed")

    def _woken(self, cause: str) -> None:
        if not self.machine.interact("woken", cause):
            return
        self._keeper.sign()
        self.parts.light.set(LightPattern.LISTENING)
        if self.plan.residency != "one_at_a_time" or self.plan.prefetch:
            self.parts.bricks.prepare("stt")  # otherwise the picture comes first: `Glimpse`
        self._tone("woken")
        self._glimpse = self._glimpse or Glimpse(self.parts)
        self._reading = self._reading or Reading(self.parts, self._cutter.judge)
        self._observe("woken", {"cause": cause, "mode": self.plan.mode.value})

    def _woken_over_answer(self) -> None:
        listen = self._config.listen
        self._cutter.open(pre_roll_s=listen.pre_roll_s, tail_s=listen.wake_tail_s)
        self._woken("the wake word was heard over the answer")

    async def _answer(self, cut: Cut) -> Turn:
        await self._duplex.settled_before()
        self.parts.hushed = False
        heard = cut.heard or Heard(np.zeros(0, np.int16), 0.0, 0.0, 0.0, 0.0)
        self.machine.interact("utterance", "the utterance ended" if cut.heard else "nothing was said")
        self.parts.light.set(LightPattern.THINKING)
        self._observe("heard", {"seconds": round(len(heard.pcm) / 16000, 2)})
        glimpse, self._glimpse = self._glimpse or Glimpse(self.parts), None
        reading, self._reading = self._reading or Reading(self.parts, self._cutter.judge), None
        fruitless = Turn(heard, self.timeline.clock(), self.plan)
        turn = await self._duplex.take(take_turn(heard, glimpse, reading, self.parts), fruitless)
        if turn.decision.route != "unclear":
            self.rings.acknowledge()
        asked_anew = self._duplex.interruption == "wake word"
        if not asked_anew:
            turn = replace(turn, spent=await self.ledger.end_turn(turn.started_s))
            if self.plan.residency == "one_at_a_time":
                await self.parts.bricks.release_all()
        self.journal.write(
            "turn",
            route=turn.decision.route,
            mode=turn.plan.mode.value,
            reason=turn.plan.reason,
            failure=turn.failure,
            response_ms=None if turn.response_s is None else round(turn.response_s * 1000, 1),
            energy_mwh=None if turn.spent is None else round(turn.spent.total_mwh, 4),
            energy_kind=None if turn.spent is None else turn.spent.kind,
        )
        self._observe("turn", {"turn": turn})
        if not asked_anew:
            await self._after(turn)
        return turn

    async def _after(self, turn: Turn) -> None:
        self._cutter.close()
        await self.update_power()
        if self._stopped:
            return
        follow_up_s = self._config.listen.follow_up_s
        stays = turn.decision.intent != "stop" and self.plan.mode is not Mode.CASCADE and follow_up_s > 0
        if stays and not self.parts.hushed and turn.failure is None and turn.decision.route != "unclear":
            self.machine.interact("spoken", "the answer is over and a further question may follow")
            self.parts.light.set(LightPattern.LISTENING)
            self._cutter.open(timeout_s=follow_up_s)
        else:
            unsaid = self.machine.interaction == "thinking"
            self.machine.interact("dismissed" if unsaid else "closed", "the turn is over")
            self.parts.light.set(LightPattern.STANDBY)

    async def _announce(self, sentence: str, tone: str = "") -> None:
        await self._duplex.settle()
        if self.machine.interaction != "standby":
            self._cutter.close()
            event = "silence" if self.machine.interaction == "listening" else "closed"
            self.machine.interact(event, "something has to be announced")
        self.machine.interact("announce", sentence)
        await announce(sentence, self.parts, tone)
        follow_up_s = self._config.listen.follow_up_s
        if tone and not self.parts.hushed and self.plan.mode is not Mode.CASCADE and follow_up_s > 0:
            self.machine.interact("spoken", "the announcement may be answered")
            self.parts.light.set(LightPattern.LISTENING)
            self._cutter.open(timeout_s=follow_up_s)
            return
        self.machine.interact("closed", "the announcement is over")
        self.parts.light.set(LightPattern.STANDBY)

    def _tone(self, name: str) -> None:
        task = asyncio.create_task(play_earcon(name, self.parts))
        self._tones.add(task)
        task.add_done_callback(self._tones.discard)

    def _observe(self, event: str, fields: dict[str, Any]) -> None:
        if event not in ("battery", "pmu", "frame"):  # everything else is the main loop's own doing
            self.guard.turned()
        self.ledger.observe(event, fields)
        self._notes.observe(event, fields)
        self._tell(event, fields)

    def _transition(self, step: Transition) -> None:
        fields = {
            "region": step.region,
            "from": step.source,
            "on": step.event,
            "to": step.target,
            "cause": step.cause,
        }
        self.journal.write("transition" if step.target else "refused", **fields)
        self._nap.stir()
        self._observe("transition", fields)

    def _brick_event(self, event: BrickEvent) -> None:
        self.brick_events.append(event)
        self.timeline.add(Span(event.brick, event.kind, event.start_s, event.end_s, {"pid": event.pid}))
        self._observe("brick", {"event": event})


async def _ended(task: asyncio.Task[None] | None) -> None:
    if task is not None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

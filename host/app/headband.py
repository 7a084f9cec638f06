"""The composition root: builds a headband from board, pack, policy and state machine; `host.app.main_loop`
has its main loop.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from host.answers.device import DeviceState
from host.app.main_loop import Loop
from host.app.turn_stages import Stages
from host.config import Config
from host.energy.battery_watch import BatteryWatch
from host.energy.energy_meter import EnergyMeter
from host.energy.ledger_store import ledger_path
from host.energy.power_actuator import PowerActuator
from host.energy.power_journal import PowerJournal
from host.energy.power_loop import PowerLoop
from host.hearing.barge_in import BargeIn
from host.hearing.endpointer import Endpointer
from host.language.router import Router
from host.observe.journal import Journal
from host.observe.timeline import Span, Timeline
from host.sensing.recent_views import RecentViews
from host.session.parts import Observer, Parts, Turn
from host.states import StateMachine, Transition
from host.system.device_faults import SETTLED_S, DeviceHealth, FaultTolerantSpeaker, JournalledCamera
from host.system.suspend import Suspender
from host.system.watchdog import LOW_BATTERY, WatchdogClient
from host.turn.conversation import Conversation
from host.turn.interruptible import InterruptibleAnswer
from host.wearer.button import ButtonRequests
from host.wearer.recording_request import Orders
from host.wearer.recording_state import orders_path
from host.wearer.recording_switch import RecordingLight, RecordingSwitch
from host.wearer.saved_settings import kept_path
from host.wearer.timer_announcer import TimerAnnouncer
from hw.device import Board, LightPattern
from hw.linux.system_clock import boot_id
from hw.supply import EventSource
from models.listening.voice_activity import VoiceActivity
from models.listening.wake_word import WakeWord
from models.pack.catalogue import Pack
from models.process.bricks import Bricks
from models.process.residency import BrickEvent
from power.account.energy_model import load_energy_model
from power.policy.plan import Mode, PowerPlan

KEPT_BRICK_EVENTS = 2_000
"""About 200 turns have that many."""


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
        timeline: Timeline | None = None,
        boot: Callable[[], str] = boot_id,
    ) -> None:
        """`on_chunk` is called after each chunk of sound. `boot` returns an id of this boot of the
        computer.
        """
        self.board = board
        self.timeline = timeline or Timeline()
        path = Path(config.journal.path).expanduser() if config.journal.path else None
        self.journal = Journal(path, board.clock, max_bytes=config.journal.max_bytes)
        self.brick_events: deque[BrickEvent] = deque(maxlen=KEPT_BRICK_EVENTS)
        self.machine = StateMachine(self._transition)
        notes = PowerJournal(self.journal, board, self.timeline, config.journal.work)
        self._observers: list[Observer] = [notes.observe, Stages(self.timeline).observe]
        if observe is not None:
            self._observers.append(observe)
        self._keeper = PowerActuator(board, config.power, self.machine, self.journal)
        speech = VoiceActivity()
        self._cutter = Endpointer(WakeWord(config.wake.word, config.wake.threshold), speech, config.listen)
        self._cutter.judged = True
        microphone = board.suspendable_microphone or board.microphone
        hearing = DeviceHealth("microphone", board.clock, self.journal, self._observe, SETTLED_S)
        speaking = DeviceHealth("speaker", board.clock, self.journal, self._observe)
        seeing = DeviceHealth("camera", board.clock, self.journal, self._observe)
        self.guard = WatchdogClient(board.guard, board.clock, config.guard, self.journal)
        self._nap = Suspender(
            board.suspendable_microphone, self.guard, board.clock, self.journal, config.listen.sleep_after_s,
            board.wake_alarm, lambda: self.rings.next_s,
        )  # fmt: skip
        self.battery = BatteryWatch(board, self.journal, self._observe)
        self.battery.on_event.append(self.guard.handle_event)
        reading = self.battery.read_now()
        plan = self._keeper.decide(reading, request)
        device = DeviceState(volume_percent=config.answer.volume_percent, request=request)
        self.parts = Parts(
            bricks=Bricks(pack, on_event=self._brick_event, clock=self.timeline.clock),
            eyes=RecentViews(JournalledCamera(board.camera, seeing), board.clock),
            speaker=FaultTolerantSpeaker(board.speaker, speaking),
            light=RecordingLight(board.light, lambda: self.machine.recording),
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
        self.ledger = EnergyMeter(
            board, pack, self.timeline, self.journal, load_energy_model(), ledger_path(config),
            now=lambda: (self.parts.plan, self.parts.reading),
            heard_s=lambda: self._cutter.now_s,
            looked_s=lambda: self.parts.eyes.looked_s,
        )  # fmt: skip
        self._observers.insert(0, self.ledger.observe)  # the first reading comes before it
        self.parts.outlook = self.ledger.outlook
        self._upkeep = PowerLoop(self.parts, self._keeper, self.battery, self._obeyed, self._emptied)
        wake, own_wake = (WakeWord(config.wake.word, steps=1) for _ in range(2))
        barge = BargeIn(wake, own_wake, speech, config.barge)
        self.talk = Conversation(
            self.parts, self._cutter, config.listen, self.journal, sign=self._keeper.note_activity,
            update_power=self._upkeep.update, spent=self.ledger.end_turn, over=lambda: self.loop.over(),
            overhear=lambda: self.loop.overhear(),
        )  # fmt: skip
        self._duplex = InterruptibleAnswer(
            self.parts, barge, config.barge, self.talk.woken_over_answer, self.talk.go_on
        )
        kept = kept_path(config)
        self.rings = TimerAnnouncer(self.parts, self.journal, kept, boot, self.talk.announce)
        self.talk.join(self._duplex, self.rings)
        self._orders = Orders(orders_path(kept))
        self.recording = RecordingSwitch(
            self.parts, microphone, self.parts.eyes.camera, board.recording_off,
            isinstance(board.gauge, EventSource), self._orders, board.native,
            changed=self._recording_changed, announce=self.talk.announce,
        )  # fmt: skip
        self._nap.after_resume = self.recording.obey
        self._wishes = ButtonRequests(
            self.parts, self.guard, self.rings, self.recording, self.talk.announce, self.talk.listen,
            self.stop,
        )  # fmt: skip
        self.loop = Loop(
            parts=self.parts, microphone=microphone, hearing=hearing, cutter=self._cutter, talk=self.talk,
            duplex=self._duplex, nap=self._nap, upkeep=self._upkeep, guard=self.guard,
            recording=self.recording, wishes=self._wishes, rings=self.rings,
            on_chunk=on_chunk or (lambda now_s: None),
        )  # fmt: skip

    async def __aenter__(self) -> Headband:
        self._orders.open()
        await self.rings.start()
        await self.recording.start()
        self.journal.write("start", problems=self.board.problems)
        self.board.speaker.set_volume(self.parts.device.volume_percent)
        self._warming = asyncio.create_task(asyncio.to_thread(self.parts.router.warm))
        await self.ledger.start()
        await self.guard.start()
        self._battery_task = asyncio.create_task(self.battery.run())
        self._guard_task = asyncio.create_task(self.guard.run())
        await self.parts.bricks.start()
        await self._upkeep.apply(self.parts.plan)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *error: object) -> None:
        await self._warming
        await self._upkeep.close()
        for task in [self._battery_task, *self.talk.tones]:
            await _ended(task)
        await self.talk.forget_question()
        await self.parts.bricks.close()
        await self.rings.keep()
        self._orders.close()
        await self.ledger.close()
        self.battery.close()
        self._keeper.restore()
        await _ended(self._guard_task)
        await self.guard.leave(crashed=kind is not None and issubclass(kind, Exception))

    @property
    def plan(self) -> PowerPlan:
        """The current power plan."""
        return self.parts.plan

    async def ask(self) -> Turn:
        """Listens to one question, as after a press of the button, and answers it."""
        return await self.loop.ask()

    async def run(self) -> None:
        """Listens and answers until the microphone's stream ends, `stop` is called, or the battery is
        empty.
        """
        await self.loop.run()

    def stop(self, cause: str = "asked to stop") -> None:
        """Makes `run` end after the current chunk or turn."""
        self.loop.stop(cause)

    def expect_power_change(self) -> None:
        """Makes the next chunk in standby read the battery."""
        self._upkeep.soon()

    async def update_power(self) -> None:
        """Reads the battery and applies the plan that the policy decides. Do not call it within a turn."""
        await self._upkeep.update()

    def watch_now(self) -> None:
        """Takes the next picture between questions at once, if the plan has any; restarts the interval."""
        self._upkeep.watch()

    def _recording_changed(self, on: bool) -> None:
        self._cutter.close()
        self.parts.eyes.forget()
        self._upkeep.watch()
        if self.machine.interaction == "standby":
            self.parts.light.set(LightPattern.STANDBY)

    def _obeyed(self, plan: PowerPlan) -> None:
        self._cutter.unit_s = plan.unit_s
        self._observe("plan", {"mode": plan.mode.value, "reason": plan.reason})

    async def _emptied(self, plan: PowerPlan) -> None:
        if not self.loop.over():
            self.guard.switch_off(LOW_BATTERY, plan.reason)
            await self._wishes.serve()

    def _observe(self, event: str, fields: dict[str, Any]) -> None:
        if event not in ("battery", "pmu", "frame"):  # everything else is the main loop's own doing
            self.guard.made_progress()
        for observer in self._observers:
            observer(event, fields)

    def _transition(self, step: Transition) -> None:
        fields = {
            "region": step.region,
            "from": step.source,
            "on": step.event,
            "to": step.target,
            "cause": step.cause,
        }
        self.journal.write("transition" if step.target else "refused", **fields)
        self._nap.restart_quiet_time()
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

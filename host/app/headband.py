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
from host.wearer.recording_request import RecordingRequests
from host.wearer.recording_state import recording_requests_path
from host.wearer.recording_switch import RecordingLight, RecordingSwitch
from host.wearer.saved_settings import saved_settings_path
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
        self._power_actuator = PowerActuator(board, config.power, self.machine, self.journal)
        speech = VoiceActivity()
        self._endpointer = Endpointer(
            WakeWord(config.wake.word, config.wake.threshold), speech, config.listen
        )
        self._endpointer.judged = True
        microphone = board.suspendable_microphone or board.microphone
        microphone_health = DeviceHealth("microphone", board.clock, self.journal, self._observe, SETTLED_S)
        speaker_health = DeviceHealth("speaker", board.clock, self.journal, self._observe)
        camera_health = DeviceHealth("camera", board.clock, self.journal, self._observe)
        self.guard = WatchdogClient(board.guard, board.clock, config.guard, self.journal)
        self._suspender = Suspender(
            board.suspendable_microphone, self.guard, board.clock, self.journal, config.listen.sleep_after_s,
            board.wake_alarm, lambda: self.timer_announcer.next_s,
        )  # fmt: skip
        self.battery = BatteryWatch(board, self.journal, self._observe)
        self.battery.on_event.append(self.guard.handle_event)
        reading = self.battery.read_now()
        plan = self._power_actuator.decide(reading, request)
        device = DeviceState(volume_percent=config.answer.volume_percent, request=request)
        self.parts = Parts(
            bricks=Bricks(pack, on_event=self._brick_event, clock=self.timeline.clock),
            recent_views=RecentViews(JournalledCamera(board.camera, camera_health), board.clock),
            speaker=FaultTolerantSpeaker(board.speaker, speaker_health),
            light=RecordingLight(board.light, lambda: self.machine.recording),
            clock=board.clock,
            router=Router(),
            machine=self.machine,
            timeline=self.timeline,
            config=config,
            device=device,
            battery_reading=reading,
            plan=plan,
            observe=self._observe,
        )
        self.ledger = EnergyMeter(
            board, pack, self.timeline, self.journal, load_energy_model(), ledger_path(config),
            now=lambda: (self.parts.plan, self.parts.battery_reading),
            heard_s=lambda: self._endpointer.now_s,
            looked_s=lambda: self.parts.recent_views.looked_s,
        )  # fmt: skip
        self._observers.insert(0, self.ledger.observe)  # the first reading comes before it
        self.parts.outlook = self.ledger.outlook
        self._power_loop = PowerLoop(
            self.parts, self._power_actuator, self.battery, self._obeyed, self._emptied
        )
        wake, own_wake = (WakeWord(config.wake.word, steps=1) for _ in range(2))
        barge = BargeIn(wake, own_wake, speech, config.barge)
        self.conversation = Conversation(
            self.parts, self._endpointer, config.listen, self.journal,
            note_presence=self._power_actuator.note_activity, update_power=self._power_loop.update,
            spent=self.ledger.end_turn, stopping=lambda: self.loop.stopped(),
            hear_chunk=lambda: self.loop.hear_chunk(),
        )  # fmt: skip
        self._interruptible_answer = InterruptibleAnswer(
            self.parts,
            barge,
            config.barge,
            self.conversation.woken_over_answer,
            self.conversation.resume_question,
        )
        kept = saved_settings_path(config)
        self.timer_announcer = TimerAnnouncer(
            self.parts, self.journal, kept, boot, self.conversation.announce
        )
        self.conversation.connect(self._interruptible_answer, self.timer_announcer)
        self._recording_requests = RecordingRequests(recording_requests_path(kept))
        self.recording = RecordingSwitch(
            self.parts, microphone, self.parts.recent_views.camera, board.recording_off,
            isinstance(board.gauge, EventSource), self._recording_requests, board.native,
            on_change=self._recording_changed, announce=self.conversation.announce,
        )  # fmt: skip
        self._suspender.after_resume = self.recording.apply
        self._button_requests = ButtonRequests(
            self.parts,
            self.guard,
            self.timer_announcer,
            self.recording,
            self.conversation.announce,
            self.conversation.listen,
            self.stop,
        )
        self.loop = Loop(
            parts=self.parts,
            microphone=microphone,
            microphone_health=microphone_health,
            endpointer=self._endpointer,
            conversation=self.conversation,
            interruptible_answer=self._interruptible_answer,
            suspender=self._suspender,
            power_loop=self._power_loop,
            guard=self.guard,
            recording=self.recording,
            button_requests=self._button_requests,
            timer_announcer=self.timer_announcer,
            on_chunk=on_chunk or (lambda now_s: None),
        )

    async def __aenter__(self) -> Headband:
        self._recording_requests.open()
        await self.timer_announcer.start()
        await self.recording.start()
        self.journal.write("start", problems=self.board.problems)
        self.board.speaker.set_volume(self.parts.device.volume_percent)
        self._warming = asyncio.create_task(asyncio.to_thread(self.parts.router.warm))
        await self.ledger.start()
        await self.guard.start()
        self._battery_task = asyncio.create_task(self.battery.run())
        self._guard_task = asyncio.create_task(self.guard.run())
        await self.parts.bricks.start()
        await self._power_loop.apply(self.parts.plan)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *error: object) -> None:
        await self._warming
        await self._power_loop.close()
        for task in [self._battery_task, *self.conversation.tones]:
            await _ended(task)
        await self.conversation.forget_question()
        await self.parts.bricks.close()
        await self.timer_announcer.save()
        self._recording_requests.close()
        await self.ledger.close()
        self.battery.close()
        self._power_actuator.restore()
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
        self._power_loop.soon()

    async def update_power(self) -> None:
        """Reads the battery and applies the plan that the policy decides. Do not call it within a turn."""
        await self._power_loop.update()

    def watch_now(self) -> None:
        """Takes the next picture between questions at once, if the plan has any; restarts the interval."""
        self._power_loop.watch()

    def _recording_changed(self, on: bool) -> None:
        self._endpointer.close()
        self.parts.recent_views.forget()
        self._power_loop.watch()
        if self.machine.interaction == "standby":
            self.parts.light.set(LightPattern.STANDBY)

    def _obeyed(self, plan: PowerPlan) -> None:
        self._endpointer.unit_s = plan.unit_s
        self._observe("plan", {"mode": plan.mode.value, "reason": plan.reason})

    async def _emptied(self, plan: PowerPlan) -> None:
        if not self.loop.stopped():
            self.guard.switch_off(LOW_BATTERY, plan.reason)
            await self._button_requests.serve()

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
        self._suspender.restart_quiet_time()
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

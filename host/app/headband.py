"""The composition root: builds a headband from board, pack, policy and session; `host.app.main_loop` has its
main loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

from host.answers.device import DeviceState, not_recording
from host.app.beginning import options_of, recordable
from host.app.main_loop import MainLoop
from host.app.observers import Observers
from host.app.recorder import Recorder
from host.app.turn_stages import Stages
from host.app.view_journal import ViewJournal
from host.config import Config
from host.energy.battery_watch import BatteryWatch
from host.energy.energy_meter import EnergyMeter
from host.energy.ledger_store import ledger_path
from host.energy.power_actuator import PowerActuator
from host.energy.power_journal import PowerJournal
from host.energy.power_manager import PowerManager
from host.event_queue import EventQueue
from host.hearing.barge_in import BargeIn
from host.hearing.endpointer import Endpointer
from host.language.meaning import warm
from host.language.router import Router
from host.memory.client import MemoryClient
from host.memory.values import Moment
from host.observe.journal import Journal
from host.observe.observer import Observer
from host.observe.timeline import Timeline
from host.placement.site import clip_costs_here, site_here
from host.sensing.kept_views import KeptViews, View
from host.sensing.recent_views import RecentViews
from host.session.events import Started
from host.session.state import State
from host.session.values import WearerSettings, plan_rules
from host.system.device_faults import SETTLED_S, DeviceHealth, FaultTolerantSpeaker, JournalledCamera
from host.system.line_watch import LineWatch
from host.system.reminder import Reminder
from host.system.suspend import Suspender
from host.system.watchdog import WatchdogClient
from host.terminal.usage import print_problem
from host.turn.announcing import Announcing
from host.turn.answering import Answering
from host.turn.clip.chooser import ClipChooser
from host.turn.dialogue import DialogueMemory
from host.turn.glance import Glance
from host.turn.intake import Intake
from host.turn.listening import Listening
from host.turn.recalling.deepening import Deepening
from host.turn.recalling.view_places import ViewPlaces
from host.turn.recordings import Recordings
from host.turn.tools import Tools
from host.turn.turn import Turn
from host.turn.view_encoder import ViewEncoder
from host.wearer.indicators import Indicators
from host.wearer.recording_request import RecordingRequests
from host.wearer.recording_state import recording_requests_path
from host.wearer.recording_switch import RecordingSwitch, resumes_when
from host.wearer.saved_settings import memory_folder, saved_settings_path
from host.wearer.settings_store import SettingsStore
from hw.absent import AbsentSpeaker
from hw.board import Board
from hw.device import DeviceError
from hw.linux.system_clock import boot_id
from hw.supply import EventSource
from models.listening.voice_activity import VoiceActivity
from models.listening.wake_word import WakeWord
from models.pack.catalogue import Pack
from models.process.bricks import Bricks
from power.account.energy_model import load_energy_model
from power.policy.plan import Mode, PowerPlan
from power.policy.presence import Presence

_STORED_WITHIN_S = 60.0
"""So long `remembered` waits at most."""


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
        went_back: bool = False,
    ) -> None:
        """`on_chunk` is called after each chunk of sound. `boot` returns an id of this boot of the
        computer. went_back: the wearer is told that a newer release failed.
        """
        self._went_back = went_back
        self.board, self._boot = board, boot
        self.timeline = timeline or Timeline()
        path = Path(config.journal.path).expanduser() if config.journal.path else None
        kept = 500 if path is None else 20  # lines in memory, where a file has them all
        self.journal = Journal(path, board.clock, max_bytes=config.journal.max_bytes, keep=kept)
        self.journal.report = print_problem
        self._tasks: list[asyncio.Task[None]] = []
        self._guard_task: asyncio.Task[None] | None = None
        self.queue = EventQueue(board.clock, self.journal)
        self.guard = WatchdogClient(self.queue, board.guard, board.clock, config.guard, self.journal)
        observers = Observers(self.timeline, self.guard, self._works_beside)
        self._observers, self._observe = observers, observers.observe
        self.brick_events = observers.brick_events
        notes = PowerJournal(self.journal, board, self.timeline, config.journal.work)
        self._view_journal = ViewJournal(
            self.journal, lambda: self.recent_views.kept.counts, lambda: board.camera.use
        )
        observers.told += [notes.observe, self._view_journal.observe, Stages(self.timeline).observe]
        if observe is not None:
            observers.told.append(observe)
        self._build_senses(pack, config)
        self._build_power(config, request)
        self._build_conversation(config)
        self._build_wearer(config, boot)
        self.loop = MainLoop(
            queue=self.queue,
            microphone=board.suspendable_microphone or board.microphone,
            microphone_health=self._health("microphone", SETTLED_S),
            listening=self.listening,
            answering=self.answering,
            suspender=self._suspender,
            power_manager=self.power_manager,
            guard=self.guard,
            recording=self.recording,
            settings=self.settings_store,
            reminder=self._reminder,
            clock=board.clock,
            live=self.tools.speaker.loopback is not None or isinstance(board.speaker, AbsentSpeaker),
            interruptible=self.tools.speaker.loopback is not None
            and (config.barge.wake_word or config.barge.stop_word),
            observe=self._observe,
            on_chunk=on_chunk or (lambda now_s: None),
        )
        self.queue.add([
            Recorder(self.journal, self._observe), self.listening, self.answering, self.announcing,
            self.power_manager, self.settings_store, self.recording,
            Indicators(board.light, self.tools.speaker), self._suspender, self._reminder, self.guard,
            self.loop, self.intake,
        ])  # fmt: skip

    def _build_senses(self, pack: Pack, config: Config) -> None:
        board = self.board
        site, problem = site_here(config.board.kind, pack, config.journal.path)
        if problem:
            self.journal.write("placement", problem=problem)
        self._power_actuator = PowerActuator(board, config.power, self.journal, site)
        self.bricks = Bricks(
            pack,
            on_event=self._observers.brick_event,
            on_loading=self._power_actuator.note_loading,
            clock=self.timeline.clock,
            shared_cores=True,
        )
        costs = clip_costs_here(config.board.kind, pack, config.journal.path)
        chooser = ClipChooser(pack, site.table, costs, self._observe)
        self._clip_chooser = chooser if "motion" in pack.bricks else None
        camera = JournalledCamera(board.camera, self._health("camera"))
        self.recent_views = RecentViews(
            camera, board.clock, self._looked, kept=KeptViews(self.bricks.discard)
        )
        self.view_encoder = ViewEncoder(
            self.bricks, self.recent_views.kept, self.timeline.clock, self._observe, config.listen
        )
        self.recent_views.on_watched = self.view_encoder.encode_ahead
        self.view_places = ViewPlaces(self.bricks, self.recent_views.kept, self.view_encoder, self._observe)
        self.memory = MemoryClient(
            self.bricks, memory_folder(config), board.key_page, config.memory, self._moment
        )
        self._power_actuator.remembering = lambda: self.memory.on
        self._speech = VoiceActivity()
        wake_word = WakeWord(config.wake.word, config.wake.threshold)
        self._endpointer = Endpointer(wake_word, self._speech, config.listen)
        self._endpointer.judged = True

    def _build_power(self, config: Config, request: Mode | None) -> None:
        board = self.board
        self.battery = BatteryWatch(board, self.journal, self._observe, self.guard.handle_event)
        self.power_manager = PowerManager(
            self.queue, self.bricks, self.recent_views, self._power_actuator, self.battery, self._observe,
            request,
        )  # fmt: skip
        self.energy_meter = EnergyMeter(
            board, self.timeline, self.journal, load_energy_model(), ledger_path(config),
            now=self.power_manager.now,
            heard_s=lambda: self._endpointer.now_s,
            looked_s=lambda: board.camera.use.streamed_s,
            empty_percent=self.power_manager.empty_percent,
        )  # fmt: skip
        self._observers.told.insert(0, self.energy_meter.observe)

    def _build_conversation(self, config: Config) -> None:
        board = self.board
        speaker = FaultTolerantSpeaker(board.speaker, self._health("speaker"))
        self.tools = Tools(
            self.bricks, self.recent_views, self.view_encoder, self.view_places, speaker, board.clock,
            Router(), self.timeline, config, self.power_manager, self._observe, self.memory,
            clip_chooser=self._clip_chooser,
        )  # fmt: skip
        self.intake = Intake(
            self.memory, self.view_places, self.power_manager, board.clock, self.queue, self._observe,
            lambda: self._power_actuator.presence is not Presence.AWAY, self.recent_views.kept.forget,
        )  # fmt: skip
        self.deepening = Deepening(
            self.memory, self.view_places, self.power_manager, board.clock, self._observe,
            lambda: self.intake.wanted,
        )  # fmt: skip
        self.dialogue = DialogueMemory()
        recordings = Recordings()
        again = resumes_when(
            board.recording_off, button=isinstance(board.gauge, EventSource), native=board.native
        )
        wake, own_wake = (WakeWord(config.wake.word, steps=1) for _ in range(2))
        barge = BargeIn(wake, own_wake, self._speech, config.barge)
        self.listening = Listening(self.tools, self.queue, self._endpointer, barge, config.listen, recordings)
        self.answering = Answering(
            self.tools, self.queue, self.journal, recordings, self.dialogue, self.energy_meter.end_turn,
            self.energy_meter.outlook, again,
        )  # fmt: skip
        state = DeviceState(config.answer.volume_percent, recording_resumes_when=again)
        self.announcing = Announcing(
            self.tools, self.queue, self.journal, self.dialogue, not_recording(state)
        )

    def _build_wearer(self, config: Config, boot: Callable[[], str]) -> None:
        board, kept = self.board, saved_settings_path(config)
        self.settings_store = SettingsStore(self.queue, board.clock, self.journal, kept, config.answer, boot)
        self._recording_requests = RecordingRequests(recording_requests_path(kept))
        self.recording = RecordingSwitch(
            self.queue, board.suspendable_microphone or board.microphone, self.recent_views.camera,
            board.recording_off, None if board.native else self._recording_requests,
        )  # fmt: skip
        self._suspender = Suspender(
            self.queue, board.suspendable_microphone, self.guard, board.clock, self.journal, self._observe,
            board.wake_alarm, lambda: self.settings_store.next_timer_s, self.recording.poll_and_apply,
            lambda: self.recording.moved,
            lambda: self.power_manager.plan.longest_sleep_s if self.intake.wanted else None,
            Glance(self.recent_views, self.intake, self.power_manager.refresh, board.clock).look,
        )  # fmt: skip
        self._reminder = Reminder(self.queue, board.clock)

    async def __aenter__(self) -> Headband:
        try:
            await self._start()
        except BaseException as error:
            await self.__aexit__(type(error))
            raise
        return self

    async def _start(self) -> None:
        self._recording_requests.open()
        self._background(asyncio.to_thread(warm, self.tools.router))
        await self.energy_meter.start()
        await self.guard.start()
        await self._start_session()
        lines = LineWatch(self.board, lambda name: self._health(name, SETTLED_S))
        for each in (self.battery, self.intake, self.deepening, lines):
            self._background(each.run())
        self._guard_task = asyncio.create_task(self.guard.run())
        self.queue.watch(self._guard_task)
        await self.bricks.start()
        await self.queue.until(lambda state: state.applying is None)

    def _background(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs work until the headband ends, beside the queue; its failure ends the program."""
        self._tasks.append(asyncio.create_task(work))
        self.queue.watch(self._tasks[-1])

    async def _start_session(self) -> None:
        """Loads the saved settings and posts the first event."""
        board, config = self.board, self.tools.config
        request = self.power_manager.request
        settings, problem = await self.settings_store.load(
            WearerSettings(volume_percent=config.answer.volume_percent, request=request)
        )
        settings = recordable(settings, board)
        self.intake.switch(settings.memory)
        self.journal.write("start", problems=board.problems)
        board.speaker.set_volume(settings.volume_percent)
        plan = plan_rules(self.power_manager.plan, 1)
        self.queue.post(Started(options_of(config, board), settings, plan, problem, self._went_back))
        await self.recording.poll_and_apply()

    async def __aexit__(self, kind: type[BaseException] | None, *error: object) -> None:
        await self.power_manager.close()
        self._view_journal.write_counts()
        failures = [failure for task in self._tasks if (failure := await _ended(task)) is not None]
        await self.queue.close()
        await self.answering.close()
        await self.bricks.close()
        await self.settings_store.save()
        self._recording_requests.close()
        await self.energy_meter.close()
        self.battery.close()
        self._power_actuator.restore()
        if self._guard_task is not None and (failure := await _ended(self._guard_task)) is not None:
            failures.append(failure)
        crashed = kind is not None and issubclass(kind, Exception)
        await self.guard.leave(crashed=crashed or bool(failures))
        if failures:
            raise failures[0]  # only now: bricks have ended, and what the wearer set is saved

    @property
    def state(self) -> State:
        """The session's state."""
        return self.queue.state

    @property
    def plan(self) -> PowerPlan:
        """The power plan in force."""
        return self.power_manager.plan

    async def ask(self) -> Turn:
        """Listens to one question, as after a press of the button, and answers it."""
        return await self.loop.ask()

    async def remembered(self) -> None:
        """Where the wearer wants what is seen to be remembered: looks once, and returns when it is."""
        if not self.intake.wanted:
            return
        with suppress(DeviceError, TimeoutError):
            async with asyncio.timeout(_STORED_WITHIN_S):
                await self.recent_views.glance()
                await self.intake.stored()
        await self.queue.until(lambda state: state.speech is None)

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
        self.power_manager.soon()

    async def update_power(self) -> None:
        """Reads the battery and applies the plan that the policy decides. Do not call it within a turn."""
        await self.power_manager.refresh()
        await self.queue.until(lambda state: state.applying is None)

    def _health(self, device: str, settled_s: float = 0.0) -> DeviceHealth:
        return DeviceHealth(device, self.board.clock, self.journal, self._observe, settled_s)

    def _looked(self, start_s: float, view: View, changed: bool) -> None:
        """Called after every picture."""
        gate = view.verdict.reason
        self._observe("frame", {"start_s": start_s, "end_s": view.taken_s, "gate": gate})
        self._power_actuator.note_view(changed)
        self.intake.note(view)

    def _moment(self) -> Moment:
        clock = self.board.clock
        return Moment(self._boot(), clock.monotonic(), clock.time())

    def _works_beside(self, brick: str) -> bool:
        """Whether a brick works for what goes on while the session hangs."""
        return (self.view_encoder.ahead and brick == "vision") or (
            self.deepening.working and brick in (self.view_places.eye, "memory")
        )


async def _ended(task: asyncio.Task[None]) -> BaseException | None:
    """Ends a background task; returns what it died of, if it did."""
    task.cancel()
    await asyncio.wait([task])
    return None if task.cancelled() else task.exception()

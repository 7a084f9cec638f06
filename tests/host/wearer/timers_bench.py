"""Timers of a headband that is worn for hours in a moment: clocks that are set, restarts, presses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from host.answers.timer_replies import ended, farewell
from host.answers.timers import Now, Timer
from host.config import AnswerConfig, GuardConfig
from host.event_queue import EventQueue, Performs
from host.observe.journal import Journal
from host.session import actions, events
from host.session.power import BOTH_LISTEN_S
from host.session.state import State
from host.session.values import Options, PlanRules, WearerSettings
from host.system.reminder import Reminder
from host.system.suspend import Suspender
from host.system.watchdog import WatchdogClient
from host.wearer.settings_store import SettingsStore
from hw.device import SuspendableMicrophone
from models.caution import Caution
from tests.host.session.doubles import EndsAtOnce
from tests.host.system.sleeping_devices import Alarm, Sleeper

QUIET_S = 10.0
"""After that long the computer may sleep."""


class Crash(BaseException):
    """The power went, or the program was killed."""


@dataclass
class Clocks:
    """True time, and what the computer makes of it."""

    true_s: float = 0.0
    mono_ahead_s: float = 100.0
    wall_ahead_s: float = 1_767_261_600.0
    boots: int = 1

    def monotonic(self) -> float:
        return self.true_s + self.mono_ahead_s

    def time(self) -> float:
        return self.true_s + self.wall_ahead_s

    async def sleep(self, seconds: float) -> None:
        self.true_s += seconds

    def now(self) -> Now:
        return Now(self.monotonic(), self.time())

    def reboot(self, off_s: float, wall_jump_s: float = 0.0) -> None:
        """Off for so long; the monotonic clock begins anew."""
        self.true_s += off_s
        self.mono_ahead_s = 5.0 - self.true_s
        self.wall_ahead_s += wall_jump_s
        self.boots += 1


class Worn:
    """One headband's timers through every restart of its program. `said` and `begun` note (true seconds,
    sentence) and (true seconds, number) of every announcement.
    """

    def __init__(self, path: Path | None, volume_percent: int = 80, caution: Caution = "normal") -> None:
        self.path = path
        self.config = AnswerConfig(volume_percent=volume_percent, caution=caution)
        self.clocks = Clocks()
        self.said: list[tuple[float, str]] = []
        self.begun: list[tuple[float, int]] = []
        self.journal = Journal(None, self.clocks)
        self.crashes = False
        """The next announcement of timers ends in a crash."""
        self.press_while_speaking = False
        self._asked: Callable[[WearerSettings], WearerSettings] | None = None
        self._asking: int | None = None

    @property
    def state(self) -> State:
        """The session's state."""
        return self.queue.state

    @property
    def running(self) -> tuple[Timer, ...]:
        """The timers."""
        return self.state.settings.timers.running

    @property
    def performs(self) -> Performs:
        """The headband's voice and ear."""
        return {
            actions.Announce: self._announce,
            actions.Understand: self._understand,
            actions.Reply: self._reply,
        }

    async def start(self) -> None:
        """The program starts."""
        self.queue = EventQueue(self.clocks, Journal(None, self.clocks))
        self.store = SettingsStore(
            self.queue, self.clocks, self.journal, self.path, self.config, lambda: f"boot {self.clocks.boots}"
        )
        self._sleeper, self._alarm = Sleeper(), Alarm()
        self._suspender = Suspender(
            self.queue,
            cast(SuspendableMicrophone, self._sleeper),
            WatchdogClient(self.queue, None, self.clocks, GuardConfig(), self.journal),
            self.clocks,
            self.journal,
            lambda event, fields: None,
            self._alarm,
            lambda: self.store.next_timer_s,
            _nothing,
            lambda: False,
        )
        self._reminder = Reminder(self.queue, self.clocks)
        performers = (self.store, self._suspender, self._reminder, self)
        self.queue.add([*performers, EndsAtOnce(self.queue, performers)])
        self._asking = None
        settings, problem = await self.store.load(WearerSettings(self.config.volume_percent))
        naps = PlanRules(1, suspend_between_events=True)
        self.queue.post(events.Started(Options(sleep_after_s=QUIET_S), settings, naps, problem))
        await self._idle()

    async def ask(self, change: Callable[[WearerSettings], WearerSettings]) -> None:
        """The wearer asks for a change of the settings."""
        self._asked = change
        await self.begin_turn()
        self._asked = None

    async def begin_turn(self) -> None:
        """The wearer asks something; without `ask`, it is thought about until `end_turn`."""
        self.queue.post(events.QuestionOpened("a test"))
        assert self.state.interaction == "listening"
        self.queue.post(events.SpeechEnded(1))
        await self._idle()

    async def end_turn(self) -> None:
        """The question is over without an answer."""
        assert self._asking is not None
        number, self._asking = self._asking, None
        self.queue.post(events.AnswerEnded(number))
        await self._idle()

    async def set(self, seconds: int, name: str = "") -> int:
        """One more timer; returns its number. name: "" for none."""
        now = self.clocks.now()
        number = self.state.settings.timers.next_number
        await self.ask(lambda before: replace(before, timers=before.timers.with_timer(seconds, now, name)))
        return number

    async def cancel(self, timer: Timer) -> None:
        """One timer less."""
        await self.ask(lambda before: replace(before, timers=before.timers.without(timer)))

    async def press(self) -> bool:
        """A short press of the button; returns whether it opened a question, about which nothing is said."""
        self.queue.post(events.Pressed("listen"))
        opened = self.state.interaction == "listening"
        if opened:
            self.queue.post(events.NothingSaid())
            await self._idle()
            await self.end_turn()
        await self._idle()
        return opened

    async def sleep(self, seconds: float) -> bool:
        """After some quiet time the computer sleeps, until a sound `seconds` later or its alarm; tells
        whether it did.
        """
        for quiet_s in (QUIET_S - BOTH_LISTEN_S + 0.1, BOTH_LISTEN_S):
            await self.wait(quiet_s)
            self._reminder.poll()
            await self._idle()
        if not self._suspender.asleep:
            return False
        self._alarm.told.clear()

        async def suspend() -> None:
            self.clocks.true_s += min([seconds, *self._alarm.told])

        await self._sleeper.around_suspend(suspend)
        self._suspender.end()
        await self.wait(0)
        return True

    async def wait(self, seconds: float) -> None:
        """Time passes; the main loop comes by when something is due. A crash is survived by a restart."""
        until_s = self.clocks.true_s + seconds
        while True:
            await self._come_by()
            next_s = self.store.next_timer_s
            due_s = until_s if next_s is None or not self.state.quiet else next_s - self.clocks.mono_ahead_s
            if due_s >= until_s or self.clocks.true_s >= until_s:
                break
            self.clocks.true_s = max(self.clocks.true_s + 1e-6, due_s)  # it goes on, however it is rounded
        self.clocks.true_s = max(self.clocks.true_s, until_s)
        await self._come_by()

    @property
    def sentences(self) -> list[str]:
        return [sentence for _, sentence in self.said]

    async def _come_by(self) -> None:
        try:
            self.store.poll()
            await self._idle()
        except Crash:
            await self.queue.close()
            await self.start()
            await self._come_by()

    async def _idle(self) -> None:
        """Returns when nothing is under way but the question that is thought about, or the sleep."""
        await self.queue.until(lambda state: state.running <= {self._asking} or self._suspender.asleep)

    def _announce(self, action: actions.Announce) -> None:
        now = self.clocks.now()
        kind, sentence = action.announcement.kind, action.announcement.sentence
        if kind == "timers":
            sentence = ended(action.due, now)
            self.begun += [(self.clocks.true_s, timer.number) for timer in action.due]
        elif kind == "farewell":
            sentence = f"{sentence} {farewell(action.settings.timers, now, action.kept)}"
        elif not sentence:
            sentence = f"({kind})"
        self.said.append((self.clocks.true_s, sentence))
        if kind == "timers" and self.press_while_speaking:
            self.queue.post(events.Pressed("listen"))
        if kind == "timers" and self.crashes:
            self.crashes = False
            raise Crash
        self.clocks.true_s += 2.0
        self.queue.post(events.AnnouncementEnded(action.number))

    def _understand(self, action: actions.Understand) -> None:
        if self._asked is None:
            self._asking = action.number
        else:
            self.queue.post(events.Understood(action.number, "device"))

    def _reply(self, action: actions.Reply) -> None:
        assert self._asked is not None
        self.queue.post(events.Replied(action.number, self._asked(action.settings)))


async def _nothing() -> None:
    pass

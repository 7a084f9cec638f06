"""The queue between sources and performers: every event goes through the session's rules, one after the
other.

    sources -> `post` -> `host.session.step` -> journal -> performers -> events

`post` returns when the queue is empty again; performers begin an action and return at once, so no event
waits.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from host.answers.timers import Now
from host.observe.journal import Journal
from host.session.actions import Action
from host.session.as_json import step_fields
from host.session.events import Event
from host.session.state import State
from host.session.step import step
from hw.device import Clock

Performs = Mapping[type[Action], Callable[[Any], None]]


class Performer(Protocol):
    """Carries out actions: `performs` names the method for each; it begins the action and returns at once."""

    @property
    def performs(self) -> Performs: ...


class EventQueue:
    """One session: its state, its events in order, and the tasks of its performers."""

    def __init__(self, clock: Clock, journal: Journal) -> None:
        self.state = State()
        """Changed by `post` only."""
        self._clock, self._journal = clock, journal
        self._performers: dict[type[Action], list[Callable[[Any], None]]] = {}
        self._events: deque[Event] = deque()
        self._draining = False
        self._unwritten: list[tuple[Event, tuple[Action, ...]]] = []
        self._waiting: list[tuple[Callable[[State], bool], asyncio.Future[None]]] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._failure: BaseException | None = None

    def add(self, performers: Iterable[Performer]) -> None:
        """Adds performers; an action with several is begun by each, in this order."""
        for performer in performers:
            for kind, method in performer.performs.items():
                self._performers.setdefault(kind, []).append(method)

    def post(self, event: Event) -> None:
        """Takes an event; returns when its actions, and those of all events that follow from it, have begun.
        Call it in the event loop. The failure of a performer or an observer is raised by `until` and `check`.
        """
        now = Now(self._clock.monotonic(), self._clock.time())
        self._events.append(replace(event, at=now))
        if self._draining:
            return
        self._draining = True
        try:
            while self._events:
                self._take(self._events.popleft())
        except Exception as failure:  # `post` is also called where nobody could catch it
            self._failure = self._failure or failure
        finally:
            self._draining = False
            if self._unwritten:  # the performers' tasks come first, so that no answer waits for the disk
                asyncio.get_running_loop().call_soon(self.write_journal)
        self._wake()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Runs a performer's work as a task; its failure ends the program."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        self.watch(task)
        return task

    def watch(self, task: asyncio.Task[None]) -> None:
        """Has the failure of a task end the program, as that of a performer does; `close` leaves the task."""
        task.add_done_callback(self._done)

    async def until(self, holds: Callable[[State], bool]) -> None:
        """Returns when `holds` is true of the state. Raises the failure of a performer or a watched task."""
        self.check()
        if holds(self.state):
            return
        future = asyncio.get_running_loop().create_future()
        waiting = (holds, future)
        self._waiting.append(waiting)
        try:
            await future
        finally:
            self._waiting.remove(waiting)
        self.check()

    def check(self) -> None:
        """Raises the failure of a performer or a watched task, if there was one."""
        if self._failure is not None:
            raise self._failure

    def write_journal(self) -> None:
        """Writes the steps since the last call into the journal."""
        steps, self._unwritten = self._unwritten, []
        for event, actions in steps:
            self._journal.write("step", **step_fields(event, actions))

    async def close(self) -> None:
        """Cancels the tasks of all performers and waits for them; writes the journal."""
        while tasks := [task for task in self._tasks if not task.done()]:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        self.write_journal()

    def _take(self, event: Event) -> None:
        before = self.state
        self.state, actions = step(before, event)
        if actions or self.state != before:
            self._unwritten.append((event, actions))
        for action in actions:
            self._begin(action)

    def _begin(self, action: Action) -> None:
        for perform in self._performers[type(action)]:
            perform(action)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            self._failure = self._failure or failure
            self._wake()

    def _wake(self) -> None:
        for holds, future in self._waiting:
            if not future.done() and (self._failure is not None or holds(self.state)):
                future.set_result(None)

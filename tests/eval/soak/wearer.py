"""A simulated wearer for the soak test: asks, interrupts, presses the button, and injects faults.

The seed decides actions and delays; the state of the headband at each action depends on the computer's speed.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from host.answers.timers import Timers
from host.app.headband import Headband
from hw.emulated.board import EmulatedBoard
from hw.emulated.bus import Fault
from power.policy.plan import Mode
from tests.eval.soak.voice import REQUESTS, STOP, VOICES, WAKE_WORD, Pcm, Voice
from tests.host.workbench import change_settings, set_timer

CHARGES = (82.0, 60.0, 41.0, 25.0, 14.0, 8.0)
"""Percent; the thresholds of the modes are between them. None is so low that the headband switches off."""
WIRE_FAULTS = (Fault.NAK, Fault.STALL, Fault.BAD_PEC, Fault.STUCK_SDA, Fault.ALL_ONES, Fault.FROZEN)
PATIENCE_S = 60.0
"""A headband that is not idle after this time counts as stuck."""
INTERRUPTED, WAITED_FOR = 0.75, 0.4
"""Share of the questions that are interrupted, and of those after which the wearer waits until it is idle."""
GAPS_S = (0.0, 0.0, 0.0, 0.0, 0.0, 0.3, 2.2)
"""Pauses between two questions; in the longest one the headband sleeps, if it may."""
ANSWER_WITHIN_S = 2.5
"""Longest wait for an answer to interrupt; the word is then said without one."""
_LOOK_S = 0.02
_PASSING_S = 0.05


class Stuck(Exception):
    """The headband did not react as required; the message is one sentence."""


@dataclass
class Wearer:
    """Acts on one running headband: `step` by step, with a `rest` before something is counted."""

    headband: Headband
    board: EmulatedBoard
    voice: Voice
    rng: random.Random
    done: Counter[str] = field(default_factory=Counter)
    """Number of actions, by name."""
    turns: int = 0
    interrupted: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    _under_way: set[asyncio.Task[None]] = field(default_factory=set)

    def observe(self, event: str, fields: dict[str, Any]) -> None:
        """The headband's observer."""
        if event != "turn":
            return
        self.turns += 1
        turn = fields["turn"]
        self.interrupted.update(note for note in turn.notes if note.startswith("interrupted"))
        if turn.failure:
            self.failed[turn.failure.split(":")[0]] += 1

    @property
    def faults(self) -> dict[str, tuple[float, Callable[[random.Random], Awaitable[None]]]]:
        """Probability of each action in a step."""
        return {
            "kill a brick": (0.3, self.kill_brick),
            "kill the fork server": (0.05, self.kill_server),
            "another charge": (0.3, self.another_charge),
            "a timer": (0.15, self.timer),
            "the charger": (0.08, self.charger),
            "no microphone": (0.03, self.no_microphone),
            "no camera": (0.06, self.no_camera),
            "no PMU": (0.06, self.no_pmu),
            "a hanging PMU": (0.03, self.hanging_pmu),
            "press": (0.08, self.press),
            "double press": (0.05, self.double_press),
        }

    async def step(self, also: str = "") -> None:
        """One question or request, sometimes interrupted, with random faults. `also`: a fault that is
        injected for certain.
        """
        rng = self.rng
        for name, (share, _) in self.faults.items():
            if rng.random() < share or name == also:
                self._under_way.add(
                    asyncio.create_task(self._inject(name, random.Random(rng.getrandbits(32))))
                )
        await self._say_something()
        if rng.random() < INTERRUPTED or also == "interrupt":
            await self._interrupt()
        if rng.random() < WAITED_FOR or also:
            await self.quiet()
        await asyncio.sleep(rng.choice(GAPS_S))

    async def quiet(self) -> None:
        """Returns when the headband waits for the wake word and, in cascade, has no model loaded. Raises
        `Stuck`.
        """
        heard = self.board.microphone
        await self.until(
            lambda: self.headband.state.interaction == "standby" and not heard._queue, "become quiet"
        )
        await self.until(lambda: not self._held_in_vain(), "give its bricks back")

    def _held_in_vain(self) -> bool:
        """Processes that must not exist between questions in cascade."""
        plan, pids = self.headband.plan, self.headband.bricks.pids()
        kept = {"fork_server"} if plan.keep_fork_server else set()
        idle = self.headband.state.interaction == "standby"
        return idle and plan.residency == "one_at_a_time" and bool(pids.keys() - kept)

    async def rest(self, ask: bool = False) -> None:
        """Restores normal operation: on the charger, no timers, every brick loaded; with `ask`, also a
        question that is answered. Raises `Stuck`.
        """
        board, headband = self.board, self.headband
        await asyncio.gather(*self._under_way)
        self._under_way.clear()
        board.bus.inject(None)
        board.pmu.frozen = False
        board.microphone.plug_in()
        board.camera.plug_in()
        board.set_battery(82.0, charging=True)
        timers = Timers(next_number=headband.state.settings.timers.next_number)
        change_settings(headband, request=None, timers=timers)
        board.wake.pulse()
        await self.quiet()
        headband.expect_power_change()
        await self.until(
            lambda: headband.plan.mode is Mode.PERFORMANCE and not headband.plan.suspend_between_events,
            "come into performance mode on the charger",
        )
        await self.until(lambda: not board.microphone.asleep, "stay awake on the charger")
        await headband.bricks.settled()
        await self.quiet()
        if ask or not self._complete():  # a question makes the headband load a brick that was killed
            await self._question_without_faults()
        if not self._complete():
            raise Stuck(f"After a calm question only {sorted(headband.bricks.pids())} are loaded.")
        await asyncio.sleep(0.5)

    async def leave(self) -> None:
        """Stops the injection of faults."""
        for fault in self._under_way:
            fault.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    async def _question_without_faults(self) -> None:
        before, failed = self.turns, self.failed.total()
        sound, image = self.voice.questions[0]
        self.board.camera.show(image)
        await self._say(sound)
        await self.until(lambda: self.turns > before, "answer a question without faults")
        await self.headband.bricks.settled()
        await self.quiet()
        if self.failed.total() > failed:
            raise Stuck("A question failed although no fault was injected.")

    def _complete(self) -> bool:
        bricks = self.headband.bricks
        return len(bricks.pids()) == len(bricks.pack.bricks) + 1

    async def until(self, reached: Callable[[], bool], what: str) -> None:
        """Raises `Stuck` when it takes longer than `PATIENCE_S`."""
        end_s = time.monotonic() + PATIENCE_S
        while not reached():
            if time.monotonic() > end_s:
                state = self.headband.state.interaction
                raise Stuck(f"The headband did not {what} within {PATIENCE_S:.0f} s; it is in {state}.")
            await asyncio.sleep(_LOOK_S)

    async def pass_time(self) -> None:
        """Runs the microcontroller also while it is not read; never returns."""
        while True:
            await asyncio.sleep(_PASSING_S)
            self.board.pmu.catch_up()

    async def _inject(self, name: str, rng: random.Random) -> None:
        await asyncio.sleep(rng.uniform(0.0, 2.5))
        self.done[name] += 1
        await self.faults[name][1](rng)

    async def _say_something(self) -> None:
        """Returns when the microphone has delivered it, or has failed."""
        rng = self.rng
        kind = rng.choices(("question", "request", "nothing"), (4, 6, 1))[0]
        self.done[kind] += 1
        if kind == "question":
            sound, image = rng.choice(self.voice.questions)
            self.board.camera.show(image)
            await self._say(sound)
        else:
            await self._say(self.voice.said[WAKE_WORD, rng.choice(VOICES)])
            if kind == "request":
                await asyncio.sleep(0.3)
                await self._say(self.voice.said[rng.choice(REQUESTS), rng.choice(VOICES)])

    async def _interrupt(self) -> None:
        """Interrupts at a random time while the headband thinks or speaks, up to three times in a row."""
        rng = self.rng
        for _ in range(rng.choice((1, 1, 2, 3))):
            states = rng.choice((("thinking", "speaking"), ("speaking",), ("speaking",)))
            with suppress(TimeoutError):
                async with asyncio.timeout(ANSWER_WITHIN_S):
                    await self.until(lambda at=states: self.headband.state.interaction in at, "answer")  # type: ignore[misc]
            await asyncio.sleep(rng.uniform(0.0, 0.8))
            word = rng.choice((WAKE_WORD, WAKE_WORD, STOP))
            self.done[f'"{word}" over {self.headband.state.interaction}'] += 1
            await self._say(self.voice.said[word, rng.choice(VOICES)])
            if word == WAKE_WORD and rng.random() < 0.8:
                await self._say(self.voice.said[rng.choice(REQUESTS), rng.choice(VOICES)])

    async def _say(self, pcm: Pcm) -> None:
        clip = self.board.microphone.say(pcm)
        with suppress(TimeoutError):
            await asyncio.wait_for(clip.heard(), PATIENCE_S)

    async def kill_brick(self, rng: random.Random) -> None:
        """Kills a brick with SIGKILL, as the kernel's out-of-memory killer does, usually while it works."""
        if rng.random() < 0.8:
            with suppress(TimeoutError):
                async with asyncio.timeout(ANSWER_WITHIN_S):
                    await self.until(lambda: self.headband.state.interaction != "standby", "be addressed")
            await asyncio.sleep(rng.uniform(0.0, 2.0))
        pids = self.headband.bricks.pids()
        bricks = sorted(name for name in pids if name != "fork_server")
        if bricks:
            _kill(pids[rng.choice(bricks)])

    async def kill_server(self, _: random.Random) -> None:
        """Kills the fork server; the kernel then ends every brick."""
        pid = self.headband.bricks.pids().get("fork_server")
        if pid is not None:
            _kill(pid)

    async def another_charge(self, rng: random.Random) -> None:
        """Changes the charge of the cell, without the charger."""
        self.board.set_battery(rng.choice(CHARGES))
        self.headband.expect_power_change()

    async def charger(self, rng: random.Random) -> None:
        """Connects the charger for a few seconds."""
        percent = rng.choice(CHARGES)
        self.board.set_battery(percent, charging=True)
        await asyncio.sleep(rng.uniform(0.2, 3.0))
        self.board.set_battery(percent)
        self.headband.expect_power_change()

    async def timer(self, rng: random.Random) -> None:
        """Sets a timer of seconds, without a question: the small pack's recogniser knows minutes only."""
        with suppress(ValueError):  # there are too many already
            set_timer(self.headband, rng.choice((2, 4, 8, 14, 20)))

    async def no_microphone(self, rng: random.Random) -> None:
        """Unplugs the microphone for a moment."""
        self.board.microphone.unplug()
        await asyncio.sleep(rng.uniform(0.05, 1.0))
        self.board.microphone.plug_in()

    async def no_camera(self, rng: random.Random) -> None:
        """Unplugs the camera for a few seconds."""
        self.board.camera.unplug()
        await asyncio.sleep(rng.uniform(0.3, 2.5))
        self.board.camera.plug_in()

    async def no_pmu(self, rng: random.Random) -> None:
        """Faults on the bus for a few seconds."""
        self.board.bus.blocked_s = 0.2
        self.board.bus.inject(rng.choice(WIRE_FAULTS))
        await asyncio.sleep(rng.uniform(0.3, 3.0))
        self.board.bus.inject(None)

    async def hanging_pmu(self, rng: random.Random) -> None:
        """The firmware hangs for a few seconds."""
        self.board.pmu.frozen = True
        await asyncio.sleep(rng.uniform(0.3, 3.0))
        self.board.pmu.frozen = False

    async def press(self, _: random.Random) -> None:
        """Presses the button, upon which the headband listens."""
        self.board.pmu.press()

    async def double_press(self, _: random.Random) -> None:
        """Presses the button twice, which stops an answer or requests the last one again."""
        self.board.pmu.press(times=2)


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)

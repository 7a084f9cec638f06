"""The twin's simulation: time advances from event to event, and the policy decides by the cell.

Between events time advances in steps of at most a minute, with one decision per step; on the board the
microcontroller watches the charge of a sleeping computer and wakes it at a threshold. Times are seconds since
the first day began.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Literal, Protocol

from hw.supply import BatteryReading
from power.policy.plan import Mode, PowerPlan
from power.twin.board_power import Pulse, TurnStep, TwinBoard
from power.twin.cell import TwinCell
from power.twin.day import Day, DayEvent, DaySpan, events
from power.twin.governors import Governor
from power.twin.parameters import Parameters, TwinError
from power.twin.totals import WAITING, Asked, RunTotals, Sample, Segment
from power.twin.turn.turns import TwinBricks, TwinQuestion, load_all, take_turn

STEP_S = 60.0
SAMPLE_S = 300.0
SAMPLES = 288
"""Least number of samples of a day, or of what is shorter."""


SOUNDS_IN_VAIN = 2
"""`MOST_IN_VAIN` of host/session/power.py."""

InteractionEvent = Literal["woken", "utterance", "answer", "spoken", "closed"]
"""The events of `host.states` that a simulated day has."""


class Machine(Protocol):
    """The state table, `host.states.StateMachine`."""

    @property
    def interaction(self) -> str:
        """State of the interaction region."""

    def interact(self, event: InteractionEvent, cause: str) -> bool:
        """Take a transition of the interaction region; False when the table does not permit it."""

    def set_power(self, mode: Mode, cause: str) -> bool:
        """Take the power region to a mode; False when the table does not permit it."""


class Twin:
    """One headband under one governor. `record` is called with every interval of constant power."""

    def __init__(
        self,
        parameters: Parameters,
        governor: Governor,
        machine: Machine,
        *,
        pack: str = "micro",
        percent: float = 100.0,
        held: bool = False,
        record: Callable[[Segment], None] | None = None,
    ) -> None:
        """`percent`: charge at the start; `held`: it stays constant, to simulate the day at one charge."""
        self.cell = TwinCell(parameters, percent)
        self._held = self.cell.state if held else None
        self.account = RunTotals()
        self._parameters = parameters
        self._governor = governor
        self._machine = machine
        self._record = record or (lambda segment: None)
        self._board = TwinBoard(parameters, parameters.pack(pack))
        self._bricks = TwinBricks(dict(self._board.pack.memory_mib))
        self._resume_s = parameters["sleep.resume_s"]
        self._enter_s = parameters["sleep.enter_s"]
        self._keep_mw_per_gib = parameters["memory.keep_mw_per_gib"]
        self._quiet_s = parameters["sleep.quiet_s"]
        self._soc_k_per_w, self._soc_s = parameters["heat.soc_k_per_w"], parameters["heat.soc_settling_s"]
        self._cell_k_per_w, self._cell_s = parameters["heat.cell_k_per_w"], parameters["heat.cell_settling_s"]
        self._now_s = 0.0
        self._step_s, self._sample_s = STEP_S, SAMPLE_S
        self._asleep = False
        self._stirred_s = -math.inf
        self._cause = WAITING
        self._charger = True
        self._until_empty = False
        self._soc_c: float | None = None
        self._plan: PowerPlan | None = None
        self._in_vain = 0
        """Sounds in a row that woke the computer and brought no question."""
        self._closed_share, self._closed_due = parameters[parameters.answered_share(pack)], 0.0

    def run(self, day: Day, days: int = 1, *, charger: bool = True, until_empty: bool = False) -> RunTotals:
        """Simulate the day so many times. Without `charger` its charging and its exchanges of packs are left
        out; `until_empty` ends the run with an empty pack, which is otherwise replaced by a full one.
        """
        self._charger, self._until_empty = charger, until_empty
        if not until_empty:
            self._sample_s = min(SAMPLE_S, day.length_s / SAMPLES)
        self._step_s = min(STEP_S, self._sample_s)
        for number in range(days):
            offset_s = number * day.length_s
            agenda = events(day, self._parameters, number)
            for span in day.spans:
                self._enter(span)
                while agenda and agenda[0].at_s < span.end_s:
                    event = agenda.pop(0)
                    self._idle(offset_s + event.at_s, span)
                    if self.account.emptied_s is None:
                        self._meet(event, day, span)
                self._idle(offset_s + span.end_s, span)
                if self.account.emptied_s is not None:
                    return self.account
        return self.account

    @property
    def plan(self) -> PowerPlan:
        """The present plan."""
        assert self._plan is not None
        return self._plan

    def _enter(self, span: DaySpan) -> None:
        if self._soc_c is None:
            self._soc_c = self.cell.temperature_c = span.ambient_c
        self._decide(span)

    def _charging(self, span: DaySpan) -> bool:
        return span.charging and self._charger

    def _decide(self, span: DaySpan) -> None:
        """Let the governor decide by the present battery reading."""
        cell, soc_c = self.cell, self._soc_c or span.ambient_c
        charging = self._charging(span)
        reading = BatteryReading(
            round(cell.percent), round(cell.voltage_mv), round(cell.current_ma), cell.temperature_c,
            charging, "good",
        )  # fmt: skip
        plan = self._governor.decide(reading, self._now_s, span.worn, soc_c)
        if not self._quiet_s:  # the setting for a headband that never sleeps
            plan = _awake(plan)
        before, self._plan = self._plan, plan
        if plan is not before and (before is None or plan.mode is not before.mode):
            if not self._machine.set_power(plan.mode, plan.reason):
                raise TwinError(f"The state table has no way to {plan.mode.value}.")
            self._apply(span)
        samples = self.account.samples
        if not samples or self._now_s - samples[-1].at_s >= self._sample_s:
            self._sample(span)

    def _sample(self, span: DaySpan) -> None:
        cell, plan, soc_c = self.cell, self.plan, self._soc_c or span.ambient_c
        self.account.samples.append(
            Sample(
                self._now_s, cell.percent, cell.voltage_mv, plan.mode.value, plan.alpha,
                cell.temperature_c, soc_c, self._asleep, self._charging(span),
            )
        )  # fmt: skip

    def _apply(self, span: DaySpan) -> None:
        """Load or release models as the new mode requires."""
        if self.plan.residency == "one_at_a_time":
            self._bricks.loaded.clear()
        elif self.plan.residency == "resident" and not self._asleep:
            self.account.by_cause["mode"].count += not self._charging(span)
            self._take(load_all(self.plan, self._board, self._bricks), "mode", span)

    def _idle(self, until_s: float, span: DaySpan) -> None:
        """Advance to that time without an event."""
        while self._now_s < until_s - 1e-9 and not self._exhausted(span):
            plan, left_s = self.plan, until_s - self._now_s
            if plan.suspend_between_events and not self._asleep:
                patience_s = self._quiet_s if plan.sleep_within_s is None else plan.sleep_within_s
                quiet_s = self._stirred_s + min(patience_s, self._quiet_s) - self._now_s
                if quiet_s > 1e-9:
                    self._wait(min(left_s, quiet_s), span, self._cause)
                else:
                    self._take((self._step("resume", self._enter_s),), self._cause, span)
                    self._asleep = True
                    self._cause = WAITING
            elif self._asleep and not plan.suspend_between_events:
                self._wake(span, "mode")
                self._apply(span)
            elif self._asleep:
                seconds = min(left_s, self._step_s)
                power_mw = self._board.asleep_mw + self._bricks.keeping_mw(self._keep_mw_per_gib)
                self._pass(seconds, power_mw, "asleep", WAITING, span)
            else:
                self._cause = WAITING
                self._wait(min(left_s, self._step_s), span, WAITING)
            self._decide(span)

    def _exhausted(self, span: DaySpan) -> bool:
        """True when the run ends with the empty pack; otherwise an empty pack is replaced. Where the plan
        goes on, the microcontroller stops it when the cell itself is empty.
        """
        empty = self.cell.percent <= 0 and not self._charging(span)
        if self.plan.mode is not Mode.CUTOFF and not empty:
            return False
        if self._until_empty:
            if self.account.emptied_s is None:
                self.account.emptied_s = self._now_s
            return True
        self.cell.refill()
        self.account.fresh_packs += 1
        self._governor.restart()
        self._decide(span)
        return False

    def _wait(self, seconds: float, span: DaySpan, cause: str) -> None:
        """Awake and listening, with camera frames at the plan's interval."""
        power_mw = self._board.stage_mw("listen", self.plan)
        pulse = self._board.camera(self.plan) if span.camera else None
        if pulse is not None:
            power_mw += pulse.mean_mw
        self._pass(seconds, power_mw, "awake", cause, span, pulse)

    def _meet(self, event: DayEvent, day: Day, span: DaySpan) -> None:
        if event.kind == "charge":
            if self._charger and self._held is None:
                self._sample(span)
                if self._asleep:
                    self._wake(span, "mode")
                self._stirred_s, self._cause = self._now_s, "mode"
                self.cell.exchange(event.percent)
                self._governor.restart()  # the headband was off meanwhile
                self._decide(span)
                self._sample(span)
            return
        if event.kind == "sound":
            if self._asleep:
                self._wake(span, "sound")
                self._stirred_s, self._cause = self._now_s, "sound"
                self.account.by_cause["sound"].count += 1
                self._ready_camera(span)
                self._decide(span)
            return
        wake_word = True
        for index, route in enumerate(event.routes):
            if index:
                self._wait(day.conversation_gap_s, span, self._cause)
            if self._exhausted(span):
                break
            if index:
                wake_word = self._machine.interaction == "standby"
            length_s, tokens, closed = day.question_s[route], day.answer_tokens[route], self._closed(route)
            self._ask(TwinQuestion(route, length_s, tokens, wake_word, span.camera, closed), span)
            more = index + 1 < len(event.routes)
            if self._machine.interaction == "follow_up" and not more:
                self._wait(self._parameters["talk.follow_up_s"], span, route)
                self._fire("closed", "nobody asked on")
        self._stirred_s = self._now_s

    def _closed(self, route: str) -> bool:
        """Whether the next question of this route is closed: evenly so many as their share says."""
        if route != "now":
            return False
        self._closed_due += self._closed_share
        closed = self._closed_due >= 1 - 1e-9
        self._closed_due -= closed
        return closed

    def _ask(self, question: TwinQuestion, span: DaySpan) -> None:
        """One turn, through the state table as `host.session` takes it."""
        plan, started_s = self.plan, self._now_s
        route = question.route
        self._cause = route
        if self._in_vain >= SOUNDS_IN_VAIN:
            plan = _sensor_off(plan)
        self._in_vain = 0
        turn = take_turn(question, plan, self._board, self._bricks, self._asleep)
        self._asleep = False
        self._fire("woken", "the wake word was heard")
        mwh = self._take(turn.listening, route, span)
        self._fire("utterance", "the utterance ended")
        mwh += self._take(turn.thinking, route, span)
        self._fire("answer", f"the {route} route has an answer")
        mwh += self._take(turn.speaking, route, span)
        self.account.by_cause[route].count += not self._charging(span)
        self.account.asked.append(
            Asked(started_s, route, plan.mode.value, plan.alpha, turn.latency_s, mwh, turn.given)
        )
        self._stirred_s = self._now_s
        self._decide(span)
        if plan.mode is Mode.CASCADE or route == "unclear":
            self._fire("closed", "the turn is over")
        else:
            self._fire("spoken", "the answer is over and a further question may follow")

    def _fire(self, event: InteractionEvent, cause: str) -> None:
        before = self._machine.interaction
        if not self._machine.interact(event, cause):
            raise TwinError(f"The state table does not permit {event} in {before}.")

    def _wake(self, span: DaySpan, cause: str) -> None:
        self._asleep = False
        self._take((self._step("resume", self._resume_s),), cause, span)

    def _ready_camera(self, span: DaySpan) -> None:
        """Where the plan has it ready for a question, the sensor streams, and none comes."""
        values = self._parameters
        self._in_vain += 1
        sensor = self.plan.ahead.sensor if self._in_vain <= SOUNDS_IN_VAIN else "wake word"
        if sensor != "sound" or not span.camera or self._board.camera(self.plan) is not None:
            return
        listen_mw = self._board.stage_mw("listen", self.plan) + self._board.sensor_mw(self.plan)
        seconds = values["camera.capture_s"] + values["camera.ready_s"]
        self._take((TurnStep("listen", seconds, listen_mw),), "sound", span)

    def _step(self, stage: str, seconds: float) -> TurnStep:
        return TurnStep(stage, seconds, self._board.stage_mw(stage, self.plan))

    def _take(self, steps: tuple[TurnStep, ...], cause: str, span: DaySpan) -> float:
        """Advance by the steps; returns their energy in mWh."""
        for step in steps:
            self._pass(step.seconds, step.power_mw, step.stage, cause, span, step.pulse)
        return sum(step.seconds * step.power_mw for step in steps) / 3600

    def _pass(
        self,
        seconds: float,
        power_mw: float,
        stage: str,
        cause: str,
        span: DaySpan,
        pulse: Pulse | None = None,
    ) -> None:
        """Advance time at that power: cell, temperatures, totals."""
        cell = self.cell
        charging = self._charging(span)
        if charging:
            cell.charge(seconds)
        else:
            cell.discharge(seconds, power_mw)
            if self._held is not None:
                cell.state = self._held
        segment = Segment(self._now_s, seconds, power_mw, stage, cause, pulse)
        self.account.add(segment, charging=charging, mode=self.plan.mode.value, asleep=stage == "asleep")
        self._record(segment)
        self._now_s += seconds
        watt = power_mw / 1000
        goal_c = span.ambient_c + self._soc_k_per_w * watt
        soc_c = span.ambient_c if self._soc_c is None else self._soc_c
        self._soc_c = soc_c + (goal_c - soc_c) * -math.expm1(-seconds / self._soc_s)
        goal_c = span.ambient_c + self._cell_k_per_w * watt + self._parameters["heat.worn_k"] * span.worn
        cell.temperature_c += (goal_c - cell.temperature_c) * -math.expm1(-seconds / self._cell_s)


@cache
def _awake(plan: PowerPlan) -> PowerPlan:
    """The same without sleep between events."""
    return replace(plan, suspend_between_events=False)


@cache
def _sensor_off(plan: PowerPlan) -> PowerPlan:
    """The same with the camera's sensor off until the wake word."""
    return replace(plan, ahead=replace(plan.ahead, sensor="wake word"))

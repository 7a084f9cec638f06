"""The twin of a headband that remembers what it sees: `power.twin.simulate` with its looks and new views.

Views are counted as expected values: a look that shows a new view with probability 0.2 adds a fifth of one.
Looks happen whenever the computer is awake and worn, also during questions; views are encoded when no
question is under way. What it takes above the same time without it is summed in `remembered`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from hw.supply import BatteryReading
from power.account.energy_model import LOAD, MW_S_PER_MWH
from power.account.routes import ROUTES
from power.policy.plan import PowerPlan
from power.remembering.way import STAYS_AWAKE, Remembered, Remembering, placing_eye
from power.twin.board_power import Pulse, TurnStep
from power.twin.day import DaySpan
from power.twin.governors import OurPolicy
from power.twin.parameters import Parameters
from power.twin.simulate import Machine, Twin
from power.twin.totals import WAITING
from power.twin.turn.turns import TwinQuestion
from power.twin.work import RECALL, TEXT, Work

SOON_S = 1e-6
"""A look that is due within this of the end of an interval belongs to the next."""
CHECK_S = 600.0
"""So often a twin that is not woken for looks checks whether it is now."""
CAUSE = "remember"
"""Cause of a wake-up for a look."""


class StaysAwake(OurPolicy):
    """Our policy, but for the sleep between events while it remembers."""

    def decide(self, reading: BatteryReading, now_s: float, worn: bool, soc_c: float) -> PowerPlan:
        """The policy's plan, awake while it is worn and looks."""
        plan = super().decide(reading, now_s, worn, soc_c)
        return replace(plan, suspend_between_events=False) if worn and plan.frames_for == "memory" else plan


class RememberingTwin(Twin):
    """One headband whose wearer has it remember."""

    def __init__(
        self,
        parameters: Parameters,
        governor: OurPolicy,
        machine: Machine,
        remembering: Remembering,
        **options: Any,
    ) -> None:
        """`governor`: one that was told of the remembering. `options`: as `Twin` takes them. Raises
        `TwinError` for a pack that cannot remember.
        """
        super().__init__(replace(parameters, remembering=True), governor, machine, **options)
        self._eye, self._eye_stage = placing_eye(self._board.pack)
        self.remembered = Remembered()
        self._how, self._costs = remembering, remembering.costs
        self._last_look_s = -math.inf
        self._next_look_s = 0.0
        self._waiting = 0.0
        """New views that wait for the encoder."""
        self._shallow = 0.0
        """Views in the store that are not at full depth."""
        self._one_look = False
        self._asleep_since_s = 0.0
        """When the present sleep began; of a headband that is woken by its plan."""
        self._stays_due = 0.0
        """Times that it has yet to stay awake after a look, because its view was new ("stays if new")."""
        self._soon_share: float | None = None
        """Share of new views among the looks soon after one that ended a sleep."""

    def _looks(self, span: DaySpan) -> bool:
        """Does the plan have it look at what is to be remembered?"""
        plan = self.plan
        return plan.frames_for == "memory" and plan.frame_interval_s is not None and span.camera and span.worn

    def _idle(self, until_s: float, span: DaySpan) -> None:
        if self._how.look_every_s == STAYS_AWAKE:
            super()._idle(until_s, span)
            return
        while self._now_s < until_s - 1e-9 and not self._exhausted(span):
            every_s = self._longest_sleep_s(span)
            if every_s is None:
                super()._idle(min(until_s, self._now_s + CHECK_S), span)
                self._asleep_since_s = self._now_s
                continue
            if self._how.look_every_s is None and not self._asleep:
                self._fall_asleep(until_s, span)
                continue
            since_s = self._asleep_since_s if self._how.look_every_s is None else self._last_look_s
            due_s = max(self._now_s, since_s + every_s)
            if due_s > self._now_s:
                super()._idle(min(until_s, due_s), span)
            if self._asleep and self._now_s >= due_s and self._now_s < until_s and self._looks(span):
                self._look_between(until_s, span)
            elif self._now_s >= due_s:
                super()._idle(min(until_s, self._now_s + every_s), span)

    def _fall_asleep(self, until_s: float, span: DaySpan) -> None:
        """Until the sleep has begun, after which its longest time counts."""
        if self.plan.suspend_between_events:
            patience_s = self.plan.sleep_within_s
            quiet_s = self._quiet_s if patience_s is None else min(patience_s, self._quiet_s)
            end_s = max(self._now_s, self._stirred_s + quiet_s) + self._enter_s
        else:
            end_s = self._now_s + CHECK_S
        super()._idle(min(until_s, end_s), span)
        self._asleep_since_s = self._now_s

    def _longest_sleep_s(self, span: DaySpan) -> float | None:
        """Seconds of sleep after which it looks; None: it is not woken for that."""
        if not self._looks(span):
            return None
        every_s = self._how.look_every_s
        return self.plan.longest_sleep_s if every_s is None else every_s

    def _look_between(self, until_s: float, span: DaySpan) -> None:
        """Wakes from a sleep to look, and sleeps again."""
        before_mwh, began_s = self.account.battery_mwh, self._now_s
        told_mwh = self.remembered.mwh
        charging = self._charging(span)
        self._wake(span, CAUSE)
        self._next_look_s, self._cause = self._now_s, CAUSE
        if self._stays():
            self._until_quiet(until_s, span)
            enter_s = 0.0  # it sleeps already
        else:
            self._glance(span)
            enter_s = self._enter_s
        self.account.by_cause[CAUSE].count += not charging
        enter_mwh = enter_s * self._board.stage_mw("resume", self.plan) / MW_S_PER_MWH
        slept_mwh = (self._now_s - began_s + enter_s) * self._board.asleep_mw / MW_S_PER_MWH
        if not charging:
            whole_mwh = self.account.battery_mwh - before_mwh + enter_mwh - slept_mwh
            self.remembered.mwh = told_mwh + max(0.0, whole_mwh)

    def _stays(self) -> bool:
        """Whether it stays awake after the look that comes now; sets the share of new views then."""
        costs, new = self._costs, self._new_share(self._now_s)
        if self._how.look_every_s is not None or self._how.after_look == "sleeps":
            return False
        if self._how.after_look == "stays":
            self._soon_share = new * costs.soon_new_share + (1 - new) * costs.soon_seen_share
            return True
        self._stays_due += new
        if self._stays_due < 1:
            return False
        self._stays_due -= 1
        self._soon_share = costs.soon_new_share
        return True

    def _until_quiet(self, until_s: float, span: DaySpan) -> None:
        """Its quiet time begins anew, in which it looks at the plan's interval."""
        self._stirred_s, patience_s = self._now_s, self.plan.sleep_within_s
        quiet_s = self._quiet_s if patience_s is None else min(patience_s, self._quiet_s)
        super()._idle(min(until_s, self._now_s + quiet_s + self._enter_s), span)
        self._soon_share, self._asleep_since_s = None, self._now_s

    def _glance(self, span: DaySpan) -> None:
        """One look, then the work on it, with the microphone closed; the next quiet moment ends it."""
        self._one_look = True
        new = self._waiting + (1.0 if self._how.placing == "every look" else self._new_share(self._now_s))
        gate_s = self._board.seconds(Work(core_s=self._costs.gate_s), self.plan)
        seconds = self._parameters["camera.capture_s"] + gate_s + self._load_s() + new * sum(self._each_s())
        self._wait(seconds, span, CAUSE)
        self._one_look = False

    def _apply(self, span: DaySpan) -> None:
        """The memory's bricks come into memory with the others."""
        before = {*self._bricks.loaded}
        super()._apply(span)
        pack = self._board.pack
        new = {RECALL, TEXT} & {*self._bricks.loaded} - before
        seconds = sum(self._board.seconds(pack.load[brick], self.plan, LOAD) for brick in new)
        self._tell((self._board.stage_mw("load", self.plan) - self._board.asleep_mw) * seconds, span)

    def _wake(self, span: DaySpan, cause: str) -> None:
        super()._wake(span, cause)
        self._next_look_s = self._now_s

    def _ask(self, question: TwinQuestion, span: DaySpan) -> None:
        if self._asleep:
            self._next_look_s = self._now_s
        if span.worn and question.camera and not self._looks(span):
            self._count_looks([self._now_s])  # the picture of the question, whatever the plan says
            self._let_go()
        super()._ask(question, span)

    def _take(self, steps: tuple[TurnStep, ...], cause: str, span: DaySpan) -> float:
        """Also during a question the camera looks, and what is new waits."""
        if cause not in ROUTES or not self._looks(span):
            return super()._take(steps, cause, span)
        mwh = 0.0
        for step in steps:
            if step.stage == "resume":
                mwh += super()._take((step,), cause, span)
                continue
            pulse, gate_mw = self._looked(step.seconds, span)
            power_mw = step.power_mw + gate_mw + (pulse.mean_mw if pulse else 0.0)
            self._pass(step.seconds, power_mw, step.stage, cause, span, pulse)
            mwh += step.power_mw * step.seconds / MW_S_PER_MWH
            self._let_go()
        return mwh

    def _wait(self, seconds: float, span: DaySpan, cause: str) -> None:
        looks = self._looks(span)
        deepens = self.plan.deepens_memory and self._shallow > 0
        if not (looks or self._waiting or deepens):
            super()._wait(seconds, span, cause)
            return
        began_s = self._now_s
        base = "idle" if self._one_look else "listen"
        listen_mw = self._board.stage_mw(base, self.plan)
        pulse, gate_mw = self._looked(seconds, span) if looks else (None, 0.0)
        base_mw = listen_mw + gate_mw + (pulse.mean_mw if pulse else 0.0)
        left_s = seconds
        for stage, draws, work_s in self._work(seconds, span):
            extra_mw = self._board.together_mw(base, draws, self.plan) - listen_mw
            self._tell(extra_mw * work_s, span)
            self.remembered.core_s += work_s * self._cores(draws)
            self._pass(work_s, base_mw + extra_mw, stage, cause, span, pulse)
            left_s -= work_s
        if left_s > 0:
            self._pass(left_s, base_mw, "awake", cause, span, pulse)
        if cause == WAITING and looks and self._how.look_every_s == STAYS_AWAKE:
            self._tell((listen_mw - self._board.asleep_mw) * (self._now_s - began_s), span)

    def _work(self, most_s: float, span: DaySpan) -> list[tuple[str, str, float]]:
        """(stage, stage whose power it draws, seconds): what is done of the waiting views within `most_s`."""
        found: list[tuple[str, str, float]] = []
        plan, told = self.plan, self.remembered
        eye, pack, spare_s = self._eye_stage, self._board.pack, most_s
        if self._waiting and self._how.place(pack, plan) is not None:
            load_s = min(spare_s, self._load_s())
            self._bricks.take(self._eye, plan)
            found.append(("load", "load", load_s))
            spare_s -= load_s
        place_s, store_s = self._each_s()
        done = min(self._waiting, spare_s / (place_s + store_s))
        self._waiting -= done
        told.views += done
        self._let_go()
        self._shallow += done * self._how.shallow(pack, plan)
        found += [("vision", eye, done * place_s), ("remember", "remember", done * store_s)]
        spare_s -= done * (place_s + store_s)
        if pack.recall is None and plan.kept_encodings and self._looks(span):
            again_s = self._board.seconds(self._how.first_depth(pack), plan)
            again_s *= most_s / max(self._costs.again_s, plan.frame_interval_s or math.inf)
            found.append(("vision", eye, min(spare_s, again_s)))
            spare_s -= min(spare_s, again_s)
        if plan.deepens_memory and self._shallow:
            each_s = self._board.seconds(self._how.deepening(pack), plan) + store_s
            deepened = min(self._shallow, spare_s / each_s)
            self._shallow, told.deepened = self._shallow - deepened, told.deepened + deepened
            found.append(("vision", eye, deepened * each_s))
        return [each for each in found if each[-1] > 0]

    def _load_s(self) -> float:
        """Seconds until the eye that places views is in memory; it stays there unless the plan's limit of
        memory makes room for others.
        """
        if self._eye in self._bricks.loaded or self._how.place(self._board.pack, self.plan) is None:
            return 0.0
        return self._board.seconds(self._board.pack.load[self._eye], self.plan, LOAD)

    def _let_go(self) -> None:
        """Of the waiting views, what is more than may wait."""
        kept = min(self._waiting, self._costs.waiting_views)
        self.remembered.dropped += self._waiting - kept
        self._waiting = kept

    def _each_s(self) -> tuple[float, float]:
        """Seconds of placing and of storing one view."""
        place = self._how.place(self._board.pack, self.plan)
        store_s = self._board.seconds(Work(core_s=self._costs.store_s), self.plan)
        return 0.0 if place is None else self._board.seconds(place, self.plan), store_s

    def _looked(self, seconds: float, span: DaySpan) -> tuple[Pulse | None, float]:
        """The looks of so many seconds from now: the camera's pulse, and the gate's mean power, mW."""
        interval_s, end_s = self.plan.frame_interval_s, self._now_s + seconds
        assert interval_s is not None
        start_s = max(self._now_s, self._next_look_s)
        if end_s - start_s < SOON_S:
            return None, 0.0
        count = 1 if self._one_look else math.ceil((end_s - start_s - SOON_S) / interval_s)
        self._next_look_s = start_s + count * interval_s
        self._count_looks([start_s + number * interval_s for number in range(count)])
        camera = self._board.camera(self.plan)
        assert camera is not None
        on_s = self._parameters["camera.capture_s"] if self._one_look else camera.on_s
        pulse = Pulse(seconds / count, min(on_s, seconds / count), camera.extra_mw)
        gate_s = count * self._board.seconds(Work(core_s=self._costs.gate_s), self.plan)
        gate_s *= self._how.placing != "every look"
        extra_mw = self._board.stage_mw("remember", self.plan) - self._board.stage_mw("idle", self.plan)
        self.remembered.core_s += gate_s
        self._tell(extra_mw * gate_s + pulse.mean_mw * seconds, span)
        return pulse, extra_mw * gate_s / seconds

    def _count_looks(self, moments: list[float]) -> None:
        """The first look is as long after the last as it is; the others are evenly spaced."""
        new = self._new_share(moments[0])
        if len(moments) > 1:
            further = self._soon_share
            if further is None:
                further = self._costs.new_share(moments[1] - moments[0])
            new += (len(moments) - 1) * further
        self.remembered.looks += len(moments)
        self.remembered.new += new
        self._waiting += len(moments) if self._how.placing == "every look" else new
        self._last_look_s = moments[-1]

    def _new_share(self, at_s: float) -> float:
        return 1.0 if self._last_look_s == -math.inf else self._costs.new_share(at_s - self._last_look_s)

    def _cores(self, stage: str) -> float:
        cores = self._board.parameters.energy.stages[stage].cores
        return self.plan.online_cpus if cores is None else cores

    def _tell(self, mw_s: float, span: DaySpan) -> None:
        if self._charging(span):
            self.remembered.outside_mwh += mw_s / MW_S_PER_MWH
        else:
            self.remembered.mwh += mw_s / MW_S_PER_MWH

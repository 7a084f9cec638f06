"""The power policy: mode and plan as a pure function of battery readings, the wearer's request and an
explicit state.

Battery charge B chooses between performance, throttled and cascade at two thresholds; within throttled, the
plan scales with alpha, (B - T_low) / (T_high - T_low). A mode is left downwards at once, and upwards only
`reentry_percent` above its threshold and `dwell_s` after the last change; alpha follows a rise of B only once
it exceeds `reentry_percent`. Current into the cell ends all of that at once; a charger weaker than the load
does not, so the cell is watched to its end. A gauge that says how far its charge may be wrong is believed
that the cell is empty when at most `cutoff_left_percent` can be left, or in the cold when it shows nothing;
until then the microcontroller's own watch on the voltage decides. While nobody wears the headband, frames are
rare and it suspends soon. In every mode the computer may suspend between events on battery power: suspended
it draws a seventh, with its models in memory. What else a mode saves, and why, is the table of
`power.policy.savings`.

A good reading holds for `hold_reading_s`. Without one the mode is throttled or the lower one that it was; no
bad reading causes a cut-off or clears the evidence for one. Whatever the readings, the mode changes at most
`MOST_CHANGES` times in an hour, apart from changes at the wearer's request; the last of them is kept for the
cut-off.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

from hw.supply import BatteryReading
from power.placement.site import Site
from power.policy.config import PowerConfig
from power.policy.plan import Mode, PowerPlan, ReflexBudget
from power.policy.policy_state import PolicyState
from power.policy.presence import Presence
from power.policy.savings import (
    CLIP_INTERVAL_S,
    LEAN_CLIP_INTERVAL_S,
    LEAN_RECALL_DEEPENS,
    LEAN_RECALL_LOOKS,
    RECALL_DEEPENS,
    RECALL_LOOKS,
    begun_ahead,
    cpu_khz,
    frames_for,
    load_cpu_khz,
    models,
    step,
)

_KEPT_PLANS = 16
"""Plans that are kept: nearly every reading calls for the plan of the one before."""
_AWAY_RARER = 10
"""So many times as rarely it is woken for a look while nobody wears it."""


class Policy:
    """Decides for one configuration and one site; holds no state of its own."""

    def __init__(self, config: PowerConfig | None = None, site: Site | None = None) -> None:
        self.config = config or PowerConfig()
        self.site = site or Site()
        self._plan = lru_cache(_KEPT_PLANS)(self._new_plan)

    def decide(
        self,
        reading: BatteryReading,
        now_s: float,
        request: Mode | None = None,
        state: PolicyState | None = None,
        *,
        again: bool = False,
        soc_temperature_c: float | None = None,
        presence: Presence = Presence.UNKNOWN,
        remembering: bool = False,
    ) -> tuple[PowerPlan, PolicyState]:
        """The plan from now on, and the state to hand in next time.

        `now_s`: monotonic seconds. `request`: the mode the wearer asked for; a higher one than the battery
        calls for is granted unless the battery is empty, unreadable or something is too hot. `state`: None at
        the first decision. `again`: the reading is that of an earlier decision, as no newer one has arrived;
        it is no further evidence of an empty cell. `presence`: see `power.policy.presence`; it changes no
        mode. `remembering`: the wearer has the view remembered.
        """
        state = state or PolicyState()
        trusted = reading.state == "good"
        reading, state = state.hold(reading, now_s, self.config.hold_reading_s, again=again)
        hot = self._hot(reading, soc_temperature_c, state.hot)
        state = state if hot is state.hot else replace(state, hot=hot)
        mode, reason, state = self._called_for(reading, now_s, state)
        level = 0 if reading.percent is None else reading.percent
        empty = state.empty_readings > 0 or (reading.charging and level <= self.config.cutoff_percent)
        mode, reason = self._granted(mode, reason, request, lower_only=empty or reading.state != "good")
        if state.hot and mode is Mode.PERFORMANCE:
            mode, reason = Mode.THROTTLED, _heat(reading, soc_temperature_c)
        mode, reason, state = state.grant(mode, reason, request, now_s)
        charging = reading.state == "good" and reading.charging
        plan = self._plan(
            mode, reason, state.percent, hot=state.hot, charging=charging, remembering=remembering
        )
        if not trusted or state.empty_readings:
            plan = replace(plan, battery_poll_s=self.config.fast_poll_s)
        if state.empty_readings and mode is not Mode.CUTOFF:
            # Asleep it would miss the reading that confirms the cut-off, and the farewell.
            plan = replace(plan, suspend_between_events=False)
        if presence is Presence.AWAY:
            plan = self._unworn(plan)
        return plan, state

    def _unworn(self, plan: PowerPlan) -> PowerPlan:
        """The plan while nobody wears the headband: rare frames, to see the wearer return, which nobody will
        ask about, and early sleep.
        """
        slow_s = self.config.slow_frame_interval_s
        sleep_s = plan.longest_sleep_s
        return replace(
            plan,
            longest_sleep_s=None if sleep_s is None else _AWAY_RARER * sleep_s,
            frame_interval_s=None if plan.frame_interval_s is None else max(slow_s, plan.frame_interval_s),
            kept_encodings=0,
            sleep_within_s=min(self.config.away_sleep_s, self.config.sleep_within_s),
        )

    def empty_percent(self, error_percent: int | None, temperature_c: float | None) -> float:
        """The charge at or below which it stops; less than 0: no charge shown is evidence enough, only the
        microcontroller's word that the cell is empty. `error_percent`: how far the charge may be wrong, None
        for a gauge that does not say. `temperature_c`: of the cell.
        """
        config = self.config
        if error_percent is None:
            return config.cutoff_percent
        surely = min(config.cutoff_percent, config.cutoff_left_percent - error_percent)
        # A cold cell's voltage gives way within a burst of load, before anybody is asked to save.
        cold = temperature_c is not None and temperature_c < config.cold_c
        return max(surely, 0.0) if cold else surely

    def next_step_percent(self, reading: BatteryReading) -> int:
        """The charge below that of the reading at which the plan changes next; 0: never."""
        config, percent = self.config, reading.percent or 0
        steps = (
            config.high_percent,
            math.ceil(config.low_percent) - 1,  # at the threshold itself it is still throttled
            config.deep_cascade_percent,
            self.empty_percent(reading.error_percent, reading.temperature_c),
        )
        return int(max((step for step in steps if 0 < step < percent), default=0))

    def _called_for(
        self, reading: BatteryReading, now_s: float, state: PolicyState
    ) -> tuple[Mode, str, PolicyState]:
        """The mode by the battery alone, before request and temperature."""
        if reading.state != "good" or reading.percent is None:
            modes = (Mode.THROTTLED, state.mode or Mode.THROTTLED)
            lower = min(modes, key=lambda mode: mode.rank)
            state = replace(_moved(state, lower, now_s), percent=self.config.low_percent)
            return lower, _clause(reading.problem or "the battery cannot be read"), state
        level = float(reading.percent)
        if reading.charging:
            return self._charging(level, now_s, state, mains=reading.voltage_mv is None)
        empty_percent = self.empty_percent(reading.error_percent, reading.temperature_c)
        target = self._by_level(level, empty_percent)
        empty = target is Mode.CUTOFF
        # A held reading is no further evidence.
        seen = state.empty_readings + (state.read_s == now_s) if empty else 0
        percent = self._settled(level, state.percent)
        if (percent, seen) != (state.percent, state.empty_readings):
            state = replace(state, percent=percent, empty_readings=seen)
        if (
            empty
            and state.mode not in (None, Mode.CUTOFF)
            and state.empty_readings < self.config.confirm_readings
        ):
            target = Mode.CASCADE
        waiting = False
        if state.mode is not None and target.rank > state.mode.rank:
            # 5 points above is enough
            reached = self._by_level(level - self.config.reentry_percent + 1e-6, empty_percent)
            settled = now_s - state.changed_s >= self.config.dwell_s
            held = max((state.mode, reached if settled else state.mode), key=lambda mode: mode.rank)
            waiting = held is not target
            target = held
        reason = f"the battery is at {round(level)} percent"
        if waiting:
            reason += " and was lower a moment ago"
        return target, reason, _moved(state, target, now_s)

    def _charging(
        self, level: float, now_s: float, state: PolicyState, *, mains: bool
    ) -> tuple[Mode, str, PolicyState]:
        """Current into the cell: performance, but throttled while the cell is at or below cut-off. `mains`:
        there is no cell.
        """
        above = level > self.config.cutoff_percent
        mode = Mode.PERFORMANCE if above else Mode.THROTTLED
        state = replace(_moved(state, mode, now_s), percent=level)
        since_s = now_s if state.charging_since_s is None else state.charging_since_s
        if above or now_s - since_s >= self.config.dwell_s:
            state = replace(state, empty_readings=0)
        reason = f"it is charging, and the battery is at {round(level)} percent"
        return mode, "it runs from the mains" if mains else reason, state

    def _by_level(self, level: float, empty_percent: float) -> Mode:
        if level > self.config.high_percent:
            return Mode.PERFORMANCE
        if level >= self.config.low_percent:
            return Mode.THROTTLED
        return Mode.CASCADE if level > empty_percent else Mode.CUTOFF

    def _settled(self, level: float, before: float | None) -> float:
        """The charge with hysteresis: falls with every reading, rises only by `reentry_percent`."""
        if before is None or level < before or level >= before + self.config.reentry_percent:
            return level
        return before

    def _hot(self, reading: BatteryReading, soc_c: float | None, was_hot: bool) -> bool:
        margin_c = self.config.cool_by_c if was_hot else 0.0
        battery_c = reading.temperature_c if reading.state == "good" else None
        return (battery_c is not None and battery_c >= self.config.hot_battery_c - margin_c) or (
            soc_c is not None and soc_c >= self.config.hot_soc_c - margin_c
        )

    @staticmethod
    def _granted(mode: Mode, reason: str, request: Mode | None, *, lower_only: bool) -> tuple[Mode, str]:
        if request is None or request is mode or mode is Mode.CUTOFF or request is Mode.CUTOFF:
            return mode, reason
        if request.rank > mode.rank and lower_only:
            return mode, reason
        return request, f"you asked for {request.value} mode"

    def _new_plan(
        self,
        mode: Mode,
        reason: str,
        percent: float | None,
        *,
        hot: bool,
        charging: bool,
        remembering: bool,
    ) -> PowerPlan:
        """The plan of a mode; it depends on nothing else, so that equal arguments have the same plan."""
        config = self.config
        if mode is Mode.PERFORMANCE:
            alpha = 1.0
        elif mode is Mode.THROTTLED:
            level = config.low_percent if percent is None else percent
            alpha = (level - config.low_percent) / (config.high_percent - config.low_percent)
            alpha = min(1.0, max(0.0, alpha))
        else:
            alpha = 0.0
        full = mode is Mode.PERFORMANCE
        throttled = mode is Mode.THROTTLED
        cascade = not (full or throttled)
        kept = models(mode, config, alpha)
        khz, clock_why = cpu_khz(mode, config, alpha, hot=hot)
        looks_for = frames_for(mode, config, remembering=remembering, charging=charging)
        # Geometric, so that each point of charge costs the same share of the frame rate.
        slower = config.slow_frame_interval_s / config.full_frame_interval_s
        alone = kept.residency == "one_at_a_time"
        table_mode = Mode.CASCADE.value if mode is Mode.CUTOFF else mode.value
        placed = self.site.placed(table_mode, config.cores)
        prefetch = not cascade or (mode is Mode.CASCADE and (config.cascade_prefetch or not alone))
        room_mib = kept.memory_mib if prefetch else 0.0
        ahead = begun_ahead(self.site.ahead(table_mode, placed, alone=alone, room_mib=room_mib), config)
        return PowerPlan(
            mode=mode,
            alpha=alpha,
            reason=reason,
            residency=kept.residency,
            memory_ceiling_mib=kept.memory_mib,
            keep_fork_server=not cascade or percent is None or percent > config.deep_cascade_percent,
            prefetch=prefetch,
            frame_interval_s=config.full_frame_interval_s * slower ** (1 - alpha) if looks_for else None,
            frames_for=looks_for,
            longest_sleep_s=config.memory_wake_s * slower ** (1 - alpha) if looks_for == "memory" else None,
            second_picture=not alone,
            clip_interval_s=None
            if alone or not config.clips
            else CLIP_INTERVAL_S
            if full
            else LEAN_CLIP_INTERVAL_S,
            clip_on_arrival=full,
            kept_encodings=int(alpha * config.kept_encodings),
            recall_deepens=0 if alone else RECALL_DEEPENS if full else LEAN_RECALL_DEEPENS,
            recall_looks=0 if alone else RECALL_LOOKS if full else LEAN_RECALL_LOOKS,
            deepens_memory=charging and full,
            placed=placed,
            ahead=ahead,
            reflex=ReflexBudget(alpha * config.reflex_certainty, alpha * config.reflex_keep),
            unit_s=config.unit_s if full else None,
            cpu_max_khz=khz,
            load_cpu_max_khz=load_cpu_khz(khz, hot=hot),
            online_cpus=config.cores,
            ddr_max_hz=None if full else step(config.ddr_steps_hz, alpha),
            npu_max_hz=None if full else step(config.npu_steps_hz, alpha),
            gpu_max_hz=None if full else config.gpu_idle_hz,
            answer_max_tokens=round(_between(config.short_answer_tokens, config.long_answer_tokens, alpha)),
            latency_target_s=config.fast_answer_s
            if full
            else config.slow_answer_s
            if throttled
            else config.cascade_answer_s,
            suspend_between_events=not charging,
            sleep_within_s=None if charging else config.sleep_within_s,
            why=(kept.why, clock_why),
            battery_poll_s=_between(config.slow_poll_s, config.fast_poll_s, alpha),
        )


def _moved(state: PolicyState, mode: Mode, now_s: float) -> PolicyState:
    return state if state.mode is mode else replace(state, mode=mode, changed_s=now_s)


def _between(low: float, high: float, alpha: float) -> float:
    return low + alpha * (high - low)


def _clause(sentence: str) -> str:
    """A sentence as the clause after "because"."""
    return sentence[:1].lower() + sentence[1:].rstrip(".")


def _heat(reading: BatteryReading, soc_c: float | None) -> str:
    if soc_c is not None and (reading.temperature_c is None or soc_c > reading.temperature_c):
        return f"the processor is at {round(soc_c)} degrees"
    return f"the battery is at {round(reading.temperature_c or 0)} degrees"

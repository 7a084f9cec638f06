"""The policies that are compared: always performance, the paper's, one rule with and without a camera between
questions and with our delay before it sleeps, and ours.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from hw.supply import BatteryReading
from power.placement.site import Site
from power.policy.config import PowerConfig
from power.policy.plan import Mode, PowerPlan
from power.policy.policy import Policy
from power.policy.policy_state import PolicyState
from power.policy.presence import Signs

FULL = BatteryReading(100, 4150, -200, 25.0, False, "good")
_SLOWEST_DDR_HZ = 324e6
_FULL_DDR_HZ = 1056e6


class Governor(Protocol):
    """A policy of the twin."""

    name: str
    title: str

    def decide(self, reading: BatteryReading, now_s: float, worn: bool, soc_c: float) -> PowerPlan:
        """The plan from now on; may depend on earlier decisions."""

    def restart(self) -> None:
        """Reset the state: the headband was off and starts with another pack."""


class AlwaysOn:
    """Performance until the pack is empty: models resident, computer awake, camera at its full rate."""

    name = "always"
    title = "always performance"

    def __init__(self, config: PowerConfig | None = None, *, camera: bool = True) -> None:
        self._config = config or PowerConfig()
        plan = replace(_performance(self._config), reason="it always runs in performance")
        self._plan = plan if camera else replace(plan, frame_interval_s=None, frames_for=None)
        self._empty = _empty(self._config)
        if not camera:
            self.name, self.title = "always-blind", "always performance, camera off between questions"

    def decide(self, reading: BatteryReading, now_s: float, worn: bool, soc_c: float) -> PowerPlan:
        """Performance, or cut-off when the pack is empty."""
        return self._empty if _is_empty(reading, self._config) else self._plan

    def restart(self) -> None:
        """There is no state."""


class OneRule(AlwaysOn):
    """The simplest rule that saves: performance until the pack is empty, and sleep after the setting's quiet
    seconds.
    """

    name = "rule"
    title = "one rule"

    def __init__(
        self, config: PowerConfig | None = None, *, camera: bool = True, as_soon: bool = False
    ) -> None:
        """`as_soon`: it sleeps after the quiet time of our policy."""
        super().__init__(config)
        plan = replace(
            self._plan, suspend_between_events=True, sleep_within_s=None, second_picture=True,
            reason="it runs in performance and sleeps when it is quiet",
        )  # fmt: skip
        self._plan = plan if camera else replace(plan, frame_interval_s=None, frames_for=None)
        if not camera:
            self.name, self.title = "rule-camera", "one rule, camera per question"
        if as_soon:
            self._plan = replace(self._plan, sleep_within_s=self._config.sleep_within_s)
            self.name, self.title = "rule-soon", "one rule, our quiet time"


class PaperPolicy:
    """NanoMind's three states: above `high_percent` unconstrained; down to `low_percent` alpha interpolates
    frame rate and memory rate; below, one brick at a time on demand. It has no sleep between events, no
    hysteresis and no rule for heat. Its thresholds are not published; those of the configuration are used.
    """

    name = "paper"
    title = "the paper's policy"

    def __init__(self, config: PowerConfig | None = None) -> None:
        self._config = config or PowerConfig()
        self._plan = _performance(self._config)
        self._empty = _empty(self._config)
        self._by_percent: dict[int, PowerPlan] = {}

    def decide(self, reading: BatteryReading, now_s: float, worn: bool, soc_c: float) -> PowerPlan:
        """The plan by the charge alone."""
        if _is_empty(reading, self._config):
            return self._empty
        percent = reading.percent or 0
        if percent not in self._by_percent:
            self._by_percent[percent] = self._at(percent)
        return self._by_percent[percent]

    def _at(self, percent: int) -> PowerPlan:
        config = self._config
        full = replace(
            self._plan, suspend_between_events=False, reason=f"the battery is at {percent} percent"
        )
        if percent > config.high_percent:
            return full
        if percent <= config.low_percent:
            return replace(
                full, mode=Mode.CASCADE, alpha=0.0, residency="one_at_a_time", frame_interval_s=None,
                second_picture=False, clip_interval_s=None, clip_on_arrival=False,
                ddr_max_hz=round(_SLOWEST_DDR_HZ), prefetch=False,
            )  # fmt: skip
        alpha = (percent - config.low_percent) / (config.high_percent - config.low_percent)
        slow_hz, full_hz = 1 / config.slow_frame_interval_s, 1 / config.full_frame_interval_s
        return replace(
            full,
            mode=Mode.THROTTLED,
            alpha=alpha,
            frame_interval_s=1 / (slow_hz + alpha * (full_hz - slow_hz)),
            ddr_max_hz=round(_SLOWEST_DDR_HZ + alpha * (_FULL_DDR_HZ - _SLOWEST_DDR_HZ)),
        )

    def restart(self) -> None:
        """There is no state."""


class OurPolicy:
    """`power.policy.policy`, as the headband runs it."""

    name = "ours"
    title = "our policy"

    def __init__(
        self,
        config: PowerConfig | None = None,
        site: Site | None = None,
        *,
        remembering: bool = False,
    ) -> None:
        """`remembering`: the wearer has the view remembered."""
        self._policy = Policy(config, site)
        self._remembering = remembering
        self._state: PolicyState | None = None
        self._signs = Signs()

    def decide(self, reading: BatteryReading, now_s: float, worn: bool, soc_c: float) -> PowerPlan:
        """The policy's plan. The camera of a worn headband sees a changed view in every frame."""
        self._signs = self._signs.look(now_s, changed=worn)
        plan, self._state = self._policy.decide(
            reading, now_s, state=self._state, soc_temperature_c=soc_c,
            presence=self._signs.presence(now_s, self._policy.config.away_after_s),
            remembering=self._remembering,
        )  # fmt: skip
        return plan

    def restart(self) -> None:
        """Reset the policy's state."""
        self._state = None


def _is_empty(reading: BatteryReading, config: PowerConfig) -> bool:
    return not reading.charging and reading.percent is not None and reading.percent <= config.cutoff_percent


def _performance(config: PowerConfig) -> PowerPlan:
    """The plan that has power to spare: nothing sleeps, and the camera looks at its full rate."""
    plan, _ = Policy(config).decide(FULL, 0.0, remembering=True)
    return replace(plan, suspend_between_events=False, sleep_within_s=None)


def _empty(config: PowerConfig) -> PowerPlan:
    plan, _ = Policy(config).decide(replace(FULL, percent=0), 0.0)
    return plan

"""Readings of a battery, and a wearer who goes through a day with the policy."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from hw.supply import BatteryReading
from power.policy.config import PowerConfig
from power.policy.plan import Mode, PowerPlan
from power.policy.policy import Policy
from power.policy.policy_state import PolicyState

POLICY = Policy()


def reading(percent: int | None = 80, *, charging: bool = False, celsius: float = 25.0) -> BatteryReading:
    return BatteryReading(percent, 3800, 500 if charging else -150, celsius, charging, "good")


GONE = BatteryReading(
    None, None, None, None, False, "absent", "The battery gauge does not answer on the bus."
)


class Wearer:
    """Runs the policy through a day; keeps its state and the list of its modes."""

    def __init__(self, config: PowerConfig | None = None) -> None:
        self.policy = Policy(config)
        self.state: PolicyState | None = None
        self.now_s = 0.0
        self.modes: list[Mode] = []

    def feel(self, battery: BatteryReading, after_s: float = 5.0, request: Mode | None = None) -> PowerPlan:
        self.now_s += after_s
        plan, self.state = self.policy.decide(battery, self.now_s, request, self.state)
        if not self.modes or self.modes[-1] is not plan.mode:
            self.modes.append(plan.mode)
        return plan


READINGS = st.one_of(
    st.builds(
        reading,
        st.integers(0, 100),
        charging=st.booleans(),
        celsius=st.floats(-20, 80),
    ),
    st.sampled_from([GONE, replace(GONE, state="stale"), replace(reading(0), state="implausible")]),
)
STATES = st.builds(
    PolicyState,
    mode=st.sampled_from([None, *Mode]),
    changed_s=st.floats(-1000, 0),
    percent=st.one_of(st.none(), st.floats(0, 100)),
    empty_readings=st.integers(0, 5),
    hot=st.booleans(),
)

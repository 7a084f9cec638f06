"""The modelled energy of an interval: the parts add up to the integral of the power."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hw.supply import BatteryReading
from power.account.energy_model import load_energy_model
from power.account.modelled_interval import Modelled, Work, asleep, awake
from power.policy.plan import Mode, PowerPlan
from power.policy.policy import Policy

MODEL = load_energy_model()
FLOOR_MW = MODEL.floor_mw + MODEL.pmu_mw


def plan(mode: Mode = Mode.PERFORMANCE, percent: int = 80) -> PowerPlan:
    return Policy().decide(BatteryReading(percent, 3800, -150, 25.0, False, "good"), 0.0, mode)[0]


FULL = plan()
TIMES = st.floats(0, 30, allow_nan=False)
WORK = st.builds(
    lambda stage, start_s, seconds: Work(stage, start_s, start_s + seconds),
    st.sampled_from(["stt", "vision", "llm", "tts", "speak", "capture"]),
    TIMES,
    st.floats(0, 10),
)


def whole(modelled: Modelled) -> float:
    return math.fsum(modelled.stages_mwh.values())


def power_mw(stages: set[str]) -> float:
    """The board's power while these stages are active, from the table only."""
    loads = [MODEL.stages[stage] for stage in stages | {"listen"}]
    cores = min(4.0, sum(4.0 if load.cores is None else load.cores for load in loads))
    parts = {part for load in loads for part in load.parts}
    behind = cores * MODEL.core_mw(1_800_000) + sum(MODEL.parts_mw[part] for part in parts)
    return FLOOR_MW + behind / MODEL.conversion


@settings(deadline=None, max_examples=50)
@given(st.lists(WORK, max_size=8), TIMES, st.floats(0, 20))
def test_the_parts_sum_to_the_integral_of_the_power(
    work: list[Work], begin_s: float, length_s: float
) -> None:
    end_s = begin_s + length_s
    modelled = awake(work, begin_s, end_s, FULL, MODEL, native=True)
    edges = sorted({begin_s, end_s, *(t for w in work for t in (w.start_s, w.end_s) if begin_s < t < end_s)})
    integral = 0.0
    for left, right in itertools.pairwise(edges):
        middle = (left + right) / 2
        integral += (right - left) * power_mw({w.stage for w in work if w.start_s <= middle < w.end_s})
    assert whole(modelled) == pytest.approx(integral / 3600, rel=1e-9, abs=1e-9)
    assert modelled.seconds == pytest.approx(length_s, abs=1e-9)
    assert all(value > 0 for value in modelled.stages_mwh.values())


@settings(deadline=None, max_examples=50)
@given(st.lists(WORK, max_size=6), st.floats(1, 29), st.booleans())
def test_two_halves_cost_what_the_whole_costs(work: list[Work], cut_s: float, native: bool) -> None:
    lean = plan(Mode.THROTTLED, 30)
    parts = [
        awake(work, begin_s, end_s, lean, MODEL, native=native)
        for begin_s, end_s in ((0, cut_s), (cut_s, 30))
    ]
    together = awake(work, 0, 30, lean, MODEL, native=native)
    assert sum(map(whole, parts)) == pytest.approx(whole(together))
    assert sum(part.seconds for part in parts) == pytest.approx(together.seconds)


def test_an_interval_that_is_too_short_to_cost_anything_has_no_stage() -> None:
    assert awake([], 0.0, 5e-324, FULL, MODEL, native=True).stages_mwh == {}


def test_waiting_costs_the_floor_and_the_microphone() -> None:
    modelled = awake([], 0, 3600, FULL, MODEL, native=True)
    assert set(modelled.stages_mwh) == {"listen"}
    assert whole(modelled) == pytest.approx(MODEL.stage_mw("listen", FULL))


def test_only_computation_takes_longer_on_the_board() -> None:
    work = [Work("llm", 1, 2), Work("speak", 3, 5)]
    here = awake(work, 0, 6, FULL, MODEL, native=True)
    there = awake(work, 0, 6, FULL, MODEL, native=False)
    assert there.seconds == pytest.approx(here.seconds - 1 + MODEL.longer["llm"])
    assert there.stages_mwh["llm"] == pytest.approx(here.stages_mwh["llm"] * MODEL.longer["llm"])
    assert there.stages_mwh["speak"] == pytest.approx(here.stages_mwh["speak"])


def test_loading_is_the_bricks_own_and_draws_as_a_load() -> None:
    loading = awake([Work("llm", 0, 10, "tts")], 0, 10, FULL, MODEL, native=True)
    speaking = awake([Work("tts", 0, 10)], 0, 10, FULL, MODEL, native=True)
    assert loading.stages_mwh["llm"] == speaking.stages_mwh["tts"]


def test_what_the_clock_does_not_show_is_added() -> None:
    without = awake([], 0, 1, FULL, MODEL, native=False)
    spoken = awake([], 0, 1, FULL, MODEL, native=False, unseen_s={"speak": 2.0, "listen": 3.0})
    assert spoken.seconds == pytest.approx(6)
    power = (MODEL.floor_mw + MODEL.pmu_mw) * 5
    assert whole(spoken) - whole(without) > power / 3600
    looked = awake([], 0, 10, FULL, MODEL, native=True, besides_s={("capture", "capture"): 4.0})
    assert looked.seconds == 10
    assert looked.stages_mwh["capture"] * 3600 > 4 * MODEL.parts_mw["camera_mw"]


def test_sleep_costs_suspend_and_the_microcontroller() -> None:
    assert whole(asleep(3600, MODEL)) == pytest.approx(MODEL.suspend_mw + MODEL.pmu_asleep_mw)


def test_an_unknown_stage_is_an_error() -> None:
    with pytest.raises(KeyError):
        awake([Work("dance", 0, 1)], 0, 2, FULL, MODEL, native=True)

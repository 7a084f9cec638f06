"""Budgets: a rise of 20 percent passes none of them, with the error of the meter against us."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from power.meters.meter import KEEP_PMU_AWAKE
from power.rig.budgets import judge, load_budgets, outcome
from power.rig.figures import FigureSource, figure

BUDGETS = load_budgets()
CELL_MV = 3_700.0
ABLE = ("csv", "joulescope", "monsoon", "pmu", "twin")
"""Meters that can judge every budget but those of a headband asleep."""
COARSE_ASLEEP = ("csv",)
"""Of these, the ones whose own error is too large a part of what a headband draws asleep."""


def verdict(name: str, shown_mw: float, meter: str) -> str:
    kind = "modelled" if meter == "twin" else "measured"
    seen = figure(FigureSource(kind, meter), f"{name}.mw", name, "mW", [[shown_mw]])  # type: ignore[arg-type]
    (entry,) = judge([seen], BUDGETS, (), supply_mv=CELL_MV)
    return str(entry["verdict"])


def shown(name: str, true_mw: float, meter: str, error: float) -> float:
    """What a meter shows whose errors are this share of the largest ones."""
    accuracy = BUDGETS.meters[meter]
    offset_mw = accuracy.offset_ma * CELL_MV / 1000 if name.startswith("state.") else 0.0
    return true_mw * (1 + error * accuracy.rtol) + error * offset_mw


@pytest.mark.parametrize(
    ("name", "meter"),
    [
        (name, meter)
        for name in BUDGETS.budgets
        for meter in ABLE
        if not (name.endswith("/asleep") and meter in (*COARSE_ASLEEP, *KEEP_PMU_AWAKE))
    ],
)
def test_a_fifth_more_or_less_passes_no_budget_and_a_good_headband_passes(name: str, meter: str) -> None:
    for error in (-1.0, 0.0, 1.0):
        mw = BUDGETS.budgets[name].mw
        assert verdict(name, shown(name, 1.2 * mw, meter, error), meter) == "over"
        assert verdict(name, shown(name, 0.8 * mw, meter, error), meter) == "under"
        for good_mw in (0.93 * mw, mw, 1.07 * mw):
            assert verdict(name, shown(name, good_mw, meter, error), meter) == "pass"


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(BUDGETS.budgets)),
    st.sampled_from(sorted(BUDGETS.meters)),
    st.floats(0.2, 3.0),
    st.floats(-1.0, 1.0),
)
def test_no_meter_lets_a_fifth_more_pass(name: str, meter: str, rise: float, error: float) -> None:
    mw = (1 + rise) * BUDGETS.budgets[name].mw
    assert verdict(name, shown(name, mw, meter, error), meter) in ("over", "meter too coarse", "kept awake")


@pytest.mark.parametrize("meter", COARSE_ASLEEP)
def test_a_coarse_meter_says_so_of_a_headband_asleep(meter: str) -> None:
    name = "state.cascade/asleep"
    mw = BUDGETS.budgets[name].mw
    assert verdict(name, mw, meter) == "meter too coarse"
    for error in (-1.0, 0.0, 1.0):
        assert verdict(name, shown(name, 1.2 * mw, meter, error), meter) in ("over", "meter too coarse")
        assert verdict(name, shown(name, 0.8 * mw, meter, error), meter) in ("under", "meter too coarse")


@pytest.mark.parametrize("share", [0.5, 1.0, 1.5])
def test_a_meter_that_keeps_the_pmu_awake_judges_no_headband_asleep(share: float) -> None:
    name = "state.cascade/asleep"
    assert verdict(name, share * BUDGETS.budgets[name].mw, "pmu") == "kept awake"
    assert outcome([{"id": name, "verdict": "kept awake"}], ()) == "passed"
    assert outcome([{"id": name, "verdict": "kept awake"}], (name,)) == "not judged"


def test_a_meter_that_could_hide_it_is_too_coarse_to_judge() -> None:
    """A PPK2 as it is sold; what it finds outside even of its own error is told."""
    mw = BUDGETS.budgets["state.cascade/asleep"].mw
    assert verdict("state.cascade/asleep", mw, "ppk2") == "meter too coarse"
    assert verdict("state.cascade/asleep", 1.5 * mw, "ppk2") == "over"
    entry = {"id": "state.cascade/asleep", "verdict": "meter too coarse"}
    assert outcome([entry], ()) == "passed"
    assert outcome([entry], ("state.cascade/asleep",)) == "not judged"
    over = {"id": "state.cascade/standby", "verdict": "over"}
    assert outcome([entry, over], ("state.cascade/asleep",)) == "failed"

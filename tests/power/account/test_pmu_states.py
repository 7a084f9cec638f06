"""The PMU's states: goals, and the parameters that follow from them."""

from __future__ import annotations

import pytest

from host.cli.main import main
from power.account.energy_model import load_energy_model
from power.account.pmu_states import GOALS_MW, LEFT_AT_CUT_OFF_MWH, pmu_states
from power.twin.parameters import load_parameters

STATES = pmu_states()
PACK_MWH = 7400


def test_asleep_and_off_meet_their_goals() -> None:
    for name, goal_mw in GOALS_MW.items():
        assert STATES[name].range_mw[1] <= goal_mw, name
    assert STATES["off"].hours(0.1 * PACK_MWH) > 30 * 24, "30 days at 10 percent"
    assert pytest.approx(0.022 * PACK_MWH, rel=0.05) == LEFT_AT_CUT_OFF_MWH


def test_the_energy_model_and_the_twin_take_them() -> None:
    model, twin = load_energy_model(), load_parameters()
    assert model.pmu_mw == pytest.approx(STATES["host_awake"].mw, abs=0.5)
    assert model.pmu_asleep_mw == pytest.approx(STATES["listening"].mw, abs=0.1)
    assert twin["sleep.pmu_recording_mw"] == pytest.approx(STATES["recording"].mw, abs=0.5)
    for name, state in (
        ("board.pmu_mw", "host_awake"), ("board.pmu_asleep_mw", "listening"),
        ("sleep.pmu_recording_mw", "recording"),
    ):  # fmt: skip
        found = twin.quantities[name]
        assert (found.low, found.high) == pytest.approx(STATES[state].range_mw, rel=0.02)


def test_the_command_names_every_source(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["power", "pmu"]) == 0
    said = capsys.readouterr().out
    for state in STATES.values():
        assert all(part.source in said for part in state.parts.values())
    assert "listening: 7.36 mW" in said and "goal 15 mW: met" in said

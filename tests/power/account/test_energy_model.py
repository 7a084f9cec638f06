"""The energy model: physical constraints, and sources of its numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from hw.supply import BatteryReading
from power.account.energy_model import DEFAULT_PARAMETERS, EnergyError, EnergyModel, load_energy_model
from power.policy.plan import Mode, PowerPlan
from power.policy.policy import Policy
from tests.power.account.cheapest_clock import cheapest_khz


@pytest.fixture(scope="module")
def model() -> EnergyModel:
    return load_energy_model()


def plan(mode: Mode, percent: int = 80) -> PowerPlan:
    return Policy().decide(BatteryReading(percent, 3800, -150, 25.0, False, "good"), 0.0, mode)[0]


def test_every_number_has_a_source_or_is_called_an_estimate(model: EnergyModel) -> None:
    assert model.kind == "modelled"
    assert len(model.sources) == 19
    assert all(len(source) > 15 for source in model.sources.values())


def test_core_power_follows_the_device_tree(model: EnergyModel) -> None:
    assert model.core_mw(408_000) == pytest.approx(52, abs=1)
    assert model.core_mw(1_104_000) == pytest.approx(141, abs=1)
    assert model.core_mw(1_800_000) == pytest.approx(371, abs=1)
    assert model.core_mw(1_500_000) == model.core_mw(1_416_000)
    assert model.core_mw(1) == model.core_mw(408_000)


def test_waiting_costs_the_floor(model: EnergyModel) -> None:
    assert model.stage_mw("idle", plan(Mode.PERFORMANCE)) == model.floor_mw + model.pmu_mw
    assert model.stage_mw("idle", plan(Mode.PERFORMANCE)) == pytest.approx(671)
    assert model.suspend_mw < model.floor_mw / 5


def test_work_takes_longer_on_the_board_and_on_a_lower_clock(model: EnergyModel) -> None:
    fast, slow = plan(Mode.PERFORMANCE), plan(Mode.CASCADE)
    assert model.stage_seconds("llm", 1.0, fast) == model.longer["llm"] > 1
    assert model.stage_seconds("llm", 1.0, slow) == pytest.approx(model.longer["llm"] * 1800 / 1104)
    assert model.stage_seconds("speak", 1.0, slow) == 1.0
    slow_mws, fast_mws = (
        model.stage_mw("llm", each) * model.stage_seconds("llm", 1.0, each) for each in (slow, fast)
    )
    assert slow_mws < fast_mws


def test_seconds_are_proportional_and_power_is_never_below_the_floor(model: EnergyModel) -> None:
    throttled = plan(Mode.THROTTLED)
    for stage in model.stages:
        assert model.stage_mw(stage, throttled) >= model.floor_mw + model.pmu_mw
        once = model.stage_seconds(stage, 1.0, throttled)
        assert model.stage_seconds(stage, 3.0, throttled) == pytest.approx(3 * once) and once > 0
        assert model.stage_seconds(stage, 0.0, throttled) == 0


def test_the_cheapest_clock_lies_between_the_lowest_and_the_highest(model: EnergyModel) -> None:
    assert cheapest_khz(model, 4) == 1_416_000
    assert cheapest_khz(model, 4, memory=0.7) == 1_104_000
    assert cheapest_khz(model, 1) == 1_800_000  # alone, a fast core is outweighed by the floor it shortens


def test_what_runs_on_the_board_alone_is_not_stretched(model: EnergyModel) -> None:
    assert model.stage_seconds("vision_npu", 2.0, plan(Mode.PERFORMANCE)) == 2.0


def test_an_unknown_stage_is_an_error(model: EnergyModel) -> None:
    with pytest.raises(KeyError):
        model.stage_mw("dance", plan(Mode.PERFORMANCE))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("source = ", "from = "), r"\[board.floor_mw\] has the unknown key from"),
        (("npu_mw = {", "nothing_mw = {"), "unknown parts: npu_mw"),
        (("[cpu]", "[kpu]"), "unknown key kpu; known: board, cpu"),
        (("floor_mw", "floor mw"), "is not valid TOML"),
        (("conversion = { value = 0.9", "conversion = { value = 0"), r"\[board.conversion\] cannot be used"),
        (("low = 0.82", "low = 0"), "conversion and its range must be shares above 0"),
        (
            ("cores = 0.08", "cores = inf"),
            r"\[stages.listen\] cores is inf; it must be a number, 0 to 64 cores",
        ),
        (("llm = { value =", "speak = { value ="), "longer speak takes, which is no stage of work"),
        (("work = false", "work = 0"), r"\[stages.listen\] work is 0; it must be true or false"),
    ],
)
def test_a_bad_table_is_refused(tmp_path: Path, change: tuple[str, str], says: str) -> None:
    path = tmp_path / "board.toml"
    path.write_text(DEFAULT_PARAMETERS.read_text().replace(*change))
    with pytest.raises(EnergyError, match=says):
        load_energy_model(path)
    with pytest.raises(EnergyError, match="cannot be read"):
        load_energy_model(tmp_path / "missing.toml")

"""The CPU clock that costs the least energy."""

from __future__ import annotations

from power.account.energy_model import EnergyModel


def cheapest_khz(model: EnergyModel, cores: int) -> int:
    """The CPU clock at which a piece of work on that many cores takes the least energy, including the floor
    of the awake board for the duration of the work.
    """

    def energy_per_cycle(khz: int) -> float:
        return (model.floor_mw + model.pmu_mw + cores * model.core_mw(khz) / model.conversion) / khz

    return min((khz for khz, _ in model.points), key=energy_per_cycle)

"""The CPU clock that costs the least energy."""

from __future__ import annotations

from power.account.energy_model import EnergyModel


def cheapest_khz(model: EnergyModel, cores: int, memory: float = 0.0) -> int:
    """The CPU clock at which a piece of work on that many cores takes the least energy, including the floor
    of the awake board and the memory's draw for the duration of the work. `memory`: share of its time at the
    full clock that the cores' clock does not change.
    """
    full_khz = model.points[-1][0]
    awake_mw = model.floor_mw + model.pmu_mw + model.parts_mw["ddr_mw"] / model.conversion

    def energy(khz: int) -> float:
        lasts = memory + (1 - memory) * full_khz / khz
        return (awake_mw + cores * model.core_mw(khz) / model.conversion) * lasts

    return min((khz for khz, _ in model.points), key=energy)

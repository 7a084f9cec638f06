"""The battery cell as the PMU's fuel gauge has it, for models that run on the host: one table for both.

`OPEN_CIRCUIT_MV` is the open-circuit voltage in mV at every `STEP_PERCENT` of charge from 0 to 100 percent;
`TAPER_MA` is the current below which a charger stops, `DESIGN_MAH` the capacity of the pack that the headband
is designed for, `PROFILES` the names of the kinds of cell that the gauge knows.
"""

from firmware.pmu.gauge_cell import DESIGN_MAH, NOMINAL_MVS, STEP_PERCENT, curve
from firmware.pmu.gauge_cell import NAMES as PROFILES

__all__ = ["DESIGN_MAH", "FULL_MV", "NOMINAL_MVS", "OPEN_CIRCUIT_MV", "PROFILES", "STEP_PERCENT", "TAPER_MA"]

OPEN_CIRCUIT_MV = tuple(curve(0))
FULL_MV = OPEN_CIRCUIT_MV[-1]
TAPER_MA = DESIGN_MAH // 20  # a tenth of the 1 A that the charger gives at half a C

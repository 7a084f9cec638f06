"""The battery cell as the PMU's fuel gauge has it, for models that run on the host: one table for both.

`OPEN_CIRCUIT_MV` is the open-circuit voltage in mV at every `STEP_PERCENT` of charge from 0 to 100 percent;
`TAPER_MA` is the current below which a charger stops.
"""

from firmware.pmu.gauge_cell import FULL_MV, OPEN_CIRCUIT_MV, STEP_PERCENT, TAPER_MA

__all__ = ["FULL_MV", "OPEN_CIRCUIT_MV", "STEP_PERCENT", "TAPER_MA"]

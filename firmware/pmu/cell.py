"""The lithium cell: open-circuit voltage against charge, for a LiCoO2 cell at 20 C (SolidRun
system-controller notes).
"""

STEP_PERCENT = 5
OPEN_CIRCUIT_MV = (
    3000, 3610, 3690, 3710, 3730, 3750, 3770, 3790, 3800, 3820, 3840,
    3850, 3870, 3910, 3950, 3980, 4020, 4080, 4110, 4150, 4200,
)  # fmt: skip
"""Millivolt at 0, 5, 10 .. 100 percent, strictly rising."""

RESISTANCE_MOHM = 100  # of the cell the table was taken from
CUT_OFF_MV = 3000
FULL_MV = OPEN_CIRCUIT_MV[-1]
NOMINAL_MV = 3700


def percent_at(open_circuit_mv: float) -> float:
    """Charge in percent, 0..100, of a rested cell showing that voltage."""
    if open_circuit_mv <= OPEN_CIRCUIT_MV[0]:
        return 0.0
    for index in range(1, len(OPEN_CIRCUIT_MV)):
        high = OPEN_CIRCUIT_MV[index]
        if open_circuit_mv <= high:
            low = OPEN_CIRCUIT_MV[index - 1]
            return STEP_PERCENT * (index - 1 + (open_circuit_mv - low) / (high - low))
    return 100.0


def open_circuit_mv_at(percent: float) -> float:
    """Rested voltage in millivolt of a cell charged to that percentage; outside 0..100 the ends hold."""
    place = min(100.0, max(0.0, percent)) / STEP_PERCENT
    index = min(int(place), len(OPEN_CIRCUIT_MV) - 2)
    low, high = OPEN_CIRCUIT_MV[index], OPEN_CIRCUIT_MV[index + 1]
    return low + (high - low) * (place - index)

"""The model of the lithium cell: open-circuit voltage over charge of a LiCoO2 cell at 20 C (SolidRun
system-controller notes), and resistance and capacity over temperature.

A given cell differs from it by some millivolt and milliohm, which the gauge counts as uncertainty.
"""

from . import registers as r

STEP_PERCENT = 5
OPEN_CIRCUIT_MV = (
    3000, 3610, 3690, 3710, 3730, 3750, 3770, 3790, 3800, 3820, 3840,
    3850, 3870, 3910, 3950, 3980, 4020, 4080, 4110, 4150, 4200,
)  # fmt: skip
"""Millivolt at 0, 5, 10 .. 100 percent, strictly rising."""

RESISTANCE_MOHM = 100  # at 20 C, of the cell that the table describes
CUT_OFF_MV = 3000
FULL_MV = OPEN_CIRCUIT_MV[-1]
NOMINAL_MV = 3700
TAPER_MA = 100  # charge termination: a tenth of the 1 A that the charger gives at half a C
# A burst of load that must not bring the cell below its cut-off; the hardest bursts are above it
PEAK_MA = 1000

KNEE_PERCENT = 5  # below this the voltage falls steeply, differently in each cell

_RESISTANCE_AT = ((0, 205), (10, 140), (20, 100), (30, 86), (40, 78))  # C, percent of that at 20 C
_CAPACITY_AT = ((-10, 88), (0, 93), (20, 100))  # C, percent of that at 20 C


def percent_at(open_circuit_mv: float) -> float:
    """Charge in percent, 0..100, at that open-circuit voltage."""
    if open_circuit_mv <= OPEN_CIRCUIT_MV[0]:
        return 0.0
    for index in range(1, len(OPEN_CIRCUIT_MV)):
        high = OPEN_CIRCUIT_MV[index]
        if open_circuit_mv <= high:
            low = OPEN_CIRCUIT_MV[index - 1]
            return STEP_PERCENT * (index - 1 + (open_circuit_mv - low) / (high - low))
    return 100.0


def open_circuit_mv_at(percent: float) -> float:
    """Open-circuit voltage in millivolt at that charge; outside 0..100 percent that of the nearer end."""
    place = min(100.0, max(0.0, percent)) / STEP_PERCENT
    index = min(int(place), len(OPEN_CIRCUIT_MV) - 2)
    low, high = OPEN_CIRCUIT_MV[index], OPEN_CIRCUIT_MV[index + 1]
    return low + (high - low) * (place - index)


def slope_mv_at(percent: float) -> float:
    """Millivolt per percent of charge, averaged over five percent around that charge; never 0."""
    low, high = max(0.0, percent - 2.5), min(100.0, percent + 2.5)
    return (open_circuit_mv_at(high) - open_circuit_mv_at(low)) / (high - low)


def resistance_factor(temperature_dk: int) -> float:
    """Resistance at that temperature (0.1 K) relative to 20 C."""
    return _between(_RESISTANCE_AT, temperature_dk)


def capacity_factor(temperature_dk: int) -> float:
    """Charge that the cell gives at that temperature (0.1 K) relative to 20 C."""
    return _between(_CAPACITY_AT, temperature_dk)


def low_charge_factor(percent: float) -> float:
    """Resistance at that charge relative to a half-full cell; it rises below 15 percent."""
    return 1.0 if percent >= 15 else 1.0 + 0.25 * (15 - max(0.0, percent)) / 15


def charging_limits(temperature_dk: int, capacity_mah: float) -> tuple:
    """Milliampere and millivolt at which a cell of that temperature (0.1 K) may be charged, in the usual
    steps of a lithium cell's data sheet; (0, 0) where it must not be.
    """
    celsius = (temperature_dk - r.ZERO_CELSIUS_DK) // 10
    if celsius < 0 or celsius >= 60:
        return 0, 0
    if celsius < 10:
        return int(capacity_mah) // 5, FULL_MV
    if celsius < 45:
        return int(capacity_mah) // 2, FULL_MV
    return int(capacity_mah) // 5, FULL_MV - 100


def _between(points, temperature_dk):
    celsius = (temperature_dk - r.ZERO_CELSIUS_DK) / 10
    low_c, low = points[0]
    if celsius <= low_c:
        return low / 100
    for high_c, high in points[1:]:
        if celsius <= high_c:
            return (low + (high - low) * (celsius - low_c) / (high_c - low_c)) / 100
        low_c, low = high_c, high
    return low / 100

"""The model of the lithium cell: open-circuit voltage over charge, resistance and capacity over temperature.

The curves are coarse and from measurements or models of cells of each kind; a given cell differs from its
curve by tens of millivolt, which the gauge counts as uncertainty and learns. LCO: a LiCoO2 cell at 20 C
(SolidRun system-controller notes). NMC: the mean of a Kokam cell (Ecker et al. 2015) and a Samsung
INR21700-40T. NCA: half a Panasonic NCR18650 (Keil et al. 2016), half the mean of a Molicel INR21700-P42A and
an INR18650-P28A. LFP: the mean of a Lithium Werks APR18650M1B, a Sony US26650 (Naumann 2018) and a cell of
2 Ah (About:Energy 2022). The 40T, both Molicel and the Lithium Werks as measured at C/20 to C/32 by Sunil,
Pattipati and Balasingam (2025).
"""

from . import registers as r

DESIGN_MAH = 2000  # of the pack, unless another one was named
STEP_PERCENT = 5
NAMES = ("lco", "nmc", "nca", "lfp")
"""The profiles, by number."""
LEAST = 0  # the profile with the least charge at any voltage
MOST = 3  # with the most at a voltage that it can have
MOST_4V = 2  # with the most of those that are charged to 4.2 V
FLAT_BELOW_MV = 3900  # charge voltage: of lithium iron phosphate, whose curve is flat
_CUT_OFF_MV = (3000, 3000, 3000, 2800)
_LEVELS = (  # at 5, 10 .. 100 percent, in 5 mV above 2925 mV
    b"\x89\x99\x9d\xa1\xa5\xa9\xad\xaf\xb3\xb7\xb9\xbd\xc5\xcd\xd3\xdb\xe7\xed\xf5\xff",
    b"\x4f\x67\x73\x7f\x8b\x93\x99\x9f\xa3\xa9\xaf\xb5\xbd\xc5\xd1\xd9\xe1\xe9\xef\xff",
    b"\x41\x5c\x69\x73\x7c\x83\x8a\x90\x97\x9f\xa8\xb1\xbb\xc4\xcd\xd6\xdf\xe6\xee\xff",
    b"\x29\x37\x3a\x3f\x43\x46\x47\x48\x49\x4a\x4b\x4c\x4d\x4e\x4f\x50\x51\x52\x53\x87",
)


def curve(profile: int) -> list:
    """Millivolt at 0, 5, 10 .. 100 percent, strictly rising. The first is the cut-off, the last the charge
    voltage.
    """
    return [_CUT_OFF_MV[profile]] + [2925 + 5 * level for level in _LEVELS[profile]]


NOMINAL_MVS = (3700, 3650, 3600, 3200)
"""DESIGN_VOLTAGE of each profile, which tells the host which one it is."""

RESISTANCE_MOHM = 100  # at 20 C, of the cell that the table describes
CUT_OFF_MV = 3000
# A burst of load that must not bring the cell below its cut-off; the hardest bursts are above it
PEAK_MA = 1000

# C, and percent of that at 20 C, in turn: pairs would take twice the memory
_RESISTANCE_AT = (0, 205, 10, 140, 20, 100, 30, 86, 40, 78)
_CAPACITY_AT = (-10, 94, 0, 97, 20, 100)


def percent_at(open_circuit_mv: float, curve_mv) -> float:
    """Charge in percent, 0..100, at that open-circuit voltage of a cell with that curve."""
    if open_circuit_mv <= curve_mv[0]:
        return 0.0
    for index in range(1, len(curve_mv)):
        high = curve_mv[index]
        if open_circuit_mv <= high:
            low = curve_mv[index - 1]
            return STEP_PERCENT * (index - 1 + (open_circuit_mv - low) / (high - low))
    return 100.0


def open_circuit_mv_at(percent: float, curve_mv) -> float:
    """Open-circuit voltage in millivolt at that charge; outside 0..100 percent that of the nearer end."""
    place = min(100.0, max(0.0, percent)) / STEP_PERCENT
    index = min(int(place), len(curve_mv) - 2)
    low, high = curve_mv[index], curve_mv[index + 1]
    return low + (high - low) * (place - index)


def resistance_factor(temperature_dk: int) -> float:
    """Resistance at that temperature (0.1 K) relative to 20 C."""
    return _between(_RESISTANCE_AT, temperature_dk)


def capacity_factor(temperature_dk: int) -> float:
    """Charge that the cell gives at that temperature (0.1 K) relative to 20 C."""
    return _between(_CAPACITY_AT, temperature_dk)


def low_charge_factor(percent: float) -> float:
    """Resistance at that charge relative to a half-full cell; it rises below 15 percent."""
    return 1.0 if percent >= 15 else 1.0 + (15 - max(0.0, percent)) / 60


def charging_limits(temperature_dk: int, capacity_mah: float, full_mv: int) -> tuple:
    """Milliampere and millivolt at which a cell of that temperature (0.1 K) may be charged, in the usual
    steps of a lithium cell's data sheet; (0, 0) where it must not be.
    """
    celsius = (temperature_dk - r.ZERO_CELSIUS_DK) // 10
    if celsius < 0 or celsius >= 60:
        return 0, 0
    if celsius < 10:
        return int(capacity_mah) // 5, full_mv
    if celsius < 45:
        return int(capacity_mah) // 2, full_mv
    return int(capacity_mah) // 5, full_mv - 100


def _between(points, temperature_dk):
    celsius = (temperature_dk - r.ZERO_CELSIUS_DK) / 10
    low_c, low = points[:2]
    if celsius <= low_c:
        return low / 100
    for index in range(2, len(points), 2):
        high_c, high = points[index : index + 2]
        if celsius <= high_c:
            return (low + (high - low) * (celsius - low_c) / (high_c - low_c)) / 100
        low_c, low = high_c, high
    return low / 100

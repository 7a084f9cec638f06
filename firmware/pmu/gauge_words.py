"""The gauge's values as words of the register map."""

from math import log

from . import gauge_cell as cell
from . import registers as r

_HOT_DK = r.ZERO_CELSIUS_DK + 600
_OVER_CHARGED_MV = 60  # above the charge voltage


def words(gauge, low_charge_mah: int, low_time_min: int) -> dict:
    """Register code -> value for `Target.publish`; alarms are raised at or below the two thresholds (0 =
    never).
    """
    full_mah = round(gauge.capacity_mah)
    charge_mah = round(gauge.percent * full_mah / 100)
    left_min = mean_left_min = r.NOT_DISCHARGING
    if gauge.current_ma < 0:
        left_min = min(r.NOT_DISCHARGING - 1, charge_mah * 60 // -gauge.current_ma)
    if gauge.average_ma <= -1:
        mean_left_min = min(r.NOT_DISCHARGING - 1, int(charge_mah * 60 / -gauge.average_ma))
    limit_ma, limit_mv = cell.charging_limits(gauge.temperature_dk, gauge.design_mah, gauge.full_mv)
    energy, marked = gauge.energy.total, gauge.energy.marked
    return {
        r.TEMPERATURE: gauge.temperature_dk,
        r.VOLTAGE: gauge.voltage_mv,
        r.CURRENT: gauge.current_ma,
        r.AVERAGE_CURRENT: int(gauge.average_ma),
        r.MAX_ERROR: gauge.max_error,
        r.RELATIVE_STATE_OF_CHARGE: round(gauge.percent),
        r.ABSOLUTE_STATE_OF_CHARGE: (charge_mah * 100 + gauge.design_mah // 2) // gauge.design_mah,
        r.REMAINING_CAPACITY: charge_mah,
        r.FULL_CHARGE_CAPACITY: full_mah,
        r.RUN_TIME_TO_EMPTY: left_min,
        r.AVERAGE_TIME_TO_EMPTY: mean_left_min,
        r.AVERAGE_TIME_TO_FULL: _minutes_to_full(gauge, full_mah - charge_mah),
        r.CHARGING_CURRENT: 0 if gauge.full else limit_ma,
        r.CHARGING_VOLTAGE: limit_mv,
        r.BATTERY_STATUS: _status(gauge, charge_mah, mean_left_min, low_charge_mah, low_time_min),
        r.CYCLE_COUNT: gauge.cycles,
        r.DESIGN_CAPACITY: gauge.design_mah,
        r.DESIGN_VOLTAGE: cell.NOMINAL_MVS[gauge.profile],
        r.ENERGY_LOW: energy & 0xFFFF,
        r.ENERGY_HIGH: energy >> 16 & 0xFFFF,
        r.MARKED_ENERGY_LOW: marked & 0xFFFF,
        r.MARKED_ENERGY_HIGH: marked >> 16 & 0xFFFF,
        r.RESISTANCE: round(gauge.resistance.total_mohm),
    }


def _minutes_to_full(gauge, missing_mah):
    """Minutes until the charger stops: constant current, then constant voltage with a falling current."""
    current_ma = gauge.average_ma
    if not gauge.powered or current_ma < 1 or gauge.full:
        return r.NOT_DISCHARGING
    # At constant voltage the current decays with the resistance times the charge per volt of the curve.
    mohm = gauge.resistance.total_mohm * cell.resistance_factor(gauge.temperature_dk)
    slow_h = mohm * gauge.design_mah / (100_000 * gauge.charge.slope_mv(95, 0))
    held_mah = max(0.0, current_ma - gauge.taper_ma) * slow_h
    held_h = 0.0
    if held_mah > 0:
        held_h = slow_h * log(current_ma / gauge.taper_ma) * min(1.0, missing_mah / held_mah)
    return min(r.NOT_DISCHARGING - 1, int(60 * (max(0.0, missing_mah - held_mah) / current_ma + held_h)))


def _status(gauge, charge_mah, left_min, low_charge_mah, low_time_min):
    status = 0 if gauge.charging else r.STATUS_DISCHARGING
    if gauge.temperature_dk > _HOT_DK:
        status |= r.STATUS_OVER_TEMPERATURE
    if not gauge.known:
        return status
    status |= r.STATUS_INITIALIZED
    if gauge.voltage_mv >= gauge.full_mv + _OVER_CHARGED_MV and gauge.current_ma > 0:
        status |= r.STATUS_OVER_CHARGED
    if gauge.full:
        status |= r.STATUS_FULLY_CHARGED
        if gauge.powered:
            status |= r.STATUS_TERMINATE_CHARGE
    if charge_mah == 0:
        status |= r.STATUS_FULLY_DISCHARGED | r.STATUS_TERMINATE_DISCHARGE
    if not gauge.charging:
        if low_charge_mah > 0 and charge_mah <= low_charge_mah:
            status |= r.STATUS_REMAINING_CAPACITY
        if low_time_min > 0 and left_min <= low_time_min:
            status |= r.STATUS_REMAINING_TIME
    return status

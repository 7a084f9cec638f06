"""The battery gauge: from samples of voltage, current and temperature to the words of the register map.

The first sample fixes the charge from the open-circuit voltage, corrected for the sag under load; from then
on the charge is counted in coulombs, because the voltage curve is so flat between 60 and 20 percent that it
errs by tens of points under load. A full cell that stops taking current is 100 percent again; a cell at its
cut-off voltage is 0.
"""

from . import cell
from . import registers as r

_SMOOTHING_S = 60.0  # time constant of AVERAGE_CURRENT
_HOT_DK = r.ZERO_CELSIUS_DK + 600
_TAPER_MA = 100  # a charge current below this at full voltage ends the charge
_FULL_MARGIN_MV = 30


class Gauge:
    """State of charge of one cell."""

    def __init__(self, capacity_mah: int = 2000, resistance_mohm: int = cell.RESISTANCE_MOHM):
        self.capacity_mah = capacity_mah
        self.resistance_mohm = resistance_mohm
        self.known = False  # has anything been measured or declared yet?
        self.charge_mah = 0.0
        self.voltage_mv = 0
        self.current_ma = 0
        self.average_ma = 0.0
        self.temperature_dk = r.ZERO_CELSIUS_DK + 250
        self.powered = False
        self._last_ms = -1  # no sample yet

    @property
    def percent(self) -> float:
        """Relative charge, 0..100; 0 before the first sample."""
        return 100.0 * self.charge_mah / self.capacity_mah

    def sample(
        self, now_ms: int, voltage_mv: int, current_ma: int, temperature_dk: int, powered: bool
    ) -> None:
        """Take one measurement: terminal millivolt, milliampere (positive while charging), 0.1 K, outside
        power?

        `now_ms` may wrap at 2**30 as MicroPython's `ticks_ms` does.
        """
        elapsed_s = 0.0 if self._last_ms < 0 else ((now_ms - self._last_ms) & 0x3FFFFFFF) / 1000
        self._last_ms = now_ms
        self.voltage_mv, self.current_ma = voltage_mv, current_ma
        self.temperature_dk, self.powered = temperature_dk, powered
        if not self.known:
            self.known = True
            rested_mv = voltage_mv - current_ma * self.resistance_mohm / 1000
            self.charge_mah = cell.percent_at(rested_mv) * self.capacity_mah / 100
            self.average_ma = float(current_ma)
        self.charge_mah += current_ma * elapsed_s / 3600
        self.average_ma += (current_ma - self.average_ma) * min(1.0, elapsed_s / _SMOOTHING_S)
        if powered and voltage_mv >= cell.FULL_MV - _FULL_MARGIN_MV and 0 <= current_ma < _TAPER_MA:
            self.charge_mah = float(self.capacity_mah)
        if voltage_mv <= cell.CUT_OFF_MV:
            self.charge_mah = 0.0
        self.charge_mah = min(float(self.capacity_mah), max(0.0, self.charge_mah))

    def set_percent(self, percent: float) -> None:
        """Declare the charge, as a bench does that knows the pack; counting goes on from there."""
        self.known = True
        self.charge_mah = min(100.0, max(0.0, percent)) * self.capacity_mah / 100

    def words(self, low_charge_mah: int, low_time_min: int) -> dict:
        """Register code -> value for `Target.publish`; alarms are raised at or below the two thresholds (0 =
        never).
        """
        charge_mah = int(self.charge_mah + 0.5)
        left_min = r.NOT_DISCHARGING
        mean_left_min = r.NOT_DISCHARGING
        if self.current_ma < 0:
            left_min = min(r.NOT_DISCHARGING - 1, charge_mah * 60 // -self.current_ma)
        if self.average_ma <= -1:
            mean_left_min = min(r.NOT_DISCHARGING - 1, int(charge_mah * 60 / -self.average_ma))
        return {
            r.TEMPERATURE: self.temperature_dk,
            r.VOLTAGE: self.voltage_mv,
            r.CURRENT: self.current_ma,
            r.AVERAGE_CURRENT: int(self.average_ma),
            r.RELATIVE_STATE_OF_CHARGE: int(self.percent + 0.5),
            r.REMAINING_CAPACITY: charge_mah,
            r.FULL_CHARGE_CAPACITY: self.capacity_mah,
            r.RUN_TIME_TO_EMPTY: left_min,
            r.AVERAGE_TIME_TO_EMPTY: mean_left_min,
            r.BATTERY_STATUS: self._status(charge_mah, mean_left_min, low_charge_mah, low_time_min),
            r.DESIGN_CAPACITY: self.capacity_mah,
            r.DESIGN_VOLTAGE: cell.NOMINAL_MV,
        }

    def _status(self, charge_mah, left_min, low_charge_mah, low_time_min):
        status = 0 if self.powered else r.STATUS_DISCHARGING
        if self.temperature_dk > _HOT_DK:
            status |= r.STATUS_OVER_TEMPERATURE
        if not self.known:
            return status
        status |= r.STATUS_INITIALIZED
        if charge_mah >= self.capacity_mah:
            status |= r.STATUS_FULLY_CHARGED
            if self.powered:
                status |= r.STATUS_TERMINATE_CHARGE
        if charge_mah == 0:
            status |= r.STATUS_FULLY_DISCHARGED | r.STATUS_TERMINATE_DISCHARGE
        if not self.powered:
            if low_charge_mah > 0 and charge_mah <= low_charge_mah:
                status |= r.STATUS_REMAINING_CAPACITY
            if low_time_min > 0 and left_min <= low_time_min:
                status |= r.STATUS_REMAINING_TIME
        return status

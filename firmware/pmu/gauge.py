"""The fuel gauge: from samples of voltage, current and temperature to the state of charge in percent and the
registers of the map.

It counts coulombs, because the open-circuit voltage is so flat between 60 and 20 percent that it would be off
by tens of points under load. An anchor corrects the count where the voltage is more certain: after a full
charge, on a rested cell, at the steep ends of the curve. Both are weighed by their standard deviations
(`gauge_coulombs`). An anchor that is not more certain than the count is ignored: a given cell differs from
the curve by the same few millivolt every time.
"""

from . import gauge_cell as cell
from . import registers as r
from .gauge_capacity import CapacityLearner
from .gauge_coulombs import Charge
from .gauge_cutoff import ASK, DROP, LOW_MV, CutOff, empty_mv
from .gauge_energy import Energy
from .gauge_resistance import Resistance
from .gauge_shown_percent import ShownPercent
from .gauge_words import words

_SMOOTHING_S = 60.0  # time constant of AVERAGE_CURRENT
_VOLTAGE_SMOOTHING_S = 20.0  # of the open-circuit voltage that anchors are read from

_ANCHOR_MS = 10_000  # time between two anchors
_REST_MA = 60
_REST_MS = 30 * 60_000
# Standard deviation of the estimated open-circuit voltage from the curve:
_RESTED_MV = 5.0  # at rest
_LOADED_MV = 8.0  # under load
_CHARGING_MV = 20.0  # while charging
_KNEE_MV = 60.0  # added at 0 percent, less towards `KNEE_PERCENT`
_SAG_PART = 0.12  # of the sag, added: the error of the resistance over temperature and charge
_COLD_PART = 0.3  # standard deviation of the capacity lost to cold, as a share of it
_STEEP_PERCENT = 7  # below this the capacity is learned even from a loaded cell
_UNSETTLED_MS = 3_600_000  # after a start without a stored count: for at most so long ...
_UNSETTLED_SPREAD = 0.025  # ... and while the standard deviation is above this, the shown percentage may rise
_MISMATCH_SIGMAS = 3.0  # standard deviations between count and voltage ...
_MISMATCH_MS = 300_000  # ... for so long: the count is wrong (another cell, or charge that was not measured)

_FULL_MARGIN_MV = 30
_DONE_MARGIN_MV = 80  # when the charger stops, the voltage sinks by the sag of its last current
_FULL_MS = 20_000
_FULL_SPREAD = 0.008
_IDLE_MA = 8  # a smaller current in a full cell on outside power is the sensor's offset
_IDLE_MS = 300_000
_IDLE_SPREAD_MA = 0.5
_INTO_SMOOTHING_S = 10.0  # of the current that decides whether the cell is charged, against bursts of load
_INTO_MA = 20  # more than the sensor's offset
_POINTS_ABOVE_PEAK_EMPTY = (
    3.0  # most points shown per point of charge above that at which a peak load empties the cell
)


class Gauge:
    """State of charge of one cell."""

    def __init__(self, capacity_mah: int = 2000, resistance_mohm: int = cell.RESISTANCE_MOHM):
        self.design_mah = capacity_mah
        self.charge = Charge(capacity_mah)
        self.capacity = CapacityLearner(self.charge)
        self.resistance = Resistance(resistance_mohm)
        self.energy = Energy()
        self.shown = ShownPercent()
        self.known = False  # was anything measured or set?
        self.full = False  # the charger has finished and the cell has not been drained since
        self.cycles = 0
        self.discharged_uah = 0  # of the present cycle
        self.voltage_mv = 0
        self.current_ma = 0
        self.average_ma = 0.0
        self.temperature_dk = r.ZERO_CELSIUS_DK + 250
        self.powered = False
        self.charging = False  # current flows into the cell, or outside power keeps it full
        self._into_ma = 0.0
        self._last_ms = -1  # no sample yet
        self._rested_mv = 0.0  # smoothed open-circuit voltage, and its standard deviation
        self._rested_spread_mv = 0.0
        self._anchor_ms = self._rest_ms = self._mismatch_ms = self._full_ms = self._idle_ms = 0
        self._clock_ms = 0
        self._cut_off = CutOff()
        self._was_charging = False
        self._ends = (0.0, 100.0, 0.0)
        self._empty_mv = cell.CUT_OFF_MV
        self._restored = False

    @property
    def percent(self) -> float:
        """Relative charge as shown, 0..100; 0 before the first sample."""
        return self.shown.percent

    @property
    def capacity_mah(self) -> float:
        """Learned capacity at the present temperature."""
        return self.charge.capacity_mah * cell.capacity_factor(self.temperature_dk)

    @property
    def headroom_mv(self) -> int:
        """Open-circuit voltage, as estimated, minus that of an empty cell (`gauge_cutoff`), mV."""
        return int(self.voltage_mv - self.resistance.sag_mv(self.current_ma)) - self._empty_mv

    @property
    def estimate(self) -> float:
        """Relative charge as estimated, unfiltered, 0..100."""
        empty, full, peak_empty = self._ends
        percent = self._curve_percent()
        relative = 100 * (percent - empty) / (full - empty)
        return min(100.0, max(0.0, min(relative, _POINTS_ABOVE_PEAK_EMPTY * (percent - peak_empty))))

    def sample(
        self, now_ms: int, voltage_mv: int, current_ma: int, temperature_dk: int, powered: bool
    ) -> None:
        """Take one measurement: terminal millivolt, milliampere (positive while charging), 0.1 K, outside
        power?

        `now_ms` may wrap at 2**30 as MicroPython's `ticks_ms` does.
        """
        elapsed_ms = 0 if self._last_ms < 0 else (now_ms - self._last_ms) & 0x3FFFFFFF
        self.voltage_mv, self.current_ma = voltage_mv, current_ma
        if powered and not self.powered:
            self._into_ma = float(current_ma)
        self.temperature_dk, self.powered = temperature_dk, powered
        if self._last_ms < 0:
            self._begin()
        self._last_ms = now_ms
        elapsed_s = elapsed_ms / 1000
        flowed_uah = self.charge.count(elapsed_ms, current_ma)
        self.energy.count(elapsed_ms, voltage_mv, current_ma)
        self.capacity.count(flowed_uah)
        self._count_cycles(flowed_uah)
        self.average_ma += (current_ma - self.average_ma) * min(1.0, elapsed_s / _SMOOTHING_S)
        self._into_ma += (current_ma - self._into_ma) * min(1.0, elapsed_s / _INTO_SMOOTHING_S)
        least_ma = -_REST_MA if self.full else 0 if self.charging else _INTO_MA
        self.charging = powered and self._into_ma > least_ma
        self.resistance.step(elapsed_ms, voltage_mv, current_ma, temperature_dk, self._curve_percent())
        rested_mv = voltage_mv - self.resistance.sag_mv(current_ma)
        self._rest_ms = self._rest_ms + elapsed_ms if abs(current_ma) < _REST_MA else 0
        part = elapsed_s / (_VOLTAGE_SMOOTHING_S + elapsed_s)
        self._rested_mv += (rested_mv - self._rested_mv) * part
        self._rested_spread_mv += (self._voltage_spread_mv() - self._rested_spread_mv) * part
        self._anchor_ms += elapsed_ms
        if self._anchor_ms >= _ANCHOR_MS:
            self._anchor(self._anchor_ms)
            self._anchor_ms = 0
            self._find_ends()
        self._watch_full(elapsed_ms)
        self.charge.clamp(0.0, 1.02)
        charging = powered and current_ma > -_REST_MA
        points = flowed_uah / 10 / (self.capacity_mah * (self._ends[1] - self._ends[0]) / 100)
        highest = 100.0 if self.full else 99.4
        self.shown.step(elapsed_s, self.estimate, points, charging, highest, temperature_dk)
        # The guard has the same detector, so 0 is shown when the host's power is cut off.
        self._clock_ms += elapsed_ms
        if self.shown.unsettled:
            unsure = self.charge.spread > _UNSETTLED_SPREAD or self.shown.percent < self.estimate - 0.5
            self.shown.unsettled = unsure and self._clock_ms < _UNSETTLED_MS
        verdict = self._cut_off.step(self._clock_ms, voltage_mv, self.headroom_mv, self.charging)
        if verdict == ASK:
            self.shown.descend()
        elif verdict == DROP:
            self.shown.cut_off()
            self.full = False

    def set_percent(self, percent: float) -> None:
        """Set the charge, for a test bench that knows it; counting continues from there."""
        self.known = self._restored = True
        percent = min(100.0, max(0.0, percent))
        empty, full, _ = self._ends
        self.charge.declare(self._fraction(empty + (full - empty) * percent / 100), 0.005)
        self.full = percent == 100
        self._cut_off.reset()
        self.shown.declare(percent)

    def restore(self, percent: float, charge_uah: int, empty: bool) -> None:
        """Set, before the first sample, what was shown and counted before a reset; that sample may correct
        it.
        """
        self.charge.charge_uah = charge_uah
        self.shown.declare(percent)
        if empty:
            self.shown.cut_off()
        self._restored = True

    def restore_charge(self, percent: float, charge_uah: int, spread: float, learned: bool) -> None:
        """As `restore`, from a count that is complete up to the reset. `learned`: `restore` was called before
        and set the standard deviation.
        """
        if not learned:
            self.charge.declare(0.0, spread)
        self.restore(percent, charge_uah, self.shown.empty)

    def _begin(self):
        """The first sample after the start."""
        self.average_ma = float(self.current_ma)
        self.resistance.start(self.current_ma)
        self.resistance.step(0, self.voltage_mv, self.current_ma, self.temperature_dk, 50.0)
        self._rested_mv = self.voltage_mv - self.resistance.sag_mv(self.current_ma)
        self._rested_spread_mv = self._voltage_spread_mv()
        percent, spread = self._by_voltage()
        uncertain = self.shown.unsettled and not self.shown.empty  # unknown charge flowed since it was stored
        if self._restored and not (uncertain and self._contradicts(percent, spread, self.charge.spread)):
            self._anchor(0)  # the shown percentage continues and follows the correction slowly
            self._find_ends()
        else:
            self.charge.declare(self._fraction(percent), spread)
            self.shown.unsettled = True
            self._find_ends()
            self.shown.declare(self.estimate)
        self.known = True

    def _curve_percent(self):
        """Counted charge on the curve at this temperature: 0..100 between 3.0 and 4.2 V open-circuit."""
        factor = cell.capacity_factor(self.temperature_dk)
        return 100 * (1 - (1 - self.charge.fraction) / factor)

    def _fraction(self, percent):
        """The inverse of `_curve_percent`: that charge on the curve as a fraction of the capacity at 20 C."""
        return 1 - cell.capacity_factor(self.temperature_dk) * (1 - percent / 100)

    def _find_ends(self):
        """Find the charge on the curve at which the cell is empty, full, and empty under a peak load."""
        warmth = cell.resistance_factor(self.temperature_dk)
        mohm = self.resistance.total_mohm
        low_mohm = mohm * warmth * cell.low_charge_factor(2)
        self._empty_mv = empty_mv(low_mohm)
        self._ends = (
            cell.percent_at(self._empty_mv),
            cell.percent_at(cell.FULL_MV - cell.TAPER_MA * mohm / 1000),
            min(12.0, cell.percent_at(LOW_MV + cell.PEAK_MA * low_mohm / 1000)),
        )

    def _voltage_spread_mv(self):
        """Standard deviation of the estimated open-circuit voltage from the curve."""
        if self._rest_ms >= _REST_MS:
            return _RESTED_MV
        loss = self.resistance
        load_ma = max(abs(loss.settled_ma), abs(self.current_ma))
        return (
            (_CHARGING_MV if self.current_ma > _REST_MA else _LOADED_MV) ** 2
            + (load_ma * loss.spread_mohm * loss.factor / 1000) ** 2
            + (_SAG_PART * loss.sag_mv(load_ma)) ** 2
            + (0.5 * loss.transient_mv(self.current_ma)) ** 2
        ) ** 0.5

    def _by_voltage(self):
        """Charge on the curve by the smoothed voltage, and the standard deviation of the fraction."""
        percent = cell.percent_at(self._rested_mv)
        spread_mv = self._rested_spread_mv
        if percent < cell.KNEE_PERCENT:
            spread_mv += _KNEE_MV * (1 - percent / cell.KNEE_PERCENT)
        factor = cell.capacity_factor(self.temperature_dk)
        spread = factor * spread_mv / cell.slope_mv_at(percent) / 100
        return percent, spread + _COLD_PART * (1 - factor) * (1 - percent / 100)

    def _contradicts(self, percent, spread, counted):
        """Is that charge by the voltage further from the count than `_MISMATCH_SIGMAS` of both together?"""
        both = 100 * (spread**2 + counted**2) ** 0.5
        return abs(percent - self._curve_percent()) > _MISMATCH_SIGMAS * both

    def _anchor(self, elapsed_ms):
        """Correct the count by the voltage where the voltage is more certain."""
        percent, spread = self._by_voltage()
        counted = self.charge.spread
        if counted > spread:
            self.charge.anchor(self._fraction(percent), spread)
        if self._rest_ms >= _REST_MS or percent < _STEEP_PERCENT:
            self.capacity.anchor(self._fraction(percent), spread)
        mismatch = self._contradicts(percent, spread, counted) and self.current_ma < _REST_MA
        self._mismatch_ms = self._mismatch_ms + elapsed_ms if mismatch else 0
        if self._mismatch_ms >= _MISMATCH_MS:
            self._mismatch_ms = 0
            self.charge.add_uncertainty(0.5)

    def _watch_full(self, elapsed_ms):
        """Detect the end of a charge; learn the sensor's offset while a full cell rests."""
        if not self.powered:
            self._was_charging = False
            self._full_ms = self._idle_ms = 0
            if self.shown.percent < 99:
                self.full = False
            return
        if self.voltage_mv >= cell.FULL_MV - _FULL_MARGIN_MV and self.current_ma >= cell.TAPER_MA // 2:
            self._was_charging = True
        ending = -_IDLE_MA <= self.current_ma < cell.TAPER_MA
        if self._was_charging and ending and self.voltage_mv >= cell.FULL_MV - _DONE_MARGIN_MV:
            self._full_ms += elapsed_ms
        else:
            self._full_ms = 0
        if self._full_ms >= _FULL_MS and not self.full:
            self.full = True
            mohm = self.resistance.total_mohm * cell.resistance_factor(self.temperature_dk)
            full = cell.percent_at(cell.FULL_MV - cell.TAPER_MA * mohm / 1000)
            self.charge.anchor(self._fraction(full), _FULL_SPREAD)
            self.capacity.anchor(self._fraction(full), _FULL_SPREAD)
        self._idle_ms = self._idle_ms + elapsed_ms if self.full and abs(self.current_ma) <= _IDLE_MA else 0
        if self._idle_ms >= _IDLE_MS:
            self._idle_ms = 0
            self.charge.learn_offset(self.average_ma, _IDLE_SPREAD_MA)

    def _count_cycles(self, flowed_uah):
        if flowed_uah < 0:
            self.discharged_uah -= flowed_uah
            cycle_uah = self.design_mah * 1000
            self.cycles += self.discharged_uah // cycle_uah
            self.discharged_uah %= cycle_uah

    @property
    def max_error(self) -> int:
        """Two standard deviations of the charge in percent, rounded up; 100 before the first sample."""
        return min(100, int(200 * self.charge.spread) + 1) if self.known else 100

    def words(self, low_charge_mah: int, low_time_min: int) -> dict:
        """Register code -> value for `Target.publish`; see `gauge_words.words`."""
        return words(self, low_charge_mah, low_time_min)

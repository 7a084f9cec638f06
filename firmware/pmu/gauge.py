"""The battery gauge: from samples of voltage, current and temperature to the percentage and the words of
the register map.

Charge is counted in coulombs, because the voltage curve is so flat between 60 and 20 percent that it errs
by tens of points under load. The count is anchored where the voltage knows better: a full charge, a rested
cell, the steep ends of the curve. How much better is weighed by the uncertainty of both sides (`charge`),
and an anchor that is not surer than the count is not asked: the curve of a given cell is off by the same
few millivolt every time.
"""

from . import gauge_cell as cell
from . import registers as r
from .gauge_capacity import Capacity
from .gauge_coulombs import Charge
from .gauge_cutoff import ASK, DROP, LOW_MV, CutOff, empty_mv
from .gauge_energy import Energy
from .gauge_resistance import Resistance
from .gauge_shown_percent import Shown
from .gauge_words import words

_SMOOTHING_S = 60.0  # time constant of AVERAGE_CURRENT
_VOLTAGE_SMOOTHING_S = 20.0  # of the voltage that anchors are read from

_ANCHOR_MS = 10_000  # how often the voltage is looked at
_REST_MA = 60
_REST_MS = 30 * 60_000
_RESTED_MV = 5.0  # spread of cells around the table
_LOADED_MV = 8.0
_CHARGING_MV = 20.0
_KNEE_MV = 60.0
_SAG_PART = 0.12  # of the sag: what temperature and charge do to the resistance beyond the model
_COLD_PART = 0.3  # of the capacity lost to cold: how far cells differ in it
_STEEP_PERCENT = 7  # below this even a loaded cell says enough to learn its capacity from
_NEW_MS = 3_600_000  # after a start without a count: at most so long ...
_NEW_SPREAD = 0.025  # ... and while the charge is known no better than this, what is shown may rise
_DISTRUST = 3.0  # standard deviations between count and voltage ...
_DISTRUST_MS = 300_000  # ... for so long: the count is wrong (another cell, a charge nobody saw)

_FULL_MARGIN_MV = 30
_DONE_MARGIN_MV = 80  # a finished charger lets the voltage sink by the sag of its last current
_FULL_MS = 20_000
_FULL_SPREAD = 0.008
_IDLE_MA = 8  # a smaller current in a full cell on outside power is the sensor's offset
_IDLE_MS = 300_000
_IDLE_SPREAD_MA = 0.5
_LANDING = 3.0  # points shown at most per point above the charge at which the peak load ends it


class Gauge:
    """State of charge of one cell."""

    def __init__(self, capacity_mah: int = 2000, resistance_mohm: int = cell.RESISTANCE_MOHM):
        self.design_mah = capacity_mah
        self.charge = Charge(capacity_mah)
        self.capacity = Capacity(self.charge)
        self.resistance = Resistance(resistance_mohm)
        self.energy = Energy()
        self.shown = Shown()
        self.known = False  # has anything been measured or declared yet?
        self.full = False  # the charger has finished and the cell has not been drained since
        self.cycles = 0
        self.discharged_uah = 0  # of the present cycle
        self.voltage_mv = 0
        self.current_ma = 0
        self.average_ma = 0.0
        self.temperature_dk = r.ZERO_CELSIUS_DK + 250
        self.powered = False
        self._last_ms = -1  # no sample yet
        self._rested_mv = 0.0  # terminal voltage without the sag, smoothed, and its spread
        self._rested_spread_mv = 0.0
        self._anchor_ms = self._rest_ms = self._odd_ms = self._full_ms = self._idle_ms = 0
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
        """Full charge at the present temperature, as learned."""
        return self.charge.capacity_mah * cell.capacity_factor(self.temperature_dk)

    @property
    def headroom_mv(self) -> int:
        """Millivolt by which the voltage without load seems to lie above an empty cell's (`cutoff`)."""
        return int(self.voltage_mv - self.resistance.sag_mv(self.current_ma)) - self._empty_mv

    @property
    def estimate(self) -> float:
        """Relative charge as estimated, unfiltered, 0..100."""
        empty, full, peak_empty = self._ends
        percent = self._curve_percent()
        relative = 100 * (percent - empty) / (full - empty)
        return min(100.0, max(0.0, min(relative, _LANDING * (percent - peak_empty))))

    def sample(
        self, now_ms: int, voltage_mv: int, current_ma: int, temperature_dk: int, powered: bool
    ) -> None:
        """Take one measurement: terminal millivolt, milliampere (positive while charging), 0.1 K, outside
        power?

        `now_ms` may wrap at 2**30 as MicroPython's `ticks_ms` does.
        """
        elapsed_ms = 0 if self._last_ms < 0 else (now_ms - self._last_ms) & 0x3FFFFFFF
        self.voltage_mv, self.current_ma = voltage_mv, current_ma
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
        self.charge.hold(0.0, 1.02)
        filling = powered and current_ma > -_REST_MA
        points = flowed_uah / 10 / (self.capacity_mah * (self._ends[1] - self._ends[0]) / 100)
        highest = 100.0 if self.full else 99.4
        self.shown.step(elapsed_s, self.estimate, points, filling, highest, temperature_dk)
        # The same watch as the guard's: 0 is shown when the host loses its power.
        self._clock_ms += elapsed_ms
        if self.shown.new:
            unsure = self.charge.spread > _NEW_SPREAD or self.shown.percent < self.estimate - 0.5
            self.shown.new = unsure and self._clock_ms < _NEW_MS
        verdict = self._cut_off.step(self._clock_ms, voltage_mv, self.headroom_mv, filling)
        if verdict == ASK:
            self.shown.land()
        elif verdict == DROP:
            self.shown.cut_off()
            self.full = False

    def set_percent(self, percent: float) -> None:
        """Declare the charge, as a bench does that knows the pack; counting goes on from there."""
        self.known = self._restored = True
        percent = min(100.0, max(0.0, percent))
        empty, full, _ = self._ends
        self.charge.declare(self._fraction(empty + (full - empty) * percent / 100), 0.005)
        self.full = percent == 100
        self._cut_off.reset()
        self.shown.declare(percent)

    def restore(self, percent: float, charge_uah: int, empty: bool) -> None:
        """Before the first sample: what was shown and counted before a reset; that sample has its say."""
        self.charge.charge_uah = charge_uah
        self.shown.declare(percent)
        if empty:
            self.shown.cut_off()
        self._restored = True

    def restore_charge(self, percent: float, charge_uah: int, spread: float, learned: bool) -> None:
        """The same from a count that went on to the very reset; `learned`: `restore` was called before, so
        that the uncertainty is known already.
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
        stale = self.shown.new and not self.shown.empty  # nobody knows what flowed since it was stored
        if self._restored and not (stale and self._contradicts(percent, spread, self.charge.spread)):
            self._anchor(0)  # what is shown goes on from there, and follows as it does any correction
            self._find_ends()
        else:
            self.charge.declare(self._fraction(percent), spread)
            self.shown.new = True
            self._find_ends()
            self.shown.declare(self.estimate)
        self.known = True

    def _curve_percent(self):
        """Charge as the curve sees it at this temperature, 0..100 between 3.0 and 4.2 V open-circuit."""
        factor = cell.capacity_factor(self.temperature_dk)
        return 100 * (1 - (1 - self.charge.fraction) / factor)

    def _fraction(self, percent):
        """The inverse: part of the capacity at 20 C for that charge on the curve."""
        return 1 - cell.capacity_factor(self.temperature_dk) * (1 - percent / 100)

    def _find_ends(self):
        """Charge on the curve at which the cell is empty, full, and empty for the peak load."""
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
        """How far the voltage without the sag may be off the table now."""
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
        """Charge on the curve by the smoothed voltage, and the spread of the fraction that follows."""
        percent = cell.percent_at(self._rested_mv)
        spread_mv = self._rested_spread_mv
        if percent < cell.KNEE_PERCENT:
            spread_mv += _KNEE_MV * (1 - percent / cell.KNEE_PERCENT)
        factor = cell.capacity_factor(self.temperature_dk)
        spread = factor * spread_mv / cell.slope_mv_at(percent) / 100
        return percent, spread + _COLD_PART * (1 - factor) * (1 - percent / 100)

    def _contradicts(self, percent, spread, counted):
        """Is that charge by the voltage further from the count than both err by their spreads?"""
        both = 100 * (spread**2 + counted**2) ** 0.5
        return abs(percent - self._curve_percent()) > _DISTRUST * both

    def _anchor(self, elapsed_ms):
        """Let the voltage correct the count where it knows better."""
        percent, spread = self._by_voltage()
        counted = self.charge.spread
        if counted > spread:
            self.charge.anchor(self._fraction(percent), spread)
        if self._rest_ms >= _REST_MS or percent < _STEEP_PERCENT:
            self.capacity.anchor(self._fraction(percent), spread)
        odd = self._contradicts(percent, spread, counted) and self.current_ma < _REST_MA
        self._odd_ms = self._odd_ms + elapsed_ms if odd else 0
        if self._odd_ms >= _DISTRUST_MS:
            self._odd_ms = 0
            self.charge.doubt(0.5)

    def _watch_full(self, elapsed_ms):
        """Find the end of a charge, and the sensor's offset while a full cell rests."""
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
            self.charge.no_current(self.average_ma, _IDLE_SPREAD_MA)

    def _count_cycles(self, flowed_uah):
        if flowed_uah < 0:
            self.discharged_uah -= flowed_uah
            cycle_uah = self.design_mah * 1000
            self.cycles += self.discharged_uah // cycle_uah
            self.discharged_uah %= cycle_uah

    @property
    def max_error(self) -> int:
        """Percent by which the charge is off at worst, in 19 of 20 cases; 100 before the first sample."""
        return min(100, int(200 * self.charge.spread) + 1) if self.known else 100

    def words(self, low_charge_mah: int, low_time_min: int) -> dict:
        """Register code -> value for `Target.publish`; see `words.words`."""
        return words(self, low_charge_mah, low_time_min)

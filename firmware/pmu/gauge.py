"""The fuel gauge: from samples of voltage, current and temperature to the state of charge in percent and the
registers of the map.

It counts coulombs, because the open-circuit voltage is so flat between 60 and 20 percent that it would be off
by tens of points under load. A finished charge and looks at the voltage correct the count, each as far as it
is more certain (`gauge_coulombs`), and teach the cell's capacity and curve.
"""

from . import gauge_cell as cell
from . import registers as r
from .gauge_coulombs import LEARNED_FLAT_MV, Charge
from .gauge_curve import Trail
from .gauge_cutoff import ASK, DROP, NOTHING, CutOff, empty_mv
from .gauge_energy import Energy
from .gauge_resistance import Resistance
from .gauge_shown_percent import ShownPercent
from .gauge_words import words

_SMOOTHING_S = 60.0  # time constant of AVERAGE_CURRENT
_VOLTAGE_SMOOTHING_S = 20.0  # of the open-circuit voltage that anchors are read from

_ANCHOR_MS = 30_000  # time between two looks at the voltage
_REST_MA = 60
# Standard deviation of the estimated open-circuit voltage from the cell's own:
_RESTED_MV = 5  # at rest
_LOADED_MV = 8  # under load
_CHARGING_MV = 40  # while charging
_SAG_TENTHS = 3  # of the sag, added: the error of the resistance over temperature and charge
_BRANCH_MV = 15  # after charging: hysteresis
_BRANCH_SHARE = 30  # thousandths of the capacity turn it over
_UNSETTLED_MS = 3_600_000  # after a start without a stored count: for at most so long ...
_UNSETTLED_SPREAD = 25  # ... and while the standard deviation is more thousandths, what is shown may rise
_OTHER_POINTS = 150  # standard deviations of the stored count, in hundredths, in which its voltage is sought
_OTHER_EMPTY_POINTS = 4  # the same of an empty cell, in percent
# A step of the open-circuit voltage that is another cell's: on outside power, without which a PMU loses its
# supply with the cell, and else, there beyond any load on so many mOhm; it lasts for so many samples
_STEP_POWERED_MV, _STEP_MV, _STEP_MOHM, _STEP_LOOKS = 8.0, 80.0, 600.0, 8
_STEP_MS = 3000
_ABSENT_MV = 2000  # no cell
_UNLEARNED_POINTS = 16  # of error at least, until a discharge has shown the curve
_OTHERS_MV = 40  # standard deviation of a cell's curve from its profile's
_FLAT_MOST_MV = 3600  # lithium iron phosphate never rests above this
_ENDS_POINTS = 3  # standard deviation of where the cell is full and empty, percent

_FULL_MARGIN_MV = 30
_DONE_MARGIN_MV = 80  # when the charger stops, the voltage sinks by the sag of its last current
_FULL_MS = 20_000
_HELD_MV = 10  # the charger holds the voltage: it moves by no more while the current falls to half
_WRONG_MV = 150  # a charger that stops so far from the profile's charge voltage: another kind of cell
_FULL_SPREAD = 0.008
_DRAINED_PERCENT = 95  # below, a charger that gives less than the load has let a full cell drain
_IDLE_MA = 8  # a smaller current in a full cell on outside power is the sensor's offset
_IDLE_MS = 300_000
_IDLE_SPREAD_MA = 0.5
_INTO_SMOOTHING_S = 10.0  # of the current that decides whether the cell is charged, against bursts of load
_INTO_MA = 20  # more than the sensor's offset
_PEAK_MARGIN_MV = 75  # above the cut-off under that load
# Most points shown per point of charge above that at which a peak load empties the cell
_POINTS_ABOVE_PEAK_EMPTY = 3


class Gauge:
    """State of charge of one cell."""

    def __init__(self, capacity_mah: int = cell.DESIGN_MAH, profile: int = 0):
        """`profile`: of `gauge_cell.NAMES`."""
        self.fit(profile, capacity_mah)
        self.energy = Energy()
        self.shown = ShownPercent()
        self.known = False  # was anything measured or set?
        self.full = False  # the charger has finished and the cell has not been drained since
        self.voltage_mv = self.current_ma = 0
        self.average_ma = 0.0
        self.temperature_dk = r.ZERO_CELSIUS_DK + 250
        self.powered = False
        self.charging = False  # current flows into the cell, or outside power keeps it full
        self._into_ma = self._held_ma = 0.0
        self._rested_mv = 0.0  # smoothed open-circuit voltage
        self._branch = 0.0  # 1 after charge went in, 0 after some went out
        self._held_mv = self._top_mv = self._stepped = 0
        # Open-circuit voltage and current before it stepped, `_stepped` samples ago (at most `_STEP_LOOKS`)
        self._still_mv = self._still_ma = 0.0
        self._anchor_ms = self._full_ms = self._idle_ms = self._clock_ms = 0
        self._cut_off = CutOff()
        self._was_charging = False
        self._ends = (0.0, 100.0, 0.0)

    def fit(self, profile: int, capacity_mah: int) -> None:
        """A cell of that profile and design capacity is in the headband: nothing is known about it yet."""
        self.profile, self.design_mah = profile, capacity_mah
        self.charge = Charge(capacity_mah, profile)
        self.trail = Trail(self.charge)
        self.resistance = Resistance()
        self.cycles = 0
        self.discharged_uah = 0  # of the present cycle
        self.cut_off_mv, self.full_mv = self.charge.curve[0], self.charge.curve[-1]
        self.taper_ma = capacity_mah // 20
        self._empty_mv = self.cut_off_mv
        self._last_ms = -1  # no sample yet
        self._restored = False

    @property
    def guarded_mv(self) -> int:
        """Terminal voltage as `gauge_cutoff` has it, for which every cell is empty at 3.0 V."""
        return self.voltage_mv - self.cut_off_mv + cell.CUT_OFF_MV

    @property
    def percent(self) -> float:
        """Relative charge as shown, 0..100; 0 before the first sample."""
        return self.shown.percent

    @property
    def capacity_mah(self) -> float:
        """Learned capacity at the present temperature."""
        return self.charge.capacity_mah * self.charge.factor

    @property
    def headroom_mv(self) -> int:
        """Open-circuit voltage, as estimated, minus that of an empty cell (`gauge_cutoff`), mV."""
        return int(self.voltage_mv - self.resistance.sag_mv(self.current_ma)) - self._empty_mv

    @property
    def estimate(self) -> float:
        """Relative charge as estimated, unfiltered, 0..100."""
        empty, full, peak_empty = self._ends
        percent = self.charge.percent
        relative = 100 * (percent - empty) / (full - empty)
        return min(100.0, max(0.0, min(relative, _POINTS_ABOVE_PEAK_EMPTY * (percent - peak_empty))))

    def sample(
        self, now_ms: int, voltage_mv: int, current_ma: int, temperature_dk: int, powered: bool
    ) -> None:
        """Take one measurement: terminal mV, mA (positive while charging), 0.1 K, outside power?

        `now_ms` may wrap at 2**30 as MicroPython's `ticks_ms` does.
        """
        charge, shown = self.charge, self.shown
        elapsed_ms = 0 if self._last_ms < 0 else (now_ms - self._last_ms) & 0x3FFFFFFF
        charge.factor = cell.capacity_factor(temperature_dk)
        self.voltage_mv, self.current_ma = voltage_mv, current_ma
        if powered and not self.powered:
            self._into_ma = float(current_ma)
        self.temperature_dk, self.powered = temperature_dk, powered
        if self._last_ms < 0:
            self._begin()
        self._last_ms = now_ms
        elapsed_s = elapsed_ms / 1000
        flowed_uah = charge.count(elapsed_ms, current_ma)
        self.energy.count(elapsed_ms, voltage_mv, current_ma)
        self.trail.count(flowed_uah)
        if flowed_uah < 0:
            self.discharged_uah -= flowed_uah
            cycle_uah = self.design_mah * 1000
            self.cycles += self.discharged_uah // cycle_uah
            self.discharged_uah %= cycle_uah
        self.average_ma += (current_ma - self.average_ma) * min(1.0, elapsed_s / _SMOOTHING_S)
        self._into_ma += (current_ma - self._into_ma) * min(1.0, elapsed_s / _INTO_SMOOTHING_S)
        least_ma = -_REST_MA if self.full else 0 if self.charging else _INTO_MA
        self.charging = powered and self._into_ma > least_ma
        percent = charge.percent
        open_circuit_mv = cell.open_circuit_mv_at(percent, charge.curve)
        self.resistance.step(elapsed_ms, voltage_mv, current_ma, temperature_dk, percent, open_circuit_mv)
        rested_mv = voltage_mv - self.resistance.sag_mv(current_ma)
        if flowed_uah > 0:
            self._branch = 1.0
        else:
            self._branch *= max(0.0, 1 + flowed_uah / (_BRANCH_SHARE * self.design_mah))
        self._watch_step(elapsed_ms, rested_mv)
        part = elapsed_s / (_VOLTAGE_SMOOTHING_S + elapsed_s)
        self._rested_mv += (rested_mv - self._rested_mv) * part
        self._anchor_ms += elapsed_ms
        if self._anchor_ms >= _ANCHOR_MS:
            if self._stepped >= _STEP_LOOKS and voltage_mv >= _ABSENT_MV:
                self._replace()
            # A voltage that still shows the charge says nothing that a good count does not know better.
            self.trail.look(self._rested_mv, temperature_dk)
            if 10 * self._branch < 3 or 100 * charge.spread > 3:
                charge.look(self._anchor_ms, self._rested_mv, self._voltage_spread_mv())
            self._anchor_ms = 0
            self._find_ends()
        self._watch_full(elapsed_ms)
        charge.clamp()
        charging = self.charging or (powered and abs(current_ma) <= _IDLE_MA)
        points = flowed_uah / 10 / (self.capacity_mah * (self._ends[1] - self._ends[0]) / 100)
        highest = 100.0 if self.full else 99.4
        shown.step(elapsed_s, self.estimate, points, charging, highest, temperature_dk)
        # The guard has the same detector, so 0 is shown when the host's power is cut off.
        self._clock_ms += elapsed_ms
        if shown.unsettled:
            unsure = 1000 * charge.spread > _UNSETTLED_SPREAD or shown.percent < self.estimate - 0.5
            shown.unsettled = unsure and self._clock_ms < _UNSETTLED_MS
        verdict = self._cut_off.step(self._clock_ms, self.guarded_mv, self.headroom_mv, self.charging)
        if verdict != NOTHING and not self._stepped:
            self.trail.end(self._ends[1], self._rested_mv, self.full_mv)
        if verdict == ASK:
            shown.descend()
        elif verdict == DROP:
            shown.cut_off()
            self.full = False

    def restore(self, percent: float, charge_uah: int, empty: bool) -> None:
        """Set, before the first sample, what was shown and counted before a reset; it may correct that."""
        self.charge.charge_uah = charge_uah
        self.shown.declare(percent)
        if empty:
            self.shown.cut_off()
        self._restored = True

    def _begin(self):
        """The first sample after the start."""
        self.average_ma = float(self.current_ma)
        self.resistance.start(self.current_ma)
        self.resistance.step(0, self.voltage_mv, self.current_ma, self.temperature_dk, 50.0, 0.0)
        self._rested_mv = self._still_mv = self.voltage_mv - self.resistance.sag_mv(self.current_ma)
        self._still_ma = self.current_ma
        if self._restored and not self._is_other():
            self._find_ends()
        else:
            self._replace()
        self.known = True

    def _is_other(self):
        """Is the cell another one than that of the stored count, or was it charged elsewhere?"""
        charge, curve, spread_mv = self.charge, self.charge.curve, self._voltage_spread_mv()
        points = _OTHER_EMPTY_POINTS if self.shown.empty else _OTHER_POINTS * charge.spread
        low, high = charge.percent - points, charge.percent + points
        low_mv = cell.open_circuit_mv_at(low, curve) - charge.curve_spread_mv(low) - spread_mv
        high_mv = cell.open_circuit_mv_at(high, curve) + charge.curve_spread_mv(high) + spread_mv
        return self.shown.unsettled and not low_mv <= self._rested_mv <= high_mv  # else the count is complete

    def _watch_step(self, elapsed_ms, rested_mv):
        """Notice by its voltage that another cell was put in."""
        loss, now_ma = self.resistance, self.current_ma
        off_mv, off_ma = rested_mv - self._still_mv, now_ma - self._still_ma
        most_mv, mohm = _STEP_MV, _STEP_MOHM
        if self.powered:  # the resistance is known so far, and changes with charge and temperature
            most_mv, mohm = _STEP_POWERED_MV, (loss.total_mohm / 2 + 3 * loss.spread_mohm) * loss.factor
        most_mv += abs(off_ma) * mohm / 1000 + loss.transient_mv(now_ma) / 2
        if self.voltage_mv < _ABSENT_MV:
            self._stepped = _STEP_LOOKS
        elif self._stepped < _STEP_LOOKS:
            late = elapsed_ms > _STEP_MS
            if late or abs(off_mv) <= most_mv:
                parts = 1 if late else 4
                self._still_mv += off_mv / parts
                self._still_ma += off_ma / parts
                self._stepped = -1
            self._stepped += 1

    def _replace(self):
        """Take the charge of an unknown cell from its voltage."""
        self._stepped = 0
        self.resistance.start(self.current_ma)
        self._rested_mv = self._still_mv = self.voltage_mv - self.resistance.sag_mv(self.current_ma)
        self._still_ma = self.current_ma
        charge = self.charge
        self.trail = Trail(charge)
        if self._restored:
            charge.set_capacity(charge.state[1], 0.15)
        charge.place(self._rested_mv, self._voltage_spread_mv())
        charge.clamp()
        self._find_ends()
        self.full = False
        self.shown.unsettled = True
        self._clock_ms = 0
        self.shown.declare(self.estimate)
        self._cut_off.reset()

    def _find_ends(self):
        """Find the charge on the curve at which the cell is empty, full, and empty under a peak load."""
        curve = self.charge.curve
        warmth = cell.resistance_factor(self.temperature_dk)
        mohm = self.resistance.total_mohm
        low_mohm = mohm * warmth * cell.low_charge_factor(2)
        self._empty_mv = empty_mv(
            low_mohm, cell.open_circuit_mv_at(2, curve), cell.open_circuit_mv_at(4, curve), self.cut_off_mv
        )
        low_mv = self.cut_off_mv + _PEAK_MARGIN_MV
        self._ends = (
            cell.percent_at(self._empty_mv, curve),
            cell.percent_at(curve[-1] - self.taper_ma * mohm / 1000, curve),
            min(12.0, cell.percent_at(low_mv + cell.PEAK_MA * low_mohm / 1000, curve)),
        )

    def _voltage_spread_mv(self):
        """Standard deviation of the estimated open-circuit voltage from the cell's own."""
        loss = self.resistance
        now_ma = self.current_ma
        load_ma = max(abs(loss.settled_ma), abs(now_ma))
        least_mv = _CHARGING_MV if now_ma > _REST_MA else _LOADED_MV if load_ma > _REST_MA else _RESTED_MV
        return (
            least_mv**2
            + (_BRANCH_MV * self._branch) ** 2
            + (load_ma * loss.spread_mohm * loss.factor / 1000) ** 2
            + (_SAG_TENTHS * loss.sag_mv(load_ma) / 10) ** 2
            + (loss.transient_mv(now_ma) / 2) ** 2
        ) ** 0.5

    def _watch_full(self, elapsed_ms):
        """Detect the end of a charge; learn the sensor's offset while a full cell rests."""
        if not self.powered:
            self._was_charging = False
            self._full_ms = self._idle_ms = 0
            if self.shown.percent < 99:
                self.full = False
            return
        charge, voltage_mv, into_ma = self.charge, self.voltage_mv, self.current_ma
        if self.full and self.estimate < _DRAINED_PERCENT:
            self.full = self._was_charging = False
        if abs(voltage_mv - self._held_mv) > _HELD_MV or into_ma > self._held_ma:
            self._held_mv, self._held_ma = voltage_mv, into_ma
        held_mv = self._held_mv - _HELD_MV if into_ma < self._held_ma / 2 else self.full_mv
        tapers = self.taper_ma // 2 <= into_ma <= 3 * self.taper_ma
        if tapers and voltage_mv >= min(held_mv, self.full_mv - _FULL_MARGIN_MV):
            self._was_charging = True
            self._top_mv = voltage_mv
        ending = -_IDLE_MA <= into_ma < self.taper_ma
        if self._was_charging and ending and voltage_mv >= self._top_mv - _DONE_MARGIN_MV:
            self._full_ms += elapsed_ms
        else:
            self._full_ms = 0
        if self._full_ms >= _FULL_MS and not self.full:
            self.full = True
            if abs(self._top_mv - self.full_mv) > _WRONG_MV and not charge.learned:
                # Of lithium iron phosphate where the profile is another, and the other way round.
                charge.curve[1:] = cell.curve(3 if self._top_mv < cell.FLAT_BELOW_MV else 1)[1:]
                charge.set_capacity(1, 0.15)  # what was learned of it was that of the wrong curve
                self._find_ends()
            charge.anchor(charge.fraction_at(self._ends[1]), _FULL_SPREAD)
            self.trail.begin()
        self._idle_ms = self._idle_ms + elapsed_ms if self.full and abs(self.current_ma) <= _IDLE_MA else 0
        if self._idle_ms >= _IDLE_MS:
            self._idle_ms = 0
            charge.learn_offset(self.average_ma, _IDLE_SPREAD_MA)

    @property
    def max_error(self) -> int:
        """Two standard deviations of the charge in percent, how far what is shown is from the estimate, and
        how far the curve may be another one, rounded up; 100 before the first sample.

        Until a discharge has shown the curve, it may be that of every profile with that voltage; once a
        charge has ended, that of those with that charge voltage. A cell with a flat, learned curve that was
        put in since its last full charge may be wherever that voltage can be.
        """
        charge, estimate, points, mv = self.charge, self.estimate, 0.0, self._rested_mv
        flat = charge.curve[-1] < cell.FLAT_BELOW_MV
        if not charge.learned:
            points = _UNLEARNED_POINTS
            if not charge.charged or not flat:
                most = cell.MOST_4V if charge.charged or mv > _FLAT_MOST_MV else cell.MOST
                low = cell.percent_at(mv - _OTHERS_MV, cell.curve(cell.LEAST))
                high = cell.percent_at(mv + _OTHERS_MV, cell.curve(most))
                points = max(points, estimate - low, high - estimate)
        elif flat and not charge.charged:
            low = cell.percent_at(mv - LEARNED_FLAT_MV, charge.curve)
            high = cell.percent_at(mv + LEARNED_FLAT_MV, charge.curve)
            points = max(0.0, estimate - low, high - estimate)
        spread = (10_000 * charge.covariance[0][0] + _ENDS_POINTS**2) ** 0.5
        points += 2 * spread + abs(self.shown.percent - estimate)
        return min(100, int(points) + 1) if self.known else 100

    def words(self, low_charge_mah: int, low_time_min: int) -> dict:
        """Register code -> value for `Target.publish`; see `gauge_words.words`."""
        return words(self, low_charge_mah, low_time_min)

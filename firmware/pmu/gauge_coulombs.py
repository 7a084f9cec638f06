"""Coulomb counting in whole numbers, corrected by a Kalman filter with four states: the charge as a fraction
of the capacity; the design capacity over the capacity, by which the fraction depends linearly on what was
counted; the current sensor's offset; and how far the estimated open-circuit voltage is from the curve now.

The last stands for all that many looks at the voltage have in common: an error of the curve, of the sag, and
hysteresis. It changes as charge moves, not with time, so a cell that rests on a flat part of its curve says
no more in a day than in a minute. A finished charge corrects the fraction, and by what was counted since the
last certain voltage, the capacity. Charge and capacity are those at 20 C.
"""

from array import array
from math import exp

from . import gauge_cell as cell
from .gauge_kalman import correct

_UNIT = 3_600_000  # microampere-milliseconds in one microampere-hour
_PREDICT_MS = 60_000  # how often the covariance is updated for the count
_CAPACITY_SPREAD = 0.11  # standard deviation of cells, new and aged, of the second state
_OFFSET_SPREAD_MA = 2.5
_OFFSET_LIMIT_MA = 8.0
_OFFSET_DRIFT = 0.4  # variance in mA squared that an hour adds
_OFFSET_H = 6  # time constant with which what was learned of the offset goes out of date
_COUNT_NOISE_MAH = 0.1  # variance that each counted mAh adds to the charge, in mAh squared
_AGEING = 2e-8  # variance that each counted mAh adds to the second state
# Standard deviations of the curve that count and voltage may be apart, in percent; where it is flat even a
# charge far away explains little
_USUAL_SIGMAS, _USUAL_SIGMAS_FLAT = 70, 150
_USUAL_VARIANCES = 2  # of the count that a full charge may be off from it
_AGED_SPREAD = 0.3  # standard deviation of the second state, added to that of an aged cell at most
_LEAST_COUNTED = 10  # of this part of the design capacity: less says nothing about the capacity
# Standard deviation of a cell's curve from its profile's, in mV and along the charge in percent; the same of
# a curve that was learned
_CURVE_MV, _CURVE_PERCENT = 40, 4
_LEARNED_MV, _LEARNED_PERCENT = 8, 1
_CURVE_MOST_MV = 120  # of both together, where a curve is steep
_FLAT_SPREAD_MV = 60  # of an unknown cell's curve, and so of the charge at which it is put in
LEARNED_FLAT_MV = 30  # most of it, by hysteresis, from a curve that another cell of its kind has taught
_RELATED_PERCENT = 30  # charge after which its error is another one
_SETTLE_MS = 900_000  # time constant of what is left of a load
_LOOK_MV = 8  # standard deviation of one look beside all that


class Charge:
    """The filter's state and covariance, and the cell's curve as learned."""

    def __init__(self, design_mah: int, profile: int = 0):
        self.design_mah = design_mah
        self.curve = cell.curve(profile)
        self.learned = False  # did a whole discharge show the curve?
        self.charge_uah = 0
        self.factor = 1.0  # capacity at the present temperature relative to 20 C
        self.state = array("f", (0, 1, 0, 0))
        self.covariance = [array("f", (0, 0, 0, 0)) for _ in range(4)]
        self.covariance[0][0] = 0.25
        self.covariance[1][1] = _CAPACITY_SPREAD**2
        self.covariance[2][2] = _OFFSET_SPREAD_MA**2
        self.charged = False  # was this cell full once?
        self._residue = 0  # microampere-milliseconds not yet counted
        self._pending_ms = 0  # time and charge that the covariance does not include yet
        self._pending_uah = 0
        self._throughput_uah = 0
        self._moved_uah = 0  # since the last look

    @property
    def capacity_mah(self) -> float:
        """As learned, at 20 C."""
        return self.design_mah / self.state[1]

    @property
    def fraction(self) -> float:
        """Charge over capacity, 0..1."""
        return self.charge_uah / 1000 / self.design_mah * self.state[1]

    @property
    def spread(self) -> float:
        """Standard deviation of `fraction`."""
        return float(self.covariance[0][0] ** 0.5)

    @property
    def percent(self) -> float:
        """Charge on the curve at this temperature: 0..100 between empty and full open-circuit voltage."""
        return 100 * (1 - (1 - self.fraction) / self.factor)

    def fraction_at(self, percent: float) -> float:
        """The inverse of `percent`: that charge on the curve as a fraction of the capacity at 20 C."""
        return 1 - self.factor * (1 - percent / 100)

    def slope_mv(self, percent: float, spread: float) -> float:
        """Millivolt per percent, averaged over five percent around that charge and over `spread` more to each
        side; more than 0.
        """
        spread += 2.5
        low, high = max(0, percent - spread), min(100, percent + spread)
        rise_mv = cell.open_circuit_mv_at(high, self.curve) - cell.open_circuit_mv_at(low, self.curve)
        return max(0.05, rise_mv / (high - low))

    def curve_spread_mv(self, percent: float) -> float:
        """Standard deviation of the curve at that charge."""
        level_mv, along = (_LEARNED_MV, _LEARNED_PERCENT) if self.learned else (_CURVE_MV, _CURVE_PERCENT)
        return min(_CURVE_MOST_MV, level_mv + along * self.slope_mv(percent, 0))

    def count(self, elapsed_ms: int, current_ma: int) -> int:
        """Count that measured current; returns the change of the charge in microampere-hours."""
        self._residue += (current_ma * 1000 - int(self.state[2] * 1000)) * elapsed_ms
        flowed_uah = self._residue // _UNIT
        self._residue -= flowed_uah * _UNIT
        self.charge_uah += flowed_uah
        self._pending_ms += elapsed_ms
        self._pending_uah += flowed_uah
        self._throughput_uah += abs(flowed_uah)
        if self._pending_ms >= _PREDICT_MS:
            self._predict()
        return flowed_uah

    def declare(self, fraction: float, spread: float) -> None:
        """Set the charge to that fraction of the capacity, and standard deviation, discarding the count."""
        self._pending_ms = self._pending_uah = self._throughput_uah = 0
        self.charge_uah = int(fraction * self.capacity_mah * 1000)
        self._alone(0, spread * spread)
        self._alone(3, 0.0)
        self.state[3] = 0.0

    def anchor(self, fraction: float, spread: float) -> None:
        """Correct the fraction by a measurement of it; `spread`: its standard deviation."""
        self._predict()
        self.charged = True
        missed = fraction - self.fraction
        self._doubt_capacity(missed, _USUAL_VARIANCES * self.covariance[0][0])
        self._correct([1.0, 0.0, 0.0, 0.0], missed, spread * spread)

    def look(self, elapsed_ms: int, open_circuit_mv: float, spread_mv: float) -> None:
        """Correct everything by an open-circuit voltage, `elapsed_ms` after the last; `spread_mv`: standard
        deviation of the sag from which it was estimated.
        """
        self._predict()
        rows, percent, state = self.covariance, self.percent, self.state
        lasting = spread_mv * spread_mv + self.curve_spread_mv(percent) ** 2
        left = exp(-self._moved_uah / 10 / self.capacity_mah / _RELATED_PERCENT)
        if rows[3][3] > lasting:
            left *= exp(-elapsed_ms / _SETTLE_MS)
        self._moved_uah = 0
        for j in range(4):
            rows[3][j] *= left
            rows[j][3] *= left
        state[3] *= left
        # Unrelated to the count: a cell that was just put in
        rows[3][3] = lasting if rows[3][0] == 0 else rows[3][3] + (1 - left * left) * lasting
        variance = _LOOK_MV * _LOOK_MV + spread_mv * spread_mv / 4
        best = self._nearest(percent, open_circuit_mv, variance)
        # Over all that the charge may be: a steep place tells little of a cell that may be on its flat part.
        slope = self.slope_mv(best, 100 / self.factor * self.spread)
        variance += 4 * slope * slope  # a curve rises steeply at two percent more or less
        expected = cell.open_circuit_mv_at(best, self.curve) + state[3] + slope * (percent - best)
        innovation = open_circuit_mv - expected
        slope *= 100 / self.factor
        # Where it is flat, an error of the curve would pass for another capacity until the first full charge.
        flat = self.curve[-1] < cell.FLAT_BELOW_MV
        self._correct([slope, 0.0, 0.0, 1.0], innovation, variance, 1 if flat and not self.charged else -1)
        # Count and curve disagree by more than is usual: the curve is another one, or the count is wrong.
        usual = _USUAL_SIGMAS_FLAT if flat else _USUAL_SIGMAS
        excess = abs(state[3]) - usual * lasting**0.5 / 100
        if excess > 0:
            self._doubt_capacity(excess / slope if state[3] > 0 else -excess / slope, rows[0][0])
            rows[0][0] = max(rows[0][0], (excess / slope) ** 2)
        if self.learned:
            self._alone(1, rows[1][1])  # a voltage says nothing about the capacity

    def place(self, open_circuit_mv: float, spread_mv: float) -> None:
        """Set the charge of an unknown cell: the likeliest at that voltage or, where the curve is flat, the
        middle of all that are likely, fewer where another cell of its kind has taught the curve.
        """
        self.charged = False
        self.declare(self.fraction_at(50), 0.5)
        self.look(3_600_000, open_circuit_mv, spread_mv)
        if self.curve[-1] < cell.FLAT_BELOW_MV:
            off_mv = LEARNED_FLAT_MV if self.learned else _FLAT_SPREAD_MV
            low = cell.percent_at(open_circuit_mv - off_mv, self.curve)
            high = cell.percent_at(open_circuit_mv + off_mv, self.curve)
            self.declare(self.fraction_at((low + high) / 2), (high - low) / 250)
            # It errs as far as the curve does: the same voltage again says nothing new.
            rows = self.covariance
            rows[3][3] = off_mv**2
            rows[0][3] = rows[3][0] = -off_mv * self.spread
            self.state[3] = open_circuit_mv - cell.open_circuit_mv_at(self.percent, self.curve)

    def _doubt_capacity(self, missed, usual):
        """Let the capacity be as much smaller as it must be for the count to be off by `missed`, whose usual
        variance is that.

        Cells are new or aged, and one normal distribution does not describe both: what is counted from a
        voltage to a full charge, or back, says which. None is much larger than its design.
        """
        rows = self.covariance
        row = list(rows[1])
        variance = missed * missed - usual
        if self.learned or variance <= 0 or _LEAST_COUNTED * missed * row[0] <= abs(missed) * row[1]:
            return
        variance = min(variance / row[0] ** 2, (_AGED_SPREAD / row[1]) ** 2)
        for i in range(4):
            for j in range(4):
                rows[i][j] += variance * row[i] * row[j]

    def _nearest(self, percent, open_circuit_mv, variance):
        """The charge that is most likely with count and voltage together."""
        sigma = 100 / self.factor * self.spread + 0.01
        variance += self.covariance[3][3]
        best = percent
        for parts in (3, 30):
            middle, least = best, 1 << 28
            for place in range(-10, 11):
                tried = min(100.0, max(0.0, middle + place * sigma / parts))
                missed = open_circuit_mv - self.state[3] - cell.open_circuit_mv_at(tried, self.curve)
                away = (tried - percent) / sigma
                cost = away * away + missed * missed / variance
                if cost < least:
                    best, least = tried, cost
        return best

    def learn_offset(self, measured_ma: float, spread_ma: float) -> None:
        """Correct the offset by the current that the sensor shows while none flows."""
        self._predict()
        self._correct([0.0, 0.0, 1.0, 0.0], measured_ma - self.state[2], spread_ma**2)

    def clamp(self) -> None:
        """Limit the charge to the capacity and a little more."""
        self.charge_uah = min(int(1020 * self.capacity_mah), max(0, self.charge_uah))

    def set_capacity(self, ratio: float, spread: float) -> None:
        """Set the design capacity over the capacity, and standard deviation. The fraction stays; the voltages
        are those of another curve from now on.
        """
        fraction = self.fraction
        self.state[1] = ratio
        self._alone(1, spread * spread)
        self.declare(fraction, self.spread)

    def _alone(self, index, variance):
        for j in range(4):
            self.covariance[index][j] = self.covariance[j][index] = 0.0
        self.covariance[index][index] = variance

    def _correct(self, row, innovation, variance, fixed=-1):
        state = self.state
        state[0] = self.fraction
        correct(state, self.covariance, row, innovation, variance, fixed)
        state[1] = min(2, max(1 / 2, state[1]))
        state[2] = min(_OFFSET_LIMIT_MA, max(-_OFFSET_LIMIT_MA, state[2]))
        self.charge_uah = int(state[0] * self.capacity_mah * 1000)

    def _predict(self):
        """The filter's prediction: update the covariance for what was counted since the last time."""
        rows, capacity_mah = self.covariance, self.capacity_mah
        by_capacity = self._pending_uah / 1000 / self.design_mah
        pending_h = self._pending_ms / 3_600_000
        by_offset = -pending_h / capacity_mah
        throughput_mah = self._throughput_uah / 1000
        self.state[2] *= 1 - pending_h / _OFFSET_H
        rows[2][2] = min(_OFFSET_SPREAD_MA**2, rows[2][2] + _OFFSET_DRIFT * pending_h)
        self._moved_uah += self._throughput_uah
        self._pending_ms = self._pending_uah = self._throughput_uah = 0
        before = rows[0][0] + by_capacity * rows[0][1] + by_offset * rows[0][2]
        for j in range(1, 4):
            rows[0][j] += by_capacity * rows[1][j] + by_offset * rows[2][j]
            rows[j][0] = rows[0][j]
        variance = before + by_capacity * rows[0][1] + by_offset * rows[0][2]
        variance += _COUNT_NOISE_MAH * throughput_mah / (capacity_mah * capacity_mah)
        rows[0][0] = max(1e-6, variance)
        rows[1][1] += _AGEING * throughput_mah

"""How much charge is in the cell: coulombs counted in whole numbers, and a Kalman filter over the fraction
of the capacity that is left, the capacity and the current sensor's offset, which weighs the count
against what anchors say.

An anchor states the fraction. It corrects that alone: the capacity, which outlives a bad day, is learned
only between two good anchors (`capacity`), the offset only while nothing flows. Charge and capacity are
those at 20 C.
"""

from .gauge_kalman import correct

_UNIT = 3_600_000  # microampere-milliseconds in one microampere-hour
_SPREAD_MS = 60_000  # how often the covariance follows the count
_CAPACITY_SPREAD = 0.08  # of the design capacity: how far new cells lie from it
_OFFSET_SPREAD_MA = 1.5
_OFFSET_LIMIT_MA = 5.0
_COUNT_NOISE_MAH = 0.1  # variance that each counted mAh adds to the charge, in mAh squared
_AGEING_MAH = 0.02  # and to the capacity
_ODD = 4.0  # standard deviations


class Charge:
    """Fraction, capacity and sensor offset with their covariance, in that order."""

    def __init__(self, design_mah: int):
        self.design_mah = design_mah
        self.charge_uah = 0
        self.capacity_mah = float(design_mah)
        self.offset_ma = 0.0
        self.covariance = [
            [0.25, 0.0, 0.0],
            [0.0, (_CAPACITY_SPREAD * design_mah) ** 2, 0.0],
            [0.0, 0.0, _OFFSET_SPREAD_MA**2],
        ]
        self._residue = 0  # microampere-milliseconds not yet counted
        self._pending_ms = 0  # and what the covariance does not know of yet
        self._pending_uah = 0
        self._throughput_uah = 0

    @property
    def fraction(self) -> float:
        """Charge over capacity, 0..1."""
        return self.charge_uah / 1000 / self.capacity_mah

    @property
    def spread(self) -> float:
        """Standard deviation of `fraction`."""
        return float(self.covariance[0][0] ** 0.5)

    def count(self, elapsed_ms: int, current_ma: int) -> int:
        """Let that measured current flow; returns the change of the charge in microampere-hours."""
        self._residue += (current_ma * 1000 - int(self.offset_ma * 1000)) * elapsed_ms
        flowed_uah = self._residue // _UNIT
        self._residue -= flowed_uah * _UNIT
        self.charge_uah += flowed_uah
        self._pending_ms += elapsed_ms
        self._pending_uah += flowed_uah
        self._throughput_uah += abs(flowed_uah)
        if self._pending_ms >= _SPREAD_MS:
            self._spread()
        return flowed_uah

    def declare(self, fraction: float, spread: float) -> None:
        """The charge is that fraction of whatever the capacity is; what was counted before means nothing."""
        self._pending_ms = self._pending_uah = self._throughput_uah = 0
        self.charge_uah = int(fraction * self.capacity_mah * 1000)
        covariance = self.covariance
        covariance[0] = [spread * spread, 0.0, 0.0]
        covariance[1][0] = covariance[2][0] = 0.0

    def anchor(self, fraction: float, spread: float) -> None:
        """Weigh in a measurement of the fraction, give or take `spread`.

        Anchors read off the same curve err alike, so many of them are no surer than the best of them.
        """
        self._spread()
        self._correct([1.0, 0.0, 0.0], fraction - self.fraction, spread * spread, 1)
        self.covariance[0][0] = max(self.covariance[0][0], spread * spread)

    def capacity_between(self, fraction: float, flowed_uah: int, spread: float) -> None:
        """Weigh in that `flowed_uah` changed the charge by that fraction of the capacity, give or take
        `spread`.
        """
        self._spread()
        surprise = flowed_uah / 1000 - fraction * self.capacity_mah
        variance = (spread * self.capacity_mah) ** 2
        likely = variance + fraction * fraction * self.covariance[1][1]
        if surprise * surprise < _ODD * _ODD * likely:  # else somebody charged it unseen, or changed the cell
            self._correct([0.0, fraction, 0.0], surprise, variance, 2)

    def no_current(self, measured_ma: float, spread_ma: float) -> None:
        """Weigh in what the sensor shows while nothing flows."""
        self._spread()
        self._correct([0.0, 0.0, 1.0], measured_ma - self.offset_ma, spread_ma**2, 3)

    def doubt(self, spread: float) -> None:
        """Something may have happened to the charge that nobody counted."""
        self.covariance[0][0] += spread * spread

    def hold(self, lowest: float, highest: float) -> None:
        """Keep the charge within these fractions of the capacity."""
        low_uah, high_uah = int(lowest * self.capacity_mah * 1000), int(highest * self.capacity_mah * 1000)
        self.charge_uah = min(high_uah, max(low_uah, self.charge_uah))

    def _correct(self, row, surprise, variance, learn):
        state = [self.fraction, self.capacity_mah, self.offset_ma]
        correct(state, self.covariance, row, surprise, variance, learn)
        self.capacity_mah = min(1.2 * self.design_mah, max(0.5 * self.design_mah, state[1]))
        self.charge_uah = int(state[0] * self.capacity_mah * 1000)
        self.offset_ma = min(_OFFSET_LIMIT_MA, max(-_OFFSET_LIMIT_MA, state[2]))

    def _spread(self):
        """Let the covariance follow what was counted since the last time."""
        rows, capacity_mah = self.covariance, self.capacity_mah
        by_capacity = -self._pending_uah / 1000 / (capacity_mah * capacity_mah)
        by_offset = -self._pending_ms / 3_600_000 / capacity_mah
        throughput_mah = self._throughput_uah / 1000
        self._pending_ms = self._pending_uah = self._throughput_uah = 0
        with_capacity = by_capacity * rows[1][1] + by_offset * rows[1][2]
        with_offset = by_capacity * rows[1][2] + by_offset * rows[2][2]
        rows[0][0] += (
            2 * (by_capacity * rows[0][1] + by_offset * rows[0][2])
            + by_capacity * with_capacity
            + by_offset * with_offset
            + _COUNT_NOISE_MAH * throughput_mah / (capacity_mah * capacity_mah)
        )
        rows[0][0] = max(1e-6, rows[0][0])
        rows[0][1] = rows[1][0] = rows[0][1] + with_capacity
        rows[0][2] = rows[2][0] = rows[0][2] + with_offset
        rows[1][1] += _AGEING_MAH * throughput_mah

"""Coulomb counting in whole numbers, corrected by a Kalman filter with three states: the charge as a fraction
of the capacity, the capacity, and the current sensor's offset.

An anchor is a measurement of the fraction and corrects only that. The capacity is learned only between two
good anchors (`gauge_capacity`), the offset only while no current flows. Charge and capacity are those at 20
C.
"""

from .gauge_kalman import correct

_UNIT = 3_600_000  # microampere-milliseconds in one microampere-hour
_PREDICT_MS = 60_000  # how often the covariance is updated for the count
_CAPACITY_SPREAD = 0.08  # standard deviation of new cells, as a share of the design capacity
_OFFSET_SPREAD_MA = 1.5
_OFFSET_LIMIT_MA = 5.0
_COUNT_NOISE_MAH = 0.1  # variance that each counted mAh adds to the charge, in mAh squared
_AGEING_MAH = 0.02  # the same for the capacity
_OUTLIER_SIGMAS = 4.0  # standard deviations


class Charge:
    """The filter's state: fraction, capacity and sensor offset with their covariance, in that order."""

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
        self._pending_ms = 0  # time and charge that the covariance does not include yet
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
        """Count that measured current; returns the change of the charge in microampere-hours."""
        self._residue += (current_ma * 1000 - int(self.offset_ma * 1000)) * elapsed_ms
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
        covariance = self.covariance
        covariance[0] = [spread * spread, 0.0, 0.0]
        covariance[1][0] = covariance[2][0] = 0.0

    def anchor(self, fraction: float, spread: float) -> None:
        """Correct the fraction by a measurement of it; `spread`: its standard deviation.

        Anchors from the same curve have the same error, so many of them are no more certain than the best
        one.
        """
        self._predict()
        self._correct([1.0, 0.0, 0.0], fraction - self.fraction, spread * spread, 1)
        self.covariance[0][0] = max(self.covariance[0][0], spread * spread)

    def learn_capacity(self, fraction: float, flowed_uah: int, spread: float) -> None:
        """Correct the capacity: `flowed_uah` changed the charge by that fraction of it; `spread`: standard
        deviation of the fraction. An outlier is ignored: charge flowed that was not measured, or the cell was
        exchanged.
        """
        self._predict()
        innovation = flowed_uah / 1000 - fraction * self.capacity_mah
        variance = (spread * self.capacity_mah) ** 2
        expected = variance + fraction * fraction * self.covariance[1][1]
        if innovation * innovation < _OUTLIER_SIGMAS * _OUTLIER_SIGMAS * expected:
            self._correct([0.0, fraction, 0.0], innovation, variance, 2)

    def learn_offset(self, measured_ma: float, spread_ma: float) -> None:
        """Correct the offset by the current that the sensor shows while none flows."""
        self._predict()
        self._correct([0.0, 0.0, 1.0], measured_ma - self.offset_ma, spread_ma**2, 3)

    def add_uncertainty(self, spread: float) -> None:
        """Add uncounted charge of that standard deviation, as a fraction of the capacity."""
        self.covariance[0][0] += spread * spread

    def clamp(self, lowest: float, highest: float) -> None:
        """Limit the charge to these fractions of the capacity."""
        low_uah, high_uah = int(lowest * self.capacity_mah * 1000), int(highest * self.capacity_mah * 1000)
        self.charge_uah = min(high_uah, max(low_uah, self.charge_uah))

    def _correct(self, row, innovation, variance, learn):
        state = [self.fraction, self.capacity_mah, self.offset_ma]
        correct(state, self.covariance, row, innovation, variance, learn)
        self.capacity_mah = min(1.2 * self.design_mah, max(0.5 * self.design_mah, state[1]))
        self.charge_uah = int(state[0] * self.capacity_mah * 1000)
        self.offset_ma = min(_OFFSET_LIMIT_MA, max(-_OFFSET_LIMIT_MA, state[2]))

    def _predict(self):
        """The filter's prediction: update the covariance for what was counted since the last time."""
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

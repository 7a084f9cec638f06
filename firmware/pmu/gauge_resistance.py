"""The cell's internal resistance, learned from steps of the load.

Two parts: the fast one acts at once, the slow one with the time constant `SETTLING_S`. Both are kept as at 20
C and half charge.
"""

from . import gauge_cell as cell
from .gauge_kalman import correct

SETTLING_S = 38.0  # time constant of the slow part
_EVERY_MS = 5000  # two samples so far apart are compared
_STEP_MA = 100  # smaller changes of the load are ignored, ...
_STEP_PARTS = 2  # ... and below this part of the current, whose ripple the sensor takes for a step
_FAST_SHARE = 0.65
_UNKNOWN_MOHM = 46  # standard deviation of a cell's resistance from the table's
_NOISE_MV = 4.0
_DRIFT_MOHM = 0.1  # variance per comparison, in milliohm squared: resistance changes with charge and age
_OUTLIER_SIGMAS = 5.0  # standard deviations: beyond them the load is not what moved the voltage, ...
_OUTLIER_MOHM = 10.0  # ... unless it happens repeatedly: variance added each time, in milliohm squared
_LOW_MOHM, _HIGH_MOHM = 10.0, 400.0


class Resistance:
    """Resistance of the cell in milliohm and the voltage it costs."""

    def __init__(self, total_mohm: float = cell.RESISTANCE_MOHM):
        self.known(total_mohm, _UNKNOWN_MOHM)
        self.settled_ma = 0.0  # current through the slow part
        self._unsure_ma = 0.0  # error of `settled_ma` that is left from the start
        self.factor = 1.0  # for the present temperature and charge
        self._waited_ms = -1
        self._before = (0, 0, 0.0, 0.0)  # mV, mA, settled mA, open-circuit mV

    @property
    def total_mohm(self) -> float:
        """Of both parts, at 20 C."""
        return self.parts[0] + self.parts[1]

    @property
    def spread_mohm(self) -> float:
        """Standard deviation of `total_mohm`."""
        (fast, both), (_, slow) = self._covariance
        return max(0.0, fast + slow + 2 * both) ** 0.5

    def start(self, current_ma: int) -> None:
        """Take the first sample; it is unknown for how long its current has flowed."""
        self.settled_ma = 0.6 * current_ma
        self._unsure_ma = abs(self.settled_ma)

    def known(self, total_mohm: float, spread_mohm: float) -> None:
        """Set what was learned before; `spread_mohm`: standard deviation."""
        fast_mohm = total_mohm * _FAST_SHARE
        self.parts = [fast_mohm, total_mohm - fast_mohm]
        part = spread_mohm * spread_mohm / 2
        self._covariance = [[part, 0.0], [0.0, part]]

    def sag_mv(self, current_ma: float) -> float:
        """Terminal voltage minus open-circuit voltage; positive while charging."""
        return (self.parts[0] * current_ma + self.parts[1] * self.settled_ma) * self.factor / 1000

    def transient_mv(self, current_ma: float) -> float:
        """How much the slow part will still change the sag at that current."""
        return (abs(current_ma - self.settled_ma) + self._unsure_ma) * self.parts[1] * self.factor / 1000

    def step(
        self,
        elapsed_ms: int,
        voltage_mv: int,
        current_ma: int,
        temperature_dk: int,
        percent: float,
        open_circuit_mv: float,
    ) -> None:
        """Take one sample; `percent`: state of charge on the curve, with its voltage."""
        elapsed_s = elapsed_ms / 1000
        self.settled_ma += (current_ma - self.settled_ma) * elapsed_s / (SETTLING_S + elapsed_s)
        self._unsure_ma *= SETTLING_S / (SETTLING_S + elapsed_s)
        self.factor = cell.resistance_factor(temperature_dk) * cell.low_charge_factor(percent)
        self._waited_ms += elapsed_ms
        if 0 <= self._waited_ms < _EVERY_MS:
            return
        now = (voltage_mv, current_ma, self.settled_ma, open_circuit_mv)
        if 0 <= self._waited_ms < 3 * _EVERY_MS:
            self._learn(now, self._before)
        self._before = now
        self._waited_ms = 0

    def _learn(self, now, before):
        step_ma, settled_ma = now[1] - before[1], now[2] - before[2]
        least_ma = max(_STEP_MA, abs(now[1]) / _STEP_PARTS, abs(before[1]) / _STEP_PARTS)
        if abs(step_ma) < least_ma and abs(settled_ma) < _STEP_MA:
            return
        scale = self.factor / 1000
        row = [step_ma * scale, settled_ma * scale]
        change_mv = (now[0] - before[0]) - (now[3] - before[3])
        unmodelled_mv = 0.1 * self.parts[1] * scale * (abs(step_ma) + abs(settled_ma))
        innovation = change_mv - row[0] * self.parts[0] - row[1] * self.parts[1]
        variance = _NOISE_MV**2 + unmodelled_mv**2
        known = self._covariance
        expected = variance + row[0] * row[0] * known[0][0] + row[1] * row[1] * known[1][1]
        expected += 2 * row[0] * row[1] * known[0][1]
        outlier = innovation * innovation > _OUTLIER_SIGMAS * _OUTLIER_SIGMAS * expected
        if not outlier:
            correct(self.parts, known, row, innovation, variance)
        for part in (0, 1):
            self.parts[part] = min(_HIGH_MOHM, max(_LOW_MOHM, self.parts[part]))
            known[part][part] += _OUTLIER_MOHM if outlier else _DRIFT_MOHM

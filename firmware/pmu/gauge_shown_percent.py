"""The percentage that is shown to the wearer, derived from the estimate.

It never rises on discharge nor falls on charge, moves by at most one point in ten seconds when the estimate
is corrected, and stays at 0 once the cell is empty until it is charged. Exception: when a cell warms up by 5
K, its capacity grows and the percentage may rise on discharge.
"""

_FOLLOW_S = 60.0  # time constant of following the estimate
_FOLLOW_NEAR_EMPTY_S = 10.0  # the same below `_NEAR_EMPTY_PERCENT`
_NEAR_EMPTY_PERCENT = 6.0
_FASTEST = 8  # hundredths of a point per second; with rounding at most one whole point in ten seconds
_WARMED_DK = 50  # 5 K warmer than the coldest since the percentage met the estimate
_NEAR_POINTS = 0.5
_STANDSTILL_POINTS = 1.0  # so far ahead of the estimate, the percentage stands still


class ShownPercent:
    """A percentage, 0..100."""

    def __init__(self):
        self.percent = 0.0
        self.empty = False  # the cell was at its cut-off and has not been charged since
        self.descending = False  # the cut-off is near: the percentage goes to 0
        self.unsettled = False  # there was no stored count, and the estimate is uncertain: it may rise
        self._coldest_dk = 0x7FFF

    def declare(self, percent: float) -> None:
        """Set the shown percentage."""
        self.percent = min(100.0, max(0.0, percent))
        self.empty = self.descending = False

    def step(
        self,
        elapsed_s: float,
        estimate: float,
        counted_points: float,
        charging: bool,
        highest: float,
        temperature_dk: int,
    ) -> None:
        """Follow the estimate. `counted_points`: charge that flowed since the last step, positive while
        charging; `charging`: does a charger fill the cell?; `highest`: limit while charging.
        """
        if self.percent >= estimate - _NEAR_POINTS or temperature_dk < self._coldest_dk:
            self._coldest_dk = temperature_dk
        may_rise = self.unsettled or temperature_dk - self._coldest_dk > _WARMED_DK
        if charging:
            self.empty = self.descending = False
            highest = max(highest, self.percent)
            self.percent = min(highest, self._approached(elapsed_s, estimate, max(0.0, counted_points), 1))
        elif self.descending:
            self.percent -= _FASTEST * elapsed_s / 100
        elif not self.empty:
            if may_rise and estimate > self.percent:
                self.percent = self._approached(elapsed_s, estimate, 0.0, 1)
            else:
                self.percent = self._approached(elapsed_s, estimate, max(0.0, -counted_points), -1)
        self.percent = min(100.0, max(0.0, self.percent))

    def descend(self) -> None:
        """The cut-off is near: go to 0 as fast as is allowed, whatever the estimate."""
        self.descending = not self.empty

    def cut_off(self) -> None:
        """The cell is empty: show 0, whatever the estimate."""
        self.percent = 0.0
        self.empty = True
        self.descending = False

    def _approached(self, elapsed_s, estimate, counted, sign):
        ahead = (self.percent - estimate) * sign  # > 0: the percentage has passed the estimate
        if ahead > 0:
            return self.percent + sign * counted * max(0.0, 1 - ahead / _STANDSTILL_POINTS)
        moved = self.percent + sign * counted
        missing = max(0.0, (estimate - moved) * sign)
        follow_s = _FOLLOW_NEAR_EMPTY_S if estimate < _NEAR_EMPTY_PERCENT else _FOLLOW_S
        faster = max(0.0, _FASTEST * elapsed_s / 100 - counted)
        return moved + sign * min(missing * min(1.0, elapsed_s / follow_s), faster)

"""The percentage that is shown: the estimate as a wearer may see it.

It never rises while the cell is being emptied nor falls while it is being filled, follows corrections of the
estimate so slowly that it moves by at most one point in ten seconds, and stays at 0 once the cell is empty.
The one exception is a cell that has warmed up: it gives again what the cold had taken.
"""

_FOLLOW_S = 60.0  # time constant of following the estimate
_HURRY_S = 10.0  # the same near empty
_HURRY_PERCENT = 6.0
_FASTEST = 0.08  # points per second: with the rounding at most one whole point in ten seconds
_THAWED_DK = 50  # so much warmer than when the estimate was last shown
_NEAR_POINTS = 0.5
_BRAKE_POINTS = 1.0  # a shown value this far on the right side of the estimate stands still


class Shown:
    """A percentage, 0..100."""

    def __init__(self):
        self.percent = 0.0
        self.empty = False  # the cell was at its cut-off and has not been charged since
        self.landing = False  # it soon will be
        self.new = False  # the cell is still being made acquaintance with: corrections go both ways
        self._coldest_dk = 0x7FFF

    def declare(self, percent: float) -> None:
        """Show this, now."""
        self.percent = min(100.0, max(0.0, percent))
        self.empty = self.landing = False

    def step(
        self,
        elapsed_s: float,
        estimate: float,
        flowed: float,
        filling: bool,
        highest: float,
        temperature_dk: int,
    ) -> None:
        """Time passes: `estimate` is what is believed, `flowed` the points that were counted in (+) or out
        (-), `filling` whether a charger is putting charge in, `highest` how far that may raise it.
        """
        if self.percent >= estimate - _NEAR_POINTS or temperature_dk < self._coldest_dk:
            self._coldest_dk = temperature_dk
        rises = self.new or temperature_dk - self._coldest_dk > _THAWED_DK
        if filling:
            self.empty = self.landing = False
            highest = max(highest, self.percent)
            self.percent = min(highest, self._nearer(elapsed_s, estimate, max(0.0, flowed), 1))
        elif self.landing:
            self.percent -= _FASTEST * elapsed_s
        elif not self.empty:
            if rises and estimate > self.percent:
                self.percent = self._nearer(elapsed_s, estimate, 0.0, 1)
            else:
                self.percent = self._nearer(elapsed_s, estimate, max(0.0, -flowed), -1)
        self.percent = min(100.0, max(0.0, self.percent))

    def land(self) -> None:
        """The cut-off is near, whatever was believed: go to 0 as fast as is allowed."""
        self.landing = not self.empty

    def cut_off(self) -> None:
        """The cell is empty, whatever was believed."""
        self.percent = 0.0
        self.empty = True
        self.landing = False

    def _nearer(self, elapsed_s, estimate, counted, sign):
        ahead = (self.percent - estimate) * sign  # > 0: shown is already where the estimate is going
        if ahead > 0:
            return self.percent + sign * counted * max(0.0, 1 - ahead / _BRAKE_POINTS)
        moved = self.percent + sign * counted
        missing = max(0.0, (estimate - moved) * sign)
        follow_s = _HURRY_S if estimate < _HURRY_PERCENT else _FOLLOW_S
        faster = max(0.0, _FASTEST * elapsed_s - counted)
        return moved + sign * min(missing * min(1.0, elapsed_s / follow_s), faster)

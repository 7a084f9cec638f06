"""The cell's full capacity, learned from the charge that is counted between two good anchors: a finished
charge, a rested cell, the steep end of the curve.
"""

_LEAST = 0.3  # of the capacity must lie between the two
_MORE = 0.15  # by so much more than the last time before the same first anchor is used again


class CapacityLearner:
    """Corrects the capacity of a `gauge_coulombs.Charge`."""

    def __init__(self, charge):
        self._charge = charge
        self._first = None  # (fraction, spread) of the anchor counted from
        self._flowed_uah = 0
        self._learned_over = 0.0

    def count(self, flowed_uah: int) -> None:
        """Add charge that flowed, positive while charging."""
        self._flowed_uah += flowed_uah

    def anchor(self, fraction: float, spread: float) -> None:
        """The cell holds that fraction of its capacity; `spread`: standard deviation."""
        if self._first is not None:
            between = fraction - self._first[0]
            if abs(between) >= max(_LEAST, self._learned_over + _MORE):
                self._learned_over = abs(between)
                both = (spread * spread + self._first[1] * self._first[1]) ** 0.5
                self._charge.learn_capacity(between, self._flowed_uah, both)
        if self._first is None or spread <= self._first[1]:
            self._first = (fraction, spread)
            self._flowed_uah = 0
            self._learned_over = 0.0

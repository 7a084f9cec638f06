"""Energy taken out of the battery, counted in whole numbers."""

_UNIT = 36_000_000  # millivolt-milliampere-milliseconds in 0.01 mWh


class Energy:
    """Two counters in 0.01 mWh: since the start, and since a mark."""

    def __init__(self):
        self.total = 0
        self._marked_at = 0
        self._residue = 0

    @property
    def marked(self) -> int:
        """0.01 mWh since the mark."""
        return self.total - self._marked_at

    def count(self, elapsed_ms: int, voltage_mv: int, current_ma: int) -> None:
        """Count that current at that voltage; energy that flows in is not subtracted."""
        if current_ma < 0:
            self._residue -= voltage_mv * current_ma * elapsed_ms
            self.total += self._residue // _UNIT
            self._residue %= _UNIT

    def mark(self) -> None:
        """Set the second counter to 0."""
        self._marked_at = self.total

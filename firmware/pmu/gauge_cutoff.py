"""The under-voltage cut-off: when the host must save and stop, and when its power must go at once.

Whether the cell is empty is decided by its open-circuit voltage: under load a cold, aged cell sags by half a
volt with much of its charge left, and a new, warm one shows 3.3 V when it is nearly drained. The host is
asked to save when the estimated open-circuit voltage has fallen to `empty_mv`, which leaves a reserve for a
last peak of load. The voltage under load decides only where the next burst would go below `HARD_MV`: lower
voltages damage the cell, and the rail's converter is assumed to work down to it.

The host stops by the gauge's percentage long before; the cut-off is for a host that hangs or a gauge that
errs.
"""

from .gauge_cell import CUT_OFF_MV, PEAK_MA

HARD_MV = CUT_OFF_MV  # the cell is damaged below
HARD_MS = 750
HARD_SAMPLES = 3
LOW_MV = 3_100  # under load: one burst above the hard threshold
LOW_MS = 5_000  # for so long and on every sample, so that a burst of load does not count
LOW_SAMPLES = 10
EMPTY_MS = 15_000  # open-circuit; longer than the error of the estimate after a step of the load
EMPTY_SAMPLES = 30
GRACE_MS = 30_000  # for the host to save
CHARGED_MS = 10_000  # current into the cell for so long takes everything back

_RESERVE_MV = 50  # what saving takes on the steep end of the curve
# About 2.2 percent of the charge, 160 mWh: five months with the PMU's own supply cut (0.044 mW, modelled), 22
# hours with a PMU that has no switch for it and dozes (7.4 mW); `headband power pmu`.
_LEAST_EMPTY_MV = 3_250
_MOST_EMPTY_MV = 3_500  # about 4 percent: the most that is kept in reserve for a weak cell

NOTHING, ASK, DROP = range(3)


def empty_mv(
    resistance_mohm: float,
    least_mv: float = _LEAST_EMPTY_MV,
    most_mv: float = _MOST_EMPTY_MV,
    cut_off_mv: int = CUT_OFF_MV,
) -> int:
    """Open-circuit millivolt at which a cell of that resistance counts as empty: under a last peak of load
    its voltage stays above its cut-off. `least_mv`, `most_mv`: of this cell at 2 and at 4 percent.
    """
    return int(min(most_mv, max(least_mv, cut_off_mv + _RESERVE_MV + PEAK_MA * resistance_mohm / 1000)))


class _Low:
    """Detects that a voltage is at or below a threshold on every sample for some time."""

    def __init__(self, threshold_mv, for_ms, samples):
        self._threshold_mv = threshold_mv
        self._for_ms = for_ms
        self._samples = samples
        self._count = 0
        self._since_ms = 0

    def reset(self):
        self._count = 0

    def step(self, now_ms, voltage_mv):
        if voltage_mv > self._threshold_mv:
            self._count = 0
            return False
        if self._count == 0:
            self._since_ms = now_ms
        self._count += 1
        return self._count >= self._samples and now_ms - self._since_ms >= self._for_ms


class CutOff:
    """Watches the voltage while the host is on."""

    def __init__(self):
        self.asked = False  # the host was asked to save
        self._drop_at_ms = 0
        self._charging_from_ms = -1
        self._empty = _Low(0, EMPTY_MS, EMPTY_SAMPLES)
        self._low = _Low(LOW_MV, LOW_MS, LOW_SAMPLES)
        self._hard = _Low(HARD_MV, HARD_MS, HARD_SAMPLES)

    def reset(self) -> None:
        """Start again: the rail is off, or the cell was charged."""
        self.asked = False
        self._charging_from_ms = -1
        for each in (self._empty, self._low, self._hard):
            each.reset()

    def step(self, now_ms: int, voltage_mv: int, headroom_mv: int, charging: bool) -> int:
        """Take one sample: terminal voltage, and estimated open-circuit voltage minus `empty_mv`. Returns ASK
        once when the host must save, DROP when its power must go now, else NOTHING.

        `charging`: current flows into the cell. That pauses the evidence, and cancels it and ASK after
        `CHARGED_MS`, but not the hard threshold. Outside power that is weaker than the load changes nothing.
        """
        if self._hard.step(now_ms, voltage_mv):
            return DROP
        if charging:
            if self._charging_from_ms < 0:
                self._charging_from_ms = now_ms
            if now_ms - self._charging_from_ms >= CHARGED_MS:
                self.asked = False
                self._empty.reset()
                self._low.reset()
            return NOTHING
        self._charging_from_ms = -1
        if self.asked:
            return DROP if now_ms >= self._drop_at_ms else NOTHING
        empty, low = self._empty.step(now_ms, headroom_mv), self._low.step(now_ms, voltage_mv)
        if empty or low:
            self.asked = True
            self._drop_at_ms = now_ms + GRACE_MS
            return ASK
        return NOTHING

"""The cell's last line: when it is so empty that the host must save and stop, and when there is no time left
for that.

Empty is a matter of the open-circuit voltage: under load a cold, aged cell sags by half a volt with a good
part of its charge still there, and a new, warm one shows 3.3 V when it is all but drained. So the host is
asked to save when the voltage the cell would have without load has fallen to `empty_mv`, which keeps enough
in reserve for a last peak of load. A loaded voltage stops it only where the next burst would go below what
harms the cell, or below what the rail's converter needs, which is taken to work down to `HARD_MV`.

The gauge's percentage makes the host stop long before; this holds when the host hangs or the gauge errs.
"""

from .gauge_cell import CUT_OFF_MV, PEAK_MA

HARD_MV = CUT_OFF_MV  # the cell is damaged below
HARD_MS = 750
HARD_SAMPLES = 3
LOW_MV = 3_100  # under load: the hard threshold is one burst away
LOW_MS = 5_000  # for so long, and on every sample: a burst of load is no empty cell
LOW_SAMPLES = 10
EMPTY_MS = 15_000  # without load; an error of the sag just after a step of the load is over by then
EMPTY_SAMPLES = 30
GRACE_MS = 30_000  # what the host gets for saving

_RESERVE_MV = 50  # what saving takes from a cell on the steep end of its curve
_LEAST_EMPTY_MV = 3_250  # about 2 percent: what the PMU itself lives on for ten hours without a charger
_MOST_EMPTY_MV = 3_500  # about 4 percent: below it there is nothing worth asking a weak cell for

NOTHING, ASK, DROP = range(3)


def empty_mv(resistance_mohm: float) -> int:
    """Open-circuit millivolt at which a cell that now has that resistance counts as empty: after a last peak
    of load it is still above `HARD_MV`.
    """
    needed_mv = HARD_MV + _RESERVE_MV + int(PEAK_MA * resistance_mohm / 1000)
    return min(_MOST_EMPTY_MV, max(_LEAST_EMPTY_MV, needed_mv))


class _Low:
    """A voltage was below a threshold on every sample for some time."""

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
        self.asked = False  # the host was told to save
        self._drop_at_ms = 0
        self._empty = _Low(0, EMPTY_MS, EMPTY_SAMPLES)
        self._low = _Low(LOW_MV, LOW_MS, LOW_SAMPLES)
        self._hard = _Low(HARD_MV, HARD_MS, HARD_SAMPLES)

    def reset(self) -> None:
        """Forget everything: the rail is off, or outside power came."""
        self.asked = False
        for each in (self._empty, self._low, self._hard):
            each.reset()

    def step(self, now_ms: int, voltage_mv: int, headroom_mv: int, powered: bool) -> int:
        """Take one sample: the terminal's millivolt, and by how many the voltage without load is believed to
        lie above `empty_mv`. ASK once when the host must save, DROP when the rail must go now.

        Outside power takes back the asking: the cell is being filled. It does not take back the hard
        threshold, because a weak supply can leave a cell that is still being emptied.
        """
        if self._hard.step(now_ms, voltage_mv):
            return DROP
        if powered:
            self.asked = False
            self._empty.reset()
            self._low.reset()
            return NOTHING
        if self.asked:
            return DROP if now_ms >= self._drop_at_ms else NOTHING
        empty, low = self._empty.step(now_ms, headroom_mv), self._low.step(now_ms, voltage_mv)
        if empty or low:
            self.asked = True
            self._drop_at_ms = now_ms + GRACE_MS
            return ASK
        return NOTHING

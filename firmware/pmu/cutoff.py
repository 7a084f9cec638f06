"""The cell's last line: when its voltage under load says that the host must save and stop, and when there is
no time left for that.

The gauge's percentage makes the host stop long before; this holds when the host hangs or the gauge errs.
"""

SOFT_MV = 3_300  # under load; below it the voltage falls off a cliff
SOFT_MS = 5_000  # for so long, and on every sample: a burst of load is no empty cell
SOFT_SAMPLES = 10
HARD_MV = 3_000  # the cell is damaged below
HARD_MS = 750
HARD_SAMPLES = 3
GRACE_MS = 30_000  # what the host gets for saving

NOTHING, ASK, DROP = range(3)


class _Low:
    """The voltage was below a threshold on every sample for some time."""

    def __init__(self, threshold_mv, for_ms, samples):
        self._threshold_mv = threshold_mv
        self._for_ms = for_ms
        self._samples = samples
        self._count = 0
        self._since_ms = 0

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
        self.reset()

    def reset(self) -> None:
        """Forget everything: the rail is off, or outside power came."""
        self.asked = False  # the host was told to save
        self._drop_at_ms = 0
        self._soft = _Low(SOFT_MV, SOFT_MS, SOFT_SAMPLES)
        self._hard = _Low(HARD_MV, HARD_MS, HARD_SAMPLES)

    def step(self, now_ms: int, voltage_mv: int, powered: bool) -> int:
        """Take one sample; ASK once when the host must save, DROP when the rail must go now.

        Outside power takes back the asking: the cell is being filled. It does not take back the hard
        threshold, because a weak supply can leave a cell that is still being emptied.
        """
        if self._hard.step(now_ms, voltage_mv):
            return DROP
        if powered:
            self.asked = False
            self._soft = _Low(SOFT_MV, SOFT_MS, SOFT_SAMPLES)
            return NOTHING
        if self.asked:
            return DROP if now_ms >= self._drop_at_ms else NOTHING
        if self._soft.step(now_ms, voltage_mv):
            self.asked = True
            self._drop_at_ms = now_ms + GRACE_MS
            return ASK
        return NOTHING

"""The host's power rail: on, off and why, and how often it may come back by itself.

Whatever turns the rail on again without the wearer's hand (the guard's power cycle, a restart the host asked
for, a cell that has recovered) draws on one budget, so that no fault of host, cell or charger can switch the
host for ever. What was drawn outlives a reset of the PMU (`store`), which the same fault may cause.
"""

HOUR_MS = 3_600_000
STARTS_PER_HOUR = 3
CYCLE_MS = 3_000  # off for so long that the host's capacitors are empty
RECOVERED_MV = 3_650  # a cell without load that shows this holds about 7 percent
CHARGING_START_MV = 3_400  # the same while outside power is there
STEADY_MS = 10_000  # for so long the cell must stay above

# Why the rail is off
NOT_OFF, CYCLE, WISH, EMPTY = range(4)


class Budget:
    """At most `limit` uses in any stretch of `window_ms`."""

    def __init__(self, limit: int, window_ms: int = HOUR_MS):
        self._limit = limit
        self._window_ms = window_ms
        self._used: list = []
        self.on_use = _nothing  # called after each use, before what it was taken for happens

    def take(self, now_ms: int) -> bool:
        """Use it once, if that is allowed now."""
        self._forget(now_ms)
        if len(self._used) >= self._limit:
            return False
        self._used.append(now_ms)
        self.on_use()
        return True

    def packed(self, now_ms: int) -> int:
        """What counts at that moment, for `restore` after a reset: 8 bits, the number of uses and the age of
        the last in 64ths of the window.
        """
        self._forget(now_ms)
        if not self._used:
            return 0
        age = min(63, max(0, now_ms - self._used[-1]) * 64 // self._window_ms)
        return min(3, len(self._used)) | age << 2

    def restore(self, packed: int, now_ms: int) -> None:
        """Go on from there; every use counts as long as the last, none is forgotten early."""
        at_ms = now_ms - (packed >> 2) * self._window_ms // 64
        self._used = [at_ms] * (packed & 3)

    def _forget(self, now_ms):
        self._used = [at_ms for at_ms in self._used if now_ms - at_ms <= self._window_ms]


class Rail:
    """The rail. It is on at the start, unless `restore` knows better: a PMU that restarts must not take the
    power from a host at work.
    """

    def __init__(self):
        self.reason = NOT_OFF
        self.starts = Budget(STARTS_PER_HOUR)
        self._on_at_ms = 0  # end of a cycle
        self._steady_from_ms = -1

    def restore(self, reason: int) -> None:
        """Stay off after a restart of the PMU, when it was off before for that reason."""
        if reason in (WISH, EMPTY):
            self.reason = reason

    @property
    def on(self) -> bool:
        """Has the host power?"""
        return self.reason == NOT_OFF

    def cycle(self, now_ms: int) -> bool:
        """Take the power away for `CYCLE_MS`; False, and nothing happens, when the hour's starts are used
        up or the rail is off already.
        """
        if not self.on or not self.starts.take(now_ms):
            return False
        self.reason = CYCLE
        self._on_at_ms = now_ms + CYCLE_MS
        return True

    def drop(self, reason: int) -> None:
        """Off until the wearer presses (WISH), or until the cell has recovered as well (EMPTY)."""
        self.reason = reason
        self._steady_from_ms = -1

    def press(self, voltage_mv: int, powered: bool) -> bool:
        """The wearer wants it on; refused while the cell could not carry the host's start."""
        if not self.on and _recovered(voltage_mv, powered):
            self.reason = NOT_OFF
        return self.on

    def step(self, now_ms: int, voltage_mv: int, powered: bool) -> None:
        """Turn it on again when that is due. `now_ms` never goes back."""
        if self.reason == CYCLE:
            if now_ms >= self._on_at_ms:
                self.reason = NOT_OFF
            return
        if self.reason != EMPTY or not _recovered(voltage_mv, powered):
            self._steady_from_ms = -1
            return
        if self._steady_from_ms < 0:
            self._steady_from_ms = now_ms
        if now_ms - self._steady_from_ms >= STEADY_MS and self.starts.take(now_ms):
            self.reason = NOT_OFF


def _nothing():
    pass


def _recovered(voltage_mv, powered):
    return voltage_mv >= (CHARGING_START_MV if powered else RECOVERED_MV)

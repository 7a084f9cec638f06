"""The host's power rail: on, or off for a reason, and how often it may be turned on without the wearer.

The guard's power cycle, a restart that the host asks for and a cell that has recovered share one budget of
starts, so that no fault of host, cell or charger can switch the rail endlessly. The used part is saved over a
reset of the PMU (`gauge_saved_state`), which the same fault may cause.
"""

HOUR_MS = 3_600_000
STARTS_PER_HOUR = 3
CYCLE_MS = 3_000  # off time in which the host's capacitors discharge
RECOVERED_PERCENT = 7.5  # charge that the cell's voltage stands for at rest, on its own curve
CHARGING_START_PERCENT = 3.275  # the same while outside power is connected
STEADY_MS = 10_000  # the voltage has to stay above for so long

# Why the rail is off: power cycle, shutdown by wearer or host, empty cell
NOT_OFF, CYCLE, SHUTDOWN, EMPTY = range(4)


class Budget:
    """At most `limit` uses in any stretch of `window_ms`."""

    def __init__(self, limit: int, window_ms: int = HOUR_MS):
        self._limit = limit
        self._window_ms = window_ms
        self._used: list = []
        self.on_use = _nothing  # called at each use, before the caller acts

    def take(self, now_ms: int) -> bool:
        """Use it once; False when the limit is reached."""
        self._forget(now_ms)
        if len(self._used) >= self._limit:
            return False
        self._used.append(now_ms)
        self.on_use()
        return True

    def packed(self, now_ms: int) -> int:
        """The state at that moment in 8 bits, for `restore` after a reset: the number of uses, and the age of
        the last in 64ths of the window.
        """
        self._forget(now_ms)
        if not self._used:
            return 0
        age = min(63, max(0, now_ms - self._used[-1]) * 64 // self._window_ms)
        return min(3, len(self._used)) | age << 2

    def restore(self, packed: int, now_ms: int) -> None:
        """Restore the uses; each counts from the time of the last one, so none expires early."""
        at_ms = now_ms - (packed >> 2) * self._window_ms // 64
        self._used = [at_ms] * (packed & 3)

    def _forget(self, now_ms):
        self._used = [at_ms for at_ms in self._used if now_ms - at_ms <= self._window_ms]


class Rail:
    """The rail. It is on at the start until `restore`: a PMU that restarts must not cut a working host's
    power.
    """

    def __init__(self):
        self.reason = NOT_OFF
        self.starts = Budget(STARTS_PER_HOUR)
        self._on_at_ms = 0  # end of a cycle
        self._steady_from_ms = -1

    def restore(self, reason: int) -> None:
        """Turn off after a restart of the PMU if the rail was off for SHUTDOWN or EMPTY."""
        if reason in (SHUTDOWN, EMPTY):
            self.reason = reason

    @property
    def on(self) -> bool:
        """Does the host have power?"""
        return self.reason == NOT_OFF

    def cycle(self, now_ms: int) -> bool:
        """Turn off for `CYCLE_MS`; False, without effect, when the budget is used up or the rail is off."""
        if not self.on or not self.starts.take(now_ms):
            return False
        self.reason = CYCLE
        self._on_at_ms = now_ms + CYCLE_MS
        return True

    def drop(self, reason: int) -> None:
        """Turn off: until the wearer presses (SHUTDOWN), or also until the cell has recovered (EMPTY)."""
        self.reason = reason
        self._steady_from_ms = -1

    def press(self, percent: float, powered: bool) -> bool:
        """The wearer turns it on; refused in a power cycle and while the cell is too empty to start the host.
        Returns `on`. `percent`: as of `step`.
        """
        if self.reason != CYCLE and _recovered(percent, powered):
            self.reason = NOT_OFF
        return self.on

    def step(self, now_ms: int, percent: float, powered: bool) -> None:
        """Turn it on again when that is due. `percent`: charge at which the cell at rest has its terminal
        voltage. `now_ms` never goes back.
        """
        if self.reason == CYCLE:
            if now_ms >= self._on_at_ms:
                self.reason = NOT_OFF
            return
        if self.reason != EMPTY or not _recovered(percent, powered):
            self._steady_from_ms = -1
            return
        if self._steady_from_ms < 0:
            self._steady_from_ms = now_ms
        if now_ms - self._steady_from_ms >= STEADY_MS and self.starts.take(now_ms):
            self.reason = NOT_OFF


def _nothing():
    pass


def _recovered(percent, powered):
    return percent >= (CHARGING_START_PERCENT if powered else RECOVERED_PERCENT)

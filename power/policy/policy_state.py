"""What the power policy remembers: the last good reading, the evidence for an empty cell, and how often the
mode has changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hw.supply import BatteryReading
from power.policy.plan import Mode

MOST_CHANGES = 6
"""Changes of the mode in any hour. A change to more power is the fourth at most, one to less the fifth, so
that a cut-off is never too many."""
_HOUR_S = 3600.0


@dataclass(frozen=True)
class PolicyState:
    """The policy's state between two decisions."""

    mode: Mode | None = None
    """The mode by the battery, without the wearer's request; None before the first decision."""
    changed_s: float = 0.0
    """When that mode began."""
    percent: float | None = None
    """The charge that alpha is computed from: falls with the reading, rises only in steps of
    `reentry_percent`.
    """
    empty_readings: int = 0
    """Good readings at or below the cut-off threshold without current into the cell, since the last one above
    it; neither bad readings nor a short charge clear them.
    """
    charging_since_s: float | None = None
    """When current began to flow into the cell; None: it does not."""
    reading: BatteryReading | None = None
    """The last good reading."""
    read_s: float = 0.0
    """When it was read."""
    granted: Mode | None = None
    """The mode of the last plan."""
    request: Mode | None = None
    """The request at that plan."""
    changes_s: tuple[float, ...] = ()
    """When that mode changed in the last hour without a new request."""
    hot: bool = False
    """Too hot at the last decision."""

    def hold(
        self, reading: BatteryReading, now_s: float, hold_s: float, *, again: bool = False
    ) -> tuple[BatteryReading, PolicyState]:
        """The reading to decide by, and the state with it: a bad one is replaced by the last good one for
        `hold_s`. `again`: it was decided by before, so it is as old as then.
        """
        if again or reading.state != "good":
            fresh = self.reading is not None and now_s - self.read_s < hold_s
            return (self.reading or reading) if fresh else reading, self
        since_s = None
        if reading.charging:
            since_s = now_s if self.charging_since_s is None else self.charging_since_s
        return reading, replace(self, reading=reading, read_s=now_s, charging_since_s=since_s)

    def grant(
        self, mode: Mode, reason: str, request: Mode | None, now_s: float
    ) -> tuple[Mode, str, PolicyState]:
        """The mode and its reason, or the mode of the last plan when that has changed often; and the state
        with it.
        """
        changes_s = tuple(each for each in self.changes_s if now_s - each < _HOUR_S)
        before = self.granted
        if before is not None and mode is not before and request is self.request:
            most = MOST_CHANGES - 2 if mode.rank < before.rank else MOST_CHANGES - 3
            if mode is Mode.CUTOFF or len(changes_s) <= most:
                changes_s = (*changes_s, now_s)
            else:
                mode, reason = before, f"{reason}, but the mode has changed often"
        if (mode, request, changes_s) == (before, self.request, self.changes_s):
            return mode, reason, self
        return mode, reason, replace(self, granted=mode, request=request, changes_s=changes_s)

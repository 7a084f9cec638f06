"""The host's bus as the PMU sees it: open only while the host has power, and set up anew when it hangs.

A target that was interrupted within a transfer may hold a line low for ever, or no longer notice the end of a
write. Both look like a host that hangs. The host therefore toggles a line beside the bus with every
heartbeat: while that toggles it lives, and the bus is at fault.
"""

POWER_UP_MS = 100  # from the rail to the pull-ups: the host's own supply comes first
HELD_MS = 500  # a line low at every look for so long is held; a transfer is over sooner
AGAIN_MS = 5_000  # until the next try while it stays so
UNANSWERED = 2  # toggles of the line without a write
EXCUSED_MS = 300_000  # a held bus is no silence of the host for so long, where the line never toggled


class HostBus:
    """`board` may have `bus(open)`, which opens or closes the target, `bus_held()` and `heartbeat_line()`."""

    def __init__(self, board, log):
        self._open = getattr(board, "bus", None)
        self._held = getattr(board, "bus_held", None)
        self._line = getattr(board, "heartbeat_line", None)
        self._log = log
        self._level: object = None
        self._wired = False  # has the line ever toggled?
        self._toggles = 0  # since the last write
        self._is_open = False
        self._powered_ms = -POWER_UP_MS  # when the rail came on
        self._held_ms = -1  # when a line of the bus was first found held; -1 = none is
        self._next_ms = 0  # of the next try while it is

    def wrote(self) -> None:
        """The host wrote a register."""
        self._toggles = 0

    def excuses(self, now_ms: int) -> bool:
        """Is the host's silence no evidence, because the bus is held and there is no line?"""
        return not self._wired and self._held_ms >= 0 and HELD_MS <= now_ms - self._held_ms < EXCUSED_MS

    def step(self, now_ms: int, rail_on: bool) -> bool:
        """Look once; True when the host toggled the line. `now_ms` never goes back."""
        toggled = self._toggled()
        if not rail_on:
            self._powered_ms = now_ms
            self._switch(False)
            return False
        if not self._is_open:
            self._switch(now_ms - self._powered_ms >= POWER_UP_MS)
        elif self._hangs(now_ms):
            self._log.add("the host's bus hangs: set up anew")
            self._switch(False)
            self._switch(True)
        return toggled

    def _toggled(self):
        before, self._level = self._level, self._line() if self._line is not None else None
        if before is None or before == self._level:
            return False
        self._wired = True
        self._toggles += 1
        return True

    def _hangs(self, now_ms):
        if self._held is not None and self._held():
            if self._held_ms < 0:
                self._held_ms, self._next_ms = now_ms, now_ms + HELD_MS
            if now_ms < self._next_ms:
                return False
        else:
            self._held_ms = -1
            if self._toggles < UNANSWERED:
                return False
        self._next_ms = now_ms + AGAIN_MS
        self._toggles = 0
        return True

    def _switch(self, to):
        if to != self._is_open:
            self._is_open = to
            if self._open is not None:
                self._open(to)

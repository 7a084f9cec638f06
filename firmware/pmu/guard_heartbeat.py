"""The watchdog of the host: without a heartbeat it warns, then resets the host, then power-cycles it, and
gives up after a limited number of tries.

The host arms it by writing HEARTBEAT_DEADLINE, and then writes another value to HEARTBEAT within each
deadline. The states are the GUARD_* values of the register map; warning, restarts and giving up are events.
"""

from . import registers as r
from .guard_rail import Budget

WARN_MS = 5_000  # from the warning to the reset, for a host that is only busy
RESET_MS = 200  # how long the reset line is active
BOOT_MS = 90_000  # from a restart to the first heartbeat; doubled by every further power cycle
RESETS_PER_HOUR = 3
MAINTENANCE_MS = 900_000  # after so long the guard works again, whoever forgot it

HUNG = (r.GUARD_WARNED, r.GUARD_RESET, r.GUARD_CYCLED)


class Heartbeat:
    """The states of one host. `events` takes `add(kind, detail)`; `rail` is a `guard_rail.Rail`."""

    def __init__(self, events, rail):
        self.state = r.GUARD_OFF
        self._events = events
        self._rail = rail
        self.resets = Budget(RESETS_PER_HOUR)
        self._reset_until_ms = -1
        self._beat = -1
        self._deadline_s = 0
        self._due_ms = -1  # when the state ends without a heartbeat; -1 = never
        self._wait_ms = BOOT_MS  # for the first heartbeat after the next power cycle

    def step(self, now_ms: int, beat: int, deadline_s: int, alive: bool = False) -> bool:
        """Evaluate once; True when the host is to be woken. `beat` changes with every heartbeat; `alive`: the
        host wrote something else that shows that it works. `now_ms` never goes back.
        """
        alive = alive or beat != self._beat or deadline_s != self._deadline_s
        self._beat, self._deadline_s = beat, deadline_s
        if self.state == r.GUARD_MAINTENANCE:
            if now_ms < self._due_ms:
                return False
            self._enter(r.GUARD_ASLEEP if deadline_s else r.GUARD_OFF, -1)  # it may sleep, or hang
            return True
        if alive:
            self._alive(now_ms)
        elif 0 <= self._due_ms <= now_ms:
            self._silent(now_ms)
        return False

    def resetting(self, now_ms: int) -> bool:
        """Is the reset line to be active now?"""
        return now_ms < self._reset_until_ms

    def sleep(self) -> None:
        """The host suspends: no heartbeat is due until the next one, or `wake`."""
        if self.state != r.GUARD_MAINTENANCE:
            self._enter(r.GUARD_ASLEEP, -1)

    def wake(self, now_ms: int) -> None:
        """The sleeping host is woken: a heartbeat is due within `BOOT_MS`."""
        if self.state == r.GUARD_ASLEEP and self._due_ms < 0 and self._deadline_s:
            self._due_ms = now_ms + BOOT_MS

    def maintain(self, now_ms: int) -> None:
        """Do nothing until `normal`, or for `MAINTENANCE_MS`."""
        self._enter(r.GUARD_MAINTENANCE, now_ms + MAINTENANCE_MS)
        self._reset_until_ms = -1

    def normal(self, now_ms: int) -> None:
        """End sleep, maintenance and giving up; the next heartbeat is due in a whole deadline."""
        self._alive(now_ms)

    def restarted(self, now_ms: int) -> None:
        """The rail was power-cycled at the host's request: the first heartbeat is due within `BOOT_MS`."""
        if self._deadline_s and self.state != r.GUARD_MAINTENANCE:
            self._enter(r.GUARD_CYCLED, now_ms + BOOT_MS)

    def restore(self, deadline_s: int, asleep: bool) -> None:
        """Go on after a reset of the PMU: the host sleeps as before, or has `BOOT_MS` for a heartbeat."""
        self._beat, self._deadline_s = 0, deadline_s
        if asleep:
            self._enter(r.GUARD_ASLEEP, -1)
        elif deadline_s:
            self._enter(r.GUARD_ARMED, BOOT_MS)

    def disarm(self) -> None:
        """The host is off."""
        self._enter(r.GUARD_OFF, -1)
        self._deadline_s = 0
        self._reset_until_ms = -1

    def _alive(self, now_ms):
        self._wait_ms = BOOT_MS
        if self._deadline_s:
            self._enter(r.GUARD_ARMED, now_ms + self._deadline_s * 1000)
        else:
            self._enter(r.GUARD_OFF, -1)

    def _silent(self, now_ms):
        if self.state in (r.GUARD_ARMED, r.GUARD_ASLEEP):
            self._enter(r.GUARD_WARNED, now_ms + WARN_MS)
        elif self.state == r.GUARD_WARNED and self.resets.take(now_ms):
            self._reset_until_ms = now_ms + RESET_MS
            self._enter(r.GUARD_RESET, now_ms + BOOT_MS)
        elif self._rail.cycle(now_ms):
            self._enter(r.GUARD_CYCLED, now_ms + self._wait_ms)
            self._wait_ms *= 2
        else:
            self._enter(r.GUARD_GAVE_UP, -1)

    def _enter(self, state, due_ms):
        # Arming, sleep and off are caused by the host, which needs no event for them.
        if state != self.state or state == r.GUARD_CYCLED:
            self.state = state
            if state in HUNG or state == r.GUARD_GAVE_UP:
                self._events.add(r.EVENT_KIND_GUARD, state)
        self._due_ms = due_ms

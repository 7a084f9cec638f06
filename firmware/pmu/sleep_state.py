"""How deep the PMU sleeps, decided from what goes on around it. Free of hardware.

AWAKE  the clock runs: the host has its bus, or a button, console, charger or sound needs the PMU now.
DOZE   nobody needs it: every clock but the timer's rests, for `SLICE_MS` at most. An edge of the button, of
       the host's bus or heartbeat, of outside power or, while the PMU listens, of the sound detector ends it
       at once.
SHIP   the headband is off: the PMU cuts its own supply, which only the button or a charger brings back.

The bus does not answer during a doze. Its first edge ends that, and the host repeats a transfer that was not
acknowledged after 2, 12 and 62 ms (`hw.pmu.register_bus`).
"""

from . import guard_rail as rails

AWAKE, DOZE, SHIP = range(3)
START_MS = 60_000  # no sleep before: a new firmware is on trial, and whoever flashes it talks to it
SETTLE_MS = 3_000  # awake for so long after anything stirred; a plug counts after two seconds
SHIP_MS = 20_000  # off for so long without a stir: the host's supplies have gone
# A doze at most: while it dozes the sensor averages over 1.13 s, so no charge flows unseen, and the watchdog
# waits 8 s.
SLICE_MS = 1_150
LEAST_MS = 40  # a shorter doze is not worth its way in and out


class Sleep:
    """One PMU's sleep. `can_ship`: there is a switch for its own supply, as far as is known."""

    def __init__(self):
        self.state = AWAKE
        self.can_ship = True
        self._stirred_ms = START_MS - SETTLE_MS

    def step(self, now_ms: int, stirs: bool, rail_reason: int, host_asleep: bool) -> int:
        """The state from now on. `stirs`: something needs the PMU awake; `rail_reason`: as of
        `guard_rail.Rail`. `now_ms` never goes back.
        """
        host_off = rail_reason in (rails.SHUTDOWN, rails.EMPTY)
        if stirs or not (host_off or (host_asleep and rail_reason == rails.NOT_OFF)):
            self._stirred_ms = max(self._stirred_ms, now_ms)
        still_ms = now_ms - self._stirred_ms
        if still_ms < SETTLE_MS:
            self.state = AWAKE
        elif host_off and still_ms >= SHIP_MS and self.can_ship:
            self.state = SHIP
        else:
            self.state = DOZE
        return self.state

"""Alarms that are new: an alarm that flickers at its threshold is reported once."""

REST = 40  # updates (10 s) without an alarm after which it is new again


class Alarms:
    """Bits of BATTERY_STATUS, watched from one update to the next."""

    def __init__(self):
        self._told = 0
        self._away = bytearray(16)  # updates since each bit was set

    def step(self, alarms: int) -> int:
        """The bits that are set and were clear for the last `REST` updates."""
        new = alarms & ~self._told
        for bit in range(16):
            if alarms >> bit & 1:
                self._away[bit] = 0
            elif self._told >> bit & 1:
                self._away[bit] += 1
                if self._away[bit] >= REST:
                    self._told &= ~(1 << bit)
        self._told |= alarms
        return new

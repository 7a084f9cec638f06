"""The PMU's work: sample the battery, publish the registers, pull the alert line. Free of hardware.

The hardware is a `board` object with four methods: `ticks_ms()`, `sense()` -> (mV, mA, 0.1 K, outside
power?), `alert(active)` and `idle(ms)`. `pmu.board.Board` is the one on the microcontroller.
"""

from . import registers as r
from .events import Events
from .gauge import Gauge
from .target import Target

PERIOD_MS = 250


class Pmu:
    """One PMU: gauge, register memory, events and alert line. Any part tells the host something with
    `events.add`.
    """

    def __init__(self, board, capacity_mah: int = 2000):
        self.board = board
        self.gauge = Gauge(capacity_mah)
        self.target = Target()
        self.events = Events(board.alert)
        self.target.on_write(r.EVENT_ACK, self.events.acknowledge)
        self._uptime_ms = 0
        self.last_step_ms = board.ticks_ms()
        self._alarms = 0
        self._powered = None  # not known yet
        self.target.publish(
            {
                r.REMAINING_CAPACITY_ALARM: capacity_mah // 10,
                r.REMAINING_TIME_ALARM: 10,
                r.BATTERY_MODE: 0x4000,  # no charger broadcasts: nobody on this bus listens for them
            }
        )

    def step(self) -> None:
        """Sample once and publish. Call it every `PERIOD_MS`; a longer pause costs accuracy, nothing else."""
        now_ms = self.board.ticks_ms()
        self._uptime_ms += (now_ms - self.last_step_ms) & 0x3FFFFFFF
        self.last_step_ms = now_ms
        voltage_mv, current_ma, temperature_dk, powered = self.board.sense()
        self.gauge.sample(now_ms, voltage_mv, current_ma, temperature_dk, powered)
        if self._powered not in (None, powered):
            self.events.add(r.EVENT_KIND_POWER, 1 if powered else 0)
        self._powered = powered
        self.publish()

    def publish(self) -> None:
        """Bring the register memory up to date, and pull the alert line for what the host has not read
        yet.
        """
        self.target.accept_writes()
        words = self.gauge.words(
            self.target.value(r.REMAINING_CAPACITY_ALARM), self.target.value(r.REMAINING_TIME_ALARM)
        )
        uptime_s = self._uptime_ms // 1000
        words[r.UPTIME_LOW] = uptime_s & 0xFFFF
        words[r.UPTIME_HIGH] = uptime_s >> 16
        alarms = words[r.BATTERY_STATUS] & r.ALARM_MASK
        if alarms & ~self._alarms:
            self.events.add(r.EVENT_KIND_ALARM, alarms >> 8)
        self._alarms = alarms
        words.update(self.events.words())
        self.target.publish(words)
        self.events.signal()

    def run(self) -> None:
        """Work for ever."""
        while True:
            self.step()
            self.board.idle(PERIOD_MS)

"""The PMU's work: sample the battery, guard the host, publish the registers, pull the alert line. Free of
hardware.

The hardware is a `board` object: `ticks_ms()`, `sense()` -> (mV, mA, 0.1 K, outside power?) with None for mV
and mA while the battery sensor does not answer, `alert(active)`, `idle(ms)`, and where it has them the host's
`rail(on)`, `reset_line(active)`, `wake(active)`, `button()` -> pressed?, `light(red, green, blue)` 0..255,
`feed(arm)` of the watchdog, `keep_rail(reason)` and `kept_rail()` over a reset, `microphone(samples)` as
`sound.SoundGate.step` wants it, and what `store.Store` and `port.Port` use. `pmu.board.Board` is the one on
the microcontroller.
"""

from . import COMMIT
from . import gauge_cell as cell
from . import guard_rail as rails
from . import registers as r
from .console_port import Port
from .gauge import Gauge
from .gauge_alarms import Alarms
from .gauge_saved_state import Store
from .guard import Guard
from .guard_button import Button
from .guard_light import Light, choose
from .guard_outputs import Drive
from .log import Log, LoggedEvents
from .sound_adpcm import Recorder
from .sound_gate import SoundGate
from .sound_pages import PagedTarget

PERIOD_MS = 250
TICK_MS = 20  # of button, light and console
WATCHDOG_GRACE_MS = 15_000  # after the start: console and deploy come first, the watchdog can't be stopped
_MISSES = 2  # readings in a row that may fail before the values are called old
_DOUBT_PER_HOUR = 0.5  # of the full charge: what may have flowed unseen


class Pmu:
    """One PMU: gauge, register memory, events and alert line. Any part tells the host something with
    `events.add`.
    """

    def __init__(self, board, capacity_mah: int = 2000):
        self.board = board
        self.gauge = Gauge(capacity_mah)
        self.store = Store(board)
        self.store.restore(self.gauge)
        recorder = Recorder()
        self.target = PagedTarget(recorder)
        self.log = Log(self.uptime_ms)
        self.events = LoggedEvents(board.alert, self.log)
        self.target.on_write(r.EVENT_ACK, self.events.acknowledge)
        self.target.on_write(r.MARK, self._mark)
        self.guard = Guard(self.events)
        self.store.restore_budgets(self.guard.budgets, self.gauge)
        kept_rail = getattr(board, "kept_rail", None)
        if kept_rail is not None:
            self.guard.rail.restore(kept_rail())
        self.sound = SoundGate(self.events, self.guard, recorder, self.target.show)
        self.target.on_write(r.SOUND_GATE, self.sound.control)
        self.button = Button()
        self.light = Light()
        self._drive = Drive(board)
        self._beats = 0
        self.target.on_write(r.HEARTBEAT, self._beat)
        self.target.on_write(r.HEARTBEAT_DEADLINE, self._beat)
        self._ticks_ms = board.ticks_ms()
        self._uptime_ms = 0
        self.last_step_ms = board.ticks_ms()
        self._alarms = 0
        self._new_alarms = Alarms()
        self._powered: object = None  # not known yet
        self.blind = False  # does the battery sensor keep silent?
        self._missed = 0  # readings in a row
        commit = int(COMMIT[:8] or "0", 16)
        self.target.publish(
            {
                r.REMAINING_CAPACITY_ALARM: capacity_mah // 10,
                r.REMAINING_TIME_ALARM: 10,
                r.BATTERY_MODE: 0x4000,  # no charger broadcasts: nobody on this bus listens for them
                r.COMMIT_LOW: commit & 0xFFFF,
                r.COMMIT_HIGH: commit >> 16,
                r.RESET_CAUSE: getattr(board, "reset_cause", r.CAUSE_POWER_ON),
            }
        )
        self.port = Port(self) if hasattr(board, "console_read") else None
        if getattr(getattr(board, "session", None), "maintenance", False):
            self.guard.maintain()
        self.log.add("started")

    def step(self) -> None:
        """Sample once and publish. Call it every `PERIOD_MS`; a longer pause costs accuracy, nothing else."""
        now_ms = self.board.ticks_ms()
        elapsed_ms = (now_ms - self.last_step_ms) & 0x3FFFFFFF
        self.last_step_ms = now_ms
        voltage_mv, current_ma, temperature_dk, powered = self.board.sense()
        self._look(voltage_mv is not None)
        if voltage_mv is not None:
            self.gauge.sample(now_ms, voltage_mv, current_ma, temperature_dk, powered)
        if self._powered not in (None, powered):
            self.events.add(r.EVENT_KIND_POWER, 1 if powered else 0)
        self._powered = powered
        self._guard(powered)
        if self.gauge.known:
            self.store.step(elapsed_ms, self.gauge, not self.guard.rail.on)
        self.tick()
        self.publish()
        feed = getattr(self.board, "feed", None)
        if feed is not None:
            feed(self._uptime_ms >= WATCHDOG_GRACE_MS and not self.guard.maintenance)

    def uptime_ms(self) -> int:
        """Milliseconds since the start; unlike `board.ticks_ms()` it never wraps."""
        ticks_ms = self.board.ticks_ms()
        self._uptime_ms += (ticks_ms - self._ticks_ms) & 0x3FFFFFFF
        self._ticks_ms = ticks_ms
        return self._uptime_ms

    def tick(self) -> None:
        """Look at the button, move the light, listen, attend to the console. Call it every `TICK_MS`."""
        now_ms = self.uptime_ms()
        guard = self.guard
        pressed = getattr(self.board, "button", None)
        gesture = self.button.step(now_ms, pressed is not None and bool(pressed()))
        if gesture:
            guard.gesture(now_ms, gesture)
        low = self._alarms & (r.STATUS_REMAINING_CAPACITY | r.STATUS_REMAINING_TIME)
        pattern = choose(
            self.target.value(r.LIGHT), guard.gave_up, guard.ending,
            guard.hung or (self.blind and guard.rail.on), guard.awake, bool(self._powered), bool(low),
        )  # fmt: skip
        self._drive.set("light", *self.light.step(now_ms, pattern))
        self._drive.set("rail", guard.rail.on)
        microphone = getattr(self.board, "microphone", None)
        if microphone is not None:
            self.sound.step(now_ms, microphone, guard.hosted)
            self._drive.set("wake", guard.wake or self.sound.wake)
            if self.sound.wake:
                self.target.publish(self.sound.words())
        if self.port is not None:
            self.port.step(now_ms)

    def _mark(self, value):
        self.gauge.energy.mark()
        return {r.MARKED_ENERGY_LOW: 0, r.MARKED_ENERGY_HIGH: 0}

    def _beat(self, value):
        # Every write counts, also one of the value that is there: a host that starts anew counts from 1.
        self._beats = (self._beats + 1) & 0xFFFF

    def _look(self, answered):
        """Count the readings that failed, and say once that they do."""
        if answered:
            if self.blind:
                self.log.add("the battery sensor answers again")
                # The gauge takes the current it sees now for that of the whole gap.
                self.gauge.charge.doubt(min(0.5, self._missed * PERIOD_MS * _DOUBT_PER_HOUR / 3_600_000))
            self._missed = 0
            self.blind = False
            return
        self._missed += 1
        if not self.blind and (self._missed > _MISSES or not self.gauge.known):
            self.blind = True
            self.log.add("the battery sensor does not answer")

    def _cell(self, powered):
        """Voltage and headroom for the guard. A cell that nobody sees ends nothing, and one that was empty
        starts nothing without outside power.
        """
        gauge = self.gauge
        if not self.blind:
            return gauge.voltage_mv, gauge.headroom_mv
        empty = self.guard.rail.reason == rails.EMPTY and not powered
        return (0, 0) if empty else (cell.NOMINAL_MV, cell.NOMINAL_MV)

    def _guard(self, powered):
        guard = self.guard
        voltage_mv, headroom_mv = self._cell(powered)
        request = self.target.take(r.POWER_REQUEST)
        deadline_s = self.target.value(r.HEARTBEAT_DEADLINE)
        guard.step(self.uptime_ms(), self._beats, deadline_s, request, voltage_mv, headroom_mv, powered)
        self._drive.set("rail", guard.rail.on)
        self._drive.set("keep_rail", guard.rail.reason)
        self._drive.set("reset_line", guard.reset)
        self._drive.set("wake", guard.wake or self.sound.wake)

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
        if self.blind:  # what stands in the other registers is old, and the host is told so
            words[r.BATTERY_STATUS] = 0 if self._powered else r.STATUS_DISCHARGING
            words[r.MAX_ERROR] = 100
        alarms = words[r.BATTERY_STATUS] & r.ALARM_MASK
        if self._new_alarms.step(alarms):
            self.events.add(r.EVENT_KIND_ALARM, alarms >> 8)
        self._alarms = alarms
        words.update(self.guard.words())
        words.update(self.events.words())
        words.update(self.sound.words())
        self.target.publish(words)
        self.events.signal()

    def run(self) -> None:
        """Work for ever."""
        while True:
            self.step()
            for _ in range(PERIOD_MS // TICK_MS):
                self.board.idle(TICK_MS)
                self.tick()

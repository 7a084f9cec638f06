"""The PMU's work: sample the battery, guard the host, publish the registers, pull the alert line. Free of
hardware.

The hardware is a `board` object: `ticks_ms()`, `sense()` -> (mV, mA, 0.1 K, outside power?), `alert(active)`,
`idle(ms)`, and where it has them the host's `rail(on)`, `reset_line(active)`, `wake(active)`, `button()` ->
pressed?, `light(red, green, blue)` 0..255, `feed(arm)` of the watchdog, `keep_rail(reason)` and `kept_rail()`
over a reset, `microphone(samples)` as `sound.SoundGate.step` wants it, and what `store.Store` and
`console.Console` use. `pmu.board.Board` is the one on the microcontroller.
"""

from . import COMMIT
from . import registers as r
from .adpcm import Recorder
from .alarms import Alarms
from .button import Button
from .console import Console
from .drive import Drive
from .gauge import Gauge
from .guard import Guard
from .light import Light, choose
from .log import Log, LoggedEvents
from .pages import PagedTarget
from .sound import SoundGate
from .store import Store

PERIOD_MS = 250
TICK_MS = 20  # of button, light and console
WATCHDOG_GRACE_MS = 15_000  # after the start: console and deploy come first, the watchdog can't be stopped


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
        self.console = Console(self) if hasattr(board, "console_read") else None
        if getattr(getattr(board, "session", None), "maintenance", False):
            self.guard.maintain()
        self.log.add("started")

    def step(self) -> None:
        """Sample once and publish. Call it every `PERIOD_MS`; a longer pause costs accuracy, nothing else."""
        now_ms = self.board.ticks_ms()
        elapsed_ms = (now_ms - self.last_step_ms) & 0x3FFFFFFF
        self.last_step_ms = now_ms
        voltage_mv, current_ma, temperature_dk, powered = self.board.sense()
        self.gauge.sample(now_ms, voltage_mv, current_ma, temperature_dk, powered)
        if self._powered not in (None, powered):
            self.events.add(r.EVENT_KIND_POWER, 1 if powered else 0)
        self._powered = powered
        self._guard(voltage_mv, powered)
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
            self.target.value(r.LIGHT), guard.gave_up, guard.ending, guard.hung, guard.awake,
            bool(self._powered), bool(low),
        )  # fmt: skip
        self._drive.set("light", *self.light.step(now_ms, pattern))
        self._drive.set("rail", guard.rail.on)
        microphone = getattr(self.board, "microphone", None)
        if microphone is not None:
            self.sound.step(now_ms, microphone)
            self._drive.set("wake", guard.wake or self.sound.wake)
            if self.sound.wake:
                self.target.publish(self.sound.words())
        if self.console is not None:
            self.console.step(now_ms)

    def _mark(self, value):
        self.gauge.energy.mark()
        return {r.MARKED_ENERGY_LOW: 0, r.MARKED_ENERGY_HIGH: 0}

    def _beat(self, value):
        # Every write counts, also one of the value that is there: a host that starts anew counts from 1.
        self._beats = (self._beats + 1) & 0xFFFF

    def _guard(self, voltage_mv, powered):
        guard = self.guard
        request = self.target.take(r.POWER_REQUEST)
        deadline_s = self.target.value(r.HEARTBEAT_DEADLINE)
        headroom_mv = self.gauge.headroom_mv
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

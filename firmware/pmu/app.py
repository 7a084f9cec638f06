"""The PMU's main loop: sample the battery, guard the host, publish the registers, drive the alert line. Free
of hardware.

The hardware is a `board` object: `ticks_ms()`, `sense()` -> (mV, mA, 0.1 K, outside power?) with None for mV
and mA while the battery sensor does not answer, `alert(active)`, `idle(ms)`, and where it has them the host's
`rail(on)`, `reset_line(active)`, `wake(active)`, `button()` -> pressed?, `light(red, green, blue)` 0..255,
`feed(arm)` of the watchdog, `keep_guard(word)` and `kept_guard()`, which hold 16 bits over a reset,
`microphone(samples)` and `heard()` as in `sound_gate.SoundGate.step`, `doze(ms, listening)`, `clock(usual)`,
`ship(reason)` and `woken` as in `board_sleep`, `average(long)` of the battery sensor, and what
`guard_bus.HostBus`, `gauge_saved_state.Store`, `key_page.KeyPage` and `console_port.Port` use.
`pmu.board.Board` is the one on the microcontroller.
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
from .guard_bus import HostBus
from .guard_button import SHORT, Button
from .guard_light import Light, choose
from .guard_outputs import Outputs
from .guard_power_good import PowerGood
from .log import Log, LoggedEvents
from .sleep_state import AWAKE, LEAST_MS, SHIP, SLICE_MS, Sleep
from .sound_adpcm import Recorder
from .sound_gate import SoundGate
from .sound_pages import PagedTarget

PERIOD_MS = 250
TICK_MS = 20  # of button, light and console
WATCHDOG_GRACE_MS = 15_000  # from the start until the watchdog is armed: until then a deploy can stop the PMU
_MISSED_READINGS = 2  # failed readings in a row before the published values count as outdated
LOW_PERCENT = 10  # at or below, as shown, the light warns
_UNSEEN_MS = 7_200_000  # without readings, in which the capacity may flow; half of it at most counts


class Pmu:
    """One PMU: gauge, guard, register memory, events and alert line. Every part reports to the host through
    `events.add`.
    """

    def __init__(self, board, capacity_mah: int = cell.DESIGN_MAH):
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
        self.sound = SoundGate(self.events, self.guard, recorder, self.target.show)
        self.target.on_write(r.SOUND_GATE, self.sound.control)
        self.bus = HostBus(board, self.log)
        self._key: object = None  # made when a host first asks: until then it costs no memory
        self._key_asked = 0
        self.target.on_write(r.KEY_REQUEST, self._request_key)
        self.button = Button()
        self.light = Light()
        self._outputs = Outputs(board)
        self._heartbeats = 0
        self.target.on_write(r.HEARTBEAT, self._count_heartbeat)
        self.target.on_write(r.HEARTBEAT_DEADLINE, self._count_heartbeat)
        self._ticks_ms = board.ticks_ms()
        self._uptime_ms = 0
        self.last_step_ms = board.ticks_ms()
        self._alarms = 0
        self._new_alarms = Alarms()
        self.power_good = PowerGood()
        self._powered: object = None  # not known yet
        self.sensor_silent = False  # does the battery sensor not answer?
        self._missed = 0  # readings in a row
        self._unseen_ms = 0
        self.sleep = Sleep()
        self._edge = False  # did an edge at a pin end the last doze?
        commit = int(COMMIT[:8] or "0", 16)
        self.target.publish(
            {
                r.REMAINING_CAPACITY_ALARM: self.gauge.design_mah // 10,
                r.REMAINING_TIME_ALARM: 10,
                r.BATTERY_MODE: 0x4000,  # no charger broadcasts: the bus has no charger that takes them
                r.COMMIT_LOW: commit & 0xFFFF,
                r.COMMIT_HIGH: commit >> 16,
                r.RESET_CAUSE: getattr(board, "reset_cause", r.CAUSE_POWER_ON),
                r.KEY_STATE: r.KEY_IS_UNKNOWN if hasattr(board, "load_key") else 0,
            }
        )
        kept_guard = getattr(board, "kept_guard", None)
        if kept_guard is not None:
            words = self.guard.restore(kept_guard())
            self.target.publish(words)
            self.sound.control(words.get(r.SOUND_GATE, r.GATE_OFF))
        self.port = Port(self) if hasattr(board, "console_read") else None
        if getattr(getattr(board, "session", None), "maintenance", False):
            self.guard.maintain(0)
        self.log.add("started")

    def step(self) -> None:
        """Sample once and publish. Call it every `PERIOD_MS`; a longer pause only costs accuracy."""
        now_ms = self.board.ticks_ms()
        elapsed_ms = (now_ms - self.last_step_ms) & 0x3FFFFFFF
        self.last_step_ms = now_ms
        voltage_mv, current_ma, temperature_dk, signal = self.board.sense()
        powered = self.power_good.step(self.uptime_ms(), signal, current_ma or 0)
        self._note_sensor(voltage_mv is not None, elapsed_ms)
        if voltage_mv is not None:
            self.gauge.sample(now_ms, voltage_mv, current_ma, temperature_dk, powered)
        if self._powered not in (None, powered):
            self.events.add(r.EVENT_KIND_POWER, 1 if powered else 0)
        first, self._powered = self._powered is None, powered
        self._guard(powered)
        if first and not powered and getattr(self.board, "woken", False):
            self.guard.gesture(self.uptime_ms(), SHORT)  # the button brought the supply back
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
        """Handle button, light, microphone and console once. Call it every `TICK_MS`."""
        now_ms = self.uptime_ms()
        guard = self.guard
        pressed = getattr(self.board, "button", None)
        gesture = self.button.step(now_ms, pressed is not None and bool(pressed()))
        if gesture:
            guard.gesture(now_ms, gesture)
        # The threshold of the capacity alarm is the host's, which is woken by it at any charge.
        low = not self.sensor_silent and (
            round(self.gauge.percent) <= LOW_PERCENT or self._alarms & r.STATUS_REMAINING_TIME != 0
        )
        pattern = choose(
            self.target.value(r.LIGHT), guard.gave_up, guard.ending,
            guard.hung or (self.sensor_silent and guard.rail.on), guard.awake, self._charging, low,
        )  # fmt: skip
        self._outputs.set("light", *self.light.step(now_ms, pattern))
        self._outputs.set("rail", guard.rail.on)
        if (self.bus.step(now_ms, guard.rail.on) or self.bus.excuses(now_ms)) and guard.beating:
            self._heartbeats = (self._heartbeats + 1) & 0xFFFF
        microphone = getattr(self.board, "microphone", None)
        if microphone is not None:
            heard = getattr(self.board, "heard", None)
            heard = heard is None or heard()
            slow = guard.awake or self.sound.records(heard)
            self._outputs.set("clock", not slow or self.sound.read(now_ms))
            self.sound.step(now_ms, microphone, guard.host_present, heard)
            self._outputs.set("wake", guard.wake or self.sound.wake)
            if self.sound.wake:
                self.target.publish(self.sound.words())
        if self.port is not None:
            self.port.step(now_ms)

    def _request_key(self, value):
        if self._key is not None:
            return self._key.request(value, self.target)  # type: ignore[attr-defined]
        if self.target.value(r.KEY_STATE):
            self._key_asked = value
            return {r.KEY_STATE: r.KEY_IS_BUSY}
        return {}

    def _step_key(self):
        if self._key is None:
            from .key_page import KeyPage

            self._key = KeyPage(self.board)
            return self._key.request(self._key_asked, self.target)
        return self._key.step()  # type: ignore[attr-defined]

    def _mark(self, value):
        self.gauge.energy.mark()
        return {r.MARKED_ENERGY_LOW: 0, r.MARKED_ENERGY_HIGH: 0}

    def _count_heartbeat(self, value):
        # A write of the value that is already there counts too: a restarted host counts from 1 again.
        self._heartbeats = (self._heartbeats + 1) & 0xFFFF
        self.bus.wrote()

    def _note_sensor(self, answered, elapsed_ms):
        """Count failed readings in a row; log when the sensor stops answering and when it is back."""
        if answered:
            if self.sensor_silent:
                self.log.add("the battery sensor answers again")
                # The gauge counts the whole gap with the current of the first reading after it.
                unseen = min(_UNSEEN_MS // 2, self._unseen_ms) / _UNSEEN_MS
                self.gauge.charge.covariance[0][0] += unseen * unseen
            self._missed = self._unseen_ms = 0
            self.sensor_silent = False
            return
        self._missed += 1
        self._unseen_ms += elapsed_ms
        if not self.sensor_silent and (self._missed > _MISSED_READINGS or not self.gauge.known):
            self.sensor_silent = True
            self.log.add("the battery sensor does not answer")

    def _cell_for_guard(self, powered):
        """Voltage and headroom for the guard, mV, and the charge that the voltage stands for, percent. While
        the sensor does not answer, values by which the guard cuts nothing off and does not turn the rail on
        after an empty cell without outside power.
        """
        gauge = self.gauge
        if not self.sensor_silent:
            percent = cell.percent_at(gauge.voltage_mv, gauge.charge.curve)
            return gauge.guarded_mv, gauge.headroom_mv, percent
        empty = self.guard.rail.reason == rails.EMPTY and not powered
        unseen = 0 if empty else cell.NOMINAL_MVS[0]  # below or above every threshold, the percentages' too
        return unseen, unseen, unseen

    def fit(self, profile: int, capacity_mah: int) -> None:
        """Another kind of cell is in the headband: forget what was learned and keep its name. `profile`: of
        `gauge_cell.NAMES`.
        """
        self.gauge.fit(profile, capacity_mah)
        self.target.publish({r.REMAINING_CAPACITY_ALARM: capacity_mah // 10})
        self.store.save(self.gauge)
        self.log.add("another cell")

    @property
    def _charging(self):
        """Does current flow into the cell? Without the sensor outside power has to do."""
        return bool(self._powered) if self.sensor_silent else self.gauge.charging

    def _guard(self, powered):
        guard = self.guard
        voltage_mv, headroom_mv, percent = self._cell_for_guard(powered)
        request = self.target.take(r.POWER_REQUEST)
        deadline_s = self.target.value(r.HEARTBEAT_DEADLINE)
        guard.step(
            self.uptime_ms(), self._heartbeats, deadline_s, request, voltage_mv, headroom_mv, percent,
            powered, self._charging,
        )  # fmt: skip
        self._outputs.set("rail", guard.rail.on)
        self._outputs.set("keep_guard", guard.kept(self.sound.recording))
        self._outputs.set("reset_line", guard.reset)
        self._outputs.set("wake", guard.wake or self.sound.wake)

    def publish(self) -> None:
        """Update the register memory, and activate the alert line while the host has unread events."""
        self.target.accept_writes()
        words = self.gauge.words(
            self.target.value(r.REMAINING_CAPACITY_ALARM), self.target.value(r.REMAINING_TIME_ALARM)
        )
        uptime_s = self._uptime_ms // 1000
        words[r.UPTIME_LOW] = uptime_s & 0xFFFF
        words[r.UPTIME_HIGH] = uptime_s >> 16
        if self.sensor_silent:  # the other registers hold old values; the cleared INITIALIZED bit says so
            words[r.BATTERY_STATUS] = 0 if self._powered else r.STATUS_DISCHARGING
            words[r.MAX_ERROR] = 100
        alarms = words[r.BATTERY_STATUS] & r.ALARM_MASK
        if self._new_alarms.step(alarms):
            self.events.add(r.EVENT_KIND_ALARM, alarms >> 8)
        self._alarms = alarms
        words.update(self.guard.words())
        words.update(self.events.words())
        words.update(self.sound.words())
        if self._key is not None or self._key_asked:
            words.update(self._step_key())
        self.target.publish(words)
        self.events.signal()

    def _stirs(self):
        """Does anything need the clock to run?"""
        guard, sound = self.guard, self.sound
        return (
            self._edge
            or self.power_good.signal
            or self.button.busy
            or guard.maintenance
            or guard.wake
            or sound.wake
            or (sound.recording and not sound.resting)
            or (self.port is not None and self.port.used)
        )

    def doze_ms(self) -> int:
        """How long the PMU may sleep now, at most; 0 = not at all. Cuts its own supply when the headband is
        off.
        """
        now_ms = self.uptime_ms()
        guard = self.guard
        state = self.sleep.step(now_ms, bool(self._stirs()), guard.rail.reason, guard.asleep)
        self._edge = False
        self._outputs.set("average", state != AWAKE)
        if state == AWAKE:
            return 0
        if state == SHIP:
            self.log.add("off: the supply is cut")
            self.board.ship(guard.rail.reason)
            self.sleep.can_ship = False  # still here: there is no switch for it
        self._outputs.set("clock", True)  # as a doze leaves it
        dark_ms = min(SLICE_MS, self.light.dark_ms)
        return dark_ms if dark_ms >= LEAST_MS else 0

    def run(self) -> None:
        """The main loop; it does not return."""
        sleeps = hasattr(self.board, "doze")
        while True:
            self.step()
            for _ in range(PERIOD_MS // TICK_MS):
                doze_ms = self.doze_ms() if sleeps else 0
                if doze_ms:
                    self._edge = self.board.doze(doze_ms, self.sound.recording)
                    if self._edge:
                        self.tick()  # at once: a word may have begun
                    break
                self.board.idle(TICK_MS)
                self.tick()

"""Pins of an RP2040 or RP2350, the I2C target to the host, the INA226 on the other I2C. Beside `board_sleep`
the only module that touches `machine`.
"""

import os
import select
import sys
import time

import machine
import micropython
from machine import ADC, I2C, I2S, PWM, WDT, I2CTarget, Pin, Timer

from . import gauge_saved_state as store
from . import guard_rail as rails
from . import registers as r
from .app import Pmu
from .board_sleep import Sleeper
from .sound_microphone import Microphone

HOST_I2C, HOST_SDA, HOST_SCL = 0, 4, 5
SENSOR_I2C, SENSOR_SDA, SENSOR_SCL = 1, 6, 7
ALERT_PIN = 8  # open drain, low = alarm, to a GPIO0 pin of the host: only that bank wakes it from deep sleep
POWER_GOOD_PIN = 9  # high while the charger has outside power
RAIL_PIN = 10  # data of the rail's latch: high = host has power
LATCH_PIN = 22  # clock of the rail's latch, which takes over the data at a rising edge; pulled down outside
LATCHED_PIN = 26  # output of the rail's latch; pulled up inside, so without a latch the host counts as on
RESET_PIN = 11  # open drain, low = host in reset
WAKE_PIN = 12  # open drain, low = wake the host, to a GPIO0 pin of it
BUTTON_PIN = 13  # to ground while pressed
SOUND_PIN = 17  # sound detector, high while there is sound; pulled up inside, so without one nothing rests
SHIP_PIN = 3  # clear of the PMU's on/off controller, open drain: low = cut the PMU's own supply
HEARTBEAT_PIN = 21  # toggled by the host with every heartbeat, beside I2C
LED_PINS = (14, 15, 16)  # red, green, blue, high = lit
# I2S; the word select pin has to be the one after the clock pin
MICROPHONE_SCK, MICROPHONE_WS, MICROPHONE_SD = 18, 19, 20
WATCHDOG_MS = 8_000  # the RP2040 counts no further than 8388
PROMPT_MS = 600_000  # the guard is off at MicroPython's prompt, so the PMU resets itself after this time
INA226 = 0x40
_STEADY = b"\x45\x27"  # INA226 configuration: 16 averages, shunt and bus continuously, 35 ms per pair
_AVERAGED = b"\x4d\x27"  # the same with 512 averages, 1.13 s per pair, while the PMU dozes
_SETTLE_MS = 40  # until the first conversion of both inputs is over the current reads 0
_CTRL_C = 3
_prompt_timer = None  # a timer that nothing refers to is collected and never fires
_SHUNT_MOHM = 10
_CALIBRATION = 5120 // _SHUNT_MOHM  # makes one count of the current register 1 mA
_STORED = "gauge%d.bin"
OFF_FILE = "off.bin"  # as `board_ship`
# The first of the watchdog's four free scratch registers (data sheets): only power and RUN reset them.
_SCRATCH = 0x400D_800C if "RP2350" in getattr(sys.implementation, "_machine", "") else 0x4005_800C
_GUARD_KEPT = _SCRATCH + store.KEPT_BYTES  # the fourth
_GUARD_MARK = 0x52_47  # tells what was stored from the word's content after power-on


class Board:
    """The PMU's hardware, with the methods that `pmu.app` describes."""

    def __init__(self, session=None):
        self.session = session  # the loader's; None when something else started the firmware
        watchdog = machine.reset_cause() == machine.WDT_RESET
        self.reset_cause = r.CAUSE_WATCHDOG if watchdog else r.CAUSE_POWER_ON
        self._alert = Pin(ALERT_PIN, Pin.OPEN_DRAIN, value=1)
        self._power_good = Pin(POWER_GOOD_PIN, Pin.IN, Pin.PULL_DOWN)
        self._latched = Pin(LATCHED_PIN, Pin.IN, Pin.PULL_UP)
        self._latch = Pin(LATCH_PIN, Pin.OUT, value=0)
        self._heartbeat = Pin(HEARTBEAT_PIN, Pin.IN, Pin.PULL_DOWN)
        self._button = Pin(BUTTON_PIN, Pin.IN, Pin.PULL_UP)
        sound = Pin(SOUND_PIN, Pin.IN, Pin.PULL_UP)
        self._ship = Pin(SHIP_PIN, Pin.OPEN_DRAIN, value=1)
        wakers = (sound, self._power_good, self._heartbeat, self._button, Pin(HOST_SDA))
        sleeper = Sleeper(sound, self._button, wakers)
        self.doze, self.heard = sleeper.doze, sleeper.heard
        self._clock = sleeper.clock
        self._usual_hz = machine.freq()
        self._shipped = 0
        if OFF_FILE in os.listdir():
            from .board_ship import shipped

            self._shipped = shipped()
        self.woken = self._shipped != 0  # the supply is back after `ship`
        off = self.kept_guard() & 3 in (rails.SHUTDOWN, rails.EMPTY)
        self._rail = Pin(RAIL_PIN, Pin.OUT, value=0 if off else 1)
        self._reset = Pin(RESET_PIN, Pin.OPEN_DRAIN, value=1)
        self._wake = Pin(WAKE_PIN, Pin.OPEN_DRAIN, value=1)
        self._target = None
        self._led = [PWM(Pin(pin), freq=1000, duty_u16=0) for pin in LED_PINS]
        self._watchdog = session.watchdog if session else None
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(sys.stdin, select.POLLIN)
        self._writable.register(sys.stdout, select.POLLOUT)
        self.timer = None
        self.microphone = Microphone(_open_microphone).fill
        self._die = ADC(ADC.CORE_TEMP)
        self.mode = _STEADY
        self.traced = None
        self.lost = True  # the INA226 has to be set up (anew) before it is asked
        self._cell()
        self.idle(_SETTLE_MS)

    def _open_bus(self):
        """Open the sensor's bus; nine clocks end the byte for which a chip may hold the data line low."""
        clock = Pin(SENSOR_SCL, Pin.OPEN_DRAIN, value=1)
        for level in (0, 1) * 9:
            clock.value(level)
            time.sleep_us(5)
        # The bus divides the processor's clock, by a number that stays when that clock changes.
        hz = 400_000 * machine.freq() // self._usual_hz
        self.sensor_bus = I2C(SENSOR_I2C, sda=Pin(SENSOR_SDA), scl=Pin(SENSOR_SCL), freq=hz)

    def calibrate(self):
        """Write the sensor's present settings. OSError when it does not answer."""
        self.sensor_bus.writeto_mem(INA226, 0x00, self.mode)
        self.sensor_bus.writeto_mem(INA226, 0x05, bytes((_CALIBRATION >> 8, _CALIBRATION & 0xFF)))

    def ticks_ms(self):
        return time.ticks_ms()  # type: ignore[attr-defined]  # MicroPython's time has it

    def idle(self, ms):
        time.sleep_ms(ms)  # type: ignore[attr-defined]  # MicroPython's time has it

    def alert(self, active):
        self._alert.value(0 if active else 1)

    def rail(self, on):
        if not on:
            self.bus(False)  # its pull-ups would feed the SoC
        self._rail.value(1 if on else 0)
        self._latch.value(1)
        self._latch.value(0)

    def keep_guard(self, word):
        """Store the guard's 16 bits (`guard.Guard.kept`) in the fourth scratch register."""
        machine.mem32[_GUARD_KEPT] = _GUARD_MARK << 16 | word

    def kept_guard(self):
        word = machine.mem32[_GUARD_KEPT]
        if word >> 16 == _GUARD_MARK:
            return word & 0xFFFF
        # The PMU was without power: a host that was not switched off starts when the cell can bear it.
        return self._shipped or (rails.NOT_OFF if self._latched.value() else rails.EMPTY)

    def reset_line(self, active):
        self._reset.value(0 if active else 1)

    def wake(self, active):
        self._wake.value(0 if active else 1)

    def serve(self, memory, on_write):
        """What `bus` serves to the host, and what it calls after each write."""
        self._memory, self._on_write = memory, on_write

    def bus(self, is_open):
        """Open the host's bus, or close it: without pull-ups, which would feed a SoC without power."""
        if self._target is not None:
            self._target.deinit()
            self._target = None
        sda, scl = Pin(HOST_SDA, Pin.IN), Pin(HOST_SCL, Pin.IN)  # without a pull, unless named
        if is_open:
            self._target = I2CTarget(HOST_I2C, r.ADDRESS, mem=self._memory, scl=scl, sda=sda)
            self._target.irq(self._on_write, I2CTarget.IRQ_END_WRITE)

    def bus_held(self):
        """Is a line of the host's bus low at every one of some looks? Without changing the pins' function."""
        for line in Pin(HOST_SDA), Pin(HOST_SCL):
            if not (line.value() or line.value() or line.value() or line.value()):
                return True
        return False

    def heartbeat_line(self):
        return self._heartbeat.value()

    def button(self):
        return not self._button.value()

    def light(self, red, green, blue):
        for led, level in zip(self._led, (red, green, blue)):  # noqa: B905 - MicroPython
            led.duty_u16(level * 257)

    def feed(self, arm):
        """Feed the watchdog if it is armed; `arm` arms it first. An armed watchdog cannot be stopped, so
        the prompt then takes another start in maintenance.
        """
        if self._watchdog is None and arm:
            self._watchdog = WDT(timeout=WATCHDOG_MS)
            if self.session is not None:
                self.session.maintenance = False
        if self._watchdog is not None:
            self._watchdog.feed()

    def load(self):
        """The stored records, both slots one after the other."""
        found = b""
        for slot in (0, 1):
            try:
                with open(_STORED % slot, "rb") as file:
                    found += file.read()
            except OSError:
                pass
        return found

    def save(self, record):
        """Write the gauge's record to flash; interrupts are off meanwhile. OSError when the flash is full."""
        with open(_STORED % store.slot(record), "wb") as file:
            file.write(record)

    def load_key(self):
        """The key's record; b"" without one."""
        from .board_key import load

        return load()

    def save_key(self, record):
        """As `board_key.save`."""
        from .board_key import save

        save(record)

    def kept(self):
        """Three scratch registers, which outlive a watchdog or soft reset; see `gauge_saved_state`."""
        words = range(_SCRATCH, _SCRATCH + store.KEPT_BYTES, 4)
        return b"".join(machine.mem32[word].to_bytes(4, "little") for word in words)

    def keep(self, data):
        for n in range(store.KEPT_BYTES // 4):
            machine.mem32[_SCRATCH + 4 * n] = int.from_bytes(data[4 * n : 4 * n + 4], "little")

    def sense(self):
        """mV, mA (positive while charging), the die's 0.1 K, outside power? Two None without INA226."""
        voltage_mv, current_ma = self._cell()
        celsius = 27 - (self._die.read_u16() * 3.3 / 65535 - 0.706) / 0.001721
        return voltage_mv, current_ma, int(celsius * 10) + r.ZERO_CELSIUS_DK, bool(self._power_good.value())

    def _cell(self):
        """mV and mA; None for both while the chip has no conversion with these settings."""
        try:
            if self.lost:
                self._open_bus()
                self.calibrate()
                self.lost = False
            else:
                measured = self._measure()
                if self.sensor_bus.readfrom_mem(INA226, 0x05, 2) != b"\x00\x00":
                    return measured
                self.calibrate()  # calibration 0: the chip was reset, and its current register is invalid
        except OSError:
            self.lost = True
        return None, None

    def _measure(self):
        volts = self.sensor_bus.readfrom_mem(INA226, 0x02, 2)
        amps = self.sensor_bus.readfrom_mem(INA226, 0x04, 2)
        current_ma = r.signed(amps[0] << 8 | amps[1])
        # The chip converts the voltage only once a second then
        if self.traced is not None and self.traced.has_voltage:
            return self.traced.voltage_mv(current_ma), current_ma
        return (volts[0] << 8 | volts[1]) * 5 // 4, current_ma

    def trace(self, sample, period_ms, resistance_mohm=0):
        """As `board_trace.trace`."""
        if sample or self.timer is not None:
            from .board_trace import trace

            trace(self, sample, period_ms, resistance_mohm)

    def clock(self, usual):
        """The processor's usual clock or a slower one; the host's bus is opened anew, timed by that."""
        self._clock(usual)
        if self._target is not None:
            self.bus(True)

    def ship(self, reason):
        """As `board_ship.ship`."""
        from .board_ship import ship

        ship(self._ship, reason)

    def average(self, long):
        """Average over the whole time of a doze, or over a short one."""
        if self.traced is not None:
            return
        self.mode = _AVERAGED if long else _STEADY
        try:
            self.calibrate()
        except OSError:
            self.lost = True

    def console_read(self, limit):
        """Up to `limit` bytes that came over USB."""
        data = b""
        while len(data) < limit and self._readable.poll(0):
            data += sys.stdin.buffer.read(1)
        return data

    def console_write(self, data):
        """Send what USB takes at once; returns the number of bytes."""
        sent = 0
        while sent < len(data) and self._writable.poll(0):
            sent += sys.stdout.buffer.write(data[sent : sent + 64]) or 0
        return sent

    def restart(self, how):
        """Reset into "normal", "maintenance" or "bootloader", or end for MicroPython's "prompt"."""
        if how == "prompt":
            global _prompt_timer
            _prompt_timer = Timer(mode=Timer.ONE_SHOT, period=PROMPT_MS, callback=lambda _: machine.reset())
            raise SystemExit
        if self.session is None:
            machine.reset()
        self.session.restart(how)


def _open_microphone():
    # 8192 bytes are 128 ms: the longest pause of the main loop that loses no sound.
    return I2S(
        0, sck=Pin(MICROPHONE_SCK), ws=Pin(MICROPHONE_WS), sd=Pin(MICROPHONE_SD), mode=I2S.RX, bits=32,
        format=I2S.MONO, rate=16_000, ibuf=8192,
    )  # fmt: skip


def start(session=None):
    """Run the firmware on the hardware until the console asks for the prompt."""
    micropython.kbd_intr(-1)  # a Ctrl-C in what comes over USB is a byte like any other
    try:
        _work(Board(session))
    except SystemExit:
        pass
    finally:
        micropython.kbd_intr(_CTRL_C)


def _work(board):
    pmu = Pmu(board)
    board.serve(pmu.target.memory, lambda _: pmu.target.accept_writes())
    try:
        pmu.run()
    finally:
        board.microphone(None)
        board.trace(None, 0)
        board.bus(False)

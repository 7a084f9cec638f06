"""The only module that touches `machine`: RP2040/RP2350 pins, the I2C target to the host, the INA226 on the
other I2C.
"""

import time

from machine import ADC, I2C, PWM, WDT, I2CTarget, Pin

from . import registers as r
from .app import Pmu

HOST_I2C, HOST_SDA, HOST_SCL = 0, 4, 5
SENSOR_I2C, SENSOR_SDA, SENSOR_SCL = 1, 6, 7
ALERT_PIN = 8  # open drain, low = alarm, to a GPIO0 pin of the host: only that bank wakes it from deep sleep
POWER_GOOD_PIN = 9  # high while the charger has outside power
RAIL_PIN = 10  # high = host has power; pulled up outside, so the host keeps it while the PMU restarts
RESET_PIN = 11  # open drain, low = host in reset
WAKE_PIN = 12  # open drain, low = wake the host, to a GPIO0 pin of it
BUTTON_PIN = 13  # to ground while pressed
LED_PINS = (14, 15, 16)  # red, green, blue, high = lit
WATCHDOG_MS = 8_000  # the RP2040 counts no further than 8388
INA226 = 0x40
_SHUNT_MOHM = 10
_CALIBRATION = 5120 // _SHUNT_MOHM  # makes one count of the current register 1 mA


class Board:
    """The PMU's own hardware, as `pmu.app.Pmu` wants it."""

    def __init__(self):
        self._alert = Pin(ALERT_PIN, Pin.OPEN_DRAIN, value=1)
        self._power_good = Pin(POWER_GOOD_PIN, Pin.IN)
        self._rail = Pin(RAIL_PIN, Pin.OUT, value=1)
        self._reset = Pin(RESET_PIN, Pin.OPEN_DRAIN, value=1)
        self._wake = Pin(WAKE_PIN, Pin.OPEN_DRAIN, value=1)
        self._button = Pin(BUTTON_PIN, Pin.IN, Pin.PULL_UP)
        self._led = [PWM(Pin(pin), freq=1000, duty_u16=0) for pin in LED_PINS]
        self._watchdog = None
        self._die = ADC(ADC.CORE_TEMP)
        self._bus = I2C(SENSOR_I2C, sda=Pin(SENSOR_SDA), scl=Pin(SENSOR_SCL), freq=400_000)
        self._calibrate()

    def _calibrate(self):
        self._bus.writeto_mem(INA226, 0x00, b"\x45\x27")  # 16 averages, shunt and bus continuously
        self._bus.writeto_mem(INA226, 0x05, bytes((_CALIBRATION >> 8, _CALIBRATION & 0xFF)))

    def ticks_ms(self):
        return time.ticks_ms()  # type: ignore[attr-defined]  # MicroPython's time has it

    def idle(self, ms):
        time.sleep_ms(ms)  # type: ignore[attr-defined]  # MicroPython's time has it

    def alert(self, active):
        self._alert.value(0 if active else 1)

    def rail(self, on):
        self._rail.value(1 if on else 0)

    def reset_line(self, active):
        self._reset.value(0 if active else 1)

    def wake(self, active):
        self._wake.value(0 if active else 1)

    def button(self):
        return not self._button.value()

    def light(self, red, green, blue):
        self._led[0].duty_u16(red * 257)
        self._led[1].duty_u16(green * 257)
        self._led[2].duty_u16(blue * 257)

    def feed(self, arm):
        """Feed the watchdog, after arming it when `arm` says so; once armed it can't be stopped."""
        if self._watchdog is None and arm:
            self._watchdog = WDT(timeout=WATCHDOG_MS)
        if self._watchdog is not None:
            self._watchdog.feed()

    def sense(self):
        """Terminal mV, mA (positive while charging), temperature of the die beside the cell in 0.1 K, outside
        power?
        """
        volts = self._bus.readfrom_mem(INA226, 0x02, 2)
        amps = self._bus.readfrom_mem(INA226, 0x04, 2)
        if self._bus.readfrom_mem(INA226, 0x05, 2) == b"\x00\x00":
            self._calibrate()  # a calibration of zero: the chip was reset and its current means nothing
        voltage_mv = (volts[0] << 8 | volts[1]) * 5 // 4
        current_ma = r.signed(amps[0] << 8 | amps[1])
        celsius = 27 - (self._die.read_u16() * 3.3 / 65535 - 0.706) / 0.001721
        return voltage_mv, current_ma, int(celsius * 10) + r.ZERO_CELSIUS_DK, bool(self._power_good.value())


def start():
    """Bring up the hardware and work for ever."""
    pmu = Pmu(Board())
    bus = I2CTarget(HOST_I2C, r.ADDRESS, mem=pmu.target.memory, scl=Pin(HOST_SCL), sda=Pin(HOST_SDA))
    # A soft interrupt: runs between bytecodes, may allocate, and undoes or accepts what the host wrote.
    bus.irq(lambda _: pmu.target.accept_writes(), I2CTarget.IRQ_END_WRITE)
    pmu.run()

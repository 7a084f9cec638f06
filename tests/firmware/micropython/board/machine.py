"""An emulated RP2040 or RP2350: the classes of `machine` that the firmware uses, on simulated time.

Runs on MicroPython and CPython. `rig.RIG` is the tester's side of the wires.
"""

from .i2c_target import I2CTarget as I2CTarget
from .rig import CHIPS, RIG, Ended

WDT_RESET = 3
_LOOK_US = 1_000  # how finely a light sleep looks for edges


def freq(hz=None):
    if hz is None:
        return RIG.hz
    if not 15_400_000 <= hz <= 300_000_000:
        raise ValueError("cannot change frequency")
    if RIG.open_i2s is not None:
        RIG.faults.append("the microphone's rate changed with the clock")
    RIG.hz = hz


def lightsleep(ms):
    """Only the timer is clocked: no transfer is answered, and an edge at an armed pin ends it."""
    if RIG.open_i2s is not None:
        RIG.faults.append("a light sleep stopped the microphone")
    if any(RIG.lit.values()):
        RIG.faults.append("a light sleep froze the light")
    RIG.dozing = True
    end_us = RIG.now_us + ms * 1000
    before = {number: RIG.levels.get(number) for number in RIG.armed}
    try:
        while RIG.now_us < end_us and RIG.dozing:
            step_us = min(_LOOK_US, end_us - RIG.now_us)
            RIG.dozed_us += step_us
            RIG.pass_us(step_us)
            for number in before:
                if RIG.levels.get(number) != before[number]:
                    RIG.edge(number)
    finally:
        RIG.dozing = False
        RIG.hz = CHIPS[RIG.chip][0]  # MicroPython issue 19433


def reset():
    RIG.reset_cause = WDT_RESET
    raise Ended


def bootloader():
    raise Ended


def reset_cause():
    return RIG.reset_cause


class _Memory:
    """The four scratch registers of the watchdog that are free; other addresses are another chip's."""

    def __getitem__(self, address):
        return RIG.scratch.get(self._known(address), 0)

    def __setitem__(self, address, word):
        RIG.scratch[self._known(address)] = word & 0xFFFFFFFF

    def _known(self, address):
        if not 0 <= address - CHIPS[RIG.chip][2] <= 12:
            RIG.faults.append("a wrong address: " + hex(address))
        return address


mem32 = _Memory()


class Pin:
    """A pin by its number; what the rig puts into `levels` is read back, a pull-up is high when it puts
    nothing.
    """

    IN, OUT, OPEN_DRAIN = 0, 1, 2
    PULL_UP, PULL_DOWN = 1, 2
    IRQ_FALLING, IRQ_RISING = 4, 8

    def __init__(self, number, mode=None, pull=None, value=None):
        self.number = number
        self._resting = 1 if pull == Pin.PULL_UP else 0
        if value is not None:
            self.value(value)

    def value(self, level=None):
        if level is None:
            return RIG.levels.get(self.number, self._resting)
        RIG.levels[self.number] = 1 if level else 0

    def irq(self, handler=None, trigger=4 | 8, hard=False):
        if handler is None:
            RIG.armed.pop(self.number, None)
        else:
            RIG.armed[self.number] = handler


class PWM:
    """Stores its duty."""

    def __init__(self, pin, freq=None, duty_u16=None):
        self._number = pin.number
        self.duty_u16(duty_u16 or 0)

    def duty_u16(self, duty):
        if not 0 <= duty <= 65535:
            raise ValueError("duty_u16 must be 0..65535")
        RIG.lit[self._number] = duty


class ADC:
    """The sensor of the die's temperature, at 27 degrees Celsius."""

    CORE_TEMP = 4

    def __init__(self, channel):
        pass

    def read_u16(self):
        return int(0.706 / 3.3 * 65535)


class WDT:
    """The watchdog, which can't be stopped; each chip counts up to its own limit, also in a light sleep."""

    def __init__(self, id=0, timeout=5000):
        limit_ms = CHIPS[RIG.chip][1]
        if not 1 <= timeout <= limit_ms:
            raise ValueError("watchdog timeout exceeds {} ms".format(limit_ms))
        self._timeout_us = timeout * 1000
        self.at_us = 0
        RIG.timers.append(self)
        self.feed()

    def feed(self):
        self.at_us = RIG.now_us + self._timeout_us
        RIG.fed += 1

    def fire(self):
        reset()


class Timer:
    """Virtual timers; soft unless `hard` is asked for."""

    ONE_SHOT, PERIODIC = 0, 1

    def __init__(self, id=-1, **settings):
        if settings:
            self.init(**settings)

    def init(self, mode=1, freq=-1, period=-1, callback=None, hard=False):
        self.deinit()
        self._mode, self._period_us, self._callback, self._hard = mode, period * 1000, callback, hard
        if hard:
            RIG.hard.append("Timer")
        self.at_us = RIG.now_us + self._period_us
        RIG.timers.append(self)

    def deinit(self):
        if self in RIG.timers:
            RIG.timers.remove(self)

    def fire(self):
        if self._mode == Timer.ONE_SHOT:
            self.deinit()
        else:
            self.at_us += self._period_us
        if RIG.interrupt("Timer", self._callback, self._hard, self) is not None:
            self.deinit()


class I2C:
    """Controller of a bus with the rig's chips; each byte takes nine clocks. The processor's clock is divided
    by a number that stays when that changes, as the SDK does it.
    """

    def __init__(self, id, *, scl=None, sda=None, freq=400_000):
        self._divider = (RIG.hz + freq // 2) // freq

    def _chip(self, address, count):
        hz = RIG.hz // self._divider
        if hz > 400_000:
            RIG.faults.append("the bus's clock is too fast: " + str(hz))
        RIG.pass_us(9_000_000 * count // hz)
        if address not in RIG.chips:
            raise OSError(5)
        return RIG.chips[address]

    def readfrom_mem(self, address, register, count, *, addrsize=8):
        return self._chip(address, 3 + count).read(register, count)

    def readfrom_mem_into(self, address, register, buffer, *, addrsize=8):
        buffer[:] = self.readfrom_mem(address, register, len(buffer))

    def writeto_mem(self, address, register, data, *, addrsize=8):
        self._chip(address, 2 + len(data)).write(register, bytes(data))


class I2S:
    """A microphone that records silence. Its samples come at their rate into a buffer of `ibuf` bytes, and
    the oldest are lost when that is full. `irq` makes `readinto` return at once.
    """

    RX, TX = 0, 1
    MONO, STEREO = 0, 1

    def __init__(self, id, *, sck, ws, sd, mode, bits, format, rate, ibuf):
        self._rate = rate
        self._held = ibuf * 8 // bits
        self._handler = None
        self._buffer: list = []
        self._count = 0  # samples handed out or lost
        self._began_us = RIG.now_us
        RIG.opened.append(RIG.now_us)
        RIG.open_i2s = self

    def irq(self, handler):
        self._handler = handler

    def readinto(self, buffer):
        self._buffer = buffer
        arrived = (RIG.now_us - self._began_us) * self._rate // 1_000_000
        self._count = max(self._count, arrived - self._held)
        full_us = self._began_us + (self._count + len(buffer)) * 1_000_000 // self._rate
        self.at_us = max(RIG.now_us + 1, full_us)
        RIG.timers.append(self)

    def fire(self):
        RIG.timers.remove(self)
        self._count += len(self._buffer)
        RIG.interrupt("I2S", self._handler, False, self)

    def deinit(self):
        if self in RIG.timers:
            RIG.timers.remove(self)
        RIG.open_i2s = None

"""The bench of the emulated microcontroller: battery sensor, clock, USB, and the host's reads.

`run(start, duration_ms)` replaces MicroPython's own modules, starts a program and returns after that time.
"""

import sys
import time as real_time

from .rig import RIG, Ended


class Ina226:
    """The battery sensor: its results follow a change of its settings after one measurement, which takes as
    long as the data sheet says of the settings. `current_ma` may be a function of the time in microseconds;
    a measurement has its value at the middle of it.
    """

    CONVERSION_US = (140, 204, 332, 588, 1_100, 2_116, 4_156, 8_244)
    AVERAGES = (1, 4, 16, 64, 128, 256, 512, 1024)

    def __init__(self, voltage_mv=3850, current_ma=-650):
        self.voltage_mv, self.current_ma = voltage_mv, current_ma
        self._registers = {0x00: b"\x41\x27", 0x05: b"\x00\x00"}
        self._calibration = 0
        self._begun_us = 0
        self._told_us = -1  # when the ready flag was read, or the settings were written
        self._held = b"\x00\x00"  # last measurement before the settings were written

    def _measurement(self):
        """When the last whole measurement since the settings were written began, and how long one takes;
        None in place of the first while there is none.
        """
        word = int.from_bytes(self._registers[0x00], "big")
        times = self.AVERAGES[word >> 9 & 7]
        bus_us = self.CONVERSION_US[word >> 6 & 7] if word & 2 else 0
        shunt_us = self.CONVERSION_US[word >> 3 & 7] if word & 1 else 0
        once_us = times * (bus_us + shunt_us)
        whole = (RIG.now_us - self._begun_us) // once_us
        if not word & 4:  # single conversion, not continuous
            whole = min(whole, 1)
        return (self._begun_us + (whole - 1) * once_us if whole else None), once_us

    def _current(self):
        begun_us, once_us = self._measurement()
        if begun_us is None:
            return self._held
        self._calibration = int.from_bytes(self._registers[0x05], "big")
        now_ma = self.current_ma
        current_ma = now_ma(begun_us + once_us // 2) if callable(now_ma) else now_ma
        word = current_ma * self._calibration // 512 & 0xFFFF
        return bytes((word >> 8, word & 0xFF))

    def write(self, register, data):
        if register == 0x00:
            self._held = self._current()
            self._begun_us = RIG.now_us
            self._told_us = -1
        self._registers[register] = data

    def read(self, register, count):
        if register == 0x02:
            word = self.voltage_mv * 4 // 5
            return bytes((word >> 8, word & 0xFF))
        if register == 0x04:
            return self._current()
        if register == 0x06:
            begun_us, _ = self._measurement()
            ready = begun_us is not None and begun_us > self._told_us
            if ready:
                self._told_us = begun_us
            return bytes((0, 0x08 if ready else 0))
        return self._registers[register]


class Time:
    """`time` on the rig's clock."""

    def ticks_ms(self):
        return RIG.now_us // 1000 & 0x3FFFFFFF

    def ticks_us(self):
        return RIG.now_us & 0x3FFFFFFF

    def ticks_diff(self, end, start):
        return (end - start + 0x20000000 & 0x3FFFFFFF) - 0x20000000

    def ticks_add(self, start, delta):
        return start + delta & 0x3FFFFFFF

    def sleep_ms(self, ms):
        RIG.pass_us(ms * 1000)

    def sleep_us(self, us):
        RIG.pass_us(us)

    def sleep(self, seconds):
        RIG.pass_us(int(seconds * 1_000_000))

    def time(self):
        return RIG.now_us // 1_000_000


class _Input:
    def read(self, count):
        data, RIG.console_in = RIG.console_in[:count], RIG.console_in[count:]
        return data


class _Output:
    def write(self, data):
        RIG.console_out += bytes(data)
        return len(data)


class _Stream:
    def __init__(self, buffer):
        self.buffer = buffer


class _Implementation:
    @property
    def _machine(self):
        return "Raspberry Pi Pico with " + RIG.chip

    def __getattr__(self, name):
        return getattr(sys.implementation, name)


class System:
    """`sys` with USB as its input and output."""

    stdin, stdout = _Stream(_Input()), _Stream(_Output())

    @property
    def implementation(self):
        return _Implementation()

    def __getattr__(self, name):
        return getattr(sys, name)


class _Poll:
    def register(self, stream, event):
        self._stream = stream

    def poll(self, timeout_ms=-1):
        ready = self._stream is System.stdout or bool(RIG.console_in)
        return [(self._stream, 1)] if ready else []


class Select:
    """`select` for those streams."""

    POLLIN, POLLOUT = 1, 4
    poll = _Poll


def run(start, duration_ms):
    """Call `start` on the bench; it ends when `duration_ms` have passed since the rig's clock stood at 0."""
    RIG.until_us = duration_ms * 1000
    install()
    try:
        start()
    except Ended:
        pass
    finally:
        uninstall()


def install():
    """Put the bench's modules in place of MicroPython's own."""
    sys.modules["time"], sys.modules["select"], sys.modules["sys"] = Time(), Select(), System()


def uninstall():
    """Restore MicroPython's own modules."""
    sys.modules["time"] = real_time
    del sys.modules["select"], sys.modules["sys"]


def word(code):
    """The word that a host reads of a register; None when the checksum is wrong."""
    import registers as r

    RIG.target.host_write(bytes((code * 4,)))
    low, high, check = RIG.target.host_read(3)
    return low | high << 8 if check == r.read_pec(code * 4, low, high) else None

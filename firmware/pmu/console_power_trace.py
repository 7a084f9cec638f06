"""Voltage and current many times a second for a test rig: samples wait in a ring until the console takes
them.

Every sample has a number that counts on when one is lost, so whoever reads them knows how many are missing,
be it here or on the way.

The INA226 looks at the current without a pause, one conversion after the other, and a result is the mean of
`setting`'s so many of them, so that no moment of the current stays unseen. Its clock is its own: a timer
several times faster asks whether a result is ready, which the chip says once of each, and the rhythm of the
answers, averaged, gives a sample its length and place in time; it is learned before the first sample, for 0.2
s at the default. Once a second, right after a result, one conversion of each input on command gives the
voltage: for about a millisecond the current is not followed. Between two of them the voltage follows the
current through the cell's resistance as the gauge knows it: where that is off by 50 milliohm, power is off by
1 percent per 0.8 A that the current has changed since.
"""

import struct

LAYOUT = (
    "<HIHh"  # number modulo 65536, begin in microseconds modulo 2**30, millivolt, milliampere (+ = charging)
)
SAMPLE_BYTES = 10
CAPACITY = 256  # 0.8 s of the default trace
FRAME_SAMPLES = 20  # carried by one line of the console
MIN_PERIOD_MS = 3
DEFAULT_PERIOD_MS = 4
MAX_SECONDS = 3_600
VOLTAGE_US = 1_000_000  # from one measurement of the voltage to the next

# INA226 data sheet, configuration register: 0x4000 | AVG << 9 | VBUSCT << 6 | VSHCT << 3 | MODE
AVERAGES = (1, 4, 16, 64, 128, 256, 512, 1024)
CONVERSION_US = (140, 204, 332, 588, 1_100, 2_116, 4_156, 8_244)  # typical; up to a tenth off
_FIXED = 0x4000
_SHUNT_ON_AND_ON = 5
_PAIR = b"\x40\x03"  # shunt and bus once, 0.14 ms each
_CONFIGURATION, _BUS, _CURRENT, _MASK_ENABLE = 0x00, 0x02, 0x04, 0x06
_READY = 0x08
_MASK = 0x3FFFFFFF  # of the clock in microseconds
_TRIES, _PAIR_TRIES = 24, 8  # a look at the chip takes 0.15 ms
_AWAIT_US = 1_500  # a timer of a millisecond, and what it may be late
_LEARNED, _LEARN_US = 64, 300_000  # results or time that tell the chip's rhythm before the first sample


def setting(period_ms: int) -> tuple[int, int]:
    """Word for the INA226's configuration register, and the microseconds of one result. Of the results of
    about the period's length, the one of the shortest conversions: how the chip weighs the moments of a
    single one is not in its data sheet.
    """
    for shunt, shunt_us in enumerate(CONVERSION_US):
        for average, times in enumerate(AVERAGES):
            if 750 * period_ms <= times * shunt_us < 1_333 * period_ms:
                return _FIXED | average << 9 | shunt << 3 | _SHUNT_ON_AND_ON, times * shunt_us
    raise ValueError("period")


def look_ms(period_ms: int) -> int:
    """How often the chip is asked for a result."""
    return max(1, min(4, period_ms // 16))


def _apart(later_us, earlier_us):
    """Microseconds between two moments of a clock that starts anew at 2**30; no number here is too large to
    be held without the heap.
    """
    us = (later_us - earlier_us) & _MASK
    return us - _MASK - 1 if us & 0x20000000 else us


class Measurements:
    """The INA226 in its own rhythm. Write `setting` to the chip, tell `begun`, call `step` every `look_ms`.

    Neither a look nor a result allocates anything where the bus and `ticks_us` (modulo 2**30) do not.
    """

    def __init__(self, address: int, period_ms: int, resistance_mohm: int = 0):
        word, result_us = setting(period_ms)
        self.setting = word.to_bytes(2, "big")
        self.look_ms = look_ms(period_ms)
        self.has_voltage = False
        self._address = address
        self._resistance_mohm = resistance_mohm
        self._word = bytearray(2)
        self._length = result_us << 8  # of a result, in 1/256 microseconds, as its rhythm tells
        self._end_us, self._end_rest = 0, 0  # of the last result; the rest in 1/256
        self._learned, self._learning_us, self._known = 0, 0, False  # the rhythm: from how many, since when
        self._overdue = 0  # results that did not come, one after the other
        self._open_mv, self._voltage_us = 0, 0  # voltage of the cell without current, and when measured
        self._away_us = 0  # of the last measurement of it, what the rhythm has not taken in yet

    def begun(self, now_us) -> None:
        self._end_us = self._learning_us = now_us

    def voltage_mv(self, current_ma):
        """Of the cell at this current; only where `has_voltage`."""
        return self._open_mv + current_ma * self._resistance_mohm // 1000

    def step(self, bus, ticks_us, sample) -> None:
        """Call `sample(begin in microseconds, mV, mA)` when a result is there, and before it `sample(None,
        None, None)` for each one that was missed. Results that do not come at all count as missed, too.
        """
        length_us = self._length >> 8
        now_us = ticks_us()
        since_us = _apart(now_us, self._end_us)
        if since_us < length_us >> 1:
            return
        had_voltage = self.has_voltage
        due = self._known and (not had_voltage or _apart(now_us, self._voltage_us) >= VOLTAGE_US)
        # The voltage is measured right after a result, before much of the next is lost with it.
        await_end = due and self.look_ms == 1 and since_us >= length_us - _AWAIT_US
        current_ma = None
        try:
            looks = self._looks(bus, _TRIES if await_end else 1)
            if looks:
                now_us = ticks_us()
                current_ma = self._read(bus, _CURRENT)
                if due and (looks > 1 or self.look_ms > 1 or not had_voltage):
                    self._measure_voltage(bus, ticks_us)
        except OSError:
            current_ma = None
        if current_ma is None:
            if since_us > 4 * length_us:
                self._miss(bus, sample)
            return
        self._overdue = 0
        self._follow((now_us - self.look_ms * 500) & _MASK, sample)
        if had_voltage:
            begin_us = (self._end_us - (self._length >> 8)) & _MASK
            sample(begin_us, self.voltage_mv(current_ma), current_ma)

    def _looks(self, bus, tries):
        """How often the chip was asked until a result was ready; 0 when it was not."""
        for look in range(tries):
            bus.readfrom_mem_into(self._address, _MASK_ENABLE, self._word)
            if self._word[1] & _READY:
                return look + 1
        return 0

    def _read(self, bus, register):
        """The register's word as a two's complement number."""
        bus.readfrom_mem_into(self._address, register, self._word)
        word = self._word[0] << 8 | self._word[1]
        return word - 0x10000 if word & 0x8000 else word

    def _measure_voltage(self, bus, ticks_us):
        """At the current of the same moment; the chip goes on as before at once."""
        begin_us = ticks_us()
        bus.writeto_mem(self._address, _CONFIGURATION, _PAIR)
        looks = self._looks(bus, _PAIR_TRIES)
        bus.writeto_mem(self._address, _CONFIGURATION, self.setting)
        self._away_us = _apart(ticks_us(), begin_us)
        if looks:
            voltage_mv = self._read(bus, _BUS) * 5 // 4
            self._open_mv = voltage_mv - self._read(bus, _CURRENT) * self._resistance_mohm // 1000
            self._voltage_us, self.has_voltage = ticks_us(), True

    def _miss(self, bus, sample):
        """A result is long overdue: count it, and now and then tell the chip anew what to do."""
        self._advance(1)
        self._learned, self._learning_us = 0, self._end_us
        sample(None, None, None)
        self._overdue += 1
        if self._overdue & 7 == 1:
            try:
                bus.writeto_mem(self._address, _CONFIGURATION, self.setting)
            except OSError:
                pass

    def _follow(self, end_us, sample):
        """Take a result that ended about then into the rhythm: a loop of second order, as steady as it is
        without ringing, which trusts one moment to a 32nd and forgets an error of the rhythm in 0.2 s.
        """
        length_us = self._length >> 8
        since_us = _apart(end_us, self._end_us) - self._away_us
        results = max(1, (since_us + (length_us * 13 >> 5)) // length_us)
        self._away_us -= self._away_us >> 5
        if not self._known:
            self._learn(end_us, results)
            return
        for _ in range(results - 1):
            sample(None, None, None)
        self._advance(results)
        late_us = max(-(length_us >> 2), min(_apart(end_us, self._end_us), length_us >> 2))
        self._end_rest += late_us << 3
        self._advance(0)
        self._length += late_us >> 4

    def _learn(self, end_us, results):
        self._learned += 1
        self._end_us = end_us
        if results > 1:  # one was missed: from here again
            self._learned, self._learning_us = 0, end_us
            return
        learned_us = _apart(end_us, self._learning_us)
        if self._learned >= _LEARNED or learned_us >= _LEARN_US:
            self._length = (learned_us << 8) // self._learned
            self._known = True

    def _advance(self, results):
        rest = self._end_rest + self._length * results
        self._end_us = (self._end_us + (rest >> 8)) & _MASK
        self._end_rest = rest & 0xFF


class PowerTrace:
    """The ring. `sample` may interrupt `take` between any two bytecodes, as a soft timer does."""

    def __init__(self):
        self._ring = bytearray(SAMPLE_BYTES * CAPACITY)
        self._written = 0  # samples put in so far; only `sample` moves it
        self._taken = 0  # samples taken out so far; only `take` moves it
        self.samples = 0  # numbers given out so far

    @property
    def waiting(self) -> int:
        """Samples to take."""
        return self._written - self._taken

    def sample(self, time_us: int | None, voltage_mv: int | None, current_ma: int | None) -> None:
        """Keep one sample, or only its number when the ring is full or the sensor had none (None)."""
        number = self.samples & 0xFFFF
        self.samples += 1
        if self.waiting >= CAPACITY or time_us is None or voltage_mv is None or current_ma is None:
            return
        place = self._written % CAPACITY * SAMPLE_BYTES
        voltage_mv = max(0, min(voltage_mv, 0xFFFF))
        current_ma = max(-0x8000, min(current_ma, 0x7FFF))
        struct.pack_into(LAYOUT, self._ring, place, number, time_us & _MASK, voltage_mv, current_ma)
        self._written += 1

    def take(self) -> bytes:
        """Up to `FRAME_SAMPLES` samples in `LAYOUT`, oldest first."""
        count = min(self.waiting, FRAME_SAMPLES)
        data = b""
        for index in range(self._taken, self._taken + count):
            start = index % CAPACITY * SAMPLE_BYTES
            data += bytes(self._ring[start : start + SAMPLE_BYTES])
        self._taken += count
        return data

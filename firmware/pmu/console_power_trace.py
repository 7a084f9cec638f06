"""Current and voltage of the battery many times a second, for a test rig.

`TraceSampler` reads the INA226 and `TraceBuffer` holds the samples until the console takes them. Every sample
has a number, which goes on when a sample is lost, so the reader knows how many are missing.

The INA226 converts the current continuously; a result is the mean of as many conversions as `setting` says,
so the trace misses no moment of the current. The chip runs on its own clock: a timer polls its
conversion-ready flag several times per result, and the averaged moments at which the flag was seen give a
sample its length and its place in time. The length is learned before the first sample, in 0.2 s at the
default period.

Once a second, right after a result, a single conversion of each input gives the voltage; for about a
millisecond the current is not measured. Until the next one the voltage is computed from the current and the
cell's resistance as the gauge knows it: an error of 50 milliohm is an error of the power of 1 percent per 0.8
A that the current has changed since.
"""

import struct

LAYOUT = "<HIHh"  # number modulo 65536, begin in microseconds modulo 2**30, mV, mA (+ = charging)
SAMPLE_BYTES = 10
CAPACITY = 256  # 0.8 s of the default trace
FRAME_SAMPLES = 20  # carried by one line of the console
MIN_PERIOD_MS = 3
MAX_PERIOD_MS = 1_000
DEFAULT_PERIOD_MS = 4
MAX_SECONDS = 3_600
VOLTAGE_US = 1_000_000  # between two measurements of the voltage

# INA226 data sheet, configuration register: 0x4000 | AVG << 9 | VBUSCT << 6 | VSHCT << 3 | MODE
AVERAGES = (1, 4, 16, 64, 128, 256, 512, 1024)
CONVERSION_US = (140, 204, 332, 588, 1_100, 2_116, 4_156, 8_244)  # typical; each chip is up to a tenth off
_RESERVED_BIT = 0x4000
_SHUNT_CONTINUOUS = 5
_PAIR_ONCE = b"\x40\x03"  # shunt and bus once, 0.14 ms each
_CONFIGURATION, _BUS, _CURRENT, _MASK_ENABLE = 0x00, 0x02, 0x04, 0x06
_READY = 0x08
_MASK = 0x3FFFFFFF  # of the clock in microseconds
_POLLS, _PAIR_POLLS = 24, 8  # a poll takes 0.15 ms
_AWAIT_US = 1_500  # the timer's period of 1 ms and its delay
_LEARN_RESULTS, _LEARN_US = 64, 300_000  # results, or time, from which the length is learned


def setting(period_ms: int) -> tuple[int, int]:
    """The word for the INA226's configuration register, and the length of one result in microseconds.

    Of the settings whose results last about `period_ms`, the one with the shortest conversions: the data
    sheet does not say how the chip weighs the moments within one conversion. Raises ValueError where there is
    none.
    """
    for shunt, shunt_us in enumerate(CONVERSION_US):
        for average, times in enumerate(AVERAGES):
            if 750 * period_ms <= times * shunt_us < 1_333 * period_ms:
                return _RESERVED_BIT | average << 9 | shunt << 3 | _SHUNT_CONTINUOUS, times * shunt_us
    raise ValueError("period")


def poll_ms(period_ms: int) -> int:
    """Time between two polls of the conversion-ready flag."""
    return max(1, min(4, period_ms // 16))


def _difference_us(later_us, earlier_us):
    """Microseconds between two moments of a clock that wraps at 2**30, signed. All numbers fit small
    integers, which need no heap.
    """
    us = (later_us - earlier_us) & _MASK
    return us - _MASK - 1 if us & 0x20000000 else us


class TraceSampler:
    """Takes the INA226's results as they become ready. Write `setting` to the chip, call `start`, then `step`
    every `poll_ms`. `step` allocates no memory unless the bus or `ticks_us` (modulo 2**30) does.
    """

    def __init__(self, address: int, period_ms: int, resistance_mohm: int = 0):
        word, result_us = setting(period_ms)
        self.setting = word.to_bytes(2, "big")
        self.poll_ms = poll_ms(period_ms)
        self.has_voltage = False
        self._address = address
        self._resistance_mohm = resistance_mohm
        self._word = bytearray(2)
        self._length = result_us << 8  # of a result, as learned, in 1/256 microseconds
        self._end_us, self._end_rest = 0, 0  # of the last result, and the fraction of it in 1/256
        # The length: from how many results, since when
        self._learned, self._learning_us, self._known = 0, 0, False
        self._overdue = 0  # results in a row that did not become ready
        self._open_mv, self._voltage_us = 0, 0  # open-circuit voltage, and when it was measured
        self._pause_us = 0  # of the last voltage measurement: delay that `_track` has not followed yet

    def start(self, now_us) -> None:
        self._end_us = self._learning_us = now_us

    def voltage_mv(self, current_ma):
        """Of the cell at this current. Valid once `has_voltage`."""
        return self._open_mv + current_ma * self._resistance_mohm // 1000

    def step(self, bus, ticks_us, sample) -> None:
        """Poll once. When a result is ready, call `sample(begin in microseconds, mV, mA)`, and before that
        `sample(None, None, None)` for each result that was missed. A result long overdue counts as missed.
        """
        length_us = self._length >> 8
        now_us = ticks_us()
        since_us = _difference_us(now_us, self._end_us)
        if since_us < length_us >> 1:
            return
        had_voltage = self.has_voltage
        due = self._known and (not had_voltage or _difference_us(now_us, self._voltage_us) >= VOLTAGE_US)
        # The voltage is measured right after a result, so that little of the next one is lost.
        await_end = due and self.poll_ms == 1 and since_us >= length_us - _AWAIT_US
        current_ma = None
        try:
            polls = self._polls(bus, _POLLS if await_end else 1)
            if polls:
                now_us = ticks_us()
                current_ma = self._read(bus, _CURRENT)
                if due and (polls > 1 or self.poll_ms > 1 or not had_voltage):
                    self._measure_voltage(bus, ticks_us)
        except OSError:
            current_ma = None
        if current_ma is None:
            if since_us > 4 * length_us:
                self._miss(bus, sample)
            return
        self._overdue = 0
        self._track((now_us - self.poll_ms * 500) & _MASK, sample)
        if had_voltage:
            begin_us = (self._end_us - (self._length >> 8)) & _MASK
            sample(begin_us, self.voltage_mv(current_ma), current_ma)

    def _polls(self, bus, tries):
        """Poll up to `tries` times; the number of polls until a result was ready, or 0."""
        for poll in range(tries):
            bus.readfrom_mem_into(self._address, _MASK_ENABLE, self._word)
            if self._word[1] & _READY:
                return poll + 1
        return 0

    def _read(self, bus, register):
        """The register's word as a two's complement number."""
        bus.readfrom_mem_into(self._address, register, self._word)
        word = self._word[0] << 8 | self._word[1]
        return word - 0x10000 if word & 0x8000 else word

    def _measure_voltage(self, bus, ticks_us):
        """Convert voltage and current once, then return the chip to its continuous conversions."""
        begin_us = ticks_us()
        bus.writeto_mem(self._address, _CONFIGURATION, _PAIR_ONCE)
        polls = self._polls(bus, _PAIR_POLLS)
        bus.writeto_mem(self._address, _CONFIGURATION, self.setting)
        self._pause_us = _difference_us(ticks_us(), begin_us)
        if polls:
            voltage_mv = self._read(bus, _BUS) * 5 // 4
            self._open_mv = voltage_mv - self._read(bus, _CURRENT) * self._resistance_mohm // 1000
            self._voltage_us, self.has_voltage = ticks_us(), True

    def _miss(self, bus, sample):
        """A result is long overdue: count it, and write the configuration again at every eighth."""
        self._advance(1)
        self._learned, self._learning_us = 0, self._end_us
        sample(None, None, None)
        self._overdue += 1
        if self._overdue & 7 == 1:
            try:
                bus.writeto_mem(self._address, _CONFIGURATION, self.setting)
            except OSError:
                pass

    def _track(self, end_us, sample):
        """Follow the chip's clock with a result that ended about then: a critically damped second-order loop.
        One moment corrects the phase by a 32nd of its error; an error of the length decays in 0.2 s.
        """
        length_us = self._length >> 8
        since_us = _difference_us(end_us, self._end_us) - self._pause_us
        results = max(1, (since_us + (length_us * 13 >> 5)) // length_us)
        self._pause_us -= self._pause_us >> 5
        if not self._known:
            self._learn(end_us, results)
            return
        for _ in range(results - 1):
            sample(None, None, None)
        self._advance(results)
        late_us = max(-(length_us >> 2), min(_difference_us(end_us, self._end_us), length_us >> 2))
        self._end_rest += late_us << 3
        self._advance(0)
        self._length += late_us >> 4

    def _learn(self, end_us, results):
        self._learned += 1
        self._end_us = end_us
        if results > 1:  # one was missed: start again here
            self._learned, self._learning_us = 0, end_us
            return
        learned_us = _difference_us(end_us, self._learning_us)
        if self._learned >= _LEARN_RESULTS or learned_us >= _LEARN_US:
            self._length = (learned_us << 8) // self._learned
            self._known = True

    def _advance(self, results):
        rest = self._end_rest + self._length * results
        self._end_us = (self._end_us + (rest >> 8)) & _MASK
        self._end_rest = rest & 0xFF


class TraceBuffer:
    """A ring buffer of samples. `sample` may interrupt `take` between any two bytecodes, as a soft timer
    does.
    """

    def __init__(self):
        self._ring = bytearray(SAMPLE_BYTES * CAPACITY)
        self._written = 0  # samples stored so far; only `sample` changes it
        self._taken = 0  # samples taken so far; only `take` changes it
        self.samples = 0  # numbered so far, the lost ones included

    @property
    def waiting(self) -> int:
        """Number of samples in the buffer."""
        return self._written - self._taken

    def sample(self, time_us: int | None, voltage_mv: int | None, current_ma: int | None) -> None:
        """Store one sample. When the buffer is full, or the sample was missed (None), only its number is used
        up.
        """
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

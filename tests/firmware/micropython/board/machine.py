"""An emulated RP2040 or RP2350: the classes of `machine` that the firmware uses, on simulated time.

Runs on MicroPython and CPython. `I2CTarget` behaves as the rp2 port does (its source, see `I2CTarget` below);
`RIG` is the tester's side of the wires. Time passes while the program sleeps and while bytes move on a bus;
what the interpreter computes takes none.
"""

try:
    from micropython import heap_lock, heap_unlock
except ImportError:  # CPython counts no allocations

    def heap_lock():
        pass

    heap_unlock = heap_lock

PWRON_RESET, WDT_RESET = 1, 3
# Per chip: usual clock, longest watchdog in ms (machine_wdt.c), first scratch register (data sheets)
CHIPS = {"RP2040": (125_000_000, 8_388, 0x4005_800C), "RP2350": (150_000_000, 16_777, 0x400D_800C)}
_SDA = 4
_LOOK_US = 1_000  # how finely a light sleep looks for edges


class Ended(BaseException):
    """The given time is over, or the program reset the microcontroller."""


class Rig:
    """The program's surroundings: clock, wires, and recorded faults."""

    def __init__(self):
        self.clear()

    def clear(self):
        """Reset everything."""
        self.now_us = 0
        self.until_us = 0  # `Ended` is raised when time would pass this
        # pin number -> level that the outside or the program drives; the host's bus has its pull-ups
        self.levels = {4: 1, 5: 1}
        self.target = None  # the I2CTarget that is open
        self.chips = {}  # I2C address -> chip on any bus of which the program is controller
        self.timers = []
        self.lit = {}  # pin number -> duty of its PWM, 0..65535
        self.fed = 0  # times the watchdog was fed
        self.hard = []  # names of interrupt sources with a hard handler
        self.faults = []  # exceptions of interrupt handlers; the handler is off from then on
        self.watch = None  # called whenever time has passed
        self._handling = False  # MicroPython calls no soft handler from within another one
        self.scratch = {}
        self.chip = "RP2040"
        self.hz = CHIPS[self.chip][0]
        self.armed = {}  # pin number -> handler of its edges
        self.dozed_us = 0  # time in light sleep so far
        self.dozing = False
        self.opened = []  # when a microphone was opened, microseconds
        self.open_i2s = None
        self.reset_cause = PWRON_RESET
        self.console_in = b""
        self.console_out = b""

    def pass_us(self, duration_us):
        """Let time pass; timers fire in it, late where another one's handler takes long, and `watch` looks at
        each stop.
        """
        end_us = self.now_us + duration_us
        while not self._handling:
            due = [timer for timer in self.timers if timer.at_us <= end_us]
            if not due:
                break
            timer = min(due, key=lambda each: each.at_us)
            self.now_us = max(self.now_us, timer.at_us)
            self._handling = True
            try:
                timer.fire()
            finally:
                self._handling = False
            end_us = max(end_us, self.now_us)
        self.now_us = end_us
        if self.watch is not None:
            self.watch()
        if self.now_us >= self.until_us:
            raise Ended

    def edge(self, number):
        """The level of a pin changed: its handler is called, and a light sleep ends."""
        if number in self.armed:
            self.dozing = False
            self.interrupt("Pin", self.armed[number], False, number)

    def interrupt(self, source, handler, hard, argument):
        """Call an interrupt handler as MicroPython does; None when it may be called again, else the reason it
        may not.

        A hard handler runs with the heap locked, so that an allocation raises; whatever it raises is printed
        and the handler is disabled for good. What a soft handler raises is printed, nothing else.
        """
        if hard:
            heap_lock()
        try:
            handler(argument)
        except Exception as problem:
            if hard:
                heap_unlock()
                hard = False
                self.faults.append(source + ": " + repr(problem))
                return problem
            self.faults.append(source + ": " + repr(problem))
        finally:
            if hard:
                heap_unlock()
        return None


RIG = Rig()


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


class _Irq:
    def __init__(self, target):
        self._target = target

    def flags(self):
        return self._target.event


class I2CTarget:
    """The peripheral as a target. `mem` is served without Python, its address moves on and wraps.

    As seen in the source of the rp2 port: in memory mode the handler also hears READ_REQ and WRITE_REQ,
    before the byte moves; READ_REQ comes once more than bytes are read when that is one byte, which moves the
    memory address on by one too far; END_WRITE is not raised for a write of the address alone, but by a bus
    scan. Without `mem` the clock is stretched until `write` is called, for ever when the handler is dead.
    """

    IRQ_ADDR_MATCH_READ, IRQ_ADDR_MATCH_WRITE, IRQ_READ_REQ, IRQ_WRITE_REQ = 1, 2, 4, 8
    IRQ_END_READ, IRQ_END_WRITE = 16, 32

    def __init__(self, id, addr, *, addrsize=7, mem=None, mem_addrsize=8, scl=None, sda=None):
        if id not in (0, 1):
            raise ValueError("I2CTarget({}) doesn't exist".format(id))
        if mem_addrsize not in (0, 8, 16, 24, 32):
            raise ValueError("invalid mem_addrsize")
        self.address = addr
        self.memaddr = 0
        self.event = 0
        self._memory = mem
        self._address_bytes = mem_addrsize // 8 if mem is not None else 0
        self._handler, self._trigger, self._hard = None, 0, False
        self._answer: object = None
        self._received = b""
        self._held = False
        RIG.target = self

    def deinit(self):
        self._handler = None
        if RIG.target is self:
            RIG.target = None

    def irq(self, handler=None, trigger=16 | 32, hard=False):
        if trigger & 15 and not hard:
            raise ValueError("hard irq required")
        self._handler, self._trigger, self._hard = handler, trigger, hard
        if hard and handler is not None:
            RIG.hard.append("I2CTarget")
        return _Irq(self)

    def write(self, data):
        self._answer = data[0]
        return 1

    def readinto(self, buffer):
        count = min(len(buffer), len(self._received))
        buffer[:count] = self._received[:count]
        self._received = self._received[count:]
        return count

    # The host's side of the bus

    def host_write(self, data):
        """One write transaction; no data at all is what a bus scan does."""
        self._begin(I2CTarget.IRQ_ADDR_MATCH_WRITE)
        address, data = data[: self._address_bytes], data[self._address_bytes :]
        if address:
            self.memaddr = 0
            for byte in address:
                self.memaddr = self.memaddr << 8 | byte
            self.memaddr %= len(self._memory)
        for byte in data:
            if self._memory is None:
                self._received += bytes((byte,))
            self._raise(I2CTarget.IRQ_WRITE_REQ)
            if self._memory is not None:
                self._memory[self.memaddr] = byte
                self.memaddr = (self.memaddr + 1) % len(self._memory)
        if data or not address:
            self._raise(I2CTarget.IRQ_END_WRITE)

    def host_read(self, count):
        """One read transaction from where the memory address stands. OSError if the clock stays stretched."""
        self._begin(I2CTarget.IRQ_ADDR_MATCH_READ)
        data = bytearray()
        for _ in range(count):
            data.append(self._next_byte())
        if count == 1:
            self._next_byte()
        self._raise(I2CTarget.IRQ_END_READ)
        return bytes(data)

    def _begin(self, match):
        if RIG.dozing:
            RIG.edge(_SDA)
            raise OSError(6)  # nobody acknowledges
        if self._held:
            raise OSError(110)
        self._raise(match)

    def _next_byte(self):
        self._answer = None
        self._raise(I2CTarget.IRQ_READ_REQ)
        if self._memory is not None:
            byte = self._memory[self.memaddr]
            self.memaddr = (self.memaddr + 1) % len(self._memory)
            return byte
        return self._answered()

    def _answered(self):
        if self._answer is None:
            self._held = True
            raise OSError(110)
        return self._answer

    def _raise(self, event):
        if self._handler is None or not self._trigger & event:
            return
        self.event = event
        if RIG.interrupt("I2CTarget", self._handler, self._hard, self) is not None:
            self._handler = None

"""The tester's side of an emulated microcontroller: simulated time, wires, and the faults of the program.

Time passes while the program sleeps and while bytes move on a bus; what the interpreter computes takes none.
"""

try:
    from micropython import heap_lock, heap_unlock
except ImportError:  # CPython counts no allocations

    def heap_lock():
        pass

    heap_unlock = heap_lock

PWRON_RESET = 1
# Per chip: usual clock, longest watchdog in ms (machine_wdt.c), first scratch register (data sheets)
CHIPS = {"RP2040": (125_000_000, 8_388, 0x4005_800C), "RP2350": (150_000_000, 16_777, 0x400D_800C)}


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

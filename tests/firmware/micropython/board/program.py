"""The firmware as it lies on the flash, started on the bench; each function is one step of a session."""

import gc
import json
import sys

import micropython

from . import bench
from .bench import word
from .i2c_target import I2CTarget
from .rig import RIG

seen = {}
_kept = None


def prepare():
    """An empty bench with a battery that gives 650 mA at 3.85 V."""
    RIG.chips[0x40] = bench.Ina226(3850, -650)
    gc.collect()


def names():
    """Prints how many names the interpreter keeps on its heap."""
    micropython.qstr_info()


def boot(duration_ms, talk):
    """Run /main.py for that time; its objects stay alive, as in the endless loop. `talk`: the console is
    asked for the version.
    """
    seen["before"] = gc.mem_alloc()
    gc.disable()
    RIG.watch = _keep
    if talk:
        RIG.console_in = b'\n{"id": 1, "cmd": "version"}*B850BE39\n'
    bench.run(lambda: __import__("main"), duration_ms)
    seen["allocated"] = gc.mem_alloc() - seen["before"]
    gc.enable()
    gc.collect()


def memory():
    """Bytes that the booted firmware holds, and all that was allocated on the way there."""
    held = gc.mem_alloc() - seen["before"]
    names()
    return json.dumps({"held": held, "allocated": seen["allocated"], "answered": len(RIG.console_out)})


def _keep():
    global _kept
    if RIG.target is not None:
        _kept = RIG.target._handler  # refers to the whole firmware


def _watch():
    if RIG.target is None:
        return
    if "first_ms" not in seen:
        import registers as r

        status = word(r.BATTERY_STATUS)
        if status is not None and status & r.STATUS_INITIALIZED:
            seen["first_ms"] = RIG.now_us / 1000
            seen["first"] = [word(code) for code in (r.MAP, r.VOLTAGE, r.CURRENT)]


def _at(steps):
    """A `watch` that does each (time in ms, action) once when its time has come."""

    def watch():
        _watch()
        if steps and RIG.now_us >= steps[0][0] * 1000:
            steps.pop(0)[1]()

    return watch


def _write(code, value):
    import registers as r

    low, high = value & 0xFF, value >> 8
    RIG.target.host_write(bytes((code * 4, low, high, r.write_pec(code * 4, low, high))))


def live():
    """Twenty seconds of the firmware with a host that writes registers, reads sound and uses the console."""
    from_console = []

    def note(name, *codes):
        seen[name] = [word(code) for code in codes]

    def ask():
        from pmu import console_json_lines as lines

        RIG.console_in += lines.encode({"id": 1, "cmd": "version"})

    def answered():
        from_console.append(RIG.console_out)

    def write_alarm():
        import registers as r

        _write(r.REMAINING_CAPACITY_ALARM, 321)
        _write(r.VOLTAGE, 9999)
        note("written", r.REMAINING_CAPACITY_ALARM, r.VOLTAGE)

    def listen(on):
        import registers as r

        _write(r.SOUND_GATE, on)

    def recorded():
        import registers as r

        note("pages", r.SOUND_PAGES)

    def end():
        import registers as r

        words = [word(code) for code in range(r.REGISTER_COUNT)]
        seen["whole"] = all(each is not None for each in words)
        seen["uptime_s"] = words[r.UPTIME_LOW]

    RIG.watch = _at(
        [
            (1_000, write_alarm), (1_500, ask), (2_000, answered), (3_000, lambda: listen(1)),
            (5_000, recorded), (5_100, lambda: listen(0)), (19_900, end),
        ]
    )  # fmt: skip
    bench.run(lambda: __import__("main"), 20_000)
    seen["console"] = str(b"".join(from_console), "utf-8")
    seen.update(faults=RIG.faults, hard=RIG.hard, fed=RIG.fed)
    return json.dumps(seen)


def silent():
    """A battery sensor that does not answer at the start, then does, fails for a while and recovers."""
    import registers as r

    found = {}

    def look(name):
        def note():
            found[name] = [word(code) for code in (r.MAP, r.BATTERY_STATUS, r.VOLTAGE, r.CURRENT)]

        return note

    sensor = RIG.chips.pop(0x40)

    def plug():
        RIG.chips[0x40] = sensor

    def unplug():
        del RIG.chips[0x40]

    RIG.watch = _at(
        [
            (2_000, look("never")), (2_100, plug), (3_500, look("there")), (4_000, unplug),
            (6_000, look("gone")), (6_100, plug), (7_500, look("back")),
        ]
    )  # fmt: skip
    bench.run(lambda: __import__("main"), 8_000)
    found["faults"] = RIG.faults
    return json.dumps(found)


def traced():
    """A second of the power trace while the sensor's current is the time, in milliseconds."""
    RIG.chips[0x40] = bench.Ina226(3850, lambda time_us: -(time_us // 1000))
    found = {}

    def ask():
        from pmu import console_json_lines as lines

        RIG.console_in += lines.encode({"id": 1, "cmd": "power-trace", "seconds": 1})
        RIG.console_out = b""

    def setting():
        import registers as r

        found["resistance_mohm"] = bench.word(r.RESISTANCE)
        found["setting"] = RIG.chips[0x40].read(0x00, 2).hex()

    def collect():
        found["console"] = str(RIG.console_out, "utf-8")
        found["after"] = RIG.chips[0x40].read(0x00, 2).hex()

    RIG.watch = _at([(1_500, ask), (2_000, setting), (3_500, collect)])
    bench.run(lambda: __import__("main"), 4_000)
    found["faults"] = RIG.faults
    return json.dumps(found)


def interrupts():
    """Code that runs with the heap locked, and a handler that allocates there."""
    sys.path.append("/slot_a")
    from array import array

    import registers as r
    from pmu import sound_loops as loops
    from pmu.register_memory import Target

    from . import looking

    found = {}
    block = 234
    samples = array("h", (0,) * block)
    wide = array("i", (0,) * block)
    state, out = array("i", (0, 0, 0)), bytearray(256)
    work = array("i", (0,) * 6)
    target = Target()

    def locked(name, function, *arguments):
        allocated = False
        micropython.heap_lock()
        try:
            function(*arguments)
        except MemoryError:
            allocated = True
        micropython.heap_unlock()
        found[name] = allocated

    locked("narrow", loops.narrow, wide, samples, 12)
    locked("encode", loops.encode, samples, state, out, 0)
    locked("measure", loops.measure, samples, work)
    locked("value", target.value, r.VOLTAGE)
    looking.look_for_result(locked, found)
    locked("a list", lambda: [1, 2, 3])

    def greedy(_):
        raise_no_more.append([0] * 100)

    raise_no_more = []
    bus = I2CTarget(1, 0x42)
    bus.irq(greedy, I2CTarget.IRQ_READ_REQ, True)
    try:
        bus.host_read(1)
    except OSError:
        found["held"] = True
    found["faults"] = RIG.faults
    return json.dumps(found)


def load_loops():
    """The loops over samples, in plain Python."""
    sys.path.append("/slot_a")
    __import__("pmu.sound_loops")  # a name here would be one that the firmware need not bring
    seen["heap"] = [0, 0]
    gc.collect()


def drop_loops():
    """Drops their functions, as `sound_loops_viper` does on a board."""
    module = sys.modules["pmu.sound_loops"]
    for name in dir(module):
        if type(getattr(module, name)) is type(drop_loops):
            delattr(module, name)
    gc.collect()


def note_heap(at):
    """Allocated bytes."""
    seen["heap"][at] = gc.mem_alloc()


def dropped():
    """Bytes that went between the two."""
    return json.dumps({"dropped": seen["heap"][0] - seen["heap"][1]})


class Weights:
    """Measures what each step adds to the heap; garbage is collected between a step's `load` and `end`."""

    def __init__(self):
        self._bytes = {}
        self._kept = []
        RIG.until_us = 1 << 40
        sys.path.append("/slot_a")
        bench.install()

    def begin(self):
        self._before = gc.mem_alloc()

    def load(self, module):
        __import__(module)
        gc.collect()

    def construct(self):
        from pmu.app import Pmu
        from pmu.board import Board

        self._kept.append(Pmu(Board()))
        gc.collect()

    def end(self, name):
        self._bytes[name] = gc.mem_alloc() - self._before

    def report(self):
        bench.uninstall()
        return json.dumps(self._bytes)

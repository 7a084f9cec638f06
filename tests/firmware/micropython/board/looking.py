"""The timer's work in a power trace, with chips that have a result and chips that have none."""


class SilentChip:
    """Never has a result."""

    def readfrom_mem_into(self, address, register, into):
        into[1] = 0


class ReadyChip:
    """Always has one."""

    def readfrom_mem_into(self, address, register, into):
        into[1] = 0x08

    def writeto_mem(self, address, register, data):
        pass


def look_for_result(locked, found):
    """The timer's work in a power trace, without and with a result that is ready."""
    from pmu.console_power_trace import TraceBuffer, TraceSampler

    clock = [0]

    def ticks_us():
        return clock[0]

    def pass_us(us):
        clock[0] = clock[0] + us & 0x3FFFFFFF

    trace, traced = TraceBuffer(), TraceSampler(0x40, 4, 120)
    silent, ready = SilentChip(), ReadyChip()
    for begin_us in (0, 0x3FFFF000):  # the clock wraps in the second
        clock[0] = begin_us
        traced.start(begin_us)
        for _ in range(100):
            pass_us(3_264)
            traced.step(ready, ticks_us, trace.sample)
        before = trace.samples
        pass_us(2_000)
        locked("no result yet", traced.step, silent, ticks_us, trace.sample)
        pass_us(1_264)
        locked("a result", traced.step, ready, ticks_us, trace.sample)
        found["told"] = trace.samples - before

"""The PMU's client on a bus or a PMU that fails."""

from __future__ import annotations

import errno
import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.pmu import registers as r
from hw.emulated.bus import EmulatedBus, Fault
from hw.emulated.clock import FakeClock
from hw.i2c_faults import FAULTS
from hw.pmu.gauge import PmuGauge, PowerRequest
from hw.pmu.register_bus import GaugeError, bus_failure
from tests.hw.pmu.pmu_bench import Bench


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.mark.parametrize(
    ("fault", "state", "says"),
    [
        (Fault.NAK, "absent", "does not answer"),
        (Fault.STALL, "absent", "time out"),
        (Fault.BAD_PEC, "implausible", "wrong checksums"),
        (Fault.TORN, "implausible", "wrong checksums"),
        (Fault.ALL_ONES, "absent", "only ones"),
        (Fault.STUCK_SDA, "absent", "fail on the bus"),
        (Fault.ALL_ZEROS, "absent", "only zeros"),
        (Fault.OLDER_MAP, "implausible", "flash the PMU"),
        (Fault.NEWER_MAP, "implausible", "update the application on the host"),
        (Fault.BUSY, "absent", "kernel driver"),
    ],
)
def test_a_lasting_fault_is_a_state_with_a_sentence_and_heals(
    bench: Bench, fault: Fault, state: str, says: str
) -> None:
    bench.bus.inject(fault)
    before = bench.bus.transfers
    reading = bench.client.read()
    assert reading.state == state
    assert reading.problem is not None
    assert says in reading.problem
    assert reading.percent is None
    assert not reading.charging
    assert bench.bus.transfers - before <= 24
    bench.bus.inject(None)
    assert bench.client.read().percent == 57


@pytest.mark.parametrize(
    "fault", [Fault.NAK, Fault.BAD_PEC, Fault.TORN, Fault.ALL_ONES, Fault.ALL_ZEROS, Fault.STUCK_SDA]
)
@pytest.mark.parametrize("healthy_transfers", [0, 1, 2, 3])
def test_a_passing_fault_costs_a_repeat_only(bench: Bench, fault: Fault, healthy_transfers: int) -> None:
    for _ in range(healthy_transfers):
        bench.bus.read_byte(r.ADDRESS)
    bench.bus.inject(fault, times=2)
    assert bench.client.read().state == "good"


@pytest.mark.parametrize("fault", [Fault.NAK, Fault.STALL, Fault.BAD_PEC])
def test_a_passing_fault_is_repeated_on_a_busy_processor_too(
    bench: Bench, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every look at the clock finds a second gone."""
    seconds = itertools.count()
    monkeypatch.setattr(time, "monotonic", lambda: float(next(seconds)))
    bench.bus.inject(fault, times=1)
    assert bench.client.read().state == "good"
    bench.bus.inject(fault, times=1)
    bench.client.request(PowerRequest.SLEEP)


def test_a_pmu_that_sleeps_for_a_moment_is_waited_for(bench: Bench) -> None:
    bench.bus.inject(Fault.NAK, times=3)
    assert bench.client.read().state == "good"
    assert bench.pauses == [0.002, 0.01, 0.05]
    bench.bus.inject(Fault.NAK)
    bench.client.read()
    with pytest.raises(GaugeError):
        bench.client.beat()
    assert len(bench.pauses) == 9


KERNEL_ERRNOS = (
    "EAGAIN", "EBADMSG", "EBUSY", "EINVAL", "EIO", "ENODEV", "ENOMEM", "ENXIO", "EOPNOTSUPP", "EPROTO",
    "ESHUTDOWN", "ETIMEDOUT",
)  # fmt: skip
"""Every code in the kernel's documentation i2c/fault-codes."""


def test_every_errno_is_decided() -> None:
    assert {getattr(errno, name) for name in KERNEL_ERRNOS} <= set(FAULTS)
    for number in (*errno.errorcode, 0, 4_000):
        sentence = str(bus_failure(OSError(number, "why")))
        assert sentence.endswith(".") and "{" not in sentence
    assert FAULTS[errno.ETIMEDOUT].retry and FAULTS[errno.ETIMEDOUT].recover
    assert not any(FAULTS[number].retry for number in (errno.EACCES, errno.EINVAL, errno.EOPNOTSUPP))


class FailingBus:
    """Fails the first transfers with an errno."""

    def __init__(self, bus: EmulatedBus, number: int, times: int) -> None:
        self._bus, self._number, self.left = bus, number, times

    def _fail(self) -> None:
        if self.left:
            self.left -= 1
            raise OSError(self._number, "as asked")

    def read_i2c_block_data(self, i2c_addr: int, register: int, length: int, /) -> list[int]:
        self._fail()
        return self._bus.read_i2c_block_data(i2c_addr, register, length)

    def write_i2c_block_data(self, i2c_addr: int, register: int, data: list[int], /) -> None:
        self._fail()
        self._bus.write_i2c_block_data(i2c_addr, register, data)


@pytest.mark.parametrize("number", sorted(FAULTS))
def test_an_errno_that_passes_is_repeated_or_refused_as_the_table_says(bench: Bench, number: int) -> None:
    failing = FailingBus(bench.bus, number, 1)
    client = PmuGauge(failing, bench.clock.monotonic, pause=bench.pauses.append)
    assert (client.read().state == "good") is FAULTS[number].retry
    failing.left = 1
    if FAULTS[number].retry:
        client.request(PowerRequest.SLEEP)
    else:
        with pytest.raises(GaugeError):
            client.request(PowerRequest.SLEEP)


class SlowBus:
    """A reader on a busy processor, for which each transfer takes a long time."""

    def __init__(self, bus: EmulatedBus, clock: FakeClock, transfer_s: float) -> None:
        self._bus, self._clock, self._transfer_s = bus, clock, transfer_s

    def read_i2c_block_data(self, i2c_addr: int, register: int, length: int, /) -> list[int]:
        self._clock.jump(self._transfer_s)
        return self._bus.read_i2c_block_data(i2c_addr, register, length)

    def write_i2c_block_data(self, i2c_addr: int, register: int, data: list[int], /) -> None:
        self._clock.jump(self._transfer_s)
        self._bus.write_i2c_block_data(i2c_addr, register, data)


@given(transfer_s=st.floats(0.0, 1.5))
def test_a_reader_slower_than_the_updates_reads_the_battery_and_beats(transfer_s: float) -> None:
    bench = Bench()
    slow = SlowBus(bench.bus, bench.clock, transfer_s)
    client = PmuGauge(slow, bench.clock.monotonic, pause=bench.pauses.append)
    for percent in (57, 14):
        bench.pmu.set_battery(percent)
        reading = client.read()
        assert (reading.state, reading.charging) == ("good", False)
        assert reading.percent == pytest.approx(percent, abs=1)  # a look at the voltage may move it
    client.set_heartbeat_deadline(40)
    client.beat()
    assert client.word(r.HEARTBEAT_DEADLINE) == 40
    assert client.take_events() == ()


def test_what_must_be_of_one_update_is_not_read_slowly(bench: Bench) -> None:
    client = PmuGauge(SlowBus(bench.bus, bench.clock, 0.3), bench.clock.monotonic, pause=bench.pauses.append)
    with pytest.raises(GaugeError, match="faster than they can be read"):
        client.energy()


def test_a_bus_that_serves_old_memory_becomes_stale(bench: Bench) -> None:
    assert bench.client.read().state == "good"
    bench.bus.inject(Fault.FROZEN)
    bench.clock.jump(60)
    assert bench.client.read().state == "stale"
    bench.bus.inject(None)
    assert bench.client.read().state == "good"
    assert bench.client.take_events() == ()


def test_a_held_bus_costs_a_bounded_time(bench: Bench) -> None:
    bench.bus.blocked_s = 0.2
    for fault in (Fault.STALL, Fault.STUCK_SDA):
        bench.bus.inject(fault)
        began_s = time.monotonic()
        assert bench.client.read().state == "absent"
        assert time.monotonic() - began_s < 2.0


def test_a_hung_firmware_becomes_stale(bench: Bench) -> None:
    assert bench.client.read().state == "good"
    bench.pmu.frozen = True
    bench.clock.jump(4)
    assert bench.client.read().state == "good"
    bench.clock.jump(4)
    reading = bench.client.read()
    assert reading.state == "stale"
    assert "measured nothing for 8 seconds" in str(reading.problem)
    bench.pmu.frozen = False
    assert bench.client.read().state == "good"


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([None, *Fault]),
            st.one_of(st.none(), st.integers(0, 12)),
            st.integers(0, 100),
            st.floats(0, 20),
            st.booleans(),
        ),
        max_size=12,
    )
)
def test_whatever_the_bus_does_a_good_reading_is_true(
    day: list[tuple[Fault | None, int | None, int, float, bool]],
) -> None:
    bench = Bench()
    for fault, times, percent, pause_s, frozen in day:
        bench.bus.inject(fault, times)
        bench.pmu.frozen = frozen
        bench.pmu.set_battery(percent, current_ma=0)
        bench.clock.jump(pause_s)
        reading = bench.client.read()
        assert (reading.problem is None) == (reading.state == "good")
        if reading.state == "good":
            assert reading.percent == bench.pmu.firmware.target.value(r.RELATIVE_STATE_OF_CHARGE)
    bench.bus.inject(None)
    bench.pmu.frozen = False
    bench.clock.jump(1)
    assert bench.client.read().state == "good"


class AnyMemory:
    """A chip that returns arbitrary bytes."""

    def __init__(self, memory: bytearray) -> None:
        self.memory = memory

    def before_transfer(self) -> None: ...

    def update_now(self) -> None: ...

    def end_write(self) -> None: ...


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(st.integers(0, 63), st.integers(0, 0xFFFF)), st.binary(max_size=4), st.integers(0, 252)
)
def test_whatever_the_memory_holds_a_good_reading_is_possible(
    values: dict[int, int], noise: bytes, place: int
) -> None:
    memory = bytearray().join(r.cell(code, values.get(code, 0)) for code in range(64))
    memory[4 * r.MAP : 4 * r.MAP + 4] = r.cell(r.MAP, r.MAP_MAGIC | r.MAP_VERSION)
    memory[place : place + len(noise)] = noise
    bus = EmulatedBus(AnyMemory(memory[:256]))
    client = PmuGauge(bus, FakeClock().monotonic, pause=lambda seconds: None)
    reading = client.read()
    assert (reading.problem is None) == (reading.state == "good")
    if reading.state == "good":
        assert reading.percent in range(101)
        assert reading.voltage_mv in range(2000, 5001)
        assert reading.current_ma in range(-10_000, 10_001)
    assert len(client.take_events()) <= 24

"""The register memory with a host that reads at any time and writes any bytes anywhere."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.pmu import registers as r
from firmware.pmu.register_memory import Target
from hw.emulated.bus import EmulatedBus
from hw.emulated.clock import FakeClock
from hw.emulated.pmu import EmulatedPmu
from hw.pmu.gauge import PmuGauge


def bus_write(target: Target, address: int, data: bytes) -> None:
    """A write as the I2C peripheral does it: bytes to memory, the address wraps."""
    for index, byte in enumerate(data):
        target.memory[(address + index) % r.MEMORY_BYTES] = byte


def whole(target: Target) -> bool:
    return all(
        target.memory[4 * code : 4 * code + 4] == r.cell(code, target.value(code))
        for code in range(r.REGISTER_COUNT)
    )


def test_publish_shows_values_and_moves_the_sequence() -> None:
    target = Target()
    target.publish({r.VOLTAGE: 3850, r.CURRENT: -650})
    assert target.memory[36:40] == r.cell(r.VOLTAGE, 3850)
    assert r.signed(target.value(r.CURRENT)) == -650
    first = target.value(r.SEQUENCE)
    target.publish({})
    assert target.value(r.SEQUENCE) == first + 2
    assert first % 2 == 0
    assert whole(target)


def test_the_sequence_wraps_and_stays_even() -> None:
    target = Target()
    for _ in range(32_768):
        target.publish({})
    assert target.value(r.SEQUENCE) == 0
    target.publish({})
    assert target.value(r.SEQUENCE) == 2


def test_a_write_with_its_pec_is_taken() -> None:
    target = Target()
    data = bytes((0x2C, 0x01))
    bus_write(target, 4 * r.REMAINING_CAPACITY_ALARM, data + bytes((r.pec(bytes((0x16, 4)) + data),)))
    assert target.accept_writes() == [r.REMAINING_CAPACITY_ALARM]
    assert target.value(r.REMAINING_CAPACITY_ALARM) == 300
    assert whole(target)


def test_a_write_with_a_wrong_pec_or_without_is_undone() -> None:
    target = Target()
    target.publish({r.REMAINING_CAPACITY_ALARM: 200})
    for data in (b"\x2c\x01\x00", b"\x2c\x01"):
        bus_write(target, 4 * r.REMAINING_CAPACITY_ALARM, data)
        assert target.accept_writes() == []
        assert target.value(r.REMAINING_CAPACITY_ALARM) == 200
        assert whole(target)


def host_writes(target: Target, code: int, value: int) -> None:
    """A write with a correct PEC, and the interrupt after it."""
    low, high = value & 0xFF, value >> 8
    bus_write(target, 4 * code, bytes((low, high, r.write_pec(4 * code, low, high))))
    target.accept_writes()


def test_a_part_hears_every_write_even_of_the_same_value() -> None:
    target = Target()
    heard: list[int] = []
    target.on_write(r.MARK, heard.append)
    for value in (7, 7, 8):
        host_writes(target, r.MARK, value)
    target.accept_writes()
    assert heard == [7, 7, 8]
    assert target.value(r.MARK) == 8
    bus_write(target, 4 * r.MARK, bytes((9, 0, 0)))
    target.accept_writes()
    assert heard == [7, 7, 8]


def test_what_follows_from_a_write_comes_with_it_as_one_update() -> None:
    target = Target()
    sequences: list[int] = []

    def turn_page(value: int) -> dict[int, int]:
        sequences.append(target.value(r.SEQUENCE))
        return {r.PAGE_0: value * 2}

    target.on_write(r.PAGE, turn_page)
    before = target.value(r.SEQUENCE)
    host_writes(target, r.PAGE, 21)
    assert (target.value(r.PAGE), target.value(r.PAGE_0)) == (21, 42)
    assert target.value(r.SEQUENCE) == before + 2
    assert sequences == [before]
    assert whole(target)


def test_a_handler_may_put_its_register_right() -> None:
    target = Target()
    target.on_write(r.EVENT_ACK, lambda _: {r.EVENT_ACK: 3})
    for _ in range(2):
        host_writes(target, r.EVENT_ACK, 99)
        assert target.value(r.EVENT_ACK) == 3
        assert whole(target)


def test_a_request_is_taken_once_and_reads_zero_then() -> None:
    target = Target()
    assert target.take(r.POWER_REQUEST) == 0
    low, high = r.REQUEST_SLEEP, 0
    bus_write(target, 4 * r.POWER_REQUEST, bytes((low, high, r.write_pec(4 * r.POWER_REQUEST, low, high))))
    assert target.take(r.POWER_REQUEST) == r.REQUEST_SLEEP
    assert target.take(r.POWER_REQUEST) == 0
    assert target.memory[4 * r.POWER_REQUEST] == 0
    assert whole(target)


def test_a_broken_handler_leaves_a_target_that_works() -> None:
    target = Target()

    def broken(value: int) -> dict[int, int]:
        raise RuntimeError("a part failed")

    target.on_write(r.LIGHT, broken)
    with pytest.raises(RuntimeError):
        host_writes(target, r.LIGHT, 5)
    target.on_write(r.LIGHT, lambda _: {})
    target.accept_writes()
    target.publish({r.VOLTAGE: 3700})
    assert (target.value(r.LIGHT), target.value(r.SEQUENCE) % 2) == (5, 0)
    assert whole(target)


def test_an_interrupt_inside_an_update_belongs_to_it() -> None:
    """The soft interrupt may come between any two bytecodes of `publish`."""
    target = Target()
    target.on_write(r.EVENT_ACK, lambda value: {r.EVENT_COUNT: value})

    class Interrupted(dict):  # type: ignore[type-arg]
        def items(self):
            yield r.VOLTAGE, 3700
            host_writes(target, r.EVENT_ACK, 1)
            assert target.value(r.SEQUENCE) % 2 == 1
            yield r.CURRENT, -100

    target.publish(Interrupted())
    assert [target.value(code) for code in (r.VOLTAGE, r.CURRENT, r.EVENT_COUNT)] == [3700, 0xFF9C, 1]
    assert target.value(r.SEQUENCE) == 2
    assert whole(target)


def test_a_write_that_comes_during_the_work_on_another_is_not_left_over() -> None:
    target = Target()
    heard: list[int] = []

    def interrupted(value: int) -> None:
        heard.append(value)
        if value == 1:
            host_writes(target, r.HEARTBEAT, 7)  # a register that was passed already
            host_writes(target, r.MANUFACTURER_ACCESS, 8)

    target.on_write(r.MARK, interrupted)
    host_writes(target, r.MARK, 1)
    assert heard == [1]
    assert (target.value(r.HEARTBEAT), target.value(r.MANUFACTURER_ACCESS)) == (7, 8)
    assert whole(target)


VALID_WRITE = st.builds(
    lambda code, value: (
        4 * code,
        bytes((value & 0xFF, value >> 8, r.write_pec(4 * code, value & 0xFF, value >> 8))),
    ),
    st.integers(0, r.REGISTER_COUNT - 1),
    st.integers(0, 0xFFFF),
)
"""A valid write of a host, possibly to a read-only register."""
TRANSACTION = st.one_of(
    st.tuples(st.just("write"), st.integers(0, 255), st.binary(max_size=300)),
    VALID_WRITE.map(lambda write: ("write", *write)),
    VALID_WRITE.map(lambda write: ("write", write[0], write[1][:-1] + bytes((write[1][2] ^ 1,)))),
    st.tuples(st.just("address"), st.integers(0, 255)),
    st.tuples(st.just("scan")),
    st.tuples(st.just("read"), st.integers(0, 255), st.integers(1, 300)),
    st.tuples(st.just("read on"), st.integers(1, 5)),
    st.tuples(st.just("publish"), st.integers(0, 0xFFFF)),
)


class Wires:
    """The I2C hardware on the memory, with the RP2040's ways: the address moves on and wraps, an address-only
    write raises no END_WRITE but a scan does, and a read of one byte asks for two.
    """

    def __init__(self, target: Target) -> None:
        self.target = target
        self.address = 0

    def write(self, address: int, data: bytes, interrupt: bool) -> None:
        self.address = address
        for byte in data:
            self.target.memory[self.address] = byte
            self.address = (self.address + 1) % r.MEMORY_BYTES
        if data and interrupt:
            self.target.accept_writes()

    def read(self, count: int) -> bytes:
        data = bytearray()
        for _ in range(count):
            data.append(self.target.memory[self.address])
            self.address = (self.address + 1) % r.MEMORY_BYTES
        if count == 1:
            self.address = (self.address + 1) % r.MEMORY_BYTES
        return bytes(data)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(TRANSACTION, st.booleans()), max_size=12))
def test_no_bytes_on_the_bus_change_a_read_only_register_or_wedge_the_target(
    day: list[tuple[tuple, bool]],  # type: ignore[type-arg]
) -> None:
    """`interrupt` False: the soft interrupt after the transaction has not run yet when the next one comes."""
    target = Target()
    wires = Wires(target)
    taken: list[int] = []
    target.on_write(r.MARK, taken.append)
    target.on_write(r.PAGE, lambda value: {r.PAGE_0: value, r.SOUND_PAGES: 7})
    published = {r.VOLTAGE: 3700, r.RELATIVE_STATE_OF_CHARGE: 42, r.BATTERY_STATUS: 0xC0, r.SOUND_PAGES: 7}
    target.publish(published)
    follows = (r.PAGE_0, r.SEQUENCE)
    before = {
        code: target.value(code) for code in range(r.REGISTER_COUNT) if code not in (*r.WRITABLE, *follows)
    }
    for (kind, *details), interrupt in day:
        if kind == "write":
            wires.write(details[0], details[1], interrupt)
        elif kind == "address":
            wires.address = details[0]
        elif kind == "scan":
            target.accept_writes()
        elif kind == "read":
            wires.address = details[0]
            wires.read(details[1])
        elif kind == "read on":
            wires.read(details[0])
        else:
            before[r.VOLTAGE] = details[0]
            target.publish({r.VOLTAGE: details[0]})
    target.publish({})
    assert whole(target)
    assert {code: target.value(code) for code in before} == before
    assert target.value(r.SEQUENCE) % 2 == 0
    assert target.value(r.PAGE_0) == target.value(r.PAGE)
    host_writes(target, r.MARK, 0x1234)
    assert taken[-1] == target.value(r.MARK) == 0x1234
    wires.address = 4 * r.VOLTAGE
    assert wires.read(4) == r.cell(r.VOLTAGE, before[r.VOLTAGE])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(VALID_WRITE, st.tuples(st.integers(0, 255), st.binary(max_size=60))), max_size=12))
def test_no_bytes_on_the_bus_stop_the_whole_pmu(writes: list[tuple[int, bytes]]) -> None:
    clock = FakeClock()
    pmu = EmulatedPmu(clock, lambda active: None)
    pmu.set_battery(57)
    bus = EmulatedBus(pmu)
    for register, data in writes:
        for start in range(0, len(data), 32):
            bus.write_i2c_block_data(r.ADDRESS, (register + start) % 256, list(data[start : start + 32]))
        clock.jump(0.1)
        bus.read_byte(r.ADDRESS)
        bus.write_byte(r.ADDRESS, register)
        bus.write_quick(r.ADDRESS)
    clock.jump(0.5)
    reading = PmuGauge(bus, clock.monotonic).read()
    assert (reading.state, reading.percent) == ("good", 57)
    for code in range(r.REGISTER_COUNT):
        low, high = pmu.memory[4 * code : 4 * code + 2]
        assert pmu.memory[4 * code : 4 * code + 4] == r.cell(code, low | high << 8)

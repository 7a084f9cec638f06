"""The register memory under a host that reads at any time and writes anything anywhere."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.pmu import registers as r
from firmware.pmu.target import Target


def bus_write(target: Target, address: int, data: bytes) -> None:
    """What the I2C peripheral does with a write: bytes into memory, the address wraps."""
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


@settings(max_examples=200)
@given(
    st.lists(
        st.tuples(st.integers(0, 255), st.binary(max_size=40), st.booleans()),
        max_size=8,
    )
)
def test_no_bytes_on_the_bus_change_a_read_only_register_or_wedge_the_target(
    writes: list[tuple[int, bytes, bool]],
) -> None:
    target = Target()
    target.publish({r.VOLTAGE: 3700, r.RELATIVE_STATE_OF_CHARGE: 42, r.BATTERY_STATUS: 0xC0})
    before = {code: target.value(code) for code in range(r.REGISTER_COUNT) if code not in r.WRITABLE}
    for address, data, end_write_seen in writes:
        bus_write(target, address, data)
        if end_write_seen:
            target.accept_writes()
    target.publish({r.VOLTAGE: 3701})
    after = {code: target.value(code) for code in before}
    assert whole(target)
    assert {code for code in before if before[code] != after[code]} == {r.VOLTAGE, r.SEQUENCE}

"""The register map's checksums against published vectors, and its shape."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.pmu import registers as r

VALUES = ("ASK_", "REQUEST_", "GATE_", "GUARD_", "CAUSE_", "EVENT_KIND_", "KEY_DO_", "KEY_IS_", "PAGE_PAIR")
"""Beginnings of names that are values of a register, not registers."""
VECTORS = [
    ("read Voltage 3850 mV", "16 09 17 0A 0F", 0xC4),
    ("read Current -650 mA", "16 0A 17 76 FD", 0x70),
    ("read Temperature 298.2 K", "16 08 17 A6 0B", 0x2A),
    ("read relative charge 57", "16 0D 17 39 00", 0x77),
    ("read status 0x00C0", "16 16 17 C0 00", 0x33),
    ("read SpecificationInfo 0x0031", "16 1A 17 31 00", 0xDA),
    ("write BatteryMode 0x4000", "16 03 00 40", 0x69),
]


@pytest.mark.parametrize(("transaction", "wire", "check"), VECTORS)
def test_pec_vectors(transaction: str, wire: str, check: int) -> None:
    assert r.pec(bytes.fromhex(wire)) == check, transaction


def test_pec_check_value() -> None:
    assert r.pec(b"123456789") == 0xF4


def test_pec_functions_cover_the_bytes_on_the_wire() -> None:
    assert r.read_pec(0x09, 0x0A, 0x0F) == 0xC4
    assert r.write_pec(0x03, 0x00, 0x40) == 0x69


@given(code=st.integers(0, r.REGISTER_COUNT - 1), value=st.integers(-32768, 65535))
def test_a_cell_is_the_word_and_its_pec(code: int, value: int) -> None:
    low, high, check, filler = r.cell(code, value)
    assert low | high << 8 == value & 0xFFFF
    assert filler == 0
    assert r.pec(bytes((0x16, 4 * code, 0x17, low, high))) == check
    if value < 32768:
        assert r.signed(low | high << 8) == value


def test_every_register_has_its_own_place_inside_the_memory() -> None:
    codes = [
        value
        for name, value in vars(r).items()
        if name.isupper()
        and isinstance(value, int)
        and not name.startswith(("STATUS_", "MAP_", "ADDRESS", "CELL_", "REGISTER_", "MEMORY_", *VALUES))
        and name not in ("ALARM_MASK", "NOT_DISCHARGING", "ZERO_CELSIUS_DK")
    ]
    assert len(codes) == len(set(codes))
    assert max(codes) < r.REGISTER_COUNT
    assert set(r.WRITABLE) <= set(codes)
    assert set(r.SIGNED) <= set(codes)

"""What is sealed opens at its own place with its own key only."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.memory.sealing import OVERHEAD_BYTES, Seal, SealBroken

SEAL = Seal(bytes(range(32)))


@given(plain=st.binary(max_size=300), row=st.integers(0, 2**60))
def test_it_opens_again(plain, row):
    sealed = SEAL.seal(plain, "picture", row)
    assert len(sealed) == len(plain) + OVERHEAD_BYTES
    assert SEAL.open(sealed, "picture", row) == plain


@given(plain=st.binary(max_size=60), at=st.integers(0, 10_000), bit=st.integers(0, 7))
def test_a_single_changed_bit_is_noticed(plain, at, bit):
    sealed = bytearray(SEAL.seal(plain, "vector", 7))
    sealed[at % len(sealed)] ^= 1 << bit
    with pytest.raises(SealBroken):
        SEAL.open(bytes(sealed), "vector", 7)


def test_another_place_or_key_does_not_open_it():
    sealed = SEAL.seal(b"keys", "name", 3)
    for seal, column, row in ((SEAL, "name", 4), (SEAL, "vector", 3), (Seal(bytes(32)), "name", 3)):
        with pytest.raises(SealBroken):
            seal.open(sealed, column, row)
    with pytest.raises(SealBroken):
        SEAL.open(sealed[:20], "name", 3)
    for damaged in (5, 0.5, "a text that is long enough to hold a nonce and its tag", None):
        with pytest.raises(SealBroken):
            SEAL.open(damaged, "name", 3)
    with pytest.raises(ValueError, match="31 bytes"):
        Seal(bytes(31))


def test_the_same_value_is_never_sealed_the_same_way():
    assert len({SEAL.seal(b"", "name", 1) for _ in range(50)}) == 50

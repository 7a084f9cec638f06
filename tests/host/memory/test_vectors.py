"""Quantised vectors and their exact scan."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host.memory.vectors import BLOCK_ROWS, VectorTable, packed, unpacked


def unit(chance: np.random.Generator, count: int, width: int) -> np.ndarray:
    vectors = chance.standard_normal((count, width)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), width=st.integers(1, 300))
def test_rounding_moves_no_value_by_more_than_half_a_step(seed, width):
    (vector,) = unit(np.random.default_rng(seed), 1, width)
    scale, values = unpacked(packed(vector))
    assert np.abs(values * scale - vector).max() <= scale * 0.501


def test_a_vector_of_zeros_stays_one():
    scale, values = unpacked(packed(np.zeros(3, np.float32)))
    assert scale == 1 and not values.any()


@settings(max_examples=20)
@given(
    seed=st.integers(0, 10_000), count=st.integers(0, 60), wanted=st.integers(1, 12),
    removed=st.sets(st.integers(1, 60)), first=st.integers(1, 30),
    last=st.one_of(st.none(), st.integers(1, 60)),
)  # fmt: skip
def test_the_scan_finds_what_a_plain_sort_finds(seed, count, wanted, removed, first, last):
    chance = np.random.default_rng(seed)
    vectors, (query,) = unit(chance, count, 16), unit(chance, 1, 16)
    table = VectorTable(16)
    stored = {}
    for number, vector in enumerate(vectors, start=1):
        data = packed(vector)
        table.add(number, data)
        scale, values = unpacked(data)
        stored[number] = float(values.astype(np.float32) @ query * scale)
    table.remove(removed)
    left = {
        number: score for number, score in stored.items()
        if number not in removed and number >= first and (last is None or number <= last)
    }  # fmt: skip
    found = table.nearest(query, wanted, first, last)
    assert len(table) == len(set(stored) - removed)
    assert len(found) == min(wanted, len(left))
    best = sorted(left.values(), reverse=True)[:wanted]
    assert np.allclose([score for _, score in found], best, atol=1e-5)
    assert all(abs(left[number] - score) < 1e-5 for number, score in found)


def test_several_blocks_are_one_table():
    table, width = VectorTable(2), 2
    for number in range(1, 2 * BLOCK_ROWS + 2):
        table.add(number, packed(np.array([1, number / 1e4], np.float32) / np.hypot(1, number / 1e4)))
    found = table.nearest(np.array([0, 1], np.float32), 3)
    assert len(table) == 2 * BLOCK_ROWS + 1 and width == table.width
    assert found[0][0] in range(2 * BLOCK_ROWS - 60, 2 * BLOCK_ROWS + 2)
    assert table.nearest(np.array([0, 1], np.float32), 3, last=1)[0][0] == 1


def test_another_width_is_refused():
    with pytest.raises(ValueError, match="3 values, not 2"):
        VectorTable(2).add(1, packed(np.ones(3, np.float32)))

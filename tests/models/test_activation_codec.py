"""Stored activations: what is read is what was stored, within the coding's step, or one sentence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from models.activation_codec import CodecError, Coding, decode, encode, quantised
from models.brick import Activation, SlotRef

IDENTITY = "cut 2 00ffee"
SMALLEST = float(np.finfo(np.float32).tiny)
"""Below it float32 loses digits."""
CODINGS: tuple[Coding, ...] = ("float16", "int4")
SHAPES = st.tuples(st.integers(1, 9), st.integers(1, 17))
ROWS = arrays(np.float32, SHAPES, elements=st.floats(-60_000, 60_000, width=32))


def activation(rows: np.ndarray, depth: int = 3, encoder: str = IDENTITY) -> Activation:
    return Activation(depth, encoder, rows)


def rows_of(read: Activation) -> np.ndarray:
    assert read.rows is not None and read.rows.flags.c_contiguous
    return read.rows.astype(np.float32)


@given(ROWS, st.integers(0, 65_535), st.text(max_size=40))
def test_half_precision_returns_the_rows_in_half_precision(rows: np.ndarray, depth: int, name: str) -> None:
    read = decode(encode(activation(rows, depth, name)), name)
    assert (read.depth, read.encoder, read.slot) == (depth, name, None)
    assert np.array_equal(rows_of(read), rows.astype(np.float16).astype(np.float32))


@given(ROWS)
def test_four_bits_err_by_no_more_than_plain_rounding_does(rows: np.ndarray) -> None:
    read = rows_of(decode(encode(activation(rows), "int4"), IDENTITY))
    assert read.shape == rows.shape
    scale = np.abs(rows).max(axis=1, keepdims=True) / 7
    plain = np.rint(np.divide(rows, scale, out=np.zeros_like(rows), where=scale > 0)) * scale
    exact = rows.astype(np.float64)
    error, allowed = (np.linalg.norm(each - exact, axis=1) for each in (read, plain))
    assert (error <= allowed + 1e-6 * np.linalg.norm(exact, axis=1) + SMALLEST).all()


@given(ROWS)
def test_what_was_read_from_four_bits_is_stored_again_without_loss(rows: np.ndarray) -> None:
    scales, levels = quantised(rows)
    assert np.abs(levels).max(initial=0) <= 7
    read = rows_of(decode(encode(activation(rows), "int4"), IDENTITY))
    assert np.array_equal(read, levels * scales[:, None])


@given(ROWS, st.sampled_from(CODINGS), st.data())
@settings(max_examples=60)
def test_any_part_of_the_bytes_is_refused(rows: np.ndarray, coding: Coding, data: st.DataObject) -> None:
    whole = encode(activation(rows), coding)
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(CodecError, match=r"cut short: it has .*\d+ bytes"):
        decode(whole[:cut], IDENTITY)
    with pytest.raises(CodecError, match="too long"):
        decode(whole + b"\0", IDENTITY)


@given(ROWS, st.sampled_from(CODINGS), st.data())
@settings(max_examples=60)
def test_any_changed_bit_is_noticed(rows: np.ndarray, coding: Coding, data: st.DataObject) -> None:
    changed = bytearray(encode(activation(rows), coding))
    at = data.draw(st.integers(0, len(changed) - 1))
    changed[at] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(CodecError) as caught:
        decode(bytes(changed), IDENTITY)
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")


@given(st.binary(max_size=80))
def test_foreign_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(CodecError):
        decode(data, IDENTITY)


def test_an_activation_of_another_encoder_is_refused_by_name() -> None:
    stored = encode(activation(np.ones((2, 3), np.float32), encoder="cut 1 00ffee"))
    with pytest.raises(CodecError, match=r"of the encoder 'cut 1 00ffee', and this is 'cut 2 00ffee'\."):
        decode(stored, IDENTITY)


@pytest.mark.parametrize("value", [np.nan, np.inf, 70_000.0])
def test_values_that_cannot_be_stored_are_refused(value: float) -> None:
    rows = np.full((2, 3), value, np.float32)
    with pytest.raises(CodecError, match="not finite or too large"):
        encode(activation(rows))
    with pytest.raises(CodecError, match="by value"):
        encode(Activation(1, IDENTITY, slot=SlotRef(0, 1, 2, 3)))


def test_a_token_of_zeros_stays_zero_and_outliers_spare_the_other_tokens() -> None:
    rows = np.random.default_rng(3).standard_normal((4, 128)).astype(np.float32)
    rows[1] = 0.0
    rows[2, 5] = 900.0
    read = rows_of(decode(encode(activation(rows), "int4"), IDENTITY))
    assert not read[1].any()
    for token in (0, 3):
        assert np.abs(read[token] - rows[token]).std() < 0.15
    assert len(encode(activation(rows), "int4")) < len(encode(activation(rows))) / 3

"""How far a picture came is told from its brightness: turns, light, noise, and what moves by itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from models.clip import SmallPicture
from models.sensing.registration import (
    SIDE,
    Shift,
    shift_between,
    shifts_of,
    small_picture,
    turns_of,
)

_RANDOM = np.random.default_rng(8)
_COARSE = Image.fromarray(_RANDOM.integers(40, 200, (96, 96, 3), np.uint8))
ROOM = np.asarray(_COARSE.resize((960, 960), Image.Resampling.BICUBIC))
"""A wall of patches, larger than any picture of it."""


def picture(right: int, down: int, height: int = 480, width: int = 480) -> NDArray[np.uint8]:
    """The wall as it is seen when its content has come so many pixels to the right and down."""
    top, left = 240 - down, 240 - right
    return ROOM[top : top + height, left : left + width]


@settings(max_examples=60, deadline=None)
@given(st.integers(-120, 120), st.integers(-120, 120))
def test_a_turn_of_the_head_is_found_to_a_fiftieth_of_the_side(right: int, down: int) -> None:
    found = shift_between(small_picture(picture(0, 0)), small_picture(picture(right, down)))
    assert found.right == pytest.approx(right / 480, abs=0.02)
    assert found.down == pytest.approx(down / 480, abs=0.02)
    assert 0.05 < found.surety <= 1.0


def test_the_way_back_is_the_same_turn_in_the_other_direction() -> None:
    one, two = small_picture(picture(0, 0)), small_picture(picture(50, -30))
    there, back = shift_between(one, two), shift_between(two, one)
    assert (back.right, back.down) == pytest.approx((-there.right, -there.down), abs=1e-3)


def test_neither_other_light_nor_noise_is_a_turn() -> None:
    rng = np.random.default_rng(2)
    darker = np.clip(picture(40, 0) * 0.4 + rng.normal(0, 6, (480, 480, 3)), 0, 255).astype(np.uint8)
    found = shift_between(small_picture(picture(0, 0)), small_picture(darker))
    assert found.right == pytest.approx(40 / 480, abs=0.02) and abs(found.down) < 0.02


def test_what_moves_by_itself_has_no_part_in_it() -> None:
    before, now = picture(0, 0).copy(), picture(30, 0).copy()
    before[300:360, 60:140] = now[180:240, 300:380] = (250, 20, 20)
    found = shift_between(small_picture(before), small_picture(now))
    assert found.right == pytest.approx(30 / 480, abs=0.02) and abs(found.down) < 0.02


@pytest.mark.parametrize(("height", "width"), [(360, 480), (480, 360)])
def test_parts_are_of_the_square_that_the_encoder_sees(height: int, width: int) -> None:
    """A picture of another form is filled up to a square, or squashed into one."""
    one, two = (picture(right, down, height, width) for right, down in ((0, 0), (24, 36)))
    padded = shift_between(small_picture(one), small_picture(two))
    assert (padded.right, padded.down) == pytest.approx((24 / 480, 36 / 480), abs=0.02)
    squashed = shift_between(small_picture(one, "squash"), small_picture(two, "squash"))
    assert (squashed.right, squashed.down) == pytest.approx((24 / width, 36 / height), abs=0.02)


def test_pictures_that_cannot_be_compared_have_no_shift() -> None:
    one, plain = small_picture(picture(0, 0)), SmallPicture(np.full((SIDE, SIDE), 90, np.uint8))
    tiny = small_picture(picture(0, 0)[:20, :20])
    assert shift_between(one, tiny) == Shift()
    assert shift_between(plain, plain) == shift_between(one, plain) == Shift()
    assert not shifts_of(None, None, one).any() and not shifts_of(one, one, None).any()


def test_steps_since_the_unit_before_add_up_to_the_turn_since_the_first() -> None:
    small = [small_picture(picture(at, -at)) for at in (0, 20, 50, 90)]
    known = [None, None, *small]
    shifts = np.stack([shifts_of(*known[at : at + 3]) for at in range(4)])
    assert shifts.shape == (4, 2, 3) and shifts.dtype == np.float32
    assert not shifts[0].any() and not shifts[1, 1].any()
    assert shifts[2:, 1, 0] == pytest.approx(np.array([50, 70]) / 480, abs=0.02)
    turns = turns_of(shifts)
    assert turns[:, 0] == pytest.approx(np.array([0, 20, 50, 90]) / 480, abs=0.03)
    assert turns[:, 1] == pytest.approx(-turns[:, 0], abs=0.02)
    assert not turns_of(shifts[2:])[0].any()  # since the first of those that are read

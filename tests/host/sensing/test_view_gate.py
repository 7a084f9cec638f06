"""What the view gate keeps and why it rejects: properties of any picture."""

import random

import numpy as np
import pytest
from PIL import Image, ImageFilter

from host.sensing.view_gate import KEPT_VIEWS, GateCounts, gate, remembered
from models.sensing.picture_quality import quality_of

SIZES = [(1, 1), (1, 40), (3, 5), (15, 17), (16, 16), (48, 300), (128, 128), (720, 1280)]


def room(seed: int, height: int = 240, width: int = 320) -> np.ndarray:
    """A wall and a floor with a dozen boxes on them, and noise."""
    rng = np.random.default_rng(seed)
    picture = np.full((height, width, 3), rng.uniform(90, 170, 3))
    picture[height * 2 // 3 :] = rng.uniform(60, 150, 3)
    for _ in range(12):
        y, x = rng.integers(0, height * 3 // 4), rng.integers(0, width * 3 // 4)
        picture[y : y + height // 5, x : x + width // 7] = rng.uniform(20, 235, 3)
    return (picture + rng.normal(0, 2, picture.shape)).clip(0, 255).astype(np.uint8)


def wall(seed: int) -> np.ndarray:
    """A plain wall, lighter to the right, with noise."""
    rng = np.random.default_rng(seed)
    picture = np.linspace(118, 126, 320)[None, :, None] + rng.normal(0, 2, (240, 320, 3))
    return np.asarray(picture.clip(0, 255), np.uint8)


def after(*pictures: np.ndarray) -> tuple:
    seen: tuple = ()
    for picture in pictures:
        seen = remembered(seen, gate(picture, seen))
    return seen


@pytest.mark.parametrize("seed", range(8))
def test_a_first_picture_is_new_and_again_it_is_not(seed: int) -> None:
    picture = room(seed)
    first = gate(picture, ())
    assert first.kept and first.reason == "new" and first.levels is None
    again = gate(picture, remembered((), first))
    assert not again.kept and again.reason == "same thumbnail"
    assert (again.levels, again.bits) == (0.0, 0)


@pytest.mark.parametrize("seed", range(8))
def test_another_exposure_noise_or_a_small_motion_is_the_same_view(seed: int) -> None:
    picture, seen = room(seed), after(room(seed))
    rng = np.random.default_rng(seed)
    noisy = (picture + rng.normal(0, 6, picture.shape)).clip(0, 255).astype(np.uint8)
    darker = (picture * 0.85).astype(np.uint8)
    brighter = (picture * 1.06).clip(0, 255).astype(np.uint8)
    for copy in (noisy, darker, brighter, np.roll(picture, 3, axis=1)):
        assert not gate(copy, seen).kept


@pytest.mark.parametrize("seed", range(8))
def test_another_room_and_a_thing_put_down_are_new(seed: int) -> None:
    picture, seen = room(seed), after(room(seed))
    assert gate(room(seed + 100), seen).kept
    changed = picture.copy()
    changed[100:150, 130:180] = 255 - changed[100:150, 130:180].mean((0, 1)).round().astype(np.uint8)
    changed[110:140, 140:170] = (250, 20, 20)
    assert gate(changed, seen).kept


@pytest.mark.parametrize("seed", range(8))
def test_a_blurred_copy_is_blurred_and_a_dark_one_dark(seed: int) -> None:
    picture = room(seed)
    side = min(picture.shape[:2])
    for blur in (ImageFilter.GaussianBlur(0.06 * side), ImageFilter.BoxBlur((0.15 * side, 0))):
        blurred = np.asarray(Image.fromarray(picture).filter(blur))
        assert gate(blurred, ()).reason == quality_of(blurred).cause == "blurred"
    dark = (picture * 0.05).astype(np.uint8)
    assert gate(dark, ()).reason == quality_of(dark).cause == "dark"
    assert quality_of(picture).cause == ""


def test_what_is_unusable_is_not_remembered_and_is_judged_first() -> None:
    seen = after(room(1))
    black = np.zeros((240, 320, 3), np.uint8)
    verdict = gate(black, seen)
    assert verdict.reason == "dark" and remembered(seen, verdict) == seen
    assert gate(black, after(black)).reason == "dark"


def test_a_plain_wall_is_not_blurred_and_its_noise_is_not_new() -> None:
    assert gate(wall(1), ()).reason == "new"
    assert not gate(wall(2), after(wall(1))).kept


def test_a_bright_lamp_in_the_night_is_dark_and_a_dim_room_is_not() -> None:
    night = np.full((240, 320, 3), 6, np.uint8)
    night[20:40, 20:40] = 255
    assert gate(night, ()).reason == "dark"
    assert gate((room(3) * 0.45).astype(np.uint8), ()).reason == "new"


def test_a_revisit_is_found_among_the_last_kept_views_only() -> None:
    seen = after(*(room(seed) for seed in range(KEPT_VIEWS)))
    assert len(seen) == KEPT_VIEWS and not gate(room(0), seen).kept
    seen = remembered(seen, gate(room(50), seen))
    assert len(seen) == KEPT_VIEWS and gate(room(0), seen).kept


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("level", [0, 128, 255])
def test_any_size_gets_one_verdict(size: tuple[int, int], level: int) -> None:
    rng = random.Random(0)
    plain = np.full((*size, 3), level, np.uint8)
    noise = np.frombuffer(rng.randbytes(size[0] * size[1] * 3), np.uint8).reshape(*size, 3)
    for picture in (plain, noise, room(1, *size) if min(size) > 40 else noise):
        before = picture.copy()
        verdict = gate(picture, ())
        again = gate(picture, after(picture))
        assert (verdict == gate(picture, ()) and not again.kept) or verdict.reason in ("dark", "blurred")
        assert again == gate(picture.copy(), after(picture))
        assert np.array_equal(picture, before)
    assert gate(plain, after(room(2))).levels in (255.0, None), "of another shape"


def test_counts_by_reason() -> None:
    seen: tuple = ()
    counts = GateCounts()
    for picture in (room(1), room(1), room(2), np.zeros((9, 9, 3), np.uint8), wall(1), wall(2)):
        verdict = gate(picture, seen)
        seen, counts = remembered(seen, verdict), counts.after(verdict)
    assert counts == GateCounts(new=3, same_thumbnail=2, dark=1) and counts.pictures == 6

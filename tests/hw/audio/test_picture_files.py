"""Pictures from users: those that are converted, and those that are refused with one sentence."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from hw.audio.sound_and_picture_files import MediaError, read_image
from tests.hw.audio.media_files import check_refused


def halves(width: int = 200, height: int = 100) -> np.ndarray:
    """Left half red, right half blue."""
    rgb = np.zeros((height, width, 3), np.uint8)
    rgb[:, : width // 2, 0] = 255
    rgb[:, width // 2 :, 2] = 255
    return rgb


@pytest.mark.parametrize("suffix", ["png", "jpg", "bmp", "webp"])
def test_pictures_become_rgb(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"halves.{suffix}"
    Image.fromarray(halves()).save(path)
    rgb = read_image(path)
    assert rgb.dtype == np.uint8
    assert rgb.shape == (100, 200, 3)
    assert rgb[50, 20, 0] > 230
    assert rgb[50, 20, 2] < 25
    assert rgb[50, 180, 2] > 230
    rgb[0, 0] = 1  # the frame belongs to the caller


def test_exif_rotation_is_honoured(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was held a quarter turn clockwise
    Image.fromarray(halves()).save(tmp_path / "turned.jpg", exif=exif)
    rgb = read_image(tmp_path / "turned.jpg")
    assert rgb.shape == (200, 100, 3)
    assert rgb[20, 50, 0] > 230
    assert rgb[180, 50, 2] > 230


@pytest.mark.parametrize("exif", [b"Exif\0\0MM\0*", b"Exif\0\0garbagegarbage", b"Exif\0\0MM\0*\0\0\xff\xff"])
@pytest.mark.parametrize("name", ["view.png", "view.jpg"])
def test_a_picture_whose_exif_cannot_be_read_is_kept_as_it_is(exif: bytes, name: str, tmp_path: Path) -> None:
    Image.fromarray(halves()).save(tmp_path / name, exif=exif)
    rgb = read_image(tmp_path / name)
    assert rgb.shape == (100, 200, 3) and rgb[50, 20, 0] > 230 and rgb[50, 180, 2] > 230


def test_unusual_pixel_formats(tmp_path: Path) -> None:
    deep = np.full((40, 40), 32_768, np.uint16)
    Image.fromarray(deep).save(tmp_path / "deep.png")
    assert abs(int(read_image(tmp_path / "deep.png")[5, 5, 0]) - 128) <= 1
    clear = Image.new("RGBA", (40, 40), (255, 0, 0, 0))
    clear.save(tmp_path / "clear.png")
    assert tuple(read_image(tmp_path / "clear.png")[5, 5]) == (255, 255, 255)
    Image.new("P", (40, 40)).save(tmp_path / "palette.gif")
    assert read_image(tmp_path / "palette.gif").shape == (40, 40, 3)


def test_an_animation_is_its_first_picture_and_a_print_shops_jpeg_is_rgb(tmp_path: Path) -> None:
    first, later = (Image.new("RGB", (40, 30), colour) for colour in ("red", "blue"))
    first.save(tmp_path / "moves.gif", save_all=True, append_images=[later], duration=100, loop=0)
    first.convert("CMYK").save(tmp_path / "print.jpg")
    for name in ("moves.gif", "print.jpg"):
        rgb = read_image(tmp_path / name)
        assert rgb.shape == (30, 40, 3)
        assert rgb[15, 20, 0] > 200 and rgb[15, 20, 1:].max() < 50, "red, whoever draws it"


def test_one_pixel_is_a_picture(tmp_path: Path) -> None:
    Image.new("RGB", (1, 1), "red").save(tmp_path / "one.png")
    assert read_image(tmp_path / "one.png").tolist() == [[[255, 0, 0]]]


@pytest.mark.parametrize("mode", ["RGB", "L", "P", "1", "P with a clear colour"])
def test_thin_lines_are_seen_in_large_pictures_of_any_kind(tmp_path: Path, mode: str) -> None:
    """A line of one pixel is grey where two rows become one; left out it is not there at all."""
    for row in (0, 1):
        grey = np.full((1400, 1400), 255, np.uint8)
        grey[row::70] = 0
        picture = Image.fromarray(grey).convert(mode.partition(" ")[0])
        clear: dict[str, Any] = {"transparency": 3} if "clear" in mode else {}
        picture.save(tmp_path / "lines.png", **clear)
        rgb = read_image(tmp_path / "lines.png", max_side_px=700)
        assert rgb.shape == (700, 700, 3)
        assert (rgb[::35] < 160).all() and (rgb[1::35] == 255).all()


def test_large_pictures_are_reduced(tmp_path: Path) -> None:
    Image.fromarray(halves(3000, 2000)).save(tmp_path / "large.png")
    rgb = read_image(tmp_path / "large.png", max_side_px=600)
    assert rgb.shape == (400, 600, 3)
    assert rgb[200, 10, 0] == 255
    assert rgb[200, 590, 2] == 255


def test_a_large_damaged_picture_is_refused_too(tmp_path: Path) -> None:
    noise = np.random.default_rng(2).integers(0, 256, (2000, 3000, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "large.jpg")
    whole = (tmp_path / "large.jpg").read_bytes()
    (tmp_path / "large.jpg").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(MediaError, match=r"large\.jpg is damaged or cut short"):
        read_image(tmp_path / "large.jpg")


def png_header(width: int, height: int) -> bytes:
    import zlib

    body = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = b"IDAT" + zlib.compress(b"")
    chunks = [
        struct.pack(">I", len(part) - 4) + part + struct.pack(">I", zlib.crc32(part)) for part in (body, data)
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "does not exist"),
        ("folder", "is a folder"),
        (b"", "is empty"),
        (b"hello, this is text", "is not an image"),
        (b"\x89PNG\r\n\x1a\n", "cannot be read as an image|is not an image"),
        (png_header(12_000, 9_000), "12000x9000 pixels; the limit is 50 megapixels"),
        (png_header(60_000, 60_000), "limit is 50 megapixels"),
        (png_header(300, 200), "damaged or cut short"),
    ],
)
def test_bad_pictures_get_one_clear_sentence(tmp_path: Path, content: bytes | str | None, says: str) -> None:
    check_refused(read_image, tmp_path / "bad.png", content, says)


def test_a_truncated_png_is_refused(tmp_path: Path) -> None:
    noise = np.random.default_rng(3).integers(0, 256, (300, 400, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "cut.png")
    whole = (tmp_path / "cut.png").read_bytes()
    (tmp_path / "cut.png").write_bytes(whole[: len(whole) * 2 // 3])
    with pytest.raises(MediaError, match=r"cut\.png is damaged or cut short"):
        read_image(tmp_path / "cut.png")

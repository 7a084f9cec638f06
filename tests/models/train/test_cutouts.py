"""Pictures that other people have made of things are designs, for training alone and where they are named."""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from models.train.cutouts import SIDE_PX, Unreadable, read_cutouts
from models.train.world.home.picture.pen import Pen, differs_from
from models.train.world.home.picture.sprites import draw_thing
from models.train.world.home.random_views import random_view
from models.train.world.home.splits import KINDS, STYLES
from models.train.world.home.things import carries_word, size_of
from models.train.world.home.views import View
from models.train.world.variety.designs import from_cutouts
from models.train.world.variety.designs.catalogue import NUMBER
from models.train.world.variety.designs.redesign import redesigned

GROUND = (206, 202, 194)
FIRST = STYLES + NUMBER
BLUE, GREY = (30, 60, 210), (128, 128, 128)


def write(folder: Path, colour: tuple[int, int, int] = BLUE) -> Path:
    """A cup, an oval of one colour on a transparent ground, and keys, an oval of grey."""
    for name, rgb in (("cup.png", colour), ("keys.png", GREY)):
        image = Image.new("RGBA", (90, 60), (0, 0, 0, 0))
        ImageDraw.Draw(image).ellipse((20, 10, 79, 49), fill=(*rgb, 255))
        image.save(folder / name)
    (folder / "cutouts.tsv").write_text("file\tthing\ncup.png\tcup\nkeys.png\tkeys\n", encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Cutouts in use, until the test ends."""
    from_cutouts.use(write(tmp_path))
    yield tmp_path
    from_cutouts.use(None)


def drawn(kind: str, design: int) -> np.ndarray:
    image = Image.new("RGB", (300, 300), GROUND)
    draw_thing(Pen(image, (3.0, 0.0, 0.0, 3.0, 150.0, 260.0)), kind, FIRST + design, (200, 60, 60), "")
    return np.asarray(image)


def training_views(number: int) -> list[View]:
    rng = random.Random(3)
    return [redesigned(random_view(rng, "train", 0.0), rng) for _ in range(number)]


def test_a_list_is_read_with_its_colours_and_large_pictures_are_made_smaller(tmp_path: Path) -> None:
    Image.new("RGBA", (800, 400), (10, 20, 30, 255)).save(tmp_path / "a.png")
    Image.new("RGB", (40, 60), (10, 20, 30)).save(tmp_path / "b.jpg")
    (tmp_path / "cutouts.tsv").write_text("thing\tcolour\tfile\ncup\tblue\ta.png\ncup\t\tb.jpg\n", "utf-8")
    first, second = read_cutouts(tmp_path, KINDS)["cup"]
    assert (first.colour, second.colour) == ("blue", "")
    assert first.rgba.shape == (SIDE_PX // 2, SIDE_PX, 4) and first.aspect == 2
    assert second.rgba.shape == (60, 40, 4) and second.rgba[..., 3].min() == 255


def test_a_picture_is_upright_and_of_eight_bits_and_the_list_may_have_a_byte_order_mark(
    tmp_path: Path,
) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    Image.new("RGB", (60, 40), (10, 20, 30)).save(tmp_path / "phone.png", exif=exif)
    Image.fromarray(np.full((40, 40), 30_000, np.uint16)).save(tmp_path / "grey.png")
    (tmp_path / "cutouts.tsv").write_text("file\tthing\nphone.png\tcup\ngrey.png\tcup\n", "utf-8-sig")
    phone, grey = read_cutouts(tmp_path, KINDS)["cup"]
    assert phone.rgba.shape == (60, 40, 4)
    assert grey.rgba[0, 0].tolist() == [30_000 >> 8] * 3 + [255]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read"),
        ("name\tthing\na.png\tcup\n", "no columns file and thing"),
        ("file\tthing\n", "no picture after it"),
        ("file\tthing\na.png\tspoon\n", "'spoon', which is none of: keys, "),
        ("file\tthing\nmissing.png\tcup\n", "cannot be read"),
        ("file\tthing\ncutouts.tsv\tcup\n", "cannot be read"),
        ("file\tthing\nnothing.png\tcup\n", "shows nothing"),
        ("file\tthing\nhuge.png\tcup\n", "cannot be read"),
        ("file\tthing\ndamaged.png\tcup\n", "cannot be read"),
    ],
)
def test_what_cannot_be_used_is_told_in_a_sentence(tmp_path: Path, text: str | None, said: str) -> None:
    Image.new("RGBA", (30, 30), (0, 0, 0, 0)).save(tmp_path / "nothing.png")
    Image.new("1", (20_000, 20_000)).save(tmp_path / "huge.png")
    noise = np.random.default_rng(0).integers(0, 255, (60, 60, 3), np.uint8)
    Image.fromarray(noise).save(tmp_path / "damaged.png")
    whole = bytearray((tmp_path / "damaged.png").read_bytes())
    whole[2000] ^= 255
    (tmp_path / "damaged.png").write_bytes(whole)
    if text is not None:
        (tmp_path / "cutouts.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(Unreadable, match=said):
        read_cutouts(tmp_path, KINDS)
    with pytest.raises(SystemExit, match=said):
        from_cutouts.use_given(argparse.Namespace(cutouts=tmp_path))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("kind", ["cup", "keys"])
def test_a_cutout_fills_its_box_and_its_variants_differ(kind: str) -> None:
    usual = np.prod(size_of(kind, 0))
    pictures = []
    for design in range(from_cutouts.number_of(kind)):
        picture = drawn(kind, design)
        width, height = size_of(kind, FIRST + design)
        assert 0.6 < width * height / usual < 1.6 and not carries_word(kind, FIRST + design)
        rows, columns = np.nonzero(differs_from(picture, GROUND))
        own = (columns.min() - 150, rows.min() - 260, columns.max() - 150, rows.max() - 260)
        assert own == pytest.approx((-1.5 * width, -3 * height, 1.5 * width, 0), abs=4)
        assert np.array_equal(picture, drawn(kind, design))
        pictures.append(picture)
    assert len({picture.tobytes() for picture in pictures}) == from_cutouts.VARIANTS


@pytest.mark.usefixtures("folder")
def test_half_of_the_variants_keep_a_colour_that_has_a_name_and_the_others_that_of_the_thing() -> None:
    for design in range(from_cutouts.number_of("cup")):
        own = from_cutouts.own_colour("cup", design)
        assert own == (("blue", BLUE) if design % 2 == 0 else None)
        red, _, blue = drawn("cup", design)[differs_from(drawn("cup", design), GROUND)].mean(axis=0)
        assert (blue > red) == (design % 2 == 0)
    assert not any(from_cutouts.own_colour("keys", design) for design in range(8))
    coloured = {
        (thing.colour, thing.rgb) for view in training_views(300) for thing in view.things
        if thing.kind == "cup" and thing.style >= FIRST and (thing.style - FIRST) % 2 == 0
    }  # fmt: skip
    assert coloured == {("blue", BLUE)}


def test_what_is_seen_through_everywhere_is_drawn(tmp_path: Path) -> None:
    write(tmp_path)
    glass = Image.open(tmp_path / "cup.png")
    glass.putalpha(glass.getchannel("A").point(lambda alpha: alpha * 100 // 255))
    glass.save(tmp_path / "cup.png")
    from_cutouts.use(tmp_path)
    try:
        assert from_cutouts.own_colour("cup", 0) == ("blue", BLUE)
        red, green, blue = drawn("cup", 1)[differs_from(drawn("cup", 1), GROUND)].mean(axis=0)
        assert red > max(green, blue) > 100
    finally:
        from_cutouts.use(None)


def test_the_colour_in_the_list_counts(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "cutouts.tsv").write_text(
        "file\tthing\tcolour\ncup.png\tcup\tpurple\nkeys.png\tkeys\tbeige\n"
    )
    from_cutouts.use(tmp_path)
    try:
        assert from_cutouts.own_colour("cup", 0) == ("purple", BLUE)
        assert from_cutouts.own_colour("keys", 0) is None
    finally:
        from_cutouts.use(None)


@pytest.mark.usefixtures("folder")
def test_training_has_them_beside_the_designs_and_validation_never() -> None:
    views = training_views(300)
    cups = [thing for view in views for thing in view.things if thing.kind == "cup" and thing.style >= STYLES]
    assert 0.3 < np.mean([thing.style >= FIRST for thing in cups]) < 0.7
    others = [thing for view in views for thing in view.things if thing.kind not in ("cup", "keys")]
    assert others and all(thing.style < FIRST for thing in others)
    rng = random.Random(4)
    kept_back = [redesigned(random_view(rng, "validation", 0.0), rng, unseen=True) for _ in range(60)]
    assert all(thing.style < FIRST for view in kept_back for thing in view.things)


def test_without_them_training_draws_what_it_always_drew(tmp_path: Path) -> None:
    before = training_views(20)
    assert from_cutouts.mark() == "" and from_cutouts.number_of("cup") == 0
    from_cutouts.use(write(tmp_path))
    try:
        marked = from_cutouts.mark()
        assert marked and training_views(20) != before
        from_cutouts.use(write(tmp_path, (200, 30, 30)))
        assert from_cutouts.mark() not in ("", marked)
    finally:
        from_cutouts.use(None)
    assert training_views(20) == before

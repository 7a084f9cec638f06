"""A folder of a person's pictures: what is read, what decides, and what is said where it does not do."""

from __future__ import annotations

import os
import struct
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from models.train.recall.heal.__main__ import main
from models.train.recall.heal.pictures import FEWEST, Picture, pictures_in, pixels, split
from models.train.recall.heal.refusal import CannotHeal


def taken(day: int, number: int) -> Picture:
    return Picture(f"2026-03-{day:02} 10:00:{number:02}", Path(f"{day}_{number}.jpg"))


def filled(folder: Path, count: int = FEWEST) -> Path:
    for number in range(count):
        Image.new("RGB", (40, 30), (number, 0, 0)).save(folder / f"{number:03}.png")
    return folder


def test_the_latest_days_decide_and_no_day_is_parted() -> None:
    given = [taken(day, number) for day in range(1, 6) for number in range(10)]
    found = split(given)
    assert {each.day for each in found.validation} == {"2026-03-05"} and not found.same_day
    assert found.training + found.validation == tuple(given)
    uneven = [taken(1, n) for n in range(5)] + [taken(2, n) for n in range(50)]
    found = split(uneven)
    assert (len(found.training), len(found.validation)) == (5, 50)


def test_of_one_day_the_last_part_decides_and_it_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = split([taken(1, number) for number in range(50)])
    assert found.same_day and len(found.validation) == 10
    assert main(["--pictures", str(filled(tmp_path)), "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "32 pictures teach, the latest 8 decide, of one day." in said and "all are of one day" in said


def test_the_camera_says_when_else_the_file(tmp_path: Path) -> None:
    filled(tmp_path)
    exif = Image.Exif()
    exif.get_ifd(0x8769)[0x9003] = "2025:12:24 18:00:00"
    Image.new("RGB", (8, 8)).save(tmp_path / "a.JPG", exif=exif)
    os.utime(tmp_path / "000.png", (0, time.mktime((2026, 1, 2, 3, 4, 5, 0, 0, -1))))
    (tmp_path / "notes.txt").write_text("no picture")
    found = pictures_in(tmp_path)
    assert len(found) == FEWEST + 1
    assert found[0] == Picture("2025-12-24 18:00:00", tmp_path / "a.JPG")
    assert found[1] == Picture("2026-01-02 03:04:05", tmp_path / "000.png")
    for unset in ("0000:00:00 00:00:00", "2025:13:40 18:00:00"):
        exif.get_ifd(0x8769)[0x9003] = unset
        Image.new("RGB", (8, 8)).save(tmp_path / "a.JPG", exif=exif)
        os.utime(tmp_path / "a.JPG", (0, time.mktime((2026, 1, 3, 3, 4, 5, 0, 0, -1))))
        assert Picture("2026-01-03 03:04:05", tmp_path / "a.JPG") in pictures_in(tmp_path)


def test_a_picture_is_upright_small_and_in_colours(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    path = tmp_path / "a.jpg"
    Image.new("L", (2000, 1000), 200).save(path, exif=exif)
    found = pixels(Picture("", path))
    assert found.shape == (512, 256, 3) and found.dtype == np.uint8


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        ("nothing", "has no JPEG or PNG pictures; the exits learn from 40 or more."),
        ("one", "has 1 JPEG or PNG picture; the exits learn from 40 or more."),
        ("damaged", "007.png is no picture that can be read (cannot identify image file"),
        ("missing", "is no folder."),
    ],
)
def test_one_sentence_where_it_is_not_possible(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], made: str, sentence: str
) -> None:
    folder = tmp_path / "pictures"
    if made != "missing":
        folder.mkdir()
        filled(folder, {"nothing": 0, "one": 1, "damaged": FEWEST}[made])
    if made == "damaged":
        (folder / "007.png").write_bytes(b"no picture")
    assert main(["--pictures", str(folder)]) == 2
    said = capsys.readouterr().err
    assert sentence in said and said.count("\n") == 1


def test_a_picture_that_is_cut_short_is_named(tmp_path: Path) -> None:
    path = filled(tmp_path) / "000.png"
    noise = np.random.default_rng(0).integers(0, 255, (60, 60, 3), dtype=np.uint8)
    Image.fromarray(noise).save(path)
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(CannotHeal, match=r"000\.png is no picture"):
        pixels(Picture("", path))


def test_a_picture_whose_notes_are_damaged_is_named(tmp_path: Path) -> None:
    """Turned by its EXIF, in which a number is a text: Pillow raises TypeError."""
    turned, number = (0x0112, 3, 1, struct.pack("<HH", 6, 0)), (0x011A, 2, 4, b"abc\0")
    entries = b"".join(struct.pack("<HHI", *entry[:3]) + entry[3] for entry in (turned, number))
    notes = b"Exif\0\0II*\0" + struct.pack("<IH", 8, 2) + entries + bytes(4)
    path = tmp_path / "a.jpg"
    Image.new("RGB", (8, 8)).save(path, exif=notes)
    with pytest.raises(CannotHeal, match=f"^{path} is no picture that can be read"):
        pixels(Picture("2026-03-01 10:00:00", path))


def test_nothing_that_is_there_is_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    filled(folder)
    words = ["--pictures", str(folder), "--dry-run"]
    assert main([*words, "--out", str(folder)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert main([*words, "--out", "x" * 300]) == 1
    assert "can't be used (File name too long)." in capsys.readouterr().err
    assert main([*words, "--out", "models/packs/micro"]) == 2
    assert "is the pack itself" in capsys.readouterr().err

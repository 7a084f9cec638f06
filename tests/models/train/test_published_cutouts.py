"""Published pictures become a folder of cutouts; what judges and what trains comes from different hands."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest
from PIL import Image

from models.train import published_cutouts
from models.train.cutouts import read_cutouts
from models.train.published_cutouts import SETS, SOURCES, folder_of
from models.train.world.home.splits import KINDS

TABLE = Path(published_cutouts.__file__).with_suffix(".tsv")


def rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_each_source_is_of_one_set_and_every_picture_of_a_thing_and_named_once() -> None:
    listed = rows()
    sources = {name: {row["source"] for row in listed if row["set"] == name} for name in SETS}
    assert sources["judge"] and sources["training"] and not sources["judge"] & sources["training"]
    assert set().union(*sources.values()) == set(SOURCES)
    assert {row["thing"] for row in listed} == set(KINDS)
    assert len({(row["source"], row["file"], row["thing"]) for row in listed}) == len(listed)


def test_what_is_there_is_taken_and_the_rest_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stamps = tmp_path / "stamps"
    (stamps / "household").mkdir(parents=True)
    Image.new("RGBA", (40, 40), (200, 10, 10, 255)).save(stamps / "household" / "key.png")
    words = ["judge", "--out", str(tmp_path / "out"), "--from", f"stamps={stamps}"]
    for name in ("emojione", "noto"):
        words += ["--from", f"{name}={tmp_path}"]
    monkeypatch.setattr(sys, "argv", ["published_cutouts", *words])
    published_cutouts.main()
    told = capsys.readouterr().out.splitlines()
    assert told[0].endswith(": 1 pictures")
    assert {line.split(" of ", 1)[1].split(" ")[0] for line in told[1:]} == {"EmojiOne", "Noto", "Tux"}
    assert {kind: len(found) for kind, found in read_cutouts(tmp_path / "out", KINDS).items()} == {"keys": 1}


def test_a_source_that_nobody_knows_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["x", "judge", "--out", str(tmp_path), "--from", "photographs=/tmp"])
    with pytest.raises(SystemExit) as ended:
        published_cutouts.main()
    assert ended.value.code == 2 and "SOURCE=FOLDER" in capsys.readouterr().err
    assert folder_of("icons", {}) is None and folder_of("icons", {"icons": tmp_path}) == tmp_path

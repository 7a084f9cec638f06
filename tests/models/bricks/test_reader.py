"""The text reader: letters become words, and the micro pack's network reads what is printed."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from models.brick import BrickError, Context
from models.bricks.reader import LETTERS, LONGEST_PX, PIECE_PX, USUAL_HEIGHT_PX, TextReader, pieces
from models.bricks.reflex import create
from models.pack.catalogue import PackError, load_pack
from models.reading import Read, Reading
from tests.models.bricks.reflex_pack import ReflexParts, write_reflex_pack

MICRO = load_pack("micro")
GRAPH = Path(str(MICRO.bricks["reflex"].options["reader"]))
SURE = 9.0
GREY = np.full((64, 128, 3), 128, np.uint8)


class Numbers:
    """In place of the graph: letters with their places, px, and heights, px, at the picture's own size."""

    def __init__(self, *letters: tuple[str, float, float, float]) -> None:
        self._letters = letters

    def run(self, feeds: dict[str, np.ndarray], outputs: list[str]) -> list[np.ndarray]:
        _, _, height, width = feeds["pixels"].shape
        numbers = np.zeros((1, 2 + len(LETTERS), height // 2, width // 2), np.float32)
        numbers[0, 0] = SURE
        if width == GREY.shape[1]:
            for letter, x, y, size in self._letters:
                row, column = int(y // 2), int(x // 2)
                numbers[0, 0, row, column] = 0.0
                numbers[0, 1 + LETTERS.index(letter), row, column] = SURE
                numbers[0, -1, row, column] = np.log(size / USUAL_HEIGHT_PX)
        return [numbers]


def read(*letters: tuple[str, float, float, float]) -> list[str]:
    """The words that these letters are."""
    reader = TextReader(GRAPH, Context())
    reader._graph = Numbers(*letters)  # type: ignore[assignment]
    return sorted(word.text for word in reader.read(GREY).words)


def row(word: str, x: float, y: float, size: float = 12.0, gap: float = 0.9) -> list[tuple[Any, ...]]:
    """Letters in a row. gap: between their middles, in heights."""
    return [(letter, x + number * gap * size, y, size) for number, letter in enumerate(word)]


@given(st.integers(1, 2 * LONGEST_PX))
def test_pieces_of_a_side_are_small_overlap_and_count_every_point_once(extent: int) -> None:
    found = list(pieces(extent))
    assert all(0 <= begin < end <= extent and end - begin <= PIECE_PX for begin, end, _, _ in found)
    assert all(begin <= first < last <= end for begin, end, first, last in found)
    assert [last for *_, last in found[:-1]] == [first for _, _, first, _ in found[1:]]
    assert found[0][2] == 0 and found[-1][3] == extent
    overlaps = [before[1] - after[0] for before, after in pairwise(found)]
    assert all(overlap >= 40 for overlap in overlaps)
    assert sum(end - begin for begin, end, _, _ in found) <= extent + 56 * len(found)


def test_letters_in_a_row_are_a_word() -> None:
    assert read(*row("STOP", 20, 30)) == ["STOP"]


def test_rows_below_each_other_are_words_of_their_own() -> None:
    assert read(*row("NO", 20, 15), *row("EXIT", 20, 45)) == ["EXIT", "NO"]


def test_a_wide_gap_ends_a_word() -> None:
    assert read(*row("NO", 10, 30, 10), *row("WAY", 37, 30, 10)) == ["NO", "WAY"]


def test_what_is_found_between_two_letters_of_an_even_row_is_none() -> None:
    even = row("PHARM", 20, 30)
    assert read(*even, ("F", 20 + 2.45 * 0.9 * 12, 30, 12)) == ["PHARM"]


def test_letters_of_another_size_are_no_part_of_it() -> None:
    assert read(*row("BUS", 20, 30), ("X", 56, 30, 30)) == ["BUS", "X"]


def test_a_slanted_row_is_a_word() -> None:
    slanted = [(letter, x, y - 3 * at, size) for at, (letter, x, y, size) in enumerate(row("GATE", 20, 40))]
    assert read(*slanted) == ["GATE"]


@pytest.mark.parametrize(("seen", "said"), [("4O", "40"), ("5TOP", "STOP"), ("8US", "BUS"), ("1I1", "111")])
def test_look_alikes_are_letters_among_letters_and_digits_among_digits(seen: str, said: str) -> None:
    assert read(*row(seen, 20, 30)) == [said]


def test_where_no_letter_is_there_is_no_word() -> None:
    assert read() == []


def test_a_word_is_told_with_its_place_and_how_sure_it_is() -> None:
    reader = TextReader(GRAPH, Context())
    reader._graph = Numbers(*row("STOP", 40, 32))  # type: ignore[assignment]
    (word,) = reader.read(GREY).words
    assert (word.x, word.y) == pytest.approx((57.2 / 128, 33 / 64), abs=0.02)
    assert word.height == pytest.approx(12 / 64) and 0.95 < word.probability <= 1.0


def printed(text: str, size: int, *, ink: int = 20, paper: int = 230, side: int = 224) -> np.ndarray:
    """A board with a word on it, in a font that is installed with Pillow."""
    image = Image.new("RGB", (side, side), (120, 140, 160))
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(size)
    left, top, right, bottom = draw.textbbox((side // 3, side // 3), text, font)
    draw.rectangle((left - 6, top - 5, right + 6, bottom + 5), (paper, paper, paper))
    draw.text((side // 3, side // 3), text, (ink, ink, ink), font)
    return np.asarray(image)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        *((text, size) for text in ("EXIT", "47") for size in (14, 20, 30, 44)),
        ("EXIT", 8),
        ("FISH", 9),
        ("PHARMACY", 9),
        ("PHARMACY", 14),
        ("PHARMACY", 24),
    ],
)
def test_the_micro_pack_reads_what_is_printed(text: str, size: int) -> None:
    found = TextReader(GRAPH, Context()).read(printed(text, size)).words
    assert found and found[0].text == text


def test_it_reads_light_letters_on_a_dark_board_in_a_picture_of_any_size() -> None:
    picture = printed("BUS", 40, ink=240, paper=20, side=601)
    assert TextReader(GRAPH, Context()).read(picture).words[0].text == "BUS"


def test_an_empty_picture_has_no_words() -> None:
    assert TextReader(GRAPH, Context()).read(GREY) == Reading(())


def test_the_reflex_brick_of_a_pack_with_a_reader_answers_what_is_written(tmp_path: Path) -> None:
    write_reflex_pack(tmp_path)  # makes the folder
    (tmp_path / "reflex" / "reader.onnx").write_bytes(GRAPH.read_bytes())
    folder = write_reflex_pack(tmp_path, ReflexParts(files={"reader": "reflex/reader.onnx"}))
    brick = create(load_pack(folder).bricks["reflex"].options, Context())
    brick.load()
    (found,) = brick.execute(Read(printed("EXIT", 20)))
    assert isinstance(found, Reading) and found.words[0].text == "EXIT"


def test_a_pack_without_a_reader_has_no_answer_to_what_is_written(tmp_path: Path) -> None:
    pack = load_pack(write_reflex_pack(tmp_path))
    assert pack.reading is None
    brick = create(pack.bricks["reflex"].options, Context())
    brick.load()
    with pytest.raises(BrickError, match="no answer to a Read"):
        list(brick.execute(Read(GREY)))


def test_a_graph_that_is_no_reader_is_named(tmp_path: Path) -> None:
    other = Path(str(MICRO.bricks["reflex"].options["front"]))
    with pytest.raises(BrickError, match="pixels"):
        TextReader(other, Context())


def test_a_reader_that_is_no_graph_is_refused(tmp_path: Path) -> None:
    write_reflex_pack(tmp_path)
    (tmp_path / "reflex" / "reader.json").write_text("{}")
    with pytest.raises(PackError, match="reader"):
        load_pack(write_reflex_pack(tmp_path, ReflexParts(files={"reader": "reflex/reader.json"})))

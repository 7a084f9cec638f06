"""What the text reader learns from: pictures with printed words; and how its threshold is chosen."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from models.bricks.reader import LETTERS
from models.train.reader.choose import least_with
from models.train.reader.crops import CELLS, IGNORED, SIDE_PX, Crops, grounds, words
from models.train.reader.denied import Denied, table
from models.train.reader.letters import printed, random_word

GREY = [np.full((224, 224, 3), 128, np.uint8)]


def test_a_piece_says_which_letter_has_its_middle_where() -> None:
    crops, seen = Crops(GREY, 1), 0
    for _ in range(40):
        pixels, classes, heights = crops.one()
        assert pixels.shape == (SIDE_PX, SIDE_PX, 3) and classes.shape == heights.shape == (CELLS, CELLS)
        assert pixels.min() >= 0 and pixels.max() <= 255
        there = classes > 0
        assert np.array_equal(heights > 0, there) and set(np.unique(classes)) <= {IGNORED, *range(37)}
        seen += int(there.sum())
    assert seen > 60


def test_the_same_seed_gives_the_same_pieces() -> None:
    (pixels, classes, _), (again, same, _) = Crops(GREY, 3).one(), Crops(GREY, 3).one()
    assert np.array_equal(pixels, again) and np.array_equal(classes, same)


def test_every_letter_has_its_middle_in_the_ink_of_its_word() -> None:
    rng = random.Random(2)
    for _ in range(40):
        word = random_word(rng, words())
        made = printed(word, rng)
        assert [LETTERS[number - 1] for number in made.classes] == list(word)
        height, width = made.ink.shape
        assert all(0 < x < width and 0 < y < height for x, y in made.centres)
        assert list(made.centres) == sorted(made.centres), "from the left"
        assert made.ink.max() > 0.5


def test_nothing_is_written_on_the_grounds() -> None:
    found = grounds(3, 1)
    assert [picture.shape for picture in found] == [(224, 224, 3)] * 3


def test_words_are_capitals_without_the_comment_of_their_file() -> None:
    assert "TEMPLATE" not in words() and all(word.isupper() for word in words())


def test_the_threshold_is_the_least_from_which_enough_answers_are_right() -> None:
    right = [[(0.9, True)]] * 38
    assert least_with([*right, [(0.5, False)], [(0.5, False)]], 0.95) == 0.5
    assert least_with([*right, *[[(0.5, False)]] * 3], 0.95) == 0.9
    assert least_with([[(0.9, False)]] * 30, 0.95) == 1.0


def test_what_is_read_where_there_should_be_nothing_is_counted() -> None:
    found = [
        Denied("there is none", 0.6, True, 0.99, 0.99, True),
        Denied("there is none", 0.97, False, 0.85, 0.85, False),
        Denied("too small", 0.5, False, 0.05, 0.0, False),
        Denied("too small", 0.5, True, 0.3, 0.0, False),
    ]
    lines = table(found).splitlines()
    assert lines[1].split() == "there is none 0.8 1 right, 0 1 right, 0 1 right, 1".split()
    assert lines[3].split() == "there is none 0.95 1 right, 0 1 right, 0 1 right, 0".split()
    assert lines[-2].endswith("with 0.1: 1 without a label, 0 with one")
    assert lines[-1].endswith("with 0.4: 1 without a label, 1 with one")


def test_a_network_learns_is_written_and_read_again(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    from models.train.reader.crops import batch
    from models.train.reader.export import write_graph
    from models.train.reader.int8 import write_int8
    from models.train.reader.model import Reader, loss_of

    torch.manual_seed(1)
    model, crops = Reader(), Crops(GREY, 1)
    optimiser = torch.optim.Adam(model.parameters(), 3e-3)
    pieces = tuple(map(torch.from_numpy, batch(crops, 8)))
    losses = []
    for _ in range(12):
        loss = loss_of(model, *pieces)
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.8 * losses[0]
    write_graph(model, tmp_path / "reader.onnx")
    write_int8(tmp_path / "reader.onnx", tmp_path / "int8.onnx", count=4)
    assert (tmp_path / "int8.onnx").stat().st_size < 0.4 * (tmp_path / "reader.onnx").stat().st_size
    pixels = pieces[0][:1].numpy()
    exact, rounded = (
        onnxruntime.InferenceSession(str(tmp_path / name)).run(None, {"pixels": pixels})[0]
        for name in ("reader.onnx", "int8.onnx")
    )
    assert np.abs(rounded - exact).mean() < 0.1 * np.abs(exact).mean()

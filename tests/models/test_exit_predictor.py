"""The predictor of exits: what it says, and which files it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from models.exit_predictor import ExitPredictor, PredictorError, read
from models.small_network import Layer

EXITS = (1, 4, 12)


def predictor(enough_from: float = 0.5) -> ExitPredictor:
    """Of places with three values: the first says how sure the first exit is, the second the second's."""
    weights = np.array([[9, 0, 0], [0, 9, 0], [0, 0, 0]], np.float32)
    return ExitPredictor(EXITS, (Layer(weights, np.zeros(3, np.float32)),), enough_from, "0123", "by hand")


def test_the_first_exit_that_is_sure_enough_is_taken_and_else_the_last() -> None:
    places = np.array([[1, -1, 0], [-1, 1, 0], [-1, -1, 0], [1, 1, 0]], np.float32)
    assert predictor(0.6).depths(places) == [1, 4, 12, 1]
    assert predictor(0.0).depths(places) == [1, 1, 1, 1]
    assert predictor(1.0).depths(places) == [12, 12, 12, 12]


def test_a_deeper_exit_is_never_less_sure() -> None:
    chance = predictor().probabilities(np.random.default_rng(1).standard_normal((50, 3)).astype(np.float32))
    assert (np.diff(chance, axis=1) >= 0).all()


def test_the_file_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "predictor.json"
    path.write_text(predictor(0.7).text())
    found = read(path, "pack 3 0123", EXITS, 3)
    places = np.random.default_rng(2).standard_normal((200, 3)).astype(np.float32)
    assert np.abs(found.probabilities(places) - predictor(0.7).probabilities(places)).max() < 0.01
    assert (found.enough_from, found.chosen, found.encoder) == (0.7, "by hand", "0123")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"form": 2}, "has form 2"),
        ({"encoder": "4567"}, "another encoder"),
        ({"exits": [1, 5, 12]}, "other exits"),
        ({"exits": []}, "other exits"),
        ({"layers": []}, "does not lead from 3 values"),
        ({"layers": [{"rows": 2, "columns": 2, "weights": "AAAAAA==", "scales": [1, 1], "bias": [0, 0]}]},
         "does not lead"),
        ({"layers": [{"rows": 2, "columns": 2, "weights": "AAAA", "scales": [1, 1], "bias": [0, 0]}]},
         "can't be read"),
        ({"layers": [{"rows": 1, "columns": 1, "weights": "AA==", "scales": [1e999], "bias": [0]}]},
         "can't be read"),
        ({"layers": 7}, "can't be read"),
        ({"layers": [{"rows": 1, "columns": 1, "weights": "AA==", "scales": [10**400], "bias": [0]}]},
         "can't be read"),
        ({"layers": [{"rows": 1e999, "columns": 1, "weights": "AA==", "scales": [1], "bias": [0]}]},
         "can't be read"),
        ({"enough_from": "much"}, "can't be read"),
        ({"enough_from": 10**400}, "can't be read"),
        ({"exits": [1e999]}, "can't be read"),
    ],
)  # fmt: skip
def test_a_file_that_does_not_fit_is_one_sentence(
    tmp_path: Path, change: dict[str, object], why: str
) -> None:
    path = tmp_path / "predictor.json"
    path.write_text(json.dumps(json.loads(predictor().text()) | change))
    with pytest.raises(PredictorError, match=why):
        read(path, "pack 3 0123", EXITS, 3)


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", "[" * 100_000])
def test_a_file_of_another_kind_is_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "predictor.json"
    path.write_text(text)
    with pytest.raises(PredictorError, match="can't be read"):
        read(path, "pack 3 0123", EXITS, 3)
    with pytest.raises(PredictorError, match="can't be read"):
        read(tmp_path / "none.json", "pack 3 0123", EXITS, 3)

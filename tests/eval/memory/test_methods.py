"""The ways of `eval memory` on a made-up day whose answers are known."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from models.exit_predictor import ExitPredictor
from models.pack.catalogue import Pack
from models.small_network import Layer
from tests.eval.memory import again, taking_on
from tests.eval.memory.days import Remembered, as_stored, of_pack
from tests.eval.memory.methods import EQUAL, FULL, ORACLE, PREDICTED, depth_error, figures, refined, ways

EXITS = (1, 6, 12)


def day() -> tuple[Remembered, np.ndarray]:
    """Eight views and a query for each, which full depth finds, and the first exit in the first half only."""
    full = np.eye(8, dtype=np.float32)
    first = full.copy()
    first[4:] = full[[5, 6, 7, 4]]
    made = Remembered(20, tuple(map(str, range(8))), np.eye(8, dtype=bool), np.ones(8, bool),
                      np.stack([first, first, full]))  # fmt: skip
    return made, full.copy()


def predictor() -> ExitPredictor:
    """The first exit for the first half, the last for the others."""
    weights = np.zeros((8, 3), np.float32)
    weights[:4, 0] = 9
    weights[4:, 0] = -9
    return ExitPredictor(EXITS, (Layer(weights, np.array([0, -9, 0], np.float32)),), 0.9)


def test_each_way_finds_what_its_exits_allow_and_says_what_it_costs() -> None:
    made, texts = day()
    found = {name: figures(way, made, EXITS) for name, way in ways(made, texts, EXITS, predictor()).items()}
    assert found[ORACLE].percent == found[FULL].percent == (100.0, 100.0)
    assert found["exit after block 1"].first == 50.0 and found["exit after block 1"].depth == 1 / 12
    assert found[PREDICTED].first == 100.0
    assert found[PREDICTED].depth == pytest.approx((4 / 12 + 4) / 8)
    assert found[EQUAL].depth == 1.0, "the fixed exit is never shallower than the mean"
    again = found["first exit, 3 nearest taken on"]
    assert again.depth == 1 / 12 and again.query_blocks == 33
    assert depth_error(made, predictor(), EXITS) == 0.0
    assert PREDICTED not in ways(made, texts, EXITS, None)


def test_what_is_taken_on_stays_before_the_others_and_is_ordered_by_full_depth() -> None:
    texts = np.array([[1.0, 0.0]], np.float32)
    stored = np.array([[0.9, 0.1], [1.0, 0.0], [0.8, 0.2]], np.float32)
    full = np.array([[1.0, 0.0], [0.1, 0.9], [1.0, 0.0]], np.float32)
    assert np.argsort(-refined(texts, stored, full, 2)[0]).tolist() == [0, 1, 2]
    assert np.argsort(-refined(texts, stored, full, 1)[0])[0] == 1


def test_the_store_hardly_moves_a_place() -> None:
    rng = np.random.default_rng(1)
    places = rng.standard_normal((20, 256)).astype(np.float32)
    places /= np.linalg.norm(places, axis=1, keepdims=True)
    assert np.abs(as_stored(places) @ places.T - places @ places.T).max() < 0.01


def test_what_is_taken_on_again_is_judged_beside_what_was_remembered_whole() -> None:
    made, texts = day()
    ways = {
        again.PICTURE: again.Again(made.places[-1], 2.0, 0),
        again.activation(1, "8 bits"): again.Again(made.places[0], 1.0, 99),
    }
    found = again.recall_methods(made, texts, (1,), EXITS, ways)
    first = {
        name: float((method.scores.argmax(axis=1) == np.arange(8)).mean()) for name, method in found.items()
    }
    assert first[again.FULL] == 1.0 and first["all after block 1"] == 0.5
    assert first[f"after block 1, 10 from {again.PICTURE}"] == 1.0, "of eight views all ten are taken on"
    assert first[f"after block 1, 10 from {again.activation(1, '8 bits')}"] == 0.5
    assert first[f"{again.MIXED}, 10 from {again.PICTURE}"] == 1.0
    method = found[f"after block 1, 10 from {again.activation(1, '8 bits')}"]
    assert (method.size, method.ms) == (99, 10.0)
    assert "100.0" in again.table([made, made], [found, found]).text()


def test_times_are_told_against_the_picture_group_by_group() -> None:
    groups = [(10.0 * number, 2.0 * number) for number in range(1, 11)]
    halves = [(wall / 2, cpu / 4) for wall, cpu in groups]
    told = taking_on.table({taking_on.PICTURE: groups, taking_on.begun_at(1): halves}).text()
    assert "60.00 ms" not in told and "65.00 ms [37.00, 93.00]" in told, "the first two do not count"
    assert "-50 % [-50, -50]" in told and "-75 % [-75, -75]" in told


@pytest.mark.parametrize("name", again.CODINGS)
def test_a_coding_keeps_what_its_bits_can_say(name: str) -> None:
    values = np.random.default_rng(2).standard_normal((64, 128)).astype(np.float32)
    kept = again.CODINGS[name].kept_as(values)
    error = float(np.sqrt(np.mean((kept - values) ** 2)))
    assert error < (0.02 if again.CODINGS[name].bits >= 8 else 0.25) and kept.dtype == np.float32


def test_what_is_kept_of_one_eye_is_not_taken_for_that_of_another(tmp_path: Path) -> None:
    kept = {
        of_pack(tmp_path, cast(Pack, SimpleNamespace(bricks={"vision": SimpleNamespace(options=options)})))
        for options in ({"encoder": "micro 1 0123"}, {"encoder": "micro 2 0123"}, {"encoder": "micro 1 4567"})
    }
    assert len(kept) == 3 and {each.parent for each in kept} == {tmp_path}

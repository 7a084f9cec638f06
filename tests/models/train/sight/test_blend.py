"""A network between a pack's and one that was trained on from it."""

from __future__ import annotations

import pytest

pytest.importorskip("tokenizers", reason="tokenizers is not installed")
pytest.importorskip("torch", reason="PyTorch is in the training environment only")
pytest.importorskip("onnx", reason="onnx is not installed")

import torch

from models.pack.catalogue import find_pack
from models.train.sight.blend import blended, checks, chosen
from models.train.sight.restored import restored
from models.train.sight.validation import validate


def test_weights_lie_between_those_of_both() -> None:
    old = {"a": torch.zeros(2), "n": torch.tensor(3)}
    new = {"a": torch.full((2,), 4.0), "n": torch.tensor(5)}
    assert blended(old, new, 0.25)["a"].tolist() == [1.0, 1.0]
    assert blended(old, new, 0.0)["n"] == 5
    assert blended(old, new, 1.0)["a"].tolist() == [4.0, 4.0]


def test_the_share_is_the_one_that_is_right_most_often_over_all_kinds() -> None:
    assert chosen({0.0: (0.9, 0.7), 0.5: (0.9, 0.8), 1.0: (0.91, 0.75)}) == 0.5
    assert chosen({1.0: (0.9, 0.8), 0.5: (0.8, 0.9)}) == 0.5


def test_nothing_is_lost_of_what_is_drawn_as_usual() -> None:
    assert chosen({0.0: (0.9, 0.7), 0.5: (0.9, 0.75), 1.0: (0.8, 0.95)}) == 0.5


def test_views_in_manners_that_are_kept_back_are_harder() -> None:
    model, words, _ = restored(find_pack("micro"))
    usual, other = (validate(model.eval(), checks(words, each, batches=1)) for each in ("", "manners"))
    assert usual["all"] > 0.85
    assert other["all"] < usual["all"]


def test_whether_and_where_things_are_is_a_kind_of_its_own() -> None:
    _, words, _ = restored(find_pack("micro"))
    (asked,) = checks(words, "there", batches=1)
    families = {family for each in asked.families for family in each}
    assert families == {"home find", "home here", "home where"}
    assert 3 < max(map(len, asked.families)) <= 6

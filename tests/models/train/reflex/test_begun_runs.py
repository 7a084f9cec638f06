"""A training for closed questions that goes on with an earlier run, or begins with a pack or another run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is in the training environment only")
pytest.importorskip("onnx", reason="onnx is not installed")

import torch

from models.train.reflex.batches import Examples, vocabulary
from models.train.reflex.export import Trained, export
from models.train.reflex.learning.begin import begun_with
from models.train.reflex.learning.plan import Plan
from models.train.reflex.model import Reflex, shape_of
from tests.models.train.reflex.tiny import WIDTH
from tests.models.train.reflex.tiny_training import SIZES, SOURCE, examples, run


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    plan = Plan(steps=6, pictures=4, questions=2, sizes=SIZES)
    data = examples("train")
    whole = run(tmp_path / "whole", plan)
    half = run(tmp_path / "half", plan)
    for _ in range(3):
        whole.update(data)
        half.update(data)
    half.save()
    again = run(tmp_path / "half", plan)
    assert again.step == 3
    for _ in range(3):
        whole.update(data)
        again.update(data)
    for one, two in zip(whole.averaged.parameters(), again.averaged.parameters(), strict=True):
        assert torch.equal(one, two)
    with pytest.raises(SystemExit, match="another plan"):
        run(tmp_path / "half", Plan(steps=7, sizes=SIZES))


def test_a_run_begins_from_another_with_the_rows_of_the_words_that_it_knew(tmp_path: Path) -> None:
    first = run(tmp_path / "first", Plan(steps=2, pictures=4, questions=2, sizes=SIZES))
    first.update(examples("train"))
    first.save()
    state = torch.load(tmp_path / "first" / "last.pt", weights_only=True)
    state["words"] = ["another", *state["words"][1:]]
    torch.save(state, tmp_path / "other.pt")
    second = run(tmp_path / "second", Plan(steps=2, sizes=SIZES), tmp_path / "other.pt")
    theirs, ours = dict(first.averaged.named_parameters()), dict(second.averaged.named_parameters())
    for name, value in theirs.items():
        if name == "words.embed.weight":
            assert torch.equal(value[1:], ours[name][1:]) and not torch.equal(value[0], ours[name][0])
        else:
            assert torch.equal(value, ours[name]), name
    del state["words"]
    torch.save(state, tmp_path / "other.pt")
    with pytest.raises(SystemExit, match="no checkpoint"):
        run(tmp_path / "third", Plan(steps=2, sizes=SIZES), tmp_path / "other.pt")


def test_a_run_that_began_with_other_weights_is_not_gone_on_with(tmp_path: Path) -> None:
    plan = Plan(steps=2, pictures=4, questions=2, sizes=SIZES)
    first = run(tmp_path / "first", plan)
    first.update(examples("train"))
    first.save()
    begun = run(tmp_path / "begun", plan, tmp_path / "first" / "last.pt")
    begun.save()
    assert run(tmp_path / "begun", plan, tmp_path / "first" / "last.pt").step == 0
    for folder, start in (("begun", None), ("first", tmp_path / "begun" / "last.pt")):
        with pytest.raises(SystemExit, match=rf"{folder}/last\.pt is of a run that began with other weights"):
            run(tmp_path / folder, plan, start)


def test_a_run_begins_from_a_pack_as_it_was_exported(made: Trained, tmp_path: Path) -> None:
    export(made, tmp_path / "pack")
    begun = run(tmp_path / "run", begun_from=tmp_path / "pack").averaged.state_dict()
    for name, value in made.model.state_dict().items():
        assert ".score." in name or torch.equal(begun[name], value), name


def test_a_run_begins_from_a_pack_with_fewer_causes(made: Trained, tmp_path: Path) -> None:
    export(made, tmp_path / "pack")
    more = replace(SOURCE.table, causes=(*SOURCE.table.causes, "no place"))
    sizes = shape_of(more, len(vocabulary(SOURCE.words)), WIDTH, **dict(SIZES))
    ours = Reflex(sizes).state_dict()
    last = ours["answerable.causes.weight"][-1].clone()
    begun = begun_with(tmp_path / "pack", ours, vocabulary(SOURCE.words), sizes, "cpu")
    causes = begun["answerable.causes.weight"]
    assert torch.equal(causes[:-1], made.model.state_dict()["answerable.causes.weight"])
    assert torch.equal(causes[-1], last)


def test_a_deeper_run_begins_from_a_pack_with_its_answers(made: Trained, tmp_path: Path) -> None:
    export(made, tmp_path / "pack")
    sizes = replace(made.model.shape, layers=made.model.shape.layers + 2)
    deeper, known = Reflex(sizes), made.model
    deeper.load_state_dict(
        begun_with(tmp_path / "pack", deeper.state_dict(), vocabulary(SOURCE.words), sizes, "cpu")
    )
    batch = Examples([SOURCE.shard("train", 0)], SOURCE.table, SOURCE.words).batch(np.arange(8))
    inputs = (batch.words, batch.mask, batch.rows, batch.pictures, 0.5)
    with torch.no_grad():
        front, layers = deeper.eval()(*inputs)
        front_before, before = known.eval()(*inputs)
    assert torch.allclose(front.causes, front_before.causes)
    for layer, other in zip(layers, (*before[:-1], before[-2], before[-2], before[-1]), strict=True):
        assert torch.allclose(layer.answers, other.answers, atol=1e-5)


def test_a_pack_without_such_a_network_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="has no network for closed questions"):
        run(tmp_path / "run", begun_from=tmp_path)


@pytest.mark.parametrize("contents", [None, b"", b'[{"image": "a.jpg"}]'])
def test_what_is_no_checkpoint_is_told_in_a_sentence(tmp_path: Path, contents: bytes | None) -> None:
    path = tmp_path / "last.pt"
    if contents is not None:
        path.write_bytes(contents)
    with pytest.raises(SystemExit, match=r"last\.pt (can't be read|is no checkpoint of a run)"):
        run(tmp_path / "new", begun_from=path)

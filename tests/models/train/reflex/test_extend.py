"""Further layers on the network of a pack: what is written, and that its own layers say what they said."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is in the training environment only")
pytest.importorskip("onnx", reason="onnx is not installed")

import torch

from models.convert.reflex.read import read_reflex
from models.train.reflex.batches import Examples, vocabulary
from models.train.reflex.examples import all_shards
from models.train.reflex.export import Trained, export
from models.train.reflex.extend import export_extended, extended, settings_of
from models.train.reflex.learning.begin import begun_with, known_words
from models.train.reflex.learning.plan import Plan
from models.train.reflex.learning.run import Run
from models.train.reflex.model import Reflex, shape_of
from models.train.reflex.thresholds import Chosen
from tests.models.train.reflex.tiny import ROWS, WIDTH, TinySource

SOURCE = TinySource()
SIZES = {"width": 32, "hidden": 64, "heads": 4, "blocks": 1, "layers": 2}
CHOSEN = Chosen(0.1, 0.9, 0.4, 0.5, 1.0, {"low": 0.5, "normal": 0.7, "high": 0.9}, "Chosen so.", 0.3)


def written(folder: Path) -> Path:
    """A pack's reflex brick with an untrained network of two layers."""
    torch.manual_seed(3)
    model = Reflex(shape_of(SOURCE.table, len(vocabulary(SOURCE.words)), WIDTH, **SIZES))
    for layer in model.layers:
        layer.score.weight.data.normal_()
    export(Trained(model, SOURCE.words, SOURCE.table, CHOSEN, ROWS), folder)
    (folder / "reflex" / "brick.toml").rename(folder / "pack.toml")
    return folder


def test_training_changes_only_what_is_put_on(tmp_path: Path) -> None:
    pack = written(tmp_path / "pack")
    sizes = tuple({**SIZES, "layers": 4}.items())
    plan = Plan(steps=3, pictures=4, questions=2, sizes=sizes, frozen=2)
    run = Run(tmp_path / "run", SOURCE, WIDTH, plan, 1, "cpu", pack)
    training = Examples([SOURCE.shard("train", 0)], SOURCE.table, SOURCE.words)
    batch = training.batch(np.arange(8))
    inputs = (batch.words, batch.mask, batch.rows, batch.pictures, 0.5)
    with torch.no_grad():
        front_before, before = run.averaged.eval()(*inputs)
    for _ in range(3):
        run.update(training)
    with torch.no_grad():
        front, layers = run.averaged.eval()(*inputs)
    assert torch.equal(front.causes, front_before.causes)
    for number, (layer, first) in enumerate(zip(layers, before, strict=True)):
        assert torch.equal(layer.answers, first.answers) == (number < 2)
        if number >= 2:  # at first they add nothing to what the last of the pack's says
            assert torch.allclose(first.answers, before[1].answers, atol=1e-5)
    with pytest.raises(SystemExit, match="has 2 layers of at most 4, not 1"):
        Run(tmp_path / "other", SOURCE, WIDTH, replace(plan, frozen=1), 1, "cpu", pack)


def test_a_pack_with_further_layers_has_its_own_ones_and_settings(tmp_path: Path) -> None:
    pack = written(tmp_path / "pack")
    assert known_words(pack) == SOURCE.words
    shape = shape_of(SOURCE.table, len(vocabulary(SOURCE.words)), WIDTH, **{**SIZES, "layers": 4})
    model = Reflex(shape)
    model.load_state_dict(
        begun_with(pack, model.state_dict(), vocabulary(SOURCE.words), shape, "cpu", frozen=2)
    )
    parts = [
        Examples(all_shards(SOURCE, part), SOURCE.table, SOURCE.words) for part in ("score", "validation")
    ]
    model, chosen = extended(model, pack, 2, *parts)
    export_extended(model, chosen, pack, 2, tmp_path / "out")
    brick = tomllib.loads((tmp_path / "out/reflex/brick.toml").read_text())["brick"]["reflex"]
    before = tomllib.loads((pack / "pack.toml").read_text())["brick"]["reflex"]
    assert all((tmp_path / "out" / path).is_file() for path in brick["files"].values())
    assert [key for key in brick["files"] if key not in before["files"]] == ["layer_3", "layer_4"]
    settings = brick["settings"]
    changed = {key for key, value in settings.items() if before["settings"][key] != value}
    assert {"layers", "chosen"} <= changed <= {"layers", "chosen", "keep", "exit_score"}
    assert (settings["layers"], settings["keep"], settings["exit_score"]) == (
        4,
        chosen.keep,
        chosen.exit_score,
    )
    assert settings["chosen"].startswith("Chosen so. Layers 3 and 4 came later; with them keep ratio")
    assert settings_of(pack) == replace(CHOSEN, sentence="", answered_share=0.0)
    now, then = (read_reflex(of / "reflex", replace(shape, layers=2)) for of in (tmp_path / "out", pack))
    for name, array in then.arrays.items():
        np.testing.assert_array_equal(now[name], array, err_msg=name)

"""The training of the eye: its exits, resuming, its planned end, and files that compute what PyTorch does."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("tokenizers", reason="tokenizers is not installed")
pytest.importorskip("torch", reason="PyTorch is in the training environment only")
pytest.importorskip("onnx", reason="onnx is not installed")

import torch

from models.pack.catalogue import find_pack
from models.train.sight.data.training_batches import BatchPlan, training_batch
from models.train.sight.export.files import export, write_reference
from models.train.sight.learning.run import Training
from models.train.sight.learning.schedule import auxiliary_weight, schedule, schedule_by_time
from models.train.sight.recall import contrast, found_among, lessened
from models.train.sight.restored import restored
from models.train.sight.vit import SIDE_PX, TextTower, Vit, VitConfig

ROOT = Path(__file__).parents[4]


def test_the_depths_of_the_encoder() -> None:
    torch.manual_seed(0)
    vit = Vit(VitConfig()).eval()
    with torch.no_grad():
        depths = vit.activations(torch.rand(2, 3, SIDE_PX, SIDE_PX))
        assert [tuple(each.shape) for each in depths] == [(2, 64, 128)] * 13
        for leave, activation in zip(vit.exits, depths[1:], strict=True):
            assert leave(activation).norm(dim=-1).numpy() == pytest.approx([1, 1], abs=1e-5)
        assert vit.rows(depths[-1]).shape == (2, 64, 128)


def test_what_is_behind_the_last_word_does_not_count() -> None:
    torch.manual_seed(0)
    tower = TextTower(50, 24, VitConfig()).eval()
    tokens = torch.zeros(1, 24, dtype=torch.int64)
    tokens[0, :4] = torch.tensor([3, 9, 4, 7])
    with torch.no_grad():
        assert torch.allclose(tower(tokens), tower(tokens[:, :5]), atol=1e-5)


def test_a_true_caption_of_another_picture_costs_nothing() -> None:
    near = torch.nn.functional.normalize(torch.eye(4) + 0.01, dim=-1)
    scale = torch.tensor(3.0)
    own = torch.eye(4, dtype=torch.int8)
    wrong, unjudged = own.clone(), own.clone()
    wrong[0, 1] = 1
    unjudged[0, 1] = -1
    captions = near.clone()
    captions[1] = captions[0]
    assert contrast(near, captions, unjudged, scale) < contrast(near, captions, own, scale)
    assert contrast(near, near, own, scale) < contrast(near, near.flip(0), own, scale)
    assert found_among(near, near, own, (1,)) == [1.0]


def test_a_lessened_activation_passes_on_part_of_the_gradient() -> None:
    x = torch.ones(3, requires_grad=True)
    y = lessened(x, 0.25)
    y.sum().backward()
    assert torch.equal(y, x)
    assert x.grad.tolist() == [0.25] * 3


def test_the_learning_rate_falls_only_in_the_planned_last_steps() -> None:
    rates = [schedule(step, 2000, 500, 100) for step in range(2000)]
    assert rates[0] < 0.1 and rates[99] > rates[0]
    assert rates[100] < 0.1
    assert rates[300:1500] == [1.0] * 1200
    assert all(a > b for a, b in itertools.pairwise(rates[1500:1990]))
    assert 0 < rates[-1] < 0.02
    assert auxiliary_weight(0) == 1 and auxiliary_weight(10**6) < 0.5


SMALL = BatchPlan(
    pictures=4, questions=2, home_questions=2, sight_pictures=4, sight_steps=2, rest_steps=1, captions=12
)


def step(run: Training, step_number: int) -> None:
    run.step(step_number, training_batch(step_number, run.words, run.text_words, SMALL), 0.5)
    run.progress.step = step_number + 1


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache of a run of six steps."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("sight")
    run = Training(folder, 1e-3, SMALL, "cpu")
    for number in range(6):
        step(run, number)
    run.save()
    return folder


def test_an_interrupted_run_goes_on_where_it_was(cache: Path) -> None:
    again = Training(cache, 1e-3, SMALL, "cpu")
    assert again.progress.step == 6
    one, two = again, Training(cache, 1e-3, SMALL, "cpu")
    for run in (one, two):
        torch.manual_seed(3)
        step(run, 6)
    for left, right in zip(one.trained.model.parameters(), two.trained.model.parameters(), strict=True):
        assert torch.equal(left, right)


def test_the_exported_pieces_compute_what_pytorch_does(cache: Path, tmp_path: Path) -> None:
    run = Training(cache, 1e-3, SMALL, "cpu")
    export(run.trained.averaged, run.words, run.text_words, tmp_path)
    write_reference(run.trained.averaged, run.words, run.text_words, tmp_path / "parity.npz")
    names = {path.name for path in (tmp_path / "vision").iterdir()}
    numbers = [f"{number:02d}.onnx" for number in range(1, 13)]
    pieces = {f"{kind}_{number}" for kind in ("group", "exit") for number in numbers}
    assert names == {"stem.onnx", "rows.onnx"} | pieces
    command = [sys.executable, "-m", "models.train.sight.export.parity"]
    command += [str(tmp_path), str(tmp_path / "parity.npz")]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_network_that_was_read_from_a_pack_computes_what_the_pack_does(tmp_path: Path) -> None:
    pack = find_pack("micro")
    model, words, text_words = restored(pack)
    write_reference(model, words, text_words, tmp_path / "parity.npz")
    export(model, words, text_words, tmp_path)
    for name in ("stem.onnx", "group_07.onnx", "exit_12.onnx", "rows.onnx"):
        assert (tmp_path / "vision" / name).stat().st_size == (pack / "vision" / name).stat().st_size
    assert (tmp_path / "text.json").read_text() == (pack / "text.json").read_text()
    (tmp_path / "whole").mkdir()
    for name in ("vision", "text.onnx", "decoder.gguf"):
        (tmp_path / "whole" / name).symlink_to(pack / name)
    (tmp_path / "whole" / "vit.onnx").symlink_to(tmp_path / "vit.onnx")
    command = [sys.executable, "-m", "models.train.sight.export.parity"]
    command += [str(tmp_path / "whole"), str(tmp_path / "parity.npz")]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_run_that_begins_with_a_pack_teaches_its_heads_first(tmp_path: Path) -> None:
    run = Training(tmp_path, 1e-3, SMALL, "cpu", find_pack("micro"))
    before = {name: each.detach().clone() for name, each in run.trained.model.named_parameters()}
    run.step(0, training_batch(3, run.words, run.text_words, SMALL), 1.0)
    changed = {
        name for name, each in run.trained.model.named_parameters() if not torch.equal(each, before[name])
    }
    assert {name.partition(".")[0] for name in changed} & {"vit", "text", "decoder"} == set()
    assert "cell_head.weight" in changed
    run.step(300, training_batch(4, run.words, run.text_words, SMALL), 1.0)
    changed = {
        name for name, each in run.trained.model.named_parameters() if not torch.equal(each, before[name])
    }
    assert {"vit", "decoder"} <= {name.partition(".")[0] for name in changed}
    assert run.trained.model.vit.stem.layers[1].running_var is not None
    assert torch.equal(run.trained.model.vit.stem.layers[1].running_mean, torch.zeros(48))


def test_the_rate_of_a_run_from_a_pack_falls_by_time() -> None:
    assert schedule_by_time(0, 0.0) < 0.1 and schedule_by_time(300, 0.1) < 0.1
    assert schedule_by_time(600, 0.2) == 1.0
    assert schedule_by_time(3000, 0.65) == pytest.approx(0.5)
    assert schedule_by_time(6000, 1.01) == 0.01

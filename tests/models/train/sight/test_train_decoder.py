"""The training of a deeper decoder on a finished eye."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("tokenizers", reason="tokenizers is not installed")
pytest.importorskip("torch", reason="PyTorch is in the training environment only")
pytest.importorskip("onnx", reason="onnx is not installed")

import torch

from models.train.sight import train as eye_train
from models.train.sight import train_decoder
from models.train.sight.data.training_batches import BatchPlan, training_batch
from models.train.sight.export.files import export
from models.train.sight.learning.run import Training as EyeTraining
from models.train.sight.loss import losses
from models.train.sight.train_decoder import Training, places, rate_factor
from models.train.sight.validation import tensors
from models.train.stopping import Stopping

SMALL = BatchPlan(
    pictures=4, questions=2, home_questions=2, sight_steps=0, rest_steps=0, picture_only_share=0.0, captions=0
)


@pytest.fixture
def eye(tmp_path: Path) -> Path:
    """The folder of an eye after one step."""
    torch.set_num_threads(1)
    plan = replace(SMALL, captions=12)
    run = EyeTraining(tmp_path, 1e-3, plan, "cpu")
    run.step(0, training_batch(0, run.words, run.text_words, plan), 1.0)
    run.progress.step = 1
    run.save()
    return tmp_path


@pytest.mark.parametrize("module", [eye_train, train_decoder])
def test_a_run_that_is_stopped_is_kept_and_has_not_succeeded(
    eye: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType
) -> None:
    """So that nothing is made of what it has so far."""
    decoder = module is train_decoder
    run = Training(eye, 4, 1e-3, "cpu") if decoder else EyeTraining(eye, 1e-3, SMALL, "cpu")
    first = run.progress.step
    batches = [training_batch(3, run.words, run.text_words, SMALL)] * 2

    @contextmanager
    def asked_at_once() -> Iterator[Stopping]:
        yield Stopping(signal.SIGTERM)

    monkeypatch.setattr(module, "stopping", asked_at_once)
    monkeypatch.setattr(module, "DataLoader", lambda *_, **__: batches)
    for name in ("shape_checks", "home_checks", "recall_check"):
        monkeypatch.setattr(module, name, lambda *_: [], raising=False)
    with pytest.raises(SystemExit) as ended:
        module.train(tmp_path / "out", run, 50, *([500] if decoder else [20, 500]))
    assert ended.value.code == 143
    again = Training(eye, 4, 1e-3, "cpu") if decoder else EyeTraining(eye, 1e-3, SMALL, "cpu")
    assert again.progress.step == first + 1 and not (tmp_path / "out").exists()


def test_layers_are_spread_evenly() -> None:
    assert places(4, 4) == [0, 1, 2, 3]
    assert places(4, 8) == [0, 2, 4, 6]
    assert places(4, 6) == [0, 2, 3, 5]
    with pytest.raises(ValueError, match="cannot become"):
        places(4, 3)


def test_the_rate_warms_up_and_falls() -> None:
    rates = [rate_factor(step, 4000) for step in range(4000)]
    assert rates[0] < 0.05 and rates[300] == 1.0 and 0 < rates[-1] < 0.02
    assert rates[3000] > rates[3500]


def test_a_deeper_decoder_says_what_the_trained_one_does_until_it_learns(eye: Path) -> None:
    shallow, deep = (Training(eye, layers, 1e-3, "cpu") for layers in (4, 6))
    arrays = training_batch(3, deep.words, deep.text_words, SMALL)
    with torch.no_grad():
        said = [
            float(losses(run.trained.model, tensors(arrays), vit_frozen=True)["answer"])
            for run in (shallow, deep)
        ]
    assert said[0] == pytest.approx(said[1], rel=1e-5)
    assert len(deep.trained.model.decoder.blocks) == 6


def test_the_eye_stays_the_decoder_learns_and_an_interrupted_run_goes_on(eye: Path) -> None:
    run = Training(eye, 6, 1e-3, "cpu")
    before = {name: value.clone() for name, value in run.trained.model.state_dict().items()}
    arrays = training_batch(3, run.words, run.text_words, SMALL)
    for number in range(3):
        run.step(number, arrays, 100)
    run.progress.step = 3
    run.save()
    after = run.trained.model.state_dict()
    changed = {name.split(".")[0] for name, value in after.items() if not torch.equal(value, before[name])}
    assert "decoder" in changed and changed <= {name.rstrip(".") for name in train_decoder._TRAINED}
    again = Training(eye, 6, 1e-3, "cpu")
    assert again.progress.step == 3
    for left, right in zip(
        again.trained.averaged.parameters(), run.trained.averaged.parameters(), strict=True
    ):
        assert torch.equal(left, right)


def test_all_layers_are_exported_and_the_eye_s_files_do_not_change(eye: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, run in ((first, Training(eye, 4, 1e-3, "cpu")), (second, Training(eye, 6, 1e-3, "cpu"))):
        folder.mkdir()
        if folder == second:
            run.step(0, training_batch(3, run.words, run.text_words, SMALL), 100)
        export(run.trained.averaged, run.words, run.text_words, folder)
    for path in sorted((first / "vision").iterdir()):
        assert path.read_bytes() == (second / "vision" / path.name).read_bytes(), path.name
    assert (first / "text.onnx").read_bytes() == (second / "text.onnx").read_bytes()
    assert (first / "decoder.gguf").stat().st_size < (second / "decoder.gguf").stat().st_size

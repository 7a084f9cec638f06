"""A training of the eye that was interrupted goes on as if it had not been."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("tokenizers", reason="tokenizers is not installed")
pytest.importorskip("torch", reason="PyTorch is in the training environment only")
pytest.importorskip("onnx", reason="onnx is not installed")

import torch

from models.train.sight import train as module
from models.train.sight.data.training_batches import BatchPlan, training_batch
from models.train.sight.train import Training

SMALL = BatchPlan(
    pictures=2,
    questions=2,
    home_questions=2,
    sight_steps=0,
    rest_steps=0,
    picture_only_share=0.0,
    captions=12,
)


def test_what_is_drawn_in_a_step_is_the_same_after_an_interruption(tmp_path: Path) -> None:
    torch.set_num_threads(1)
    runs = []
    for _ in range(2):
        run = Training(tmp_path, 1e-3, SMALL, "cpu", augmented_pixels=True)
        if run.progress.step == 0:
            run.step(0, training_batch(0, run.words, run.text_words, SMALL), 1.0)
            run.progress.step = 1
            run.save()
            torch.rand(5)
        run.step(1, training_batch(1, run.words, run.text_words, SMALL), 1.0)
        runs.append(run.trained)
    one, two = (each.model.state_dict() for each in runs)
    assert [name for name, value in one.items() if not torch.equal(value, two[name])] == []


def test_batches_are_used_again_only_on_from_a_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Earlier batches have no questions while only the decoder learns."""
    words = ["--again", "2", "--out", str(tmp_path / "out"), "--cache", str(tmp_path / "cache")]
    monkeypatch.setattr(sys, "argv", ["train", *words])
    with pytest.raises(SystemExit) as ended:
        module.main()
    assert ended.value.code == 2 and "--again needs --from." in capsys.readouterr().err

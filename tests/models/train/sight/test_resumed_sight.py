"""A training of the eye that was interrupted goes on as if it had not been."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("tokenizers", reason="tokenizers is not installed")
pytest.importorskip("torch", reason="PyTorch is in the training environment only")
pytest.importorskip("onnx", reason="onnx is not installed")

import torch

from models.train.sight import train as module
from models.train.sight.data.training_batches import BatchPlan, training_batch
from models.train.sight.export.files import export
from models.train.sight.learning import run as run_module
from models.train.sight.learning.run import Training

PACK = Path(__file__).parents[4] / "models/packs/micro"
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


def test_what_began_otherwise_is_not_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A decoder that learned with another eye, beside the files of the pack's eye, would be no pack."""
    torch.set_num_threads(1)
    monkeypatch.setattr(module, "train", lambda _, run, *rest: run.save())
    words = ["train", "--from", str(PACK), "--minutes", "1", "--cache", str(tmp_path / "cache")]
    words += ["--out", str(tmp_path / "out")]
    for more in ([], ["--rate", "1e-3"]):
        monkeypatch.setattr(sys, "argv", [*words, *more])
        module.main()
    for more in (["--decoder-only"], ["--keep-blocks", "6"], ["--hidden", "512"]):
        monkeypatch.setattr(sys, "argv", [*words, *more])
        with pytest.raises(
            SystemExit, match=r"last\.pt is of a run that began with other weights or options"
        ):
            module.main()


def test_a_pack_without_such_a_network_is_told_in_a_sentence(tmp_path: Path) -> None:
    for folder in (tmp_path / "none", tmp_path):
        with pytest.raises(
            SystemExit, match=f"^{folder} has no network that this training can begin with"
        ) as told:
            Training(tmp_path / "cache", 1e-3, SMALL, "cpu", folder)
        assert "\n" not in str(told.value)
        (tmp_path / "decoder.gguf").write_bytes(b"no model")


def test_a_decoder_that_learns_alone_leaves_every_file_of_the_eye_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "HEADS_ALONE_STEPS", 0)
    torch.set_num_threads(1)
    plan = replace(SMALL, captions=0)
    run = Training(tmp_path, 1e-2, plan, "cpu", PACK, decoder_only=True)
    before = {name: value.clone() for name, value in run.trained.model.state_dict().items()}
    for step in range(3):
        run.step(step, training_batch(step, run.words, run.text_words, plan), 1.0)
    for network in (run.trained.model, run.trained.averaged):
        learned = {
            name.partition(".")[0]
            for name, value in network.state_dict().items()
            if not torch.equal(value, before[name])
        }
        assert {"decoder", "grounding_head"} <= learned and not learned & {"vit", "text"}
    export(run.trained.averaged, run.words, run.text_words, tmp_path / "out", run.eye_of)
    files = [*(PACK / "vision").glob("*.onnx"), PACK / "text.onnx", PACK / "text.json"]
    assert len(files) > 20
    assert all(
        path.read_bytes() == (tmp_path / "out" / path.relative_to(PACK)).read_bytes() for path in files
    )
    assert (PACK / "decoder.gguf").read_bytes() != (tmp_path / "out" / "decoder.gguf").read_bytes()

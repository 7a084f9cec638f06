"""The training of the network for closed questions, on made-up rows, and files that compute what PyTorch
does.
"""

from __future__ import annotations

import argparse
import tomllib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is in the training environment only")
pytest.importorskip("onnx", reason="onnx is not installed")

import onnxruntime as ort
import torch

import models.train.reflex.train as reflex_train
from models.bricks.closed_sentence import AnswerTable
from models.convert.__main__ import main as convert
from models.convert.reflex.graph import ReflexWeights, layer_name
from models.train.reflex.batches import Examples
from models.train.reflex.examples import Example, Shard, read_shard, write_shard
from models.train.reflex.export import Trained, export, weights_of
from models.train.reflex.labels import Label
from models.train.reflex.learning.loss import losses
from models.train.reflex.learning.plan import keep_of, rate_factor
from models.train.reflex.model import Reflex, kept_rows, pruned, shape_of
from models.train.reflex.pack_eye import PackEye
from models.train.reflex.predict import predictions, right_by_layer, worth
from models.train.reflex.thresholds import WRONG, outcome
from models.train.reflex.train import add_plan
from models.train.reflex.vqa.source import VqaSource
from models.train.reflex.vqa.write import write
from tests.models.convert.checkpoints import write_checkpoint
from tests.models.train.reflex.tiny import ROWS, WIDTH
from tests.models.train.reflex.tiny_training import SIZES, SOURCE, examples


def test_the_answers_the_verdict_and_the_exits_are_learnt(made: Trained) -> None:
    validation = examples("validation")
    found = predictions(made.model, validation, made.chosen.keep)
    assert right_by_layer(found)[-1] > 0.9
    refused = found.answerable < made.chosen.answerable_from
    assert refused[found.cause == 1].mean() > 0.9 and refused[found.cause == 0].mean() < 0.05
    right, score = found.right[0], found.score[0]
    if 5 < right.sum() < len(right) - 5:
        assert score[right].mean() > score[~right].mean()
    normal = outcome(found, made.chosen, made.chosen.caution["normal"])
    assert normal.wrong <= WRONG["normal"]
    assert made.chosen.answered_share == normal.coverage
    assert made.asked is not None and made.answered_share == normal.coverage * made.asked.kept
    assert made.chosen.caution["low"] <= made.chosen.caution["normal"] <= made.chosen.caution["high"]


def test_the_exported_files_say_what_pytorch_says(made: Trained, tmp_path: Path) -> None:
    export(made, tmp_path)
    folder = tmp_path / "reflex"
    brick = tomllib.loads((folder / "brick.toml").read_text())["brick"]["reflex"]
    assert brick["settings"]["answered_share"] == round(made.answered_share, 3)
    assert brick["settings"]["tokens"] == ROWS and set(brick["settings"]["caution"]) == set(WRONG)
    assert all((tmp_path / name).is_file() for name in brick["files"].values())
    table = AnswerTable.read(folder / "answers.json")
    assert table == made.table
    front = ort.InferenceSession(folder / "front.onnx")
    layers = [ort.InferenceSession(folder / layer_name(number)) for number in (1, 2, 3)]
    validation = examples("validation")
    keep = 0.4
    for question in (0, 7, 33):
        batch = validation.batch(np.array([question]))
        with torch.no_grad():
            verdict, expected = made.model(batch.words, batch.mask, batch.rows, batch.pictures, keep)
        words, image, answerable, causes = front.run(
            None, {"words": batch.words.numpy(), "rows": batch.rows.numpy()}
        )
        np.testing.assert_allclose(answerable, verdict.answerable.sigmoid(), atol=1e-4)
        np.testing.assert_allclose(causes, verdict.causes.softmax(-1), atol=1e-4)
        for number, (session, layer) in enumerate(zip(layers, expected, strict=True), 1):
            names = [each.name for each in session.get_outputs()]
            got = dict(zip(names, session.run(None, {"words": words, "image": image}), strict=True))
            np.testing.assert_allclose(got["answers"], layer.answers, atol=2e-3)
            np.testing.assert_allclose(got["score"], layer.score.sigmoid(), atol=1e-3)
            np.testing.assert_allclose(got["entropy"], layer.entropy, atol=1e-3)
            np.testing.assert_allclose(got["saliency"], layer.saliency, atol=1e-3)
            words = got["words_out"]
            if number < len(layers):
                image = got["image_out"]
            if number == 1:
                best = np.sort(np.argsort(-got["saliency"][0])[: kept_rows(ROWS, keep)])
                image = image[:, best]


def test_padding_does_not_change_an_answer() -> None:
    torch.manual_seed(0)
    model = Reflex(shape_of(SOURCE.table, 14, WIDTH, **dict(SIZES))).eval()
    batch = examples("train").batch(np.array([0, 4]))
    short = examples("train").batch(np.array([4]))
    assert short.words.shape[1] < batch.words.shape[1]
    with torch.no_grad():
        both = model(batch.words, batch.mask, batch.rows, batch.pictures)
        alone = model(short.words, short.mask, short.rows, short.pictures)
    for one, two in zip(both[1], alone[1], strict=True):
        for name in ("answers", "saliency", "entropy", "score"):
            assert torch.allclose(getattr(one, name)[1:], getattr(two, name), atol=1e-5), name
    assert torch.allclose(both[0].answerable[1:], alone[0].answerable, atol=1e-5)


def test_a_batch_of_long_questions_alone_has_them() -> None:
    shard = SOURCE.shard("train", 0)
    asked = [replace(one, question="the cup") for one in shard.examples if one.picture != 5]
    asked += [replace(shard.examples[0], picture=5, question="what colour is the cup a book")]
    some = Examples([Shard(shard.rows, tuple(asked))], SOURCE.table, SOURCE.words)
    lengths = {int(batch.mask.shape[1]) for step in range(300) for batch in [some.training(step, 1, 1, 2)]}
    assert lengths == {2, 7}


@pytest.mark.parametrize("option", ["--steps", "--pictures", "--questions", "--layers", "--check-every"])
def test_numbers_below_one_are_refused(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    add_plan(parser)
    with pytest.raises(SystemExit):
        parser.parse_args([option, "0"])
    assert f"argument {option}: 0 is less than 1" in capsys.readouterr().err


def test_each_size_of_the_vocabulary_has_a_run_of_its_own_and_a_stopped_one_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = []

    def stopped(source: object, folder: Path, *_: object) -> None:
        folders.append(folder)
        raise SystemExit(143)

    monkeypatch.setattr(reflex_train, "trained", stopped)
    monkeypatch.setattr(reflex_train, "Eye", lambda _: SimpleNamespace(identity="eye"))
    monkeypatch.setattr(reflex_train, "VqaSource", lambda *_: SimpleNamespace(identity="data"))
    for answers in ("5", "50"):
        words = ["--data", "d", "--eye", "e", "--out", str(tmp_path / "out"), "--answers", answers]
        monkeypatch.setattr("sys.argv", ["train", *words, "--cache", str(tmp_path)])
        with pytest.raises(SystemExit) as ended:
            reflex_train.main()
        assert ended.value.code == 143
    assert len(set(folders)) == 2 and not (tmp_path / "out").exists()


def test_published_data_is_seen_by_a_packs_eye_as_the_pack_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A converted eye has a size and a mean of its own, and graphs of another form than a trained one."""
    found = []

    def stopped(source: VqaSource, *_: object) -> None:
        found.append(source.eye)
        raise SystemExit(143)

    monkeypatch.setattr(reflex_train, "trained", stopped)
    data, pack = tmp_path / "data", tmp_path / "pack"
    write(data, "vizwiz", {"train": 40, "val": 2}, 1)
    checkpoint = write_checkpoint(tmp_path / "checkpoint", "smolvlm")
    assert convert([str(checkpoint), str(pack), "--unchecked", "--precision", "fp32"]) == 0
    words = ["train", "--eye", str(pack), "--data", str(data), "--out", str(tmp_path / "out")]
    monkeypatch.setattr("sys.argv", [*words, "--cache", str(tmp_path / "cache")])
    with pytest.raises(SystemExit, match="143"):
        reflex_train.main()
    picture = np.random.default_rng(3).integers(0, 256, (60, 80, 3), np.uint8)
    assert np.array_equal(found[0].picture_rows(picture), PackEye(pack).picture_rows(picture))


def test_pruning_keeps_the_rows_with_the_most_saliency_in_their_order() -> None:
    image = torch.arange(8.0)[None, :, None].expand(2, 8, 3)
    saliency = torch.tensor([[0, 5, 1, 0, 4, 0, 0, 3.0], [9, 0, 0, 0, 0, 0, 8, 7.0]])
    assert pruned(image, saliency, 3)[..., 0].tolist() == [[1, 4, 7], [0, 6, 7]]
    assert kept_rows(64, 0.2) == 13 and kept_rows(3, 0.05) == 1
    assert keep_of(0, 0, 1) == 1.0 and keep_of(290, 0.97, 1) < 1
    assert rate_factor(0, 0) < 0.1 and rate_factor(399, 0.9975) <= 0.02 and rate_factor(150, 0.375) == 1


def test_scores_of_several_right_answers_share_the_loss() -> None:
    torch.manual_seed(0)
    shard = SOURCE.shard("train", 0)
    one = shard.examples[5]
    both = Example(one.picture, one.question, one.label, 0, scores=((0, 1.0), (1, 0.6)))
    data = Examples([Shard(shard.rows, (both, one))], SOURCE.table, SOURCE.words)
    model = Reflex(shape_of(SOURCE.table, 14, WIDTH, **dict(SIZES)))
    batch = data.batch(np.array([0, 1]))
    front, layers = model(batch.words, batch.mask, batch.rows, batch.pictures)
    parts = losses(front, layers, batch, model.shape.groups)
    assert all(torch.isfinite(part) for part in parts.values())
    (blank,) = batch.soft
    assert batch.soft[blank].tolist()[0][:2] == [1.0, pytest.approx(0.6)] and not batch.soft[blank][1].any()


@pytest.mark.parametrize(("said", "right"), [(0, 1.0), (1, 0.6), (2, 0.0)])
def test_an_answer_is_worth_the_score_of_its_value(said: int, right: float) -> None:
    shard = SOURCE.shard("train", 0)
    table = AnswerTable(("", "{colour}"), {"colour": ("red", "blue", "green")}, frozenset(), ("",), {})
    one = Example(0, "what colour", Label(1, {"colour": 0}), 0, scores=((0, 1.0), (1, 0.6)))
    data = Examples([Shard(shard.rows, (one,))], table, SOURCE.words)
    logits = np.zeros((1, 5))
    logits[0, [1, 2 + said]] = 5
    assert worth(logits, np.array([0]), data).tolist() == [pytest.approx(right)]


def test_a_shard_is_read_as_it_was_written(tmp_path: Path) -> None:
    shard = Shard(
        np.ones((2, 3, 4), np.float16),
        (Example(1, "what", Label(2, {"colour": 1}), 0, "Red.", "colour", ((1, 0.5),)),),
    )
    assert read_shard(tmp_path, "train-0000") is None
    write_shard(shard, tmp_path, "train-0000")
    again = read_shard(tmp_path, "train-0000")
    assert again is not None and again.examples == shard.examples
    assert np.array_equal(again.rows, shard.rows)


def test_the_names_of_the_parameters_are_those_of_the_graphs() -> None:
    model = Reflex(shape_of(SOURCE.table, 14, WIDTH, **dict(SIZES)))
    assert isinstance(weights_of(model), ReflexWeights)

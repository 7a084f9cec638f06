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
from models.train.reflex.asked import KEPT, asked_by_words, different_words
from models.train.reflex.batches import Examples, vocabulary
from models.train.reflex.begin import begun_with
from models.train.reflex.examples import Example, Shard, all_shards, read_shard, write_shard
from models.train.reflex.export import Trained, export, weights_of
from models.train.reflex.labels import Label
from models.train.reflex.loss import losses
from models.train.reflex.model import Reflex, kept_rows, pruned, shape_of
from models.train.reflex.pack_eye import PackEye
from models.train.reflex.plan import Plan, keep_of, rate_factor
from models.train.reflex.predict import Predictions, predictions, right_by_layer, worth
from models.train.reflex.thresholds import WRONG, choose, outcome
from models.train.reflex.train import Run, add_plan, finish, train
from models.train.reflex.vqa.source import VqaSource
from models.train.reflex.vqa.write import write
from tests.models.convert.checkpoints import write_checkpoint
from tests.models.train.reflex.tiny import ROWS, WIDTH, TinySource

SIZES = (("width", 32), ("hidden", 64), ("heads", 4), ("blocks", 1), ("layers", 3))
PLAN = Plan(steps=300, pictures=12, questions=4, rate=4e-3, sizes=SIZES)
SOURCE = TinySource()


def examples(part: str) -> Examples:
    return Examples(all_shards(SOURCE, part), SOURCE.table, SOURCE.words)


def run(folder: Path, plan: Plan = PLAN, begun_from: Path | None = None) -> Run:
    return Run(folder, SOURCE, WIDTH, plan, 1, "cpu", begun_from)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """A network trained for some hundred steps."""
    torch.set_num_threads(1)
    validation = examples("validation")
    training = run(tmp_path_factory.mktemp("reflex"))
    train(training, examples("train"), validation, check_every=1000)
    return finish(training, SOURCE, validation)


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


def test_questions_whose_words_are_seldom_answered_are_not_asked() -> None:
    held, validation = examples("score"), examples("validation")
    by_its_first_word = [each.words[:, 0] == np.median(validation.words[:, 0]) for each in (held, validation)]
    count = int(max(held.words.max(), validation.words.max())) + 1
    asked = asked_by_words((held, by_its_first_word[0]), (validation, by_its_first_word[1]), count)
    sums = different_words(validation, count) @ asked.weights
    answered = by_its_first_word[1]
    assert asked.kept >= KEPT and asked.share == pytest.approx((sums >= 0).mean())
    assert (sums[answered] >= 0).mean() == pytest.approx(asked.kept)


def _found(confidence: np.ndarray, right: np.ndarray, mixes: list[str], read: bool = True) -> Predictions:
    """One layer's answers "red", each with a confidence, and whether it is right."""
    table = AnswerTable(("", "{colour}"), {"colour": ("red", "blue")}, frozenset(), ("", "dark"), {})
    count = len(confidence)
    logits = np.stack([np.full(count, -30.0), np.zeros(count), np.log(confidence), np.log1p(-confidence)], -1)
    return Predictions(
        table,
        np.ones(count, np.float32),
        np.tile(np.array([1, 0], np.float32), (count, 1)),
        logits[None].astype(np.float16),
        np.zeros((1, count, 1), np.float32),
        np.ones((1, count), np.float32),
        np.stack([np.ones(count, int), 1 - right], -1),
        np.zeros(count, np.int64),
        right[None].astype(np.float32),
        np.full(count, read),
        np.asarray(mixes),
    )


def test_caution_is_chosen_where_something_is_unseen() -> None:
    """Known pictures are right from the least confidence on, unseen ones from 0.8 on."""
    confidence = np.tile(np.linspace(0.55, 0.99, 200), 2)
    mixes = ["known"] * 200 + ["looks"] * 200
    right = np.where(np.arange(400) < 200, 1, confidence > 0.8).astype(int)
    chosen = choose(_found(confidence, right, mixes), 1.0)
    assert 0.7 < chosen.caution["low"] <= chosen.caution["normal"] <= chosen.caution["high"] < 0.9
    known = choose(_found(confidence, np.ones(400, int), mixes), 1.0)
    assert known.caution["high"] == 0.02 and "looks" in known.sentence


def test_a_question_with_words_that_are_not_known_is_not_answered() -> None:
    found = _found(np.full(5, 0.9), np.ones(5, int), ["known"] * 5, read=False)
    chosen = choose(_found(np.full(5, 0.9), np.ones(5, int), ["known"] * 5), 1.0)
    assert outcome(found, chosen, 0.0).coverage == 0
    shard = SOURCE.shard("train", 0)
    strange = Example(0, "what colour is the zebra", Label(0), 0)
    both = Examples([Shard(shard.rows, (shard.examples[0], strange))], SOURCE.table, SOURCE.words)
    assert both.read.tolist() == [True, False]


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

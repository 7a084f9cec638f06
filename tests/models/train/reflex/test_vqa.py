"""Published question data: the official scores, the readers' errors, and the drawn home in both formats."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from models.pack.catalogue import PACKS_FOLDER
from models.train.reflex.pack_eye import EYES, PackEye
from models.train.reflex.vqa import folder, score, write
from models.train.reflex.vqa.normalise import normalised
from models.train.reflex.vqa.people import short
from models.train.reflex.vqa.record import DataError, Record
from models.train.reflex.vqa.source import VqaSource
from models.train.world.truth import TrueAnswer
from tests.host.memory.two_eyes import write_micro_with_two_eyes


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The Cup.", "cup"),
        ("a red, round cup", "red round cup"),
        ("red,round", "red round"),
        ("1,000 people!", "1000 people"),
        ("2.5", "2.5"),
        ("2:50 pm", "2:50 pm"),
        ("girl's", "girl's"),
        ("dont know", "don't know"),
        ("It isnt", "it isn't"),
        ("couldntve", "couldntve"),
        ("couldnt've", "couldn't've"),
        ("whats that", "what's that"),
        ("Three", "3"),
        ("none", "0"),
        ("coca-cola", "coca cola"),
        ("coca- cola", "coca cola"),
        ("black\nand\twhite ", "black and white"),
        ("yes/no", "yes no"),
        ("", ""),
    ],
)
def test_answers_are_normalised_as_the_official_evaluation_does(answer: str, expected: str) -> None:
    assert normalised(answer) == expected


def test_eight_who_say_yes_and_two_who_say_no_give_one_and_six_tenths() -> None:
    """The example that the authors of VQA worked out by hand."""
    answers = ["yes"] * 8 + ["no"] * 2
    assert score.score("Yes.", answers) == pytest.approx(1.0)
    assert score.score("no", answers) == pytest.approx(0.6)
    assert score.score("maybe", answers) == 0


def test_scores_of_one_to_four_people_who_agree() -> None:
    """1: 9 of 10 choices leave him in. 2: (8 * 2/3 + 2 * 1/3) / 10. 3: (7 * 1 + 3 * 2/3) / 10. 4: all 1."""
    assert [score.of_agreeing(n, 10) for n in range(5)] == pytest.approx([0, 0.3, 0.6, 0.9, 1])


def test_the_vocabulary_has_the_most_frequent_answers_and_soft_scores() -> None:
    asked = [["red"] * 8 + ["Red"] + ["dark red"], ["the cup"] * 4 + ["mug"] * 6, [""] * 10]
    words = score.vocabulary(asked, 3)
    assert words == ["red", "mug", "cup"]
    numbers = {word: at for at, word in enumerate(words)}
    assert score.soft_scores(asked[0], numbers) == pytest.approx({0: 1.0})
    assert score.soft_scores(asked[1], numbers) == pytest.approx({1: 1.0, 2: 1.0})
    assert score.soft_scores(["mug"] + ["x"] * 9, numbers) == pytest.approx({1: 0.3})


@pytest.mark.parametrize(
    ("family", "answer", "expected"),
    [
        ("here", "Yes, your keys are on the kitchen table.", "yes"),
        ("find", "Your keys are on the kitchen table, left of the cup.", "on the kitchen table"),
        ("find", "Your cup is in your hand.", "in the hand"),
        ("on", "Your cup and your remote control are on the desk.", "cup and remote control"),
        ("on", "Nothing is on the desk.", "nothing"),
        ("next", "Your bag is next to your coat.", "bag"),
        ("colour", "Your bag is red.", "red"),
        ("room", "This is the living room.", "living room"),
        ("count", "I see three of your things.", "three"),
        ("label", "The label says milk.", "milk"),
        ("holding", "You are not holding anything.", "nothing"),
        ("label", "The letters are too small to read, come closer.", ""),
        ("find", "I do not see your keys here.", ""),
    ],
)
def test_a_true_answer_in_a_few_words(family: str, answer: str, expected: str) -> None:
    assert short(TrueAnswer("", answer, family, "answerable")) == expected


def _written(tmp_path: Path, form: str) -> Path:
    write.write(tmp_path, form, {"train": 45, "val": 3}, seed=1, side_px=48)
    return tmp_path


@pytest.fixture(scope="module")
def vizwiz(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _written(tmp_path_factory.mktemp("vizwiz"), "vizwiz")


@pytest.fixture(scope="module")
def vqav2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _written(tmp_path_factory.mktemp("vqav2"), "vqav2")


def test_the_drawn_home_is_written_and_read_as_vizwiz(vizwiz: Path) -> None:
    assert folder.format_of(vizwiz) == "VizWiz"
    records = [*folder.read(vizwiz, "train"), *folder.read(vizwiz, "val")]
    assert len(records) > 15
    assert {each.answerable for each in records} == {True, False}
    for each in records:
        assert len(each.answers) == 10
        assert each.answerable == (each.answer_type != "unanswerable")
        assert folder.pixels(each).shape == (48, 48, 3)


def test_the_drawn_home_is_written_and_read_as_vqav2(vqav2: Path) -> None:
    assert folder.format_of(vqav2) == "VQAv2"
    parts = folder.read_training(vqav2)
    shown = [{each.picture for each in part} for part in parts.values()]
    assert set(parts) == {"train", "score", "validation"} and not set.intersection(*shown)
    asked = [*folder.read(vqav2, "train"), *folder.read(vqav2, "val")]
    assert len(asked) == sum(map(len, parts.values())) + len(folder.read(vqav2, "val"))
    assert all(each.answerable is None and each.question_type and len(each.answers) == 10 for each in asked)
    assert {"yes/no", "other"} <= {each.answer_type for each in asked}
    best = [max(score.score(one, each.answers) for one in each.answers) for each in asked]
    assert min(best) >= 0.6


class _Colours:
    """An eye of one row: the mean colour."""

    identity = "colours"

    def picture_rows(self, picture: NDArray[np.uint8]) -> NDArray[np.float16]:
        return picture.reshape(-1, 3).mean(0, keepdims=True).astype(np.float16)


def test_published_data_is_a_source_of_examples(vizwiz: Path, tmp_path: Path) -> None:
    source = VqaSource(vizwiz, _Colours(), tmp_path, answers=20, pictures=30)
    assert source.count("train") == 2
    shards = [source.shard("train", number) for number in range(2)]
    examples = [each for shard in shards for each in shard.examples]
    assert len(examples) == len(folder.read_training(vizwiz)["train"])
    assert shards[0].rows.shape == (30, 1, 3)
    assert len(source.table.blanks["answer"]) == 20
    assert source.table.causes == ("", "unanswerable")
    for each in examples:
        assert all(0 < score <= 1 for _, score in each.scores)
        assert bool(each.scores) == (each.label.form == 1)
    assert {each.cause for each in examples} == {0, 1}
    assert "is" in source.words and "Is" not in source.words
    again = VqaSource(vizwiz, _Colours(), tmp_path, answers=20, pictures=30).shard("train", 1)
    assert again.examples == shards[1].examples


@pytest.mark.parametrize("part", ["train", "score", "validation"])
@pytest.mark.parametrize("key", ["answerable", "answer_type", "question", "image"])
def test_data_that_was_corrected_is_other_data(vizwiz: Path, tmp_path: Path, part: str, key: str) -> None:
    """So that neither rows nor a run of the data before are taken for it."""
    corrected = tmp_path / "corrected"
    shutil.copytree(vizwiz, corrected)
    before = VqaSource(vizwiz, _Colours(), tmp_path)
    assert VqaSource(corrected, _Colours(), tmp_path).identity == before.identity
    changed = folder.read_training(corrected)[part][0]
    records = json.loads((corrected / "train.json").read_text())
    record = next(one for one in records if one["image"] == changed.number)
    kind = "number" if record["answer_type"] == "other" else "other"
    others = {"answerable": 1 - record["answerable"], "answer_type": kind, "question": "what is new"}
    if key == "image":
        Image.new("RGB", (9, 9)).save(changed.picture)
    record[key] = others.get(key, record[key])
    (corrected / "train.json").write_text(json.dumps(records), encoding="utf-8")
    assert VqaSource(corrected, _Colours(), tmp_path).identity != before.identity


def test_data_without_an_answer_to_learn_and_with_a_byte_order_mark(vizwiz: Path, tmp_path: Path) -> None:
    shutil.copytree(vizwiz, tmp_path / "data")
    records = json.loads((vizwiz / "train.json").read_text())
    for record in records:
        for answer in record["answers"]:
            answer["answer"] = ""
    (tmp_path / "data" / "train.json").write_text(json.dumps(records), encoding="utf-8-sig")
    with pytest.raises(DataError, match="no answer that can be learned"):
        _ = VqaSource(tmp_path / "data", _Colours(), tmp_path).table


def test_an_eye_of_a_pack_gives_rows_as_the_headband_makes_them(tmp_path: Path) -> None:
    folder = write_micro_with_two_eyes(tmp_path)
    picture = np.random.default_rng(3).integers(0, 256, (60, 80, 3), np.uint8)
    rows = [PackEye(folder, name).picture_rows(picture) for name in EYES]
    assert rows[0].shape == (64, 128) and np.array_equal(rows[0], rows[1])
    assert PackEye(folder, "recall").identity != PackEye(folder).identity
    with pytest.raises(DataError, match="has no brick 'recall'"):
        PackEye(PACKS_FOLDER / "micro", "recall")


def test_a_vqav2_question_counts_as_answerable_where_an_answer_is_known(vqav2: Path, tmp_path: Path) -> None:
    source = VqaSource(vqav2, _Colours(), tmp_path, answers=5)
    record = folder.read_training(vqav2)["train"][0]
    known, unknown = ("yes",) * 10, ("fortytwo",) * 10
    assert source.example(3, replace(record, answers=known)).cause == 0
    lost = source.example(3, replace(record, answers=unknown))
    assert (lost.cause, lost.label.form, lost.scores) == (1, 0, ())


def test_the_same_seed_writes_the_same(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write.write(tmp_path / name, "vizwiz", {"val": 2}, seed=5, side_px=32)
    assert (tmp_path / "one/val.json").read_bytes() == (tmp_path / "two/val.json").read_bytes()


def _record(**changes: Any) -> dict[str, Any]:
    answers = [{"answer": "yes", "answer_confidence": "yes"}] * 10
    usual = {
        "image": "a.jpg",
        "question": "Is it?",
        "answers": answers,
        "answer_type": "yes/no",
        "answerable": 1,
    }
    return {key: value for key, value in (usual | changes).items() if value is not ...}


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        ("{", "train.json is not JSON: "),
        ("{}", "train.json: it is no list of records."),
        ([7], "train.json, record 0: it is no object."),
        ([_record(), _record(question=...)], "train.json, record 1 (a.jpg): 'question' is missing."),
        ([_record(question=7)], "record 0 (a.jpg): 'question' is 7, and should be a text."),
        ([_record(image="b.jpg")], "record 0 (b.jpg): the picture "),
        ([_record(image="../train.json")], "the picture "),
        ([_record(image="a" * 300)], "the picture "),
        ("[" * 100_000, "train.json is not JSON: "),
        ([_record(answerable=2)], "'answerable' is 2, not 0 or 1."),
        ([_record(answerable=True)], "'answerable' is true, and should be a whole number."),
        (
            [_record(answer_type="count")],
            "'answer_type' is 'count', not yes/no, number, other, unanswerable.",
        ),
        ([_record(answers=[])], "it has 0 answers, and should have 10."),
        ([_record(answers=[{"answer": "a", "answer_confidence": "sure"}] * 10)], "not yes, maybe or no."),
        ([_record(answers=[{"answer_confidence": "yes"}] * 10)], "'answer' is missing."),
    ],
)
def test_errors_of_vizwiz_name_file_and_record(tmp_path: Path, contents: Any, said: str) -> None:
    (tmp_path / "train").mkdir()
    (tmp_path / "train/a.jpg").write_bytes(b"")
    (tmp_path / "train.json").write_text(contents if isinstance(contents, str) else json.dumps(contents))
    with pytest.raises(DataError) as caught:
        folder.read(tmp_path, "train")
    assert said in str(caught.value)
    assert str(caught.value).endswith(".")


def _spoilt_annotation(file: dict[str, Any]) -> None:
    file["annotations"][1]["answers"].pop()


def _other_picture(file: dict[str, Any]) -> None:
    file["annotations"][0]["image_id"] += 1


def _twice(file: dict[str, Any]) -> None:
    file["annotations"].append(file["annotations"][0])


def _lost(file: dict[str, Any]) -> None:
    del file["annotations"][0]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_spoilt_annotation, "record 1 (question 1): it has 9 answers"),
        (_other_picture, "record 0 (question 0): it is of another picture."),
        (_twice, "record 0 is of the same question."),
        (_lost, "record 0 (question 0): v2_mscoco_val2014_annotations.json has no annotation of it."),
        (lambda file: file.clear(), "v2_mscoco_val2014_annotations.json: 'annotations' is missing."),
    ],
)
def test_errors_of_vqav2_name_file_and_record(
    tmp_path: Path, spoil: Callable[[dict[str, Any]], None], said: str
) -> None:
    write.write(tmp_path, "vqav2", {"val": 1}, seed=1, side_px=32)
    path = tmp_path / "v2_mscoco_val2014_annotations.json"
    contents = json.loads(path.read_text())
    spoil(contents)
    path.write_text(json.dumps(contents))
    with pytest.raises(DataError) as caught:
        folder.read(tmp_path, "val")
    assert said in str(caught.value)


@pytest.mark.parametrize("subset", ["", "..", "/tmp", "a/b", "none2014"])
def test_a_subset_that_is_no_folder_of_pictures_is_one_sentence(tmp_path: Path, subset: str) -> None:
    write.write(tmp_path, "vqav2", {"val": 1}, seed=1, side_px=32)
    path = tmp_path / "v2_OpenEnded_mscoco_val2014_questions.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "data_subtype": subset}))
    with pytest.raises(DataError, match=r"should be the name of a folder|has no folder none2014"):
        folder.read(tmp_path, "val")


def test_a_picture_whose_parts_are_damaged_is_named(tmp_path: Path) -> None:
    """Pillow raises SyntaxError for what is no chunk of a PNG."""
    noise = np.random.default_rng(0).integers(0, 256, (200, 200, 3), np.uint8)
    path = tmp_path / "a.png"
    Image.fromarray(noise).save(path)
    head, _, tail = path.read_bytes().rpartition(b"IDAT")
    path.write_bytes(head + b"\xfb\x16\xc7\x94" + tail)
    with pytest.raises(DataError, match=r"a\.png, of question 1, is no picture"):
        folder.pixels(Record("1", path, "what is it?"))


def test_a_folder_without_data_and_a_picture_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds neither VQAv2"):
        folder.read(tmp_path, "val")
    (tmp_path / "val").mkdir()
    (tmp_path / "val/a.jpg").write_bytes(b"no picture")
    (tmp_path / "val.json").write_text(json.dumps([_record()]))
    (record,) = folder.read(tmp_path, "val")
    with pytest.raises(DataError, match="is no picture"):
        folder.pixels(record)


def test_the_command_writes_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert write.main([str(tmp_path / "out"), "--train", "1", "--val", "1"]) == 0
    assert "1 pictures of train and 1 of val" in capsys.readouterr().out
    (tmp_path / "file").write_text("")
    assert write.main([str(tmp_path / "file" / "out")]) == 2

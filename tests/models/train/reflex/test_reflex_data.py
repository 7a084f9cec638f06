"""Views with questions as rows of an eye: made once, by the eye's identity, and the same at every start."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tokenizers", reason="tokenizers is not installed")
pytest.importorskip("torch", reason="PyTorch is in the training environment only")

from models.pack.catalogue import find_pack, load_pack
from models.train.reflex.data import DataPlan, Eye, WorldSource
from models.train.reflex.examples import all_shards
from models.train.reflex.labels import OPEN, Labels
from models.train.reflex.unseen import MIXES, STYLES_KEPT_BACK, Unseen, dressed, unseen_wording, with_designs
from models.train.reflex.vqa.record import DataError
from models.train.world import grammar
from models.train.world.home import questions as home
from models.train.world.home.random_views import random_view
from models.train.world.home.splits import HELD_OUT_STYLES, STYLES
from models.train.world.home.things import carries_word
from models.train.world.home.truth import truth_of
from models.train.world.questions import SHARES, ask_many
from models.train.world.said.negation import FAMILIES, WORDS, negated
from models.train.world.scenes import random_scene
from models.train.world.truth import TrueAnswer
from models.train.world.variety.designs.catalogue import kept_back


def test_the_identity_of_an_eye_is_that_of_a_pack_with_its_files() -> None:
    folder = find_pack("micro")
    options = load_pack(folder).bricks["vision"].options
    assert Eye(folder).identity == options["encoder"].rpartition(" ")[2]


def test_a_folder_without_an_eye_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no eye: neither"):
        Eye(tmp_path)


class Squint:
    """Sees sixteen means of the picture."""

    side_px = 64

    def __init__(self, identity: str) -> None:
        self.identity, self.seen = identity, 0

    def rows(self, picture: np.ndarray) -> np.ndarray:
        self.seen += 1
        means = picture.reshape(4, 16, 4, 16, 3).mean((1, 3)) / 255
        return means.reshape(16, 3).astype(np.float16)


PLAN = DataPlan(pictures=12, shards={"train": 2, "score": 1, "validation": 1}, least_seen=2)


def test_shards_are_made_once_for_each_eye(tmp_path: Path) -> None:
    eye = Squint("one")
    first = all_shards(WorldSource(eye, tmp_path, PLAN), "train")  # type: ignore[arg-type]
    assert eye.seen == 24 and first[0].rows.shape == (12, 16, 3) and first[0].rows.dtype == np.float16
    again = all_shards(WorldSource(eye, tmp_path, PLAN), "train")  # type: ignore[arg-type]
    assert eye.seen == 24
    assert [shard.examples for shard in again] == [shard.examples for shard in first]
    assert not np.array_equal(first[0].rows, first[1].rows)
    all_shards(WorldSource(Squint("two"), tmp_path, PLAN), "score")  # type: ignore[arg-type]
    (tmp_path / "rows" / "one" / "train-12-negations-2-0001.json").unlink()
    torn = WorldSource(eye, tmp_path, PLAN).shard("train", 1)  # type: ignore[arg-type]
    assert eye.seen == 36 and torn.examples == first[1].examples


def test_labels_say_the_true_answers(tmp_path: Path) -> None:
    source = WorldSource(Squint("one"), tmp_path, PLAN)  # type: ignore[arg-type]
    labels = Labels(source.table)
    for part in ("train", "validation"):
        examples = [one for shard in all_shards(source, part) for one in shard.examples]
        assert len(examples) > 80
        closed = [one for one in examples if one.label != OPEN]
        assert len(closed) > 0.7 * len(examples)
        assert all(labels.sentence(one.label) == one.answer for one in closed)


def test_words_are_those_of_at_least_two_training_questions(tmp_path: Path) -> None:
    source = WorldSource(Squint("one"), tmp_path, PLAN)  # type: ignore[arg-type]
    asked = [set(one.question.split()) for shard in all_shards(source, "train") for one in shard.examples]
    assert {"my", "the", "what"} <= set(source.words)
    assert all(sum(word in words for words in asked) >= 2 for word in source.words)


def test_training_has_nothing_of_what_is_kept_back(tmp_path: Path) -> None:
    source = WorldSource(Squint("one"), tmp_path, PLAN)  # type: ignore[arg-type]
    for part in ("train", "validation"):
        examples = [one for shard in all_shards(source, part) for one in shard.examples]
        plain = [one for one in examples if not set(WORDS) & set(one.question.split())]
        new = {one.unseen for one in plain if unseen_wording(one.question)}
        assert new == (set() if part == "train" else {"wordings", "all"})
        assert {one.unseen for one in examples} == ({"known"} if part == "train" else {m.name for m in MIXES})


@pytest.mark.parametrize("unseen", [False, True])
def test_things_are_drawn_in_styles_of_training_or_in_those_kept_back(unseen: bool) -> None:
    rng = random.Random(4)
    drawn, lettered = set(), 0
    for _ in range(120):
        view = dressed(random_view(rng, "train"), rng, unseen)
        drawn |= {(thing.kind, thing.style) for thing in view.things}
        lettered += sum(bool(thing.label) for thing in view.things)
        assert all(carries_word(thing.kind, thing.style) for thing in view.things if thing.label)
    assert not drawn & HELD_OUT_STYLES and lettered
    assert drawn >= STYLES_KEPT_BACK if unseen else not drawn & STYLES_KEPT_BACK


@pytest.mark.parametrize("unseen", [False, True])
def test_designs_are_those_of_training_or_those_kept_back(unseen: bool) -> None:
    rng = random.Random(5)
    drawn = set()
    for _ in range(80):
        view = with_designs(random_view(rng, "train"), rng, Unseen(designs=unseen), 0.75)
        drawn |= {(thing.kind, thing.style) for thing in view.things}
    designs = {(kind, style - STYLES) for kind, style in drawn if style >= STYLES}
    assert len(designs) > 100 and all(kept_back(kind, number) == unseen for kind, number in designs)
    styles = {(kind, style) for kind, style in drawn if style < STYLES}
    assert not styles & (STYLES_KEPT_BACK | HELD_OUT_STYLES) and bool(styles) != unseen


def test_training_asks_no_question_that_is_held_out(tmp_path: Path) -> None:
    source = WorldSource(Squint("one"), tmp_path, PLAN)  # type: ignore[arg-type]
    rng = random.Random(3)
    asked = [answer for _ in range(10) for answer in source.view(rng, "score")[1]]
    read = [answer for answer in asked if home.parsed(answer.question)]
    assert read and all(home.sentence_split(answer.question) != "held" for answer in read)


@pytest.mark.parametrize(
    ("question", "family", "expected"),
    [
        ("is there a red star", "exist", "is there no red star"),
        ("is there a red star", "exist", "there is no red star is there"),
        ("are there any orange rings", "exist", "are there no orange rings"),
        ("can you see an orange ring", "exist", "can you not see an orange ring"),
        ("please is a red star there now", "exist", "please is a red star missing now"),
        ("tell me if there's a sign", "exist", "tell me if there is no sign"),
        ("is anything green", "exist", "isn't there anything green"),
        ("are my keys here", "here", "are my keys not here"),
        ("are the keys here", "here", "the keys aren't here are they"),
        ("is my cup anywhere in view", "here", "is my cup nowhere in view"),
        ("do you notice my bag", "here", "you don't notice my bag do you"),
        ("can you see the book", "here", "can't you see the book"),
        ("is my cup on the table", "where", "is my cup not on the table"),
        ("is my cup on the table", "where", "is my cup gone from the table"),
        ("tell me if my keys are on the desk", "where", "tell me if my keys are not on the desk"),
        ("am i holding my phone", "in hand", "am i not holding my phone"),
        ("did i pick up my coat", "in hand", "i did not pick up my coat did i"),
        ("is the small heart green", "check", "isn't the small heart green"),
        ("check whether that star is black", "check", "check whether that star is not black"),
    ],
)
def test_questions_are_negated_and_their_answers_stay(question: str, family: str, expected: str) -> None:
    answer = TrueAnswer(question, "No.", family, "answerable")
    made = [negated(answer, random.Random(seed), "train") for seed in range(60)]
    assert expected in {each.question for each in made if each}
    assert {each.answer for each in made if each} == {"No."}


def test_a_question_that_is_no_yes_or_no_question_is_not_negated() -> None:
    assert negated(TrueAnswer("where is my cup", "", "find", ""), random.Random(1), "train") is None
    assert negated(TrueAnswer("is there any star", "", "exist", ""), random.Random(1), "train") is None
    assert negated(TrueAnswer("is there any star", "", "exist", ""), random.Random(1), "held") is not None


def test_a_negated_question_is_no_other_question_and_no_wording_of_the_evaluation() -> None:
    rng = random.Random(2)
    negative = 0
    for _ in range(150):
        truth = truth_of(random_view(rng, "train"))
        asked = ask_many(random_scene(rng, "train"), rng, "train", 8, {**SHARES, "exist": 30.0})
        for answer in (*asked, *home.ask_many(truth, rng, "train", 8)):
            made = negated(answer, rng, "train")
            bare = re.sub(r" isn't it( |$)", " ", answer.question)
            assert answer.family not in FAMILIES or not set(WORDS) & set(bare.split())
            if made is None:
                continue
            negative += 1
            assert set(WORDS) & set(made.question.split())
            assert home.parsed(made.question) is None and not grammar.reads(made.question)
            assert not HELD.search(made.question)
    assert negative > 400


HELD = re.compile(r"can you see no |is there not any |can you not see (my|the) ")
"""The negations that no training has."""

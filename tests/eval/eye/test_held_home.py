"""The evaluation's judges agree with the truth of the drawn home, and its queries with the views of a day."""

from __future__ import annotations

import random
from collections import defaultdict

import numpy as np

from models.train.world.home.questions import ask_many, parsed
from models.train.world.home.random_views import random_view
from models.train.world.home.truth import truth_of
from tests.eval.eye.days import by_chance, candidates, found_within, nearest, recalled, without_view
from tests.eval.eye.held_home import facts_of_view, held_out_sentence, picture_of
from tests.eval.eye.queries import KINDS
from tests.eval.stranger_home.judges import Judge, judge_of
from tests.eval.stranger_home.questions import FAMILIES, WORDINGS, questions_about


def test_the_judges_accept_every_true_answer_and_few_others() -> None:
    rng = random.Random(3)
    asked: dict[tuple[str, str], list[tuple[str, Judge]]] = defaultdict(list)
    undecided = 0
    for _ in range(120):
        view = random_view(rng, "held")
        facts = facts_of_view(view)
        for true in ask_many(truth_of(view), rng, "held", 6):
            found = parsed(true.question)
            assert found is not None
            if true.family not in FAMILIES:
                continue
            slots = found[1]
            judge = judge_of(true.family, slots, facts)
            undecided += judge is None
            if judge is not None:
                assert judge(true.answer), (true.question, true.answer, judge)
                asked[true.family, str(slots)].append((true.answer, judge))
    number = sum(map(len, asked.values()))
    assert number > 400 and undecided < number / 20
    others = [
        judge(other)
        for answers in asked.values()
        for answer, judge in answers
        for other, _ in answers
        if other != answer
    ]
    assert np.mean(others) < 0.03, "only an answer without the place may pass for one with it"


def test_a_day_has_queries_of_every_kind_that_its_views_answer() -> None:
    day = candidates(9_001, 300)
    assert {query.kind for query in day.queries} == set(KINDS)
    assert day.right.shape == (len(day.queries), 300)
    assert 0 < without_view([day]) < len(day.queries) / 2
    spots = [row for row, query in zip(day.right, day.queries, strict=True) if query.kind == "spot"]
    assert 0 < np.mean([row.any() for row in spots]) < 1, "some things were never seen there"
    assert picture_of(day.views[0]).shape == (224, 224, 3)
    again = candidates(9_001, 300)
    assert [query.text for query in again.queries] == [query.text for query in day.queries]


def test_scores_find_views_by_rank() -> None:
    day = candidates(9_002, 100)
    oracle = recalled(day.right.astype(np.float32), day)
    answered = 100 * day.right.any(axis=1).mean()
    assert oracle.percent == (answered, answered)
    assert recalled(-day.right.astype(np.float32), day).percent[0] <= answered
    low, high = by_chance(day)
    assert 0 < low < high < answered
    scores = np.random.default_rng(1).standard_normal((400, *day.right.shape))
    drawn = [100 * found_within(each, day.right, 5).mean() for each in scores]
    assert abs(np.mean(drawn) - high) < 1.5
    flat = nearest(np.zeros((2, 50)), 5)
    assert len(set(flat[0].tolist())) == 5 and not np.array_equal(flat[0], np.arange(5))


def test_held_out_sentences_are_documented_ones() -> None:
    assert held_out_sentence("can you find my keys")
    assert not held_out_sentence("any idea where my keys are")
    rng = random.Random(4)
    drawn = [facts_of_view(random_view(rng, "held")) for _ in range(60)]
    found = [
        each
        for facts in drawn
        for each in questions_about(facts, rng, FAMILIES, False, held_out_sentence, 60)
    ]
    assert {each.family for each in found} == set(FAMILIES)


def test_a_strangers_own_wordings_do_not_train() -> None:
    rng = random.Random(5)
    drawn = [facts_of_view(random_view(rng, "held")) for _ in range(80)]
    asked = {each.text for facts in drawn for each in questions_about(facts, rng, FAMILIES, own=True)}
    assert len(asked) > 150
    assert not {text for text in asked if parsed(text) is not None}
    assert all(own for _, own in WORDINGS.values())

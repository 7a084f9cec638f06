"""The choice of a configuration: never worse by the predictor than any other within the limit."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from models.clip import ClipAnswer
from models.sensing.choice import INDISTINCT, choose
from models.sensing.choice_file import ChoiceError, read_choice
from models.sensing.configuration import space
from models.sensing.features import VIEW_FEATURES
from models.sensing.latency import predicted
from models.sensing.stop_gate import stop_features
from tests.models.sensing.made import COSTS, DEPTHS, FAMILIES, LABELS, choice_file, predictor

SPACE = space(DEPTHS)


def test_no_other_configuration_within_the_limit_is_better() -> None:
    rng = random.Random("choice")
    for _ in range(60):
        weights = {at: rng.gauss(0, 1) for at in range(10)}
        told, costs = predictor(weights), COSTS.scaled(rng.uniform(0.3, 6.0))
        loads = [predicted(each, costs, 5.0) for each in SPACE]
        limit_s = rng.uniform(0.0, 2.0)
        view = np.array([rng.gauss(0, 1) for _ in range(VIEW_FEATURES)], np.float32)
        found = choose(told, SPACE, loads, view=view, family="whether", limit_s=limit_s)
        chances = told.probabilities(view, "whether", SPACE)
        within = [at for at, load in enumerate(loads) if load.latency_s <= limit_s]
        at = SPACE.index(found.configuration)
        if within:
            assert at in within
            assert found.accuracy >= max(chances[within]) - INDISTINCT
            alike = [each for each in within if chances[each] >= max(chances[within]) - INDISTINCT]
            assert loads[at].work_s == min(loads[each].work_s for each in alike)
        else:
            assert loads[at].latency_s == min(each.latency_s for each in loads)
            assert found.reason.startswith("none is within")


def test_more_time_is_never_a_worse_choice() -> None:
    told = predictor({5: 2.0, 8: 1.0, 0: 0.5})
    loads = [predicted(each, COSTS.scaled(4.0), 5.0) for each in SPACE]
    accuracies = [
        choose(told, SPACE, loads, view=None, family=None, limit_s=limit_s).accuracy
        for limit_s in np.linspace(0.3, 6.0, 30)
    ]
    assert all(later >= sooner - INDISTINCT for sooner, later in pairwise(accuracies))
    assert accuracies[-1] > accuracies[0]


def test_what_is_not_known_is_as_usual() -> None:
    told = predictor({5: 1.0})
    usual = told.probabilities(np.zeros(VIEW_FEATURES, np.float32), None, SPACE)
    assert np.array_equal(told.probabilities(None, "no such family", SPACE), usual)


def test_a_label_that_may_be_overturned_is_told_apart() -> None:
    yes, no = (ClipAnswer(label, 0.9, 6, 3, {label: 0.9, other: 0.1}) for label, other in ("yn", "ny"))
    answers = [ClipAnswer(label, 0.9, 6, 3, {label: 0.9}) for label in ("yes", "no")]
    rows = [stop_features("whether", FAMILIES, LABELS, each, None, units=6, expected=12) for each in answers]
    assert not np.array_equal(rows[0], rows[1]) and yes.label != no.label
    assert all(np.isfinite(each).all() for each in rows)


def test_the_file_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "choice.json"
    path.write_text(choice_file({0: 1.5, 4: -0.25}, 2.0).text())
    found = read_choice(path, "any pack 0123456789abcdef")
    wanted = predictor({0: 1.5, 4: -0.25}).probabilities(None, "whether", SPACE)
    assert found.predictor.probabilities(None, "whether", SPACE) == pytest.approx(wanted, abs=0.01)
    assert found.gate.threshold == 0.5


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"form": 2', '"form": 1'),
        ('"labels": [', '"labels": ["third", '),
        ('"families": [', '"families": ["third", '),
        ('"threshold": 0.5', '"threshold": 5'),
        ('"threshold": 0.5', '"threshold": "high"'),
        ('"threshold": 0.5', f'"threshold": {10**400}'),
        ('"depths": [', '"depths": [1e999, '),
        ('"usual": [', f'"usual": [{10**400}, '),
        ('"gate": [', '"gate": [3, '),
        ("{", "["),
        ('"encoder": ""', '"encoder": "fedcba9876543210"'),
    ],
)
def test_a_file_that_does_not_fit_is_one_sentence(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "choice.json"
    text = choice_file({}, 0.0).text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(ChoiceError) as problem:
        read_choice(path, "any pack 0123456789abcdef")
    assert str(problem.value).count(".") <= 4 and "\n" not in str(problem.value)


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ChoiceError, match=r"choice\.json"):
        read_choice(tmp_path / "choice.json", "")

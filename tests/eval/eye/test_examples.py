"""Directions learned from views that answer a query, on vectors whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from models.brick import Activation
from tests.eval.eye.examples import Examples, pooled
from tests.eval.eye.queries import Query, shows_place
from tests.eval.stranger_home.facts import CLEAR, Facts

PLACES = ("kitchen", "hall", "desk")
QUERIES = tuple(Query("place", f"the {place}", shows_place(place)) for place in (*PLACES, "park"))


def views(rng: np.random.Generator) -> tuple[tuple[Facts, ...], np.ndarray]:
    """Views of three places: each place moves one of four values, a fifth varies most and says nothing."""
    facts, vectors = [], []
    for number in range(300):
        place = number % len(PLACES)
        vector = 0.3 * rng.standard_normal(5)
        vector[place] += 1
        vector[4] *= 40
        facts.append(Facts(PLACES[place], True, (), (), CLEAR))
        vectors.append(vector + 7)
    return tuple(facts), np.array(vectors)


def test_a_direction_leads_to_other_views_of_the_same_kind_past_what_varies_for_other_reasons() -> None:
    taught = Examples(*views(np.random.default_rng(1)))
    facts, vectors = views(np.random.default_rng(2))
    scores = taught.directions(QUERIES) @ (vectors - taught.vectors.mean(0)).T
    for query, row in zip(QUERIES[:3], scores[:3], strict=True):
        right = [query.hits(facts[at]) for at in np.argsort(-row)[:50]]
        assert np.mean(right) > 0.95, query.text


def test_a_query_that_no_training_view_answers_has_no_direction() -> None:
    assert not Examples(*views(np.random.default_rng(1))).directions(QUERIES)[3].any()


def test_an_activation_is_pooled_over_its_tokens() -> None:
    rows = np.arange(12, dtype=np.float32).reshape(4, 3)
    assert pooled([Activation(2, "an eye", rows)])[0] == pytest.approx([4.5, 5.5, 6.5])

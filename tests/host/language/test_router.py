"""Every question of the grammar reaches the part that can answer it."""

import random

import pytest

from host.language.router import Router
from models.train.world import grammar

ROUTER = Router()


@pytest.mark.parametrize("template", grammar.TEMPLATES, ids=lambda template: template.text)
def test_each_template_takes_its_route(template: grammar.Template) -> None:
    rng = random.Random(template.text)
    for _ in range(6):
        text = grammar.with_polite_word(grammar.fill(template, grammar.random_slots(template, rng)), rng)
        assert ROUTER.decide(text).route == template.route, text


@pytest.mark.parametrize("text", ["", "   ", "...", "?!"])
def test_nothing_said_is_unclear(text: str) -> None:
    assert ROUTER.decide(text).route == "unclear"


def test_case_and_punctuation_do_not_matter() -> None:
    decision = ROUTER.decide("Set the volume to Five, please.")
    assert (decision.route, decision.intent, decision.slots) == ("device", "volume", {"number": 5})


def test_free_questions_go_to_the_language_model() -> None:
    assert ROUTER.decide("why do cats purr").route == "open"

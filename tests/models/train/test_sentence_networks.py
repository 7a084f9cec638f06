"""The trained networks over words: as the headband reads them, they say what they said in training."""

from __future__ import annotations

import random

import numpy as np
import pytest

from host.language.classifier.convolution import word_buckets
from host.language.classifier.parts import beginnings
from models.train.intents.data import said_by_people
from models.train.world.said.run_on import run_on_sentences

torch = pytest.importorskip("torch", reason="the network's training needs PyTorch")

from models.train.intents import network, parts  # noqa: E402
from models.train.intents.put_together import PutTogether  # noqa: E402

SAID = ["^", "where", "did", "i", "put", "my", "THING", "$"]


def test_the_kinds_are_those_of_the_trained_network() -> None:
    few = said_by_people()[:80]
    first, second = (network.fit(few, steps=2).weights.to_bytes() for _ in range(2))
    assert first == second
    torch.manual_seed(3)
    trained = network.Trained(3).eval()
    words, starts, lengths = network.batch([[word_buckets(word) for word in SAID]], None)
    with torch.no_grad():
        expected = torch.softmax(trained(words, starts, lengths)[0], -1).numpy()
    found = network.packed(trained, ("a", "b", "c"), 0).of_words(SAID[1:-1])
    assert np.abs(found - expected).max() < 0.02  # the table is kept in eight bits


def test_the_beginnings_are_those_of_the_trained_network() -> None:
    torch.manual_seed(3)
    trained = parts.Trained(3).eval()
    words, starts, lengths = network.batch([[word_buckets(word) for word in SAID]], None)
    with torch.no_grad():
        expected = torch.sigmoid(trained(words, starts, lengths)[1][0]).numpy()
    assert np.abs(beginnings(parts.packed(trained, 0), SAID) - expected).max() < 0.02


def test_a_few_steps_find_some_beginnings() -> None:
    breaths = run_on_sentences()[:20]
    first, second = (parts.fit(said_by_people()[:200], breaths, steps=2).to_bytes() for _ in range(2))
    assert first == second


def test_what_is_put_together_has_requests_and_asides_in_turn() -> None:
    source = PutTogether(said_by_people(), run_on_sentences(), random.Random(1))
    made = [source.sample() for _ in range(300)]
    assert all(part.text for sentence in made for part in sentence)
    assert {1, 2, 3} <= {len(sentence) for sentence in made}
    assert {"aside", "none", "timer"} <= {part.kind for sentence in made for part in sentence}

"""The networks over words: what they say is a probability, of any words, and survives a file."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from host.language.classifier.convolution import BUCKETS, Weights, read_weights, word_buckets
from host.language.classifier.ensemble import packed_ensemble
from host.language.classifier.network import Network, read_network
from host.language.classifier.parts import LONGEST, beginnings, divisions, packed_parts

WORDS = st.lists(st.text("abcdefghijklmnopqrstuvwxyz'", min_size=1, max_size=9), max_size=12)


def small(rng: np.random.Generator) -> Weights:
    def floats(*shape: int) -> np.ndarray:
        return rng.normal(size=shape).astype(np.float16).astype(np.float32)

    layers = {"first": floats(12, 5), "second": floats(15, 5), "out": floats(19, 2)}
    biases = {f"{name}_bias": floats(layer.shape[1]) for name, layer in layers.items()}
    table = rng.integers(-127, 128, (BUCKETS, 4)).astype(np.int8)
    return Weights({"kinds": ["a", "b"], "made_from": 7}, table, floats(4), {**layers, **biases})


def test_what_is_written_is_read(tmp_path) -> None:
    network = Network(small(np.random.default_rng(1)))
    path = tmp_path / "network.bin"
    path.write_bytes(network.weights.to_bytes())
    read = read_network(path)
    assert (read.kinds, read.made_from) == (("a", "b"), 7)
    words = ["where", "are", "my", "keys"]
    assert np.array_equal(read.of_words(words), network.of_words(words))
    assert read_weights(path).to_bytes() == path.read_bytes()


def test_a_layer_reads_neighbours_at_its_spacing_and_nothing_beyond_the_sentence() -> None:
    weights = Weights(
        {}, np.zeros((BUCKETS, 1), np.int8), np.ones(1, np.float32),
        {"sum": np.array([[1.0], [10.0], [100.0]], np.float32), "sum_bias": np.zeros(1, np.float32)},
    )  # fmt: skip
    rows = np.array([[1.0], [2.0], [3.0]], np.float32)
    assert weights.convolved("sum", rows)[:, 0].tolist() == [210.0, 321.0, 32.0]
    assert weights.convolved("sum", rows, 2)[:, 0].tolist() == [310.0, 20.0, 31.0]


def test_numbers_are_alike_and_so_are_words_of_like_letters() -> None:
    def shared(one: str, other: str) -> int:
        return len(set(word_buckets(one)) & set(word_buckets(other)))

    assert shared("seven", "twelve") == 1
    assert shared("remember", "remembering") > 5
    assert shared("cup", "timer") == 0


@given(WORDS)
def test_the_kinds_of_any_sentence_are_as_probable_as_one_in_all(words: list[str]) -> None:
    likely = packed_ensemble().probabilities(" ".join(words))
    assert np.isfinite(likely).all() and abs(likely.sum() - 1) < 1e-9


@given(WORDS)
def test_a_division_has_all_words_in_their_order(words: list[str]) -> None:
    text = " ".join(words)
    found = divisions(text)
    assert all(" ".join(each.parts) == text and all(each.parts) for each in found)
    assert bool(found) == bool(words)
    chances = [each.log_probability for each in found]
    assert chances == sorted(chances, reverse=True)
    assert sum(np.exp(chances)) <= 1 + 1e-6


def test_too_long_a_sentence_is_not_divided() -> None:
    assert divisions("and " * LONGEST + "and") == []
    assert len(beginnings(packed_parts(), ["and"] * 40)) == 40


def test_where_a_part_begins_is_found_without_a_word_that_joins() -> None:
    parts = [each.parts for each in divisions("turn it down a bit what's the time i'm so late")[:2]]
    assert ("turn it down a bit", "what's the time", "i'm so late") in parts
    assert len(divisions("where did i leave my keys this morning")[0].parts) == 1

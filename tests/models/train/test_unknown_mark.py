"""The mark for unknown words is written less readily, and every other word as before."""

from __future__ import annotations

import numpy as np
import pytest

from models.train.recogniser.unknown_mark import lowered

_WORDS, _BIAS = "decoder.token_embedding.weight", "decoder.ln.bias"
MARK = 7


def test_the_logit_of_one_token_is_lower_and_the_others_hardly_change() -> None:
    rng = np.random.default_rng(3)
    words = rng.normal(size=(400, 24)).astype(np.float32)
    words[300:] = 0.0
    tensors = {_WORDS: words, _BIAS: rng.normal(size=24).astype(np.float32)}
    before = tensors[_BIAS].copy()
    after = lowered(tensors, MARK, 2.0)
    assert np.array_equal(tensors[_BIAS], before), "what was given stays as it was"
    assert after[_WORDS] is words and after[_BIAS].dtype == np.float32
    states = rng.normal(size=(50, 24))
    change = (states + after[_BIAS]) @ words.T - (states + before) @ words.T
    assert change[:, MARK] == pytest.approx(-2.0, abs=1e-3)
    others = np.delete(change, MARK, axis=1)
    along = words @ words[MARK] / (words[MARK] @ words[MARK])
    straight = np.delete(-2.0 * along, MARK)
    assert np.square(others).sum() < 0.98 * 50 * np.square(straight).sum()
    assert np.array_equal(lowered(tensors, MARK, 0.0)[_BIAS], before)

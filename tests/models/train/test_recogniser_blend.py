"""The mean of two recognisers, of which the later has learned new words."""

from __future__ import annotations

import numpy as np

from models.train.recogniser.blend import blended

_WORDS = "decoder.token_embedding.weight"


def test_weights_are_between_and_new_words_keep_their_rows() -> None:
    rng = np.random.default_rng(1)
    old = {"encoder.ln_post.weight": rng.normal(size=4), _WORDS: rng.normal(size=(3, 4))}
    new = {name: rng.normal(size=value.shape) for name, value in old.items()}
    old[_WORDS][1] = 0.0
    for share in (0.0, 0.75, 1.0):
        mean = blended(old, new, share)
        assert np.allclose(mean["encoder.ln_post.weight"], share * new["encoder.ln_post.weight"]
                           + (1 - share) * old["encoder.ln_post.weight"])  # fmt: skip
        assert np.array_equal(mean[_WORDS][1], new[_WORDS][1])
        assert np.allclose(mean[_WORDS][0], share * new[_WORDS][0] + (1 - share) * old[_WORDS][0])
    assert not old[_WORDS][1].any(), "what was given stays as it was"

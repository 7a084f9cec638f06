"""What many people say is well formed, is for training only, and brings words that no template has."""

from __future__ import annotations

import random

import numpy as np
import pytest

from models.convert.recogniser.ggml import read_tensors
from models.train.recogniser.grow import grown
from models.train.sound.sentences import sentence
from models.train.sound.transcripts import grammar_words, transcript, vocabulary_words
from models.train.sound.whisper_assets import encode
from models.train.world.said import everyone
from models.train.world.said.people import is_held_out
from models.train.world.said.speakers import UNSAID, common_words, every_word, speaker_sentence, spoken
from tests.eval.understood.sayings import MEMORY, SAYINGS, THINGS
from tests.models.train.test_people import PACKED


def test_every_line_is_well_formed() -> None:
    texts = [each.text for each in spoken()]
    assert len(set(texts)) == len(texts) >= 900 and len({each.speaker for each in spoken()}) >= 30
    for each in spoken():
        assert (each.thing in THINGS) == (each.kind == "thing") or each.kind == "keep", each
        assert each.value is None or each.kind in (
            "timer",
            "timer_off",
            "alarm",
            "alarm_off",
            "volume",
            "forget",
        ), each
        assert not each.time or each.kind in MEMORY, each


def test_no_sentence_of_the_evaluation_is_among_them() -> None:
    assert not {each.text for each in spoken()} & {said.text for said in SAYINGS}


def test_only_training_has_them_and_all_their_words_can_be_written() -> None:
    rng, any_words = random.Random(4), sorted(vocabulary_words())
    for _ in range(2000):
        text = speaker_sentence(rng, any_words)
        assert transcript(text) == text and not is_held_out(text)
    families = [sentence(rng, "train", any_words)[1] for _ in range(3000)]
    assert 0.14 < families.count("speakers") / len(families) < 0.22
    assert "speakers" not in {sentence(rng, "held", any_words)[1] for _ in range(1000)}
    assert set(common_words()) <= every_word() <= vocabulary_words()
    assert len(vocabulary_words() - grammar_words()) > 1000
    assert not every_word() & UNSAID - set(common_words()) - grammar_words()


@pytest.mark.skipif(not PACKED.exists(), reason="the micro pack is not there")
def test_the_packed_recogniser_has_every_word_of_theirs_and_of_everyones() -> None:
    rows = read_tensors(PACKED)["decoder.token_embedding.weight"]
    taught = set(np.flatnonzero(np.abs(rows).sum(1)).tolist())
    words = every_word() | everyone.every_word()
    assert [word for word in sorted(words) if not set(encode(word)) <= taught] == []


def test_a_grown_recogniser_adds_layers_that_change_nothing() -> None:
    rng = np.random.default_rng(1)
    small = {
        f"encoder.blocks.{layer}.{name}": rng.standard_normal(3).astype(np.float32)
        for layer in range(2)
        for name in ("attn.out.weight", "attn.out.bias", "mlp.2.weight", "mlp.2.bias", "mlp_ln.weight")
    } | {"encoder.ln_post.weight": np.ones(3, np.float32)}
    large = grown(small, 3)
    assert {int(name.split(".")[2]) for name in large if "blocks" in name} == {0, 1, 2}
    outputs = [name for name in large if ".1." in name and ("out" in name or "mlp.2" in name)]
    assert len(outputs) == 4 and all(not np.any(large[name]) for name in outputs)
    for old, new in ((0, 0), (0, 1), (1, 2)):
        name = "encoder.blocks.{}.mlp_ln.weight"
        assert np.array_equal(small[name.format(old)], large[name.format(new)])
    assert grown(small, 2).keys() == small.keys()
    with pytest.raises(ValueError, match="2 encoder layers"):
        grown(small, 1)

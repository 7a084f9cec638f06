"""What many people say in their own words: every wording can be filled, is new, and can be written."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from models.convert.recogniser.ggml import read_tensors
from models.train.sound.sentences import sentence
from models.train.sound.transcripts import transcript, vocabulary_words
from models.train.sound.whisper_assets import encode
from models.train.world import grammar
from models.train.world.home import questions as home
from models.train.world.said.memory import is_held_out
from models.train.world.said.people import LONGEST, TEMPLATES, every_word, filled, person_sentence
from models.train.world.said.people import is_held_out as is_in_no_training
from models.train.world.said.reworded import has_held_out_wording
from models.train.world.wording.clips import TRAINED as CLIPS
from models.train.world.wording.memory import TRAINED

PACKED = Path(__file__).parents[3] / "models" / "packs" / "micro" / "stt.bin"


def test_every_wording_is_new_and_can_be_said_in_training() -> None:
    others = {template.text for template in (*grammar.TEMPLATES, *home.TEMPLATES)} | set(TRAINED)
    others |= {text for texts in CLIPS.values() for text in texts}
    assert len(TEMPLATES) == len(set(TEMPLATES)) >= 350
    assert not others & set(TEMPLATES)
    rng = random.Random(1)
    for template in TEMPLATES:
        texts = [filled(template, rng) for _ in range(60)]
        assert not any("{" in text or "  " in text for text in texts), template
        said = [text for text in texts if not is_in_no_training(text)]
        assert len(said) >= 20, template


def test_no_sentence_is_held_out_and_all_their_words_can_be_written() -> None:
    rng = random.Random(2)
    words: set[str] = set()
    for _ in range(4000):
        text = person_sentence(rng)
        assert not grammar.is_held_out(text) and not is_held_out(text) and not has_held_out_wording(text)
        assert home.parsed(text) is None or home.sentence_split(text) == "train"
        assert transcript(text) == text and len(text.split()) <= LONGEST
        words |= set(text.split())
    assert set(" ".join(grammar.NUMBER_WORDS[1:]).split()) <= words


@pytest.mark.skipif(not PACKED.exists(), reason="the micro pack is not there")
def test_the_packed_recogniser_has_every_word() -> None:
    """A token that it was never taught has a row of zeros."""
    rows = read_tensors(PACKED)["decoder.token_embedding.weight"]
    taught = set(np.flatnonzero(np.abs(rows).sum(1)).tolist())
    assert [word for word in every_word() if not set(encode(word)) <= taught] == []
    assert every_word() <= vocabulary_words()


def test_only_training_has_them() -> None:
    rng = random.Random(3)
    families = [sentence(rng, "train")[1] for _ in range(4000)]
    assert 0.1 < families.count("people") / len(families) < 0.18
    assert "people" not in {sentence(rng, "held")[1] for _ in range(1000)}

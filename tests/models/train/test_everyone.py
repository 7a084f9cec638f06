"""What further people say is learned by the recogniser, except of those who are kept back."""

from __future__ import annotations

import random

import numpy as np

from models.train.sound.sentences import sentence
from models.train.sound.transcripts import vocabulary_words
from models.train.sound.utterances import ClipGenerator
from models.train.world.said.everyone import every_word, everyone_sentence
from models.train.world.said.people import is_held_out


def test_training_and_validation_have_other_sentences() -> None:
    rng = random.Random(4)
    learned, kept_back = ({everyone_sentence(rng, split) for _ in range(4000)} for split in ("train", "held"))
    assert len(learned) > 3000 and len(kept_back) > 1000
    assert not learned & kept_back
    assert not any(map(is_held_out, learned | kept_back))


def test_words_that_several_sentences_have_can_be_written() -> None:
    assert every_word() <= vocabulary_words() and len(every_word()) > 5000
    rng, strange = random.Random(5), ["wombat"]
    changed = [
        each for each in (everyone_sentence(rng, "train", strange) for _ in range(1000)) if "wombat" in each
    ]
    assert 200 < len(changed) < 400
    assert not any("wombat" in everyone_sentence(rng, "validation", strange) for _ in range(1000))


def test_only_training_has_them_and_only_validation_those_who_are_kept_back() -> None:
    rng, any_words = random.Random(6), sorted(vocabulary_words())
    families = [sentence(rng, "train", any_words)[1] for _ in range(2000)]
    assert 0.35 < families.count("everyone") / len(families) < 0.45
    assert "everyone" not in {sentence(rng, "held", any_words)[1] for _ in range(1000)}
    generator, noise_rng = ClipGenerator("validation"), np.random.default_rng(1)
    made = [generator.question(rng, noise_rng).family for _ in range(40)]
    assert 0.1 < made.count("everyone") / len(made) < 0.5

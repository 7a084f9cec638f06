"""What the recogniser is trained on: every number and command, and speech that is not for the headband."""

from __future__ import annotations

import random

from host.language.router import Router
from host.language.usual.view import usual_wording
from models.train.sound.sentences import cut_short, sentence, spliced
from models.train.sound.transcripts import transcript, vocabulary_words
from models.train.world.grammar import NUMBER_WORDS
from models.train.world.said.device import device_sentence
from models.train.world.said.reworded import has_held_out_wording, reworded_sentence
from models.train.world.wording.other_ways import THINGS


def test_every_word_that_is_said_to_it_can_be_written() -> None:
    rng = random.Random(1)
    for split in ("train", "held"):
        for _ in range(3000):
            text = sentence(rng, split)[0]
            assert transcript(text) == text
    assert set(" ".join(NUMBER_WORDS).split()) <= vocabulary_words()


def test_unknown_words_in_a_row_are_one_mark() -> None:
    assert transcript("what colour is the periwinkle brocade ottoman") == "what colour is the ??"
    assert transcript("armadillos gallivant") == "??"
    assert transcript("") == ""


def test_commands_mean_what_they_were_made_for() -> None:
    rng, router = random.Random(2), Router()
    for _ in range(400):
        text, intent = device_sentence(rng, "train")
        decision = router.decide(text)
        if intent == "timer" and any(text.count(f" {unit}") == 2 for unit in ("minute", "second", "hour")):
            continue  # two lengths, which are asked again
        assert (decision.route, decision.intent) == ("device", intent), text


def test_all_numbers_are_said() -> None:
    rng = random.Random(3)
    said = " | ".join(sentence(rng, "train")[0] for _ in range(12000))
    assert [word for word in NUMBER_WORDS if word not in said] == []


def test_training_does_not_say_held_out_sentences() -> None:
    rng = random.Random(4)
    held = {sentence(rng, "held")[0] for _ in range(3000)}
    trained = {sentence(rng, "train")[0] for _ in range(3000)}
    numbered = [text for text in held & trained if set(text.split()) & set(NUMBER_WORDS[2:])]
    assert numbered == []


def test_pieces_of_sentences_are_said_as_well() -> None:
    rng = random.Random(5)
    assert {spliced(rng) for _ in range(5)} != {""}
    assert cut_short("what colour is the star", rng) in "what colour is the star"


def test_other_words_for_the_same_are_understood_and_held_out_wordings_stay_out() -> None:
    for thing, ways in THINGS.items():
        for way in ways:
            assert usual_wording(f"where is my {way}") == usual_wording(f"where is my {thing}"), way
    rng = random.Random(6)
    vocabulary = sorted(vocabulary_words())
    drawn = [sentence(rng, "train") for _ in range(3000)]
    trained = {text for text, family in drawn if family == "reworded"}
    trained |= {spliced(rng, vocabulary) for _ in range(2000)}
    held = {reworded_sentence(sentence(rng, "held")[0], rng, "held") for _ in range(1000)}
    assert any({"mobile", "specs", "couch", "mug"} & set(text.split()) for text in trained)
    assert not any(has_held_out_wording(text) for text in trained)
    assert not {text for text in held & trained if set(text.split()) & {"mobile", "specs", "couch", "mug"}}

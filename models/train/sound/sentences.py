"""Random sentences that the wearer says to the headband, whole, spliced and cut short."""

from __future__ import annotations

import random
from collections.abc import Sequence

from models.train.world import grammar
from models.train.world.said.clips import clip_sentence
from models.train.world.said.device import device_sentence, short_command
from models.train.world.said.everyone import everyone_sentence
from models.train.world.said.memory import is_held_out, memory_sentence
from models.train.world.said.negation import negated
from models.train.world.said.people import person_sentence
from models.train.world.said.reworded import has_held_out_wording, reworded_sentence
from models.train.world.said.speakers import speaker_sentence
from models.train.world.sentences import sample_sentence
from models.train.world.truth import TrueAnswer

_EVERYONE_SHARE = 0.4
"""Of the training sentences, so many are of `said.everyone`: most of what people say is in no template."""
_SPEAKERS_SHARE = 0.3
"""Of the others, so many are of `said.speakers`, whose words are many."""
_PEOPLE_SHARE = 0.16
"""Of the others, so many are in the words of many people."""
_NEGATED_SHARE = 0.2
"""Of the training questions that can be negated."""
_REWORDED_SHARE = 0.22
"""Of the sentences, so many are said in other words that people use for the same."""
_COMMAND_SHARE = 0.2
_MEMORY_SHARE = 0.15
_CLIP_SHARE = 0.11
_SHORT_SHARE = 0.05
"""Commands of one or two words, which have too few wordings to come often otherwise."""
_LONGEST_SPLICE = 12
_NUMBERED = ("volume", "timer", "timer_off", "alarm")


def sentence(rng: random.Random, split: str, any_words: Sequence[str] = ()) -> tuple[str, str]:
    """A random sentence of `split` ("train" or "held") and its family. any_words: what comes into sentences
    of `said.everyone` and `said.speakers`; without them there are none of these.
    """
    if split == "train" and any_words and rng.random() < _EVERYONE_SHARE:
        return everyone_sentence(rng, split, any_words), "everyone"
    if split == "train" and any_words and rng.random() < _SPEAKERS_SHARE:
        return speaker_sentence(rng, any_words), "speakers"
    if split == "train" and rng.random() < _PEOPLE_SHARE:
        text, family = person_sentence(rng), "people"
    else:
        text, family = _usual_sentence(rng, split)
        if split == "train" and rng.random() < _NEGATED_SHARE:
            text = _with_negation(text, family, rng)
    if has_number(family) or rng.random() >= _REWORDED_SHARE:
        return text, family
    other = reworded_sentence(text, rng, split)
    return (text, family) if other == text else (other, "reworded")


def _usual_sentence(rng: random.Random, split: str) -> tuple[str, str]:
    draw = rng.random()
    if draw < _MEMORY_SHARE:
        return grammar.as_spoken(memory_sentence(rng, split), rng), "memory"
    draw -= _MEMORY_SHARE
    if draw < _CLIP_SHARE:
        return grammar.as_spoken(clip_sentence(rng, split)[0], rng), "clip"
    draw -= _CLIP_SHARE
    if draw < _SHORT_SHARE:
        return short_command(rng), "command"
    if draw >= _SHORT_SHARE + _COMMAND_SHARE:
        return sample_sentence(rng, split)
    text, intent = device_sentence(rng, split)
    return grammar.as_spoken(text, rng), f"number {intent}" if intent in _NUMBERED else "command"


def _with_negation(text: str, family: str, rng: random.Random) -> str:
    """The sentence with a negation where it is a question that can have one and is then in no held-out
    wording.
    """
    asked = TrueAnswer(text, "", family.removeprefix("home "), "answerable")
    made = negated(asked, rng, "train")
    return text if made is None or has_held_out_wording(made.question) else made.question


def has_number(family: str) -> bool:
    """Whether a family's sentences have numbers, durations or clock times."""
    return family.startswith("number ")


def spliced(rng: random.Random, any_words: Sequence[str] = ()) -> str:
    """The beginning of one training sentence and the end of another; half of them have one to three of
    `any_words` somewhere.

    Such sentences keep the decoder from memorising the questions: it has to recognise words in new orders,
    and it meets each word that it can write. Held-out questions and wordings are excluded.
    """
    while True:
        first, second = (sentence(rng, "train", any_words)[0].split() for _ in range(2))
        words = first[: rng.randint(0, len(first))] + second[rng.randrange(len(second)) :]
        if rng.random() < 0.25:
            words.insert(0, rng.choice(grammar.PREFIXES))
        if any_words and rng.random() < 0.5:
            for _ in range(rng.choice((1, 1, 2, 3))):
                words.insert(rng.randint(0, len(words)), rng.choice(any_words))
        text = " ".join(words)
        held = grammar.is_held_out(text) or is_held_out(text) or has_held_out_wording(text)
        if len(words) <= _LONGEST_SPLICE and not held:
            return text


def cut_short(text: str, rng: random.Random) -> str:
    """The beginning of a sentence, which may be all of it but its last word."""
    words = text.split()
    return " ".join(words[: rng.randint(1, max(1, len(words) - 1))])

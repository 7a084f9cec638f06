"""Everything that is said to the headband and by it, in one place: sentences for the recogniser's training,
and all words that tokenizers need.
"""

from __future__ import annotations

import random
import re
from functools import cache

from models.train.world import grammar, numbers, out_of_grammar, unanswered
from models.train.world.home import questions as home
from models.train.world.home.splits import KINDS, PLACES
from models.train.world.numbers import number_sentence
from models.train.world.truth import BLURRED, DARK, SMALL_TALK

_ANSWERS = (
    "A a about above among An an and any anything appeared are at below bigger biggest blue blurred "
    "cannot change changed closer colour come cup dark did do down else Five five Four from front gone "
    "ground hand here holding I in is It it its keys kitchen label left letters look middle move moved "
    "nearest new next No no not Nothing nothing number of on one ones only park part picture place read "
    "red right same says see sign Six size small smaller smallest something star still stop table tea "
    "tell than that The the them There there They they thing things This this Three to too top turn Two "
    "up which with word Yes You Your your zero"
)
"""The fixed words of the answers about views and of the captions."""


def sample_sentence(rng: random.Random, split: str) -> tuple[str, str]:
    """A random sentence of `split` ("train" or "held") that the headband has an answer to, and its family:
    a question about the drawn shapes or the home, a command, a sentence with a number, small talk, a
    question of safety or one that breaks off.
    """
    draw = rng.random()
    if draw < 0.5:
        text, template = grammar.sample_text(rng, split)
        return text, template.family
    if draw < 0.75:
        text, template = home.sample_text(rng, split)
        return text, f"home {template.family}"
    if draw < 0.92:
        said = number_sentence(rng, split)
        return said.text, f"number {said.intent}"
    declined = (unanswered.safety if draw < 0.97 else unanswered.incomplete)(rng, split)
    return declined.question, declined.family


def whole_question(rng: random.Random, split: str) -> str:
    """A random sentence of `split` that does not break off."""
    while True:
        text, family = sample_sentence(rng, split)
        if family != "incomplete":
            return text


def _split_words(texts: list[str]) -> set[str]:
    return {word for text in texts for word in re.sub(r"\{\w+\}", " ", text).split()}


@cache
def question_words(other_speech: bool = True) -> frozenset[str]:
    """Every word of everything that is asked, held-out wordings included, lower case without punctuation;
    with `other_speech` also those of speech that is not meant for the headband.
    """
    texts = [template.text for template in (*grammar.TEMPLATES, *home.TEMPLATES)]
    texts += [value for values in grammar.SLOT_VALUES.values() for value in values]
    texts += [value for values in home.SLOT_VALUES.values() for value in values]
    texts += [*grammar.PREFIXES, *grammar.SUFFIXES, *grammar.CONTRACTIONS.values(), "is are an"]
    texts += [*unanswered.SAFETY, *unanswered.HELD_OUT_SAFETY]
    texts += [*unanswered.INCOMPLETE, *unanswered.HELD_OUT_INCOMPLETE]
    texts += [value for values in unanswered.SLOTS.values() for value in values]
    found = _split_words(texts) | numbers.words()
    if other_speech:
        found |= out_of_grammar.words() | _split_words(list(out_of_grammar.TEST_SENTENCES))
    return frozenset(found)


@cache
def answer_words() -> frozenset[str]:
    """Every word of all answers and captions, without punctuation, written as in a sentence: also with a
    capital where it begins one.
    """
    texts = [_ANSWERS, DARK, BLURRED, *SMALL_TALK.values(), unanswered.UNSAFE, unanswered.NOT_CAUGHT]
    texts += [*unanswered.INCOMPLETE.values(), *grammar.SIGN_WORDS, *grammar.NUMBER_WORDS]
    texts += [value for name in ("shape", "shapes", "colour", "size") for value in grammar.SLOT_VALUES[name]]
    texts += [*grammar.POSITIONS, *grammar.RELATIONS, *grammar.DIRECTIONS, *KINDS, *PLACES]
    texts += home.SURFACE_NAMES
    return frozenset(word for text in texts for word in re.findall(r"[A-Za-z']+", text))


def all_words(other_speech: bool = True) -> frozenset[str]:
    """Every word of all questions, answers and captions: what a tokenizer has to hold."""
    return question_words(other_speech) | answer_words()

"""Speech that is no question of the grammar, for training and validation: everyday questions and statements
with words drawn from GPT-2's vocabulary, and questions of the grammar with some of their words replaced.

The words of a split are its own (one in ten each for validation and test), and none sounds like a word that
the recogniser writes.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable
from functools import cache

from models.train.sound.transcripts import vocabulary_words
from models.train.sound.whisper_assets import vocabulary
from models.train.world.out_of_grammar import out_of_grammar_sentence

_WORD = re.compile(rb" [a-z]{3,12}")
_SPLITS = {0: "validation", 1: "test"}
_GLUE = frozenset(
    "a an the is are was were do does did can of to in on at for it that this there i you my me we and or "
    "what which where who how when why if not with will has have much many".split()
)
"""Words that stay in place when words of a question are replaced."""
_FRAMES = (
    "what is the {w} of {w}", "who {w} the {w}", "why is the {w} so {w}", "when does the {w} {w}",
    "how do i {w} a {w}", "tell me about {w}", "tell me something about the {w} of {w}",
    "where is the nearest {w}", "how many {w} are in a {w}", "what does {w} mean", "how far is it to {w}",
    "do you know {w}", "do you like {w}", "can you {w} my {w}", "play some {w}", "call my {w}",
    "send a {w} to {w}", "i would like a {w}", "i think the {w} is {w}", "we should {w} the {w}",
    "what is a {w}", "who is {w}", "is {w} a {w}", "are you a {w}", "what should i {w} for {w}",
    "open the {w}", "turn on the {w}", "turn off the {w}", "how much is a {w}",
    "what is the weather in {w}", "will it {w} today", "the {w} was {w} and {w}",
    "he said that the {w} would {w}", "she {w} her {w} in the {w}", "they have {w} all the {w}",
    "my {w} is {w}", "it was a {w} {w}", "there is a {w} behind the {w}", "did you {w} the {w}",
    "have you {w} the {w}", "is there a {w} in the {w}", "what colour is the {w}", "where is my {w}",
    "how many {w} are there", "is the {w} {w}", "what kind of {w} is this", "show me the {w}",
    "find the {w}", "which {w} is the {w}", "what time does the {w} {w}", "how old is {w}",
    "who was the first {w}", "translate {w} into {w}", "spell {w}", "what is {n} plus {n}",
    "what is {n} times {n}", "i need {n} {w}", "she is {n} years {w}", "remind me to {w} at {n}",
    "add {w} to my {w}", "{w}", "{w} {w}", "{w} {w} {w}", "{w} and {w}", "the {w}", "a {w} {w}", "not {w}",
    "to {w} or not to {w}", "oh {w}", "no i {w} the {w}", "yes {w} it", "can we {w} to the {w} please",
    "thank you for the {w}", "good {w}", "hello {w}", "what are you {w}", "why did you {w} that",
    "how does a {w} {w}", "is it {w}", "are there any {w} {w}", "read me a {w}", "what did the {w} say",
    "describe the {w} of {w}", "which way to the {w}", "what happened to the {w}", "it is {w}",
)  # fmt: skip
_NAMED = (
    "remember this as {w}", "remember this as the {w}", "remember this as my {w}",
    "remember this as {w} {w}", "remember this as {w} {n}", "remember that as the {w}",
    "remember that this is {w}", "remember this is my {w}", "remember this as the {w} of {w}",
)  # fmt: skip
"""A view gets a name that the recogniser can't write: everything but the name is to be heard all the same."""
_NAMED_SHARE = 0.08
_NUMBERS = ("two", "three", "five", "seven", "nine", "twelve", "twenty", "forty")


def word_split(word: str) -> str:
    """The split that says a word outside the vocabulary."""
    return _SPLITS.get(hashlib.sha256(word.encode()).digest()[0] % 10, "train")


@cache
def other_words(split: str, sounds: Callable[[str], str]) -> tuple[str, ...]:
    """The words outside the vocabulary of a split, the most common first. `sounds`: a word's phonemes."""
    taken = {sounds(word) for word in vocabulary_words()}
    candidates = (token.decode()[1:] for token in vocabulary() if _WORD.fullmatch(token))
    return tuple(
        word
        for word in dict.fromkeys(candidates)
        if word_split(word) == split and word not in vocabulary_words() and sounds(word) not in taken
    )


class OtherSpeech:
    """Random sentences outside the grammar; `question` gives a random question of the grammar."""

    def __init__(
        self, split: str, sounds: Callable[[str], str], question: Callable[[random.Random], str]
    ) -> None:
        self._split, self._sounds, self._question = split, sounds, question

    def sentence(self, rng: random.Random) -> str:
        """A sentence of up to 12 words."""
        if rng.random() < _NAMED_SHARE:
            return self._filled(rng.choice(_NAMED), rng)
        kind = rng.random()
        if kind < 0.35:
            return self._near_the_grammar(rng)
        if kind < 0.65:
            return self._filled(rng.choice(_FRAMES), rng)
        return out_of_grammar_sentence(rng)

    def _filled(self, frame: str, rng: random.Random) -> str:
        return re.sub("{.}", lambda slot: self._fill(slot.group(), rng), frame)

    def _fill(self, slot: str, rng: random.Random) -> str:
        return rng.choice(_NUMBERS) if slot == "{n}" else self.word(rng)

    def word(self, rng: random.Random) -> str:
        """A word outside the vocabulary, common ones more often."""
        words = other_words(self._split, self._sounds)
        return words[int(len(words) * rng.random() ** 2)]

    def _near_the_grammar(self, rng: random.Random) -> str:
        """A question with one to three of its words replaced."""
        while True:
            words = self._question(rng).split()
            free = [index for index, word in enumerate(words) if word not in _GLUE]
            if free:
                break
        for index in rng.sample(free, min(len(free), rng.choice((1, 1, 2, 3)))):
            words[index] = self.word(rng)
        return " ".join(words[:12])

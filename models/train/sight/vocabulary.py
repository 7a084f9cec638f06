"""The decoder's vocabulary: a GPT-2-style byte-pair encoding; nearly every word is one token."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from models.train.world import grammar
from models.train.world.grammar import (
    COLOURS,
    DIRECTIONS,
    NUMBER_WORDS,
    SHAPES,
    SIGN_WORDS,
    SIZES,
    SLOT_VALUES,
)
from models.train.world.home import questions as home_questions
from models.train.world.home.layouts import SURFACES
from models.train.world.home.random_views import random_view
from models.train.world.home.splits import KINDS, PLACES
from models.train.world.home.truth import truth_of
from models.train.world.questions import ask_many
from models.train.world.scenes import random_clip, random_scene
from models.train.world.truth import BLURRED, DARK, SMALL_TALK

QUESTION, ANSWER, END = "<|q|>", "<|a|>", "<|end|>"
CONTROL = (QUESTION, ANSWER, END)
_HOME = ("part", "front", "turn", "look", "hand", "holding", "place", "label", "small", "none", "no")
_CONTENT = {
    word
    for phrase in (
        *COLOURS, *SHAPES, *SLOT_VALUES["shapes"], *SIZES, *DIRECTIONS, *NUMBER_WORDS, *SIGN_WORDS,
        *KINDS, *PLACES, *SURFACES, *_HOME,
        "top", "bottom", "middle", "not", "no", "Yes", "No", "Nothing", "nothing", "appeared", "gone",
        "changed", "moved",
        "did", "cannot", "dark", "blurred", "A", "An", "a", "an", "The", "sign", "above",
        "below", "new", "one",
    )
    for word in phrase.split()
}  # fmt: skip


def _corpus() -> Iterator[str]:
    rng = random.Random(11)
    for word in sorted(_CONTENT):
        yield f"{word} {word}"
    yield from (DARK, BLURRED, *SMALL_TALK.values())
    for template in grammar.TEMPLATES:
        for _ in range(30):
            yield grammar.with_polite_word(grammar.fill(template, grammar.random_slots(template, rng)), rng)
    for index in range(1500):
        view = random_clip(rng, "train") if index % 4 == 0 else random_scene(rng, "train")
        for answered in ask_many(view, rng, "train", 6):
            yield answered.answer
    for template in home_questions.TEMPLATES:
        for text, _ in rng.sample(found := home_questions.forms(template), min(12, len(found))):
            yield grammar.as_spoken(text, rng)
    for _ in range(1500):
        for answered in home_questions.ask_many(truth_of(random_view(rng, "train"), 192), rng, "train", 6):
            yield f"{answered.question} {answered.answer}"


class Words:
    """Text to token ids and back."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.question_id, self.answer_id, self.end_id = (tokenizer.token_to_id(token) for token in CONTROL)
        self.encode = lru_cache(maxsize=100_000)(self._encode)
        vocabulary = tokenizer.get_vocab()
        self.content = frozenset(i for token, i in vocabulary.items() if token.lstrip("Ġ") in _CONTENT)

    @classmethod
    def train(cls) -> Words:
        """Learns the merges from the grammar's questions and answers; the same every time."""
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=2048,
            min_frequency=1,
            special_tokens=list(CONTROL),
            initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
            show_progress=False,
        )
        tokenizer.train_from_iterator(_corpus(), trainer)
        return cls(tokenizer)

    @classmethod
    def load(cls, path: Path) -> Words:
        """Reads what `save` wrote."""
        return cls(Tokenizer.from_file(str(path)))

    def save(self, path: Path) -> None:
        """Writes the vocabulary and merges as JSON."""
        self.tokenizer.save(str(path))

    def __len__(self) -> int:
        return self.tokenizer.get_vocab_size()

    def _encode(self, text: str) -> tuple[int, ...]:
        return tuple(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def prompt(self, question: str) -> tuple[int, ...]:
        """`<|q|>` question `<|a|>` as ids."""
        return (self.question_id, *self.encode(question), self.answer_id)

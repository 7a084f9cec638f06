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
from models.train.world.questions import ask_many
from models.train.world.scenes import random_clip, random_scene
from models.train.world.truth import BLURRED, DARK, SMALL_TALK

QUESTION, ANSWER, END = "<|q|>", "<|a|>", "<|end|>"
CONTROL = (QUESTION, ANSWER, END)
_CONTENT = {
    word
    for phrase in (
        *COLOURS, *SHAPES, *SLOT_VALUES["shapes"], *SIZES, *DIRECTIONS, *NUMBER_WORDS, *SIGN_WORDS,
        "top", "bottom", "middle", "not", "no", "Yes", "No", "Nothing", "nothing", "appeared", "gone",
        "changed", "moved",
        "did", "cannot", "dark", "blurred", "A", "The", "sign", "above", "below", "new", "one",
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
            vocab_size=1536,
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

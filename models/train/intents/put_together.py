"""Sentences in parts: what people say in one breath (`said.run_on`), and what is put together of single
requests and asides, with a word that joins or without.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

from host.language.router import plain_words
from models.train.intents.data import Sentence
from models.train.intents.train import checksum
from models.train.world.said.run_on import ASIDE, NONE, Part

_LONGEST = 14
"""Words of the longest request that is put together with others."""
_ALONE, _FOR_NOBODY, _IN_ONE_BREATH = 0.15, 0.12, 0.23
"""Shares of sentences with one request, with none, and of people in one breath; the rest is put together."""
_REQUESTS = (1, 2, 2, 2, 3, 3, 4)
_ASIDE_BEFORE, _ASIDE_AFTER = 0.25, 0.2
_FROM_ONE_BREATH = 0.2
_JOINED = 0.5
_JOINTS = (
    *("and",) * 12, *("and then",) * 4, *("then", "and also", "oh and") * 3, *("also", "plus") * 2, "but",
    "and um", "and er", "after that", "but before that", "well", "actually", "um", "er", "right", "okay",
    "anyway",
)  # fmt: skip
_FILLERS = (
    "okay", "so", "right", "um", "er", "wait", "hey", "oh", "well", "och", "now", "listen", "right then",
    "okay so", "hang on", "hello", "hi there", "please", "excuse me", "sorry",
)  # fmt: skip


class PutTogether:
    """Random sentences in parts."""

    def __init__(
        self, people: Sequence[Sentence], breaths: Sequence[Sequence[Part]], rng: random.Random
    ) -> None:
        self._rng, self._breaths = rng, breaths
        told = [Part(each.kind, plain_words(each.text)) for each in people]
        self._requests = [each for each in told if each.kind != NONE]
        self._for_nobody = [each for each in told if each.kind == NONE]
        self._short = [each for each in self._requests if 1 < len(each.text.split()) <= _LONGEST]
        by_kind = defaultdict(list)
        for each in self._short:
            by_kind[each.kind].append(each)
        self._by_kind = list(by_kind.values())
        self._kind_shares = [len(each) ** 0.5 for each in self._by_kind]
        said = [part for sentence in breaths for part in sentence]
        self._asides = [each for each in said if each.kind == ASIDE]
        self._in_one_breath = [each for each in said if each.kind not in (ASIDE, NONE)]

    def sample(self) -> Sequence[Part]:
        """One of them."""
        rng, share = self._rng, self._rng.random()
        if share < _ALONE:
            return [rng.choice(self._requests)]
        if share < _ALONE + _FOR_NOBODY:
            return [rng.choice(self._for_nobody)]
        if share < _ALONE + _FOR_NOBODY + _IN_ONE_BREATH:
            return rng.choice(self._breaths)
        parts: list[Part] = []
        if rng.random() < _ASIDE_BEFORE:
            filler = Part(ASIDE, rng.choice(_FILLERS))
            parts.append(rng.choice(self._asides) if rng.random() < 0.7 else filler)
        for number in range(rng.choice(_REQUESTS)):
            request = self._request()
            joint = f"{rng.choice(_JOINTS)} " if number and rng.random() < _JOINED else ""
            parts.append(Part(request.kind, joint + request.text))
            if rng.random() < _ASIDE_AFTER:
                parts.append(rng.choice(self._asides))
        return parts

    def _request(self) -> Part:
        if self._rng.random() < _FROM_ONE_BREATH:
            return self._rng.choice(self._in_one_breath)
        if self._rng.random() < 0.5:
            return self._rng.choice(self._short)
        return self._rng.choice(self._rng.choices(self._by_kind, self._kind_shares)[0])


def made_from(people: Sequence[Sentence], breaths: Sequence[Sequence[Part]]) -> int:
    """Checksum of what the network learns."""
    told = tuple(Sentence(part.text, part.kind, len(sentence)) for sentence in breaths for part in sentence)
    return checksum((*people, *told))

"""What many people say to a headband, sentence by sentence, and words that such people use.

`speakers.txt` has 3,400 sentences of 109 invented people with what each means; `common_words.txt` has
common words that none of the templates has. Both are for training only.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from models.train.world.said.people import is_held_out
from models.train.world.wording.word_list import read_words

_FOLDER = Path(__file__).parents[1] / "wording"
UNSAID = frozenset(
    (
        "'ad 'ee 'em 'fore 'less abaya abeg abi aboot ahmet aight alfie's apero awfy ay aye ayo b bergen "
        "biff brae braw bredda brenda butt color comin cyn d'you darlene deadass deh dem dinnae doon "
        "dosette due e ebi efface eke evenin fae fi gie glesses goin gonnae guessin gwaan habibi hans "
        "haudin hen heron high hoose hymn jardin jaysus jean joan kasia keepin killin le lookin maureen "
        "meself mi mia milkin mornin mun naw nepa nko nonna noo och oi okada ol one's oot outta oya patel's "
        "patients pe petya pointin puja rememberin rigatoni rockin roo san sandra savin sayin sharma shh "
        "showin shush site sitrep snags somethin squiz sushi's swansea tanaka telecommand thee timer's ugh "
        "ute wah wean's wearin weh welly whit whit's wi wi'out wid y'all yaar ye ye're yin yo yon"
    ).split()
)
"""Spellings of dialects and names; sentences of this file that have them are not learned."""
_REPLACED_SHARE = 0.6
"""Of the sentences, so many have one to three words replaced by any others."""
_ANY_ORDER_SHARE = 0.3
"""Of the draws, so many are words in no order at all, of which no sentence makes one expect the next."""


@dataclass(frozen=True)
class Spoken:
    """A sentence and what it means; the fields are those of a line of `speakers.txt`."""

    speaker: str
    kind: str
    thing: str
    time: str
    value: int | None
    text: str


@cache
def spoken() -> tuple[Spoken, ...]:
    """All sentences."""
    made = []
    for line in (_FOLDER / "speakers.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            speaker, kind, thing, time, value, text = (part.strip() for part in line.split("|"))
            made.append(Spoken(speaker, kind, thing, time, int(value) if value else None, text))
    return tuple(made)


@cache
def _texts() -> tuple[str, ...]:
    """The sentences that the recogniser is taught."""
    texts = dict.fromkeys(each.text for each in spoken())
    return tuple(text for text in texts if not UNSAID & set(text.split()) and not is_held_out(text))


@cache
def common_words() -> tuple[str, ...]:
    """Common words that no template has."""
    return read_words(_FOLDER / "common_words.txt")


@cache
def every_word() -> frozenset[str]:
    """Every word of the sentences that are taught, and the common ones."""
    return frozenset(word for text in _texts() for word in text.split()) | frozenset(common_words())


def speaker_sentence(rng: random.Random, any_words: Sequence[str]) -> str:
    """A sentence as it is, with some of its words replaced, or words in no order; about half of the words
    that come in are of these people's, the others of `any_words`.
    """
    own = _own_words()

    def any_word() -> str:
        return rng.choice(own if rng.random() < 0.6 else any_words)

    while True:
        if rng.random() < _ANY_ORDER_SHARE:
            words = [any_word() for _ in range(rng.randint(2, 7))]
        else:
            words = rng.choice(_texts()).split()
            if rng.random() < _REPLACED_SHARE:
                for _ in range(rng.randint(1, 3)):
                    words[rng.randrange(len(words))] = any_word()
        text = " ".join(words)
        if not is_held_out(text):
            return text


@cache
def _own_words() -> tuple[str, ...]:
    return tuple(sorted(every_word()))

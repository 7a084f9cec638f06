"""Sentences about the last seconds with the kind of question that they ask: those of people, and those that
the recogniser is taught.
"""

from __future__ import annotations

import random
from collections.abc import Collection

from models.train.intents.data import Sentence
from models.train.world.home.splits import KINDS
from models.train.world.said.asked_of_clip import NONE, asked_of_clip
from models.train.world.wording.clips import TRAINED

_TAUGHT = 0.3
"""How much a wording that the recogniser is taught counts; a sentence of people counts 1."""
_FILLED = 3
"""Sentences of each such wording."""


def clip_sentences(seed: int = 1, *, without: Collection[str] = ()) -> tuple[Sentence, ...]:
    """All of them; the same for the same seed. without: speakers who are left out."""
    rng, kinds = random.Random(seed), sorted(KINDS)
    found = [
        Sentence(each.text, each.kind, 1.0)
        for each in asked_of_clip()
        if each.kind != NONE and each.speaker not in without
    ]
    for kind, texts in TRAINED.items():
        for text in (text for text in texts for _ in range(_FILLED)):
            one, two = rng.sample(kinds, 2)
            said = text.format(item=f"{rng.choice(('the', 'my'))} {one}", item2=f"the {two}")
            found.append(Sentence(said, kind, _TAUGHT))
    return tuple(found)

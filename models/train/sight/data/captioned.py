"""Captions of a batch's pictures for the contrastive loss, and which of them is true of which picture."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from models.train.sight.text_words import UNKNOWN, TextWords
from models.train.world.caption_truth import Captioned, altered, of_view
from models.train.world.home.random_views import random_view
from models.train.world.home.truth import truth_of

Arrays = dict[str, NDArray]
TRUE, FALSE, UNJUDGED = 1, 0, -1


def matches(pictures: Sequence[Captioned], captions: Sequence[str]) -> NDArray[np.int8]:
    """int8 [pictures, captions]: TRUE, FALSE, or UNJUDGED where it is a matter of judgement."""
    value = {True: TRUE, False: FALSE, None: UNJUDGED}
    rows = [[value[picture.holds(caption)] for caption in captions] for picture in pictures]
    return np.asarray(rows, np.int8).reshape(len(pictures), len(captions))


def chosen_captions(picture: Captioned, rng: random.Random, most: int) -> list[str]:
    """Up to `most` true captions of a picture, most of them telling ones."""
    found = rng.sample(picture.telling, min(most, len(picture.telling)))
    short = sorted(picture.true)
    if short and rng.random() < 0.5:
        found[-1:] = [rng.choice(short)]
    return found


def caption_batch(pictures: Sequence[Captioned], words: TextWords, rng: random.Random, total: int) -> Arrays:
    """`total` captions: of the pictures, of the pictures with a word exchanged, and of other views.

    int64 "captions" [total, 24] and int8 "match" [pictures, total].
    """
    each = max(1, 2 * total // (3 * len(pictures)))
    own = [caption for picture in pictures for caption in chosen_captions(picture, rng, each)]
    changed = [altered(caption, rng) for caption in own if rng.random() < 0.5]
    captions = list(dict.fromkeys([*own, *changed]))[:total]
    for _ in range(total):
        if len(captions) >= total:
            break
        view = random_view(rng, "train", 0.0)
        other = of_view(view, truth_of(view))
        captions = list(dict.fromkeys([*captions, *chosen_captions(other, rng, 4)]))[:total]
    captions += ["nothing"] * (total - len(captions))
    tokens = np.stack([words.encode(caption) for caption in captions])
    tokens[(tokens > UNKNOWN) & (np.random.default_rng(rng.getrandbits(32)).random(tokens.shape) < 0.01)] = (
        UNKNOWN
    )
    return {"captions": tokens, "match": matches(pictures, captions)}

"""The files of a reflex brick in a pack: `front`, `layer_1` and so on, which are graphs, `answers`, the table
of `models.bricks.closed_sentence`, and `words`, a vocabulary as `models.bricks.reflex_words` reads it.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

MOST_WORDS = 24
"""Words of a question that the network has places for."""
_LONGEST_BYTES = 16 << 20


def layer_key(layer: int) -> str:
    """The key of a cross-modal layer's file; layers count from 1."""
    return f"layer_{layer}"


def words_fault(path: Path) -> str:
    """Why a vocabulary can't be used by the reflex brick, in one sentence; empty where it can."""
    try:
        with path.open(encoding="utf-8") as stream:
            table = json.loads(stream.read(_LONGEST_BYTES))
        length, words = table["length"], table["words"]
        if not isinstance(words, list) or len(words) < 3 or not all(isinstance(word, str) for word in words):
            raise ValueError("it has no list of words")
        weights = table.get("asked", [0.0] * len(words))
        if not isinstance(weights, list) or len(weights) != len(words) or not all(map(_is_number, weights)):
            raise ValueError("'asked' has to be a number for each word")
        if isinstance(length, bool) or not isinstance(length, int) or not 1 <= length <= MOST_WORDS:
            raise ValueError(f"its length has to be 1 to {MOST_WORDS} words")
    except (OSError, ValueError, LookupError, TypeError, OverflowError, RecursionError) as error:
        told = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        return f"The vocabulary {path} can't be used by the reflex brick: {told}."
    return ""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
